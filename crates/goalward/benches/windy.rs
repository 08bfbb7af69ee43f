//! Where the time of a learning run on a large grid goes: `cargo xtask bench windy [N [EPISODES]]`.
//!
//! The windy grid of N x N cells (300: 90,000 states, 360,000 pairs), seed 0, learners `lr` and
//! `levis++lr` (with `B=oracle`), and `optimal`, which follows the optimal policy and meets the
//! same luck. The clock is around `act` and `observe`: a call that planned is counted apart. A
//! planning call also brings the likelihood set up to date; what that takes, and what keeping the
//! set takes between plans, is measured afterwards by a keeper of its own on the same transitions,
//! with plans at the same times, and subtracted. `regret_v` is the regret against V*(start) (the
//! luck of some episodes is in it), `regret_o` the difference to the costs of `optimal` on the same
//! luck, `gap` the gap regret.

mod harness;

use goalward::Settings;
use goalward::confidence::LikelihoodKeeper;
use goalward::episode::{Arena, Episode, Flow, Observer, Plan, RunSpec, Runner, Step};
use goalward::learners::Transition;
use harness::{Table, reset_peak, status};
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

/// A clock around every step, which also says how far a run is.
struct Timed<'a> {
    learner: &'a str,
    log: Log,
    start: Instant,
    last: Instant,
    /// What the last step took.
    step_s: f64,
}

impl Observer for Timed<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        self.step_s = self.last.elapsed().as_secs_f64();
        self.log.other_s += self.step_s;
        let Step { state, action, cost, next, .. } = *step;
        self.log.steps.push(Transition { state, action, cost, next });
        self.last = Instant::now();
        Flow::Continue(())
    }

    /// The step just counted planned.
    fn plan(&mut self, _: &Plan) -> Flow {
        let log = &mut self.log;
        log.plans.push(log.steps.len());
        log.other_s -= self.step_s;
        log.plan_s += self.step_s;
        log.longest_s = log.longest_s.max(self.step_s);
        self.last = Instant::now();
        Flow::Continue(())
    }

    fn episode(&mut self, episode: &Episode) -> Flow {
        let log = &self.log;
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
        self.last = Instant::now();
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
        std::hint::black_box(keeper.informed(2.0));
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
    let mut of_optimal = f64::NAN;
    // delta of the likelihood set, where there is one
    for (id, settings, delta) in [
        ("optimal", Settings::new(), None),
        ("lr", Settings::new(), Some(0.01)),
        ("levis++lr", Settings::new().set("B", "oracle"), Some(0.005)),
    ] {
        reset_peak();
        let start = Instant::now();
        let mut runner = Runner::new(&arena, RunSpec::new(id, episodes).settings(settings)).unwrap();
        let log = Log::default();
        let mut timed = Timed { learner: id, log, start, last: Instant::now(), step_s: 0.0 };
        runner.run(&mut [&mut timed]).unwrap();
        let wall_s = start.elapsed().as_secs_f64();
        let peak = status("VmHWM:") - before;
        let result = runner.result();
        drop(runner);
        let log = timed.log;
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
