//! `cargo xtask soak fits [RUNS [STEPS]]`: how often the intervals of a fit contain all true
//! weights, and a policy's range what it truly costs, over logs of random steps. Exit code 1 if
//! less often than 990 times in 1,000 at delta = 0.01.

use goalward::offline::Fitter;
use goalward::plan::{Options, solve};
use goalward::problem::{Instance, Truth};
use goalward::{Stream, worlds};
use rayon::prelude::*;
use std::process::ExitCode;

const WORLDS: [&str; 4] =
    ["windy-grid@n=3", "random-mixture", "windy-grid@n=3@simplex=true", "hard-instance@dim=3"];
const DELTA: f64 = 0.01;

/// What came of one run.
struct Outcome {
    covered: bool,
    ranged: bool,
    rejected: bool,
    width: f64,
}

fn main() -> ExitCode {
    // cargo itself passes --bench
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<u64>().ok());
    let (runs, steps) = (numbers.next().unwrap_or(1000), numbers.next().unwrap_or(10_000));
    let mut sound = true;
    for world in WORLDS {
        let instance = match worlds::named(world).and_then(|(name, params)| worlds::open(&name, &params)) {
            Ok(instance) => instance,
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::from(2);
            }
        };
        let all: Vec<Outcome> = (0..runs).into_par_iter().map(|seed| run(&instance, seed, steps)).collect();
        let count = |of: fn(&Outcome) -> bool| all.iter().filter(|outcome| of(outcome)).count();
        let (covered, ranged) = (count(|o| o.covered), count(|o| o.ranged));
        let width = all.iter().map(|o| o.width).sum::<f64>() / runs as f64;
        println!(
            "{world}: weights in all intervals in {covered} of {runs} runs of {steps} steps, mean width {width:.4}; \
             the cost in its range in {ranged}; rejected in {}",
            count(|o| o.rejected)
        );
        let enough = |n: usize| n as f64 >= (1.0 - DELTA) * runs as f64;
        sound &= enough(covered) && enough(ranged);
    }
    ExitCode::from(u8::from(!sound))
}

fn run(instance: &Instance, seed: u64, steps: u64) -> Outcome {
    try_run(instance, seed, steps).unwrap_or_else(|error| {
        eprintln!("seed {seed}: {error}");
        Outcome { covered: false, ranged: false, rejected: false, width: f64::NAN }
    })
}

fn try_run(instance: &Instance, seed: u64, steps: u64) -> goalward::Result<Outcome> {
    let (problem, truth) = (&instance.problem, instance.truth()?);
    let mut fitter = Fitter::new(problem, DELTA)?;
    let (mut draw, mut s) = (Stream::new(seed, &[0x66_6974]), problem.start());
    for _ in 0..steps {
        let a = draw.below(problem.actions(s));
        let next = truth.sample(problem, problem.pair(s, a), draw.uniform());
        fitter.step(s, a, next)?;
        s = if next == problem.goal() { problem.start() } else { next };
    }
    let mut fit = fitter.finish();
    let theta = truth.theta().unwrap_or_default();
    let inside = |low: Option<f64>, high: Option<f64>, x: f64| {
        low.is_none_or(|low| low <= x + 1e-12) && high.is_none_or(|high| x <= high + 1e-12)
    };
    let covered = fit.weights.iter().zip(theta).all(|(w, &x)| inside(w.low, w.high, x));
    let width = fit.weights.iter().map(|w| w.high.unwrap_or(f64::NAN) - w.low.unwrap_or(f64::NAN));
    let width = width.sum::<f64>() / fit.weights.len() as f64;
    let ranged = match fit.policy() {
        None => false,
        Some(policy) => {
            let range = fit.range(&policy)?;
            let cost = cost(instance, truth, &policy)?;
            range.lower <= cost + 1e-9 && cost <= range.upper
        }
    };
    Ok(Outcome { covered, ranged, rejected: fit.misfit.step.is_some(), width })
}

/// What a policy truly costs from the start.
fn cost(instance: &Instance, truth: &Truth, policy: &[usize]) -> goalward::Result<f64> {
    let problem = &instance.problem;
    let mut builder = goalward::Problem::builder("one way", problem.states(), 1);
    builder.start(problem.start()).goal(problem.goal()).allow_lost();
    for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
        let pair = problem.pair(s, policy[s]);
        builder.action(s, problem.cost(pair))?;
        for (&next, &p) in problem.successors(pair).iter().zip(truth.row(problem, pair)) {
            builder.feature(s, 0, next as usize, &[p])?;
        }
    }
    let one = Instance::new(builder.build()?, &[1.0])?;
    Ok(solve(&one.problem, one.truth()?, &Options::default())?.v[problem.start()])
}
