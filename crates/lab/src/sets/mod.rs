//! Confidence sets under watch: whether theta* ever leaves them, and how wide they are.
//!
//! A learner shows its plans and no more, so a second copy of its sets is kept here, by the same code of the library on the
//! same data. At every planning call the copy must have the very estimate that the learner reports.

mod likelihood;
mod regression;

use crate::{Contender, Error, Progress, Result};
use goalward::confidence::{Guarantee, theta_norm};
use goalward::episode::{Arena, Ending, Flow, Observer, Plan, RunSpec, Runner, Step, Stop};
use goalward::learners::{PlanReport, Probe};
use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use goalward::problem::{Pair, Problem, State};
use likelihood::LikelihoodTwin;
use regression::RegressionTwin;
use serde_json::{Map, Value};

/// Steps between two questions whether to stop.
const LISTEN: u64 = 256;
/// How far a copy's estimate may be from the learner's: rounding in the units of costs.
const TOLERANCE: f64 = 1e-6;

/// What one run says of its confidence sets.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) seed: u64,
    /// The first step after which theta* was outside.
    pub(crate) lost: Option<u64>,
    /// The first planning call whose set did not have theta*.
    pub(crate) lost_at_plan: Option<u64>,
    /// The first planning call whose set did not have theta* though the confidence set had had it after every step: an error of
    /// the program, whatever the luck.
    pub(crate) missed: Option<u64>,
    /// Steps watched.
    pub(crate) steps: u64,
    /// The likelihood's threshold above the least loss, after the last step.
    pub(crate) nats: Option<f64>,
    /// The radius of the regression's ellipsoid, after the last step.
    pub(crate) radius: Option<f64>,
    /// The width of the set after the last step, as a share of B's: the mean over the directions phi_V*(s,a). None if it is empty,
    /// and where B has no width.
    pub(crate) width: Option<f64>,
    /// Whether the set was empty after the last step.
    pub(crate) empty: bool,
    /// The gap regret of the run.
    pub(crate) gap_regret: f64,
    /// What is proved of the learner, with its conditions checked against the truth.
    pub(crate) guarantee: Option<Guarantee>,
    /// The radius that results name.
    pub(crate) kind: Option<String>,
    /// Whether the user ended it.
    pub(crate) interrupted: bool,
}

/// The twin of one confidence set.
trait Twin {
    /// Takes a step in.
    fn step(&mut self, problem: &Problem, pair: Pair, next: State, t: u64);
    /// A planning call; `false` if the copy is not the learner's own.
    fn plan(&mut self, problem: &Problem, plan: &PlanReport) -> bool;
    /// Whether it has theta* now, after every step.
    fn has(&mut self) -> bool;
    /// Whether the set that the last plan was made over has it.
    fn had_at_plan(&self) -> bool;
    /// The set now, within B; none if it is empty.
    fn set(&mut self, problem: &Problem) -> Option<ConvexSet>;
    /// Its size: threshold in nats, or radius.
    fn size(&self) -> Size;
}

enum Size {
    Nats(f64),
    Radius(f64),
}

/// What to watch in an arena: directions in which widths are taken, with B's own widths.
pub(crate) struct Yardstick {
    directions: Vec<(Vec<f64>, f64)>,
}

impl Yardstick {
    /// phi_V* of every pair off the goal in which B has a width.
    pub(crate) fn new(arena: &Arena) -> Yardstick {
        let problem = arena.problem();
        let polytope = problem.constraints();
        let d = problem.dim();
        let mut identity = vec![0.0; d * d];
        (0..d).for_each(|i| identity[i * d + i] = 1.0);
        // far larger than B where kernels see it
        let radius = theta_norm(problem).map_or(1e4, |norm| f64::max(1e4, 4.0 * norm));
        let all = Ellipsoid { center: polytope.interior(), shape: &identity, radius };
        let Ok(mut all) = ConvexSet::new(polytope, all) else { return Yardstick { directions: Vec::new() } };
        let goal = problem.pairs_of(problem.goal());
        let directions = (0..problem.pairs()).filter(|p| !goal.contains(p)).filter_map(|p| {
            let mut c = vec![0.0; d];
            problem.phi_v(p, &arena.exact().v, &mut c);
            let (low, high) = interval(&mut all, &c);
            (high - low > 1e-9).then_some((c, high - low))
        });
        Yardstick { directions: directions.collect() }
    }

    /// The mean over the directions of the width of an intersection, as a share of B's.
    fn width(&self, sets: &mut [ConvexSet]) -> Option<f64> {
        let share = |(c, all): &(Vec<f64>, f64)| {
            let ends = sets.iter_mut().map(|set| interval(set, c));
            let (low, high) =
                ends.fold((f64::NEG_INFINITY, f64::INFINITY), |(l, h), (a, b)| (l.max(a), h.min(b)));
            ((high - low).max(0.0) / all).min(1.0)
        };
        let n = self.directions.len();
        (n > 0).then(|| self.directions.iter().map(share).sum::<f64>() / n as f64)
    }
}

/// Certified bounds of <c, theta> over a set.
fn interval(set: &mut ConvexSet, c: &[f64]) -> (f64, f64) {
    let minus: Vec<f64> = c.iter().map(|x| -x).collect();
    (set.min(c, &mut Warm::default()).bound, -set.min(&minus, &mut Warm::default()).bound)
}

