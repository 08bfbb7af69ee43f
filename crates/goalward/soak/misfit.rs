//! `cargo xtask soak misfit [RUNS [MISSPECIFIED]]`: how often the alarm rejects a true mixture at
//! the level 0.05, and how often it finds a wind that no model has. Exit code 1 if the upper limit
//! of the former reaches the level, or if less than 95 in 100 of the latter are found within 2,000
//! steps.

#[path = "misfit/mod.rs"]
mod misfit;

use goalward::Settings;
use misfit::{reversed, upper_limit, well_specified};
use rayon::prelude::*;
use std::process::ExitCode;

/// Runs if nothing is said.
const RUNS: u64 = 1_000;
const MISSPECIFIED: u64 = 100;
const STEPS: u64 = 2_000;
const ALPHA: f64 = 0.05;
/// A learner that keeps the likelihood, and one that does not.
const LEARNERS: [(&str, &[(&str, &str)]); 2] = [("lr", &[]), ("levis++", &[("B", "20")])];

fn main() -> ExitCode {
    // cargo itself passes --bench
    let mut given = std::env::args().skip(1).filter_map(|arg| arg.parse().ok());
    let (runs, wrong) = (given.next().unwrap_or(RUNS), given.next().unwrap_or(MISSPECIFIED));
    let alarms = false_alarms(runs);
    let limit = upper_limit(alarms, runs);
    println!(
        "{alarms} of {runs} well-specified runs of {STEPS} steps rejected at {ALPHA}; at most {limit:.4} with 95 %"
    );
    let found = power(wrong);
    ExitCode::from(u8::from(limit >= ALPHA || found * 100 < wrong * 95))
}

fn false_alarms(runs: u64) -> u64 {
    let worlds = well_specified();
    let kinds = (worlds.len() * LEARNERS.len()) as u64;
    let rejected: Vec<(usize, bool)> = (0..runs)
        .into_par_iter()
        .map(|run| {
            let kind = (run % kinds) as usize;
            let (world, (id, settings)) = (&worlds[kind / 2], LEARNERS[kind % 2]);
            let settings = settings.iter().fold(Settings::new(), |all, (key, value)| all.set(key, *value));
            (kind, world.rejected(id, &settings, run, ALPHA, STEPS).is_some())
        })
        .collect();
    for kind in 0..kinds as usize {
        let of = |rejecting: bool| rejected.iter().filter(|(k, r)| *k == kind && (*r || !rejecting)).count();
        println!("  {:48} {:8} {} of {}", worlds[kind / 2].name, LEARNERS[kind % 2].0, of(true), of(false));
    }
    rejected.iter().filter(|(_, rejected)| *rejected).count() as u64
}

/// How many runs of the recommended learner find the sixth wind at the default level.
fn power(runs: u64) -> u64 {
    let world = reversed(3, 0.3);
    let mut found = Vec::new();
    for (id, settings) in LEARNERS {
        let settings = settings.iter().fold(Settings::new(), |all, (key, value)| all.set(key, *value));
        let mut steps: Vec<u64> = (0..runs)
            .into_par_iter()
            .filter_map(|run| world.rejected(id, &settings, run, 0.01, STEPS))
            .collect();
        steps.sort_unstable();
        let median = steps.get(runs as usize / 2).map_or("-".into(), u64::to_string);
        println!(
            "{}: {id} rejects in {} of {runs} runs within {STEPS} steps, half of them within {median}, the last \
             at {}",
            world.name,
            steps.len(),
            steps.last().map_or("-".into(), u64::to_string)
        );
        found.push(steps.len() as u64);
    }
    found.into_iter().min().unwrap_or(0)
}
