//! What the process of a case does: each part is printed as soon as it is done, with its time and
//! the most memory that was in use meanwhile.

use crate::case::{ACTIONS, Case, Kind, SUCCESSORS};
use crate::harness::{median, reset_peak, status};
use goalward::Settings;
use goalward::learners::{self, Observed, Told, Transition};
use goalward::numeric::Stream;
use goalward::plan::{Objective, Options, solve};
use goalward::problem::Instance;
use goalward::worlds;
use serde_json::json;
use std::time::Instant;

/// A run ends after so many steps, the first ten planning calls or so.
const STEPS: usize = 64;
/// And, once it has planned twice, after so many seconds.
const PATIENCE: f64 = 60.0;

/// Seconds of some work, and the most memory in use meanwhile, in bytes.
fn taken<T>(work: impl FnOnce() -> T) -> (T, f64, f64) {
    reset_peak();
    let began = Instant::now();
    let done = work();
    (done, began.elapsed().as_secs_f64(), status("VmHWM:"))
}

pub(crate) fn all(case: &Case) {
    let params = Settings::new()
        .set("states", case.pairs / ACTIONS)
        .set("actions", ACTIONS)
        .set("dim", case.dim)
        .set("successors", SUCCESSORS)
        .set("simplex", case.kind == Kind::Simplex);
    let (instance, seconds, peak) = taken(|| worlds::build("random-mixture", &params).expect("it builds"));
    let problem = &instance.problem;
    let rows = problem.rows(problem.pairs() - 1).end;
    println!(
        "{}",
        json!({"build": {
            "seconds": seconds, "peak": peak, "features": 8 * rows * case.dim, "problem": instance.bytes(),
        }})
    );
    let truth = instance.truth().expect("it has a truth");
    let options = Options::fast(Objective::Min, 1e-6);
    let (answer, seconds, peak) = taken(|| solve(problem, truth, &options).expect("it is solved"));
    println!("{}", json!({"solve": {"seconds": seconds, "peak": peak, "width": answer.width()}}));
    drop(answer);
    let (run, _, peak) = taken(|| learn(&instance));
    let longest = run.plans.iter().copied().fold(0.0, f64::max);
    // early steps may all plan
    let step = (!run.steps.is_empty()).then(|| median(run.steps.clone()));
    println!(
        "{}",
        json!({"plan": {
            "seconds": median(run.plans.clone()), "peak": peak, "longest": longest,
            "plans": run.plans.len(), "relaxed": run.relaxed, "step": step,
        }})
    );
}

/// The first steps of a run.
struct Run {
    /// Seconds of each step that planned.
    plans: Vec<f64>,
    /// Seconds of each other step.
    steps: Vec<f64>,
    /// Whether a plan was over a set larger than asked for.
    relaxed: bool,
}

fn learn(instance: &Instance) -> Run {
    let (problem, truth) = (&instance.problem, instance.truth().expect("it has a truth"));
    let entry = learners::entry("lr").expect("there is such a learner");
    let learner = entry.build(problem, &Settings::new(), 0, 1, Told::default());
    let mut learner = learner.expect("it is built");
    let mut draw = Stream::new(1, &[]);
    let (mut s, began) = (problem.start(), Instant::now());
    let mut run = Run { plans: Vec::new(), steps: Vec::new(), relaxed: false };
    while run.plans.len() + run.steps.len() < STEPS
        && (run.plans.len() < 2 || began.elapsed().as_secs_f64() < PATIENCE)
    {
        let clock = Instant::now();
        let action = learner.act(s).expect("the state exists");
        let pair = problem.pair(s, action);
        let next = truth.sample(problem, pair, draw.uniform());
        let observed = learner.observe(&Transition { state: s, action, cost: problem.cost(pair), next });
        let planned = observed.expect("the step is possible") == Observed::Planned;
        let seconds = clock.elapsed().as_secs_f64();
        if planned {
            run.plans.push(seconds)
        } else {
            run.steps.push(seconds)
        }
        if planned {
            let plan = learner.last_plan();
            run.relaxed |= plan.and_then(|plan| plan.mixture().map(|plan| plan.relaxed)).unwrap_or(false);
        }
        s = if next == problem.goal() {
            learner.end_episode();
            problem.start()
        } else {
            next
        };
    }
    run
}
