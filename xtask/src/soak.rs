//! `cargo xtask soak NAME [ARGS]`: long sweeps that look for what must never happen. `cargo xtask
//! test` runs a small sample of each; a soak runs all of it, optimised, and fails with exit code 1
//! if it found something.

use crate::process::{cargo_bench, finish, usage};
use crate::{laws, python, root};
use anyhow::Result;
use std::process::{Command, ExitCode};

const SOAKS: &[(&str, &str)] = &[
    (
        "bootstrap",
        "how often 95 % intervals cover: Student's t, percentiles, BCa; bootstrap [SAMPLES], 2,000",
    ),
    ("bounds", "how often lower bounds on V*(start) exceed it; bounds [RUNS [EPISODES]], 1,000 and 30"),
    ("checkpoints", "corrupted checkpoints of every learner; N, and M through processes"),
    ("coverage", "how often every confidence set loses theta*; --seeds N, --steps N"),
    ("dask", "a study on two Dask workers, which are killed 20 times: the same records; dask [KILLS]"),
    ("fits", "how often the intervals of `goalward fit` cover; fits [RUNS [STEPS]], 1,000 and 10,000"),
    ("distances", "G_t <= 17 Gamma_t in audited runs of lr; distances [RUNS [STEPS]], 200 and 20,000"),
    ("guard", "books of 200 guarded runs, and how seldom a bad policy plays; guard [EPISODES], 10,000"),
    ("python", "interpreters that end, fork and read while threads work; python [ENDS [FORKS [READS]]]"),
    ("serve", "a session of a million steps, kills, damaged requests; serve [STEPS [KILLS [LINES]]]"),
    ("studies", "a study killed at random, pairs of shards: the same records; studies [KILLS [PAIRS]]"),
    ("mdps", "5,000 random models against the exact enumeration of their policies"),
    (
        "steps",
        "no step takes over a second; steps [PROBLEMS [EPISODES [SECONDS [FIRST [STREAM]]]]], 200, 300, 60",
    ),
    ("laws", "what proptest checks, with other cases each time; laws [ROUNDS [SEED]], 20"),
    ("models", "published models with known exact answers; models [FOLDER], ../shared/bench"),
    (
        "misfit",
        "false alarms, and how soon wrong models are found; misfit [RUNS [MISSPECIFIED]], 1,000 and 100",
    ),
];

pub(crate) fn run(args: &[&str]) -> Result<ExitCode> {
    match args {
        ["laws", rest @ ..] => laws::run(rest),
        ["dask", rest @ ..] => script("xtask/dask/kill.py", rest),
        ["python", rest @ ..] => script("xtask/python/crash.py", rest),
        [name, rest @ ..] if SOAKS.iter().any(|(soak, _)| soak == name) => {
            let package = match *name {
                "bootstrap" | "coverage" => "goalward-lab",
                "checkpoints" | "serve" | "studies" => "goalward-cli",
                "mdps" => "goalward-mdp",
                _ => "goalward",
            };
            cargo_bench(package, &format!("soak_{name}"), rest)
        }
        _ => Ok(usage("soak NAME [ARGS]", "soak", args, SOAKS)),
    }
}

/// Runs a script in Python with the package built in release mode.
fn script(path: &str, args: &[&str]) -> Result<ExitCode> {
    let interpreter = python::interpreter()?;
    let wheel = python::build(&interpreter, "soak-wheel", &["--release"])?;
    python::install(&interpreter, &wheel, false)?;
    finish(Command::new(&interpreter).arg(root()?.join(path)).args(args))
}
