//! `cargo xtask soak distances [RUNS [STEPS]]`: audited runs of the learner with the regret theorem,
//! on four worlds in turn, by default 200 of 20,000 steps. Prints the largest G_t/Gamma_t of each
//! world. Exit code 1 if one exceeds 17, if theta* leaves the set in more runs than delta allows, or if
//! anything else fails in the others.

use goalward::Settings;
use goalward::episode::{Arena, Audit, AuditReport, Check, RunSpec, Runner};
use goalward::learners;
use rayon::prelude::*;
use std::process::ExitCode;

const RUNS: u64 = 200;
const STEPS: u64 = 20_000;
const WORLDS: [(&str, &str, &str); 4] = [
    ("hard-instance", "dim", "3"),
    ("windy-grid", "n", "5"),
    ("random-mixture", "states", "10"),
    ("corridor", "length", "8"),
];

fn audited(arena: &Arena, seed: u64, steps: u64) -> goalward::Result<AuditReport> {
    let id = learners::recommended(&Settings::new()).id;
    let mut runner = Runner::new(arena, RunSpec::new(id, u64::MAX).seed(seed).max_steps(steps))?;
    let mut audit = Audit::new(arena)?;
    runner.run(&mut [&mut audit])?;
    Ok(audit.report(&runner))
}

fn main() -> goalward::Result<ExitCode> {
    // cargo itself passes --bench
    let given: Vec<u64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let (runs, steps) = (given.first().copied().unwrap_or(RUNS), given.get(1).copied().unwrap_or(STEPS));
    let (mut failed, mut lost) = (0, 0);
    let mut largest: f64 = 0.0;
    for (n, (world, key, value)) in (0u64..).zip(WORLDS) {
        let arena = Arena::open(world, &Settings::new().set(key, value))?;
        let seeds = (0..runs).filter(|seed| seed % WORLDS.len() as u64 == n).collect::<Vec<_>>();
        let reports: Vec<AuditReport> =
            seeds.par_iter().map(|&seed| audited(&arena, seed, steps)).collect::<goalward::Result<_>>()?;
        let ratio = |of: fn(&AuditReport) -> Option<f64>| reports.iter().filter_map(of).fold(0.0, f64::max);
        let bound = ratio(|report| report.likelihood.as_ref()?.ratio_bound);
        let exact = ratio(|report| report.likelihood.as_ref()?.largest_ratio);
        largest = largest.max(bound);
        for report in &reports {
            let of_set = |check: &&Check| check.statement.starts_with("theta* is in");
            if report.violated().any(|check| of_set(&check)) {
                lost += 1;
                continue; // of the rest nothing is promised then
            }
            for check in report.violated() {
                failed += 1;
                println!("{world}@{key}={value} seed {}: {} {:?}", report.seed, check.statement, check.first);
            }
        }
        println!(
            "{world}@{key}={value}: {} runs of {steps} steps, G_t/Gamma_t at most {exact:.3} in looks, {bound:.3} \
             over all steps",
            reports.len()
        );
    }
    // delta = 0.01 is what luck may do; four standard deviations more are not luck
    let expected = 0.01 * runs as f64;
    let allowed = expected + 4.0 * expected.sqrt() + 1.0;
    println!(
        "{runs} runs: the largest G_t/Gamma_t is {largest:.3}; {failed} checks failed; theta* left the set in \
         {lost} runs, where delta allows {expected}"
    );
    Ok(ExitCode::from(u8::from(failed > 0 || largest > 17.0 || f64::from(lost) > allowed)))
}
