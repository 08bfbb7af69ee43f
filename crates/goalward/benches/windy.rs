//! Where the time of a learning run on a large grid goes: `cargo xtask bench windy [N [EPISODES]]`.
//!
//! The windy grid of N x N cells (300: 90,000 states, 360,000 pairs), seed 0, learners `lr` and `levis++lr` (with `B=oracle`),
//! and `optimal`, which follows the optimal policy and meets the same luck. The clock is around `act` and `observe`: a call that planned is
//! counted apart. A planning call also brings the likelihood set up to date; what that takes, and what keeping the set takes
//! between plans, is measured afterwards by a keeper of its own on the same transitions, with plans at the same times, and
//! subtracted. `regret_v` is the regret against V*(start) (the luck of some episodes is in it), `regret_o` the difference to the costs of
//! `optimal` on the same luck, `gap` the gap regret.

mod harness;

use goalward::confidence::LikelihoodKeeper;
use goalward::episode::{Arena, Episode, Flow, Observer, RunSpec, Runner};
use goalward::learners::{self, Learner, Observed, Probe, Snapshot, Told, Transition};
use goalward::problem::{Action, State};
use goalward::registry::Settings;
use harness::{Table, reset_peak, status};
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// What a run did, and how long it took.
#[derive(Default)]
struct Log {
    steps: Vec<Transition>,
    /// The steps that planned.
    plans: Vec<usize>,
    plan_s: f64,
    longest_s: f64,
    other_s: f64,
}

/// A learner with a clock around it.
struct Timed {
    learner: Box<dyn Learner>,
    log: Arc<Mutex<Log>>,
}

impl Learner for Timed {
    fn act(&mut self, s: State) -> goalward::Result<Action> {
        let start = Instant::now();
        let action = self.learner.act(s);
        self.log.lock().unwrap().other_s += start.elapsed().as_secs_f64();
        action
    }

    fn observe(&mut self, step: &Transition) -> goalward::Result<Observed> {
        let start = Instant::now();
        let observed = self.learner.observe(step)?;
        let seconds = start.elapsed().as_secs_f64();
        let mut log = self.log.lock().unwrap();
        log.steps.push(*step);
        if observed == Observed::Planned {
            let t = log.steps.len();
            log.plans.push(t);
            log.plan_s += seconds;
            log.longest_s = log.longest_s.max(seconds);
        } else {
            log.other_s += seconds;
        }
        Ok(observed)
    }

    fn end_episode(&mut self) {
        self.learner.end_episode();
    }

    fn probe(&self, sink: &mut dyn Probe) {
        self.learner.probe(sink);
    }

    fn in_force(&self) -> Map<String, Value> {
        self.learner.in_force()
    }

    fn snapshot(&self) -> Snapshot {
        self.learner.snapshot()
    }

    fn restore(&mut self, snapshot: &Snapshot) -> goalward::Result<()> {
        self.learner.restore(snapshot)
    }
}

/// Says how far a run is.
struct Say<'a> {
    learner: &'a str,
    log: &'a Mutex<Log>,
    start: Instant,
}

impl Observer for Say<'_> {
    fn episode(&mut self, episode: &Episode) -> Flow {
        let log = self.log.lock().unwrap();
        eprintln!(
            "{} episode {}: {:.1} s so far, {} steps, {} plans in {:.1} s, gap regret {:.1}",
            self.learner,
            episode.episode,
            self.start.elapsed().as_secs_f64(),
            log.steps.len(),
            log.plans.len(),
            log.plan_s,
            episode.gap_regret
        );
        Flow::Continue(())
    }
}

/// Seconds that the likelihood set takes on these transitions: at the plans, and between them.
fn keep(arena: &Arena, log: &Log, delta: f64) -> (f64, f64) {
    let problem = arena.problem();
    let mut keeper = LikelihoodKeeper::new(problem, delta);
    let (mut at_plans, mut plans) = (0.0, log.plans.iter().peekable());
    let start = Instant::now();
    for (t, step) in (1..).zip(&log.steps) {
        let _ = keeper.observe(problem.pair(step.state, step.action), step.next);
        std::hint::black_box(keeper.informed());
        if plans.next_if(|&&plan| plan == t).is_some() {
            let before = Instant::now();
            let _ = std::hint::black_box(keeper.update());
            at_plans += before.elapsed().as_secs_f64();
        }
    }
    (at_plans, start.elapsed().as_secs_f64() - at_plans)
}

fn main() {
    let args: Vec<u64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let n = args.first().copied().unwrap_or(300);
    let episodes = args.get(1).copied().unwrap_or(20);
    let start = Instant::now();
    let before = status("VmRSS:");
    let arena = Arena::open("windy-grid", &Settings::new().set("n", n)).unwrap();
    eprintln!("built and solved in {:.1} s", start.elapsed().as_secs_f64());
    let columns = [
        "wall_s",
        "per_episode_s",
        "plans",
        "plan_s",
        "longest_s",
        "keep_s",
        "act_s",
        "steps",
        "regret_v",
        "regret_o",
        "gap",
        "peak_MB",
    ];
    let mut table = Table::new("windy", &columns);
    let b_star = arena.exact().upper.iter().copied().fold(0.0, f64::max);
    let mut of_optimal = f64::NAN;
    // delta of the likelihood set, where there is one
    for (id, settings, delta) in [
        ("optimal", Settings::new(), None),
        ("lr", Settings::new(), Some(0.01)),
        ("levis++lr", Settings::new().set("B", "oracle"), Some(0.005)),
    ] {
        let entry = learners::entry(id).unwrap();
        let policy = entry.wants_policy.then(|| arena.exact().policy.clone());
        let told = Told { b_star: Some(b_star), policy, ..Told::default() };
        reset_peak();
        let start = Instant::now();
        let learner = learners::build(entry, arena.problem(), &settings, 0, episodes, told).unwrap();
        let log = Arc::new(Mutex::new(Log::default()));
        let timed = Timed { learner, log: log.clone() };
        let spec = RunSpec::new(id, episodes).settings(settings);
        let mut runner = Runner::with_learner(&arena, spec, Box::new(timed)).unwrap();
        runner.run(&mut [&mut Say { learner: id, log: &log, start }]).unwrap();
        let wall_s = start.elapsed().as_secs_f64();
        let peak = status("VmHWM:") - before;
        let result = runner.result();
        drop(runner);
        let log = log.lock().unwrap();
        let (at_plans, between) = delta.map_or((0.0, 0.0), |delta| keep(&arena, &log, delta));
        if id == "optimal" {
            of_optimal = result.total_cost;
        }
        let values = [
            wall_s,
            wall_s / episodes as f64,
            log.plans.len() as f64,
            log.plan_s - at_plans,
            log.longest_s,
            at_plans + between,
            log.other_s - between,
            result.steps as f64,
            result.regret,
            result.total_cost - of_optimal,
            result.gap_regret,
            peak * 1e-6,
        ];
        table.row(id, &values);
    }
    table.print();
}