/// Runs a contender for so many steps and watches its sets.
pub(crate) fn watch(
    arena: &Arena,
    yardstick: &Yardstick,
    contender: &Contender,
    seed: u64,
    steps: u64,
    progress: &dyn Progress,
) -> Result<Account> {
    // every episode of a run has a step, or the run has none
    let spec = RunSpec { settings: contender.settings.clone(), ..RunSpec::new(&contender.learner, steps) };
    let mut runner = Runner::new(arena, spec.seed(seed).max_steps(steps))?;
    runner.heed(&progress.halt());
    let force = runner.learner().in_force();
    let copies = copies(arena, &contender.learner, &force)?;
    let mut watcher = Watcher {
        arena,
        outside: vec![false; copies.len()],
        copies,
        lost: None,
        lost_at_plan: None,
        missed: None,
        strayed: None,
        progress,
    };
    let ending = runner.run(&mut [&mut watcher])?;
    let problem = arena.problem();
    if let Some(t) = watcher.strayed {
        let (learner, world) = (contender.label.clone(), arena.world.clone());
        return Err(Error::Strayed { learner, world, seed, t });
    }
    let mut account = Account {
        seed,
        lost: watcher.lost,
        lost_at_plan: watcher.lost_at_plan,
        missed: watcher.missed,
        steps: runner.progress().steps,
        nats: None,
        radius: None,
        width: None,
        empty: false,
        gap_regret: runner.progress().gap_regret,
        guarantee: runner.guarantee(),
        kind: force.get("radius").and_then(Value::as_str).map(String::from),
        interrupted: ending == Ending::Paused,
    };
    for copy in &watcher.copies {
        match copy.size() {
            Size::Nats(nats) => account.nats = Some(nats),
            Size::Radius(radius) => account.radius = Some(radius),
        }
    }
    let sets: Option<Vec<ConvexSet>> = watcher.copies.iter_mut().map(|copy| copy.set(problem)).collect();
    account.empty = sets.is_none();
    account.width = sets.and_then(|mut sets| yardstick.width(&mut sets));
    Ok(account)
}

/// The sets of a learner, by the parameters in force.
fn copies(arena: &Arena, learner: &str, force: &Map<String, Value>) -> Result<Vec<Box<dyn Twin>>> {
    let likelihood = |delta: f64, alone: bool| -> Result<Box<dyn Twin>> {
        Ok(Box::new(LikelihoodTwin::new(arena, delta, alone)?))
    };
    let moments = |delta: f64, radius: &str| -> Result<Box<dyn Twin>> {
        Ok(Box::new(RegressionTwin::moments(arena, force, delta, radius)?))
    };
    let delta = number(force, "delta").map_err(|_| no_set(learner))?;
    let text = |key: &str| force.get(key).and_then(Value::as_str).unwrap_or("printed").to_string();
    match learner {
        "lr" => Ok(vec![likelihood(delta, true)?]),
        "levis++lr" => {
            Ok(vec![moments(0.5 * delta, &text("regression_radius"))?, likelihood(0.5 * delta, false)?])
        }
        "levis++" | "rho-levis++" => Ok(vec![moments(delta, &text("radius"))?]),
        "levis" => Ok(vec![Box::new(RegressionTwin::plain(arena, force, delta, &text("radius"))?)]),
        _ => Err(no_set(learner)),
    }
}

fn no_set(learner: &str) -> Error {
    let fault = format!("{learner:?} has no confidence set that this study knows");
    Error::Option { option: "learners", fault }
}

/// A number among the parameters in force.
fn number(force: &Map<String, Value>, key: &str) -> Result<f64> {
    let fault = || Error::Option { option: "learners", fault: format!("a learner without {key:?}") };
    force.get(key).and_then(Value::as_f64).ok_or_else(fault)
}

struct Watcher<'a> {
    arena: &'a Arena,
    copies: Vec<Box<dyn Twin>>,
    /// Which of them have ever lost theta*.
    outside: Vec<bool>,
    lost: Option<u64>,
    lost_at_plan: Option<u64>,
    missed: Option<u64>,
    strayed: Option<u64>,
    progress: &'a dyn Progress,
}

struct Reported(Option<PlanReport>);

impl Probe for Reported {
    fn plan(&mut self, plan: &PlanReport) {
        self.0 = Some(plan.clone());
    }
    fn wants_estimate(&self) -> bool {
        false
    }
}

impl Observer for Watcher<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        let problem = self.arena.problem();
        let pair = problem.pair(step.state, step.action);
        for (copy, outside) in self.copies.iter_mut().zip(&mut self.outside) {
            copy.step(problem, pair, step.next, step.t);
            if !*outside && !copy.has() {
                *outside = true;
                self.lost = self.lost.or(Some(step.t));
            }
        }
        let stop = step.t.is_multiple_of(LISTEN) && self.progress.cancelled();
        if stop { Flow::Break(Stop) } else { Flow::Continue(()) }
    }

    fn plan(&mut self, plan: &Plan) -> Flow {
        let mut reported = Reported(None);
        plan.learner.probe(&mut reported);
        let Some(report) = reported.0 else { return Flow::Continue(()) };
        for (copy, outside) in self.copies.iter_mut().zip(&self.outside) {
            if !copy.plan(self.arena.problem(), &report) {
                self.strayed = Some(plan.t);
                return Flow::Break(Stop);
            }
            if !copy.had_at_plan() {
                self.lost_at_plan = self.lost_at_plan.or(Some(plan.t));
                if !outside {
                    self.missed = self.missed.or(Some(plan.t));
                }
            }
        }
        Flow::Continue(())
    }
}
