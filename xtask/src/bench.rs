//! `cargo xtask bench NAME [--json]`: benchmarks measure ratios within one run; `cargo xtask test`
//! runs none of them.

use crate::process::{cargo_bench, finish, quietly, succeed, usage};
use crate::{cargo, python, root};
use anyhow::Result;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

const BENCHES: &[(&str, &str)] = &[
    ("support", "support minimisation against Clarabel"),
    ("support_stress", "a million support problems, random and degenerate, with counts of what went wrong"),
    ("devi", "planning by value iteration and by policy iteration"),
    ("plan", "certified planning on known models against Storm; --large adds a million states"),
    ("step", "the learning step"),
    ("keep", "keeping the likelihood set beside the learning step"),
    ("triples", "keeping the likelihood set while most of a million triples are new; STATES picks a case"),
    ("scale", "problems of up to a million state-action pairs: building, sweeping, planning, memory"),
    (
        "sizes",
        "time and memory from 1e3 to 1e7 pairs, into docs/tables/sizes.md; --pairs N, --dim D, --kind \
         simplex|general, --fresh, --limit S, --page",
    ),
    (
        "rows",
        "pruning the rows of B, and 100,000 minima against Clarabel over all rows; --objectives N, --pairs N",
    ),
    ("audit", "a run with its audit against the bare run, on the windy grid of 5 x 5"),
    ("arrays", "building a problem from ten sparse models in arrays"),
    ("tabular", "steps per second of the tabular learners against rlberry-scool's UCBVI"),
    (
        "misfit",
        "watching whether the models explain the data, beside the same runs without; misfit [RUNS], 7",
    ),
    ("lab", "a job of a study with its records and checkpoint against the bare run"),
    ("windy", "where the time of a learning run on a grid of N x N goes: windy [N [EPISODES]], 300 and 20"),
    ("python", "what Python costs over Rust: steps, threads, problems from arrays, imports"),
    ("instructions", "instruction counts of the hot paths, under valgrind"),
];
/// The runner of the instruction counts; the library in `instructions/Cargo.toml` has the same
/// version.
const RUNNER_VERSION: &str = "0.20.0";

pub(crate) fn run(args: &[&str]) -> Result<ExitCode> {
    match args {
        ["instructions"] => instructions(),
        ["python", rest @ ..] => python::bench(rest),
        [name, rest @ ..] if BENCHES.iter().any(|(bench, _)| bench == name) => {
            cargo_bench(if *name == "lab" { "goalward-lab" } else { "goalward" }, name, rest)
        }
        _ => Ok(usage("bench NAME [--json]", "benchmark", args, BENCHES)),
    }
}

fn instructions() -> Result<ExitCode> {
    if quietly(Command::new("valgrind").arg("--version")).is_err() {
        eprintln!("skipped: instruction counts need valgrind, which is not installed");
        return Ok(ExitCode::SUCCESS);
    }
    let mut command = Command::new(cargo());
    command.args(["bench", "--manifest-path", "instructions/Cargo.toml"]).env("GUNGRAUN_RUNNER", runner()?);
    finish(&mut command)
}

/// The runner of the pinned version, installed under `target/` if it is missing.
fn runner() -> Result<PathBuf> {
    let home = root()?.join("target").join(format!("gungraun-{RUNNER_VERSION}"));
    let runner = home.join("bin/gungraun-runner");
    if !runner.exists() {
        let version = format!("={RUNNER_VERSION}");
        let install = ["install", "--locked", "--version", &version, "gungraun-runner", "--root"];
        succeed(Command::new(cargo()).args(install).arg(&home))?;
    }
    Ok(runner)
}
