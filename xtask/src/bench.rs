//! `cargo xtask bench NAME [--json]`: benchmarks measure ratios within one run, and never run in
//! `cargo xtask test`.

use crate::process::finish;
use crate::{cargo, python, root};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// The benchmarks of the library and of the lab, with what they measure.
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
];

/// The benchmark of the Python package.
const PYTHON: &str = "python";
/// The benchmark that needs valgrind.
const INSTRUCTIONS: &str = "instructions";
/// The runner that counts them; the library in `instructions/Cargo.toml` has the same version.
const RUNNER_VERSION: &str = "0.20.0";

pub(crate) fn run(args: &[&str]) -> Result<ExitCode> {
    match args {
        [INSTRUCTIONS] => instructions(),
        [PYTHON, rest @ ..] => python::bench(rest),
        [name, rest @ ..] if BENCHES.iter().any(|(bench, _)| bench == name) => {
            let package = if *name == "lab" { "goalward-lab" } else { "goalward" };
            let mut command = Command::new(cargo());
            command.args(["bench", "--quiet", "--package", package, "--bench", name, "--"]).args(rest);
            finish(command)
        }
        _ => {
            if let [name, ..] = args {
                eprintln!("error: there is no benchmark {name:?}");
            }
            eprintln!("usage: cargo xtask bench NAME [--json]");
            for (name, what) in BENCHES {
                eprintln!("  {name:<16}{what}");
            }
            eprintln!(
                "  {PYTHON:<16}what Python costs over Rust: steps, threads, problems from arrays, imports"
            );
            eprintln!("  {INSTRUCTIONS:<16}instruction counts of the hot paths, under valgrind");
            Ok(ExitCode::from(2))
        }
    }
}

fn instructions() -> Result<ExitCode> {
    let has_valgrind =
        Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !has_valgrind.is_ok_and(|status| status.success()) {
        eprintln!("skipped: instruction counts need valgrind, which is not installed");
        return Ok(ExitCode::SUCCESS);
    }
    let mut command = Command::new(cargo());
    command.args(["bench", "--manifest-path", "instructions/Cargo.toml"]).env("GUNGRAUN_RUNNER", runner()?);
    finish(command)
}

/// The runner of the pinned version, installed under `target/` if it is not there yet.
fn runner() -> Result<PathBuf> {
    let home = root()?.join("target").join(format!("gungraun-{RUNNER_VERSION}"));
    let runner = home.join("bin/gungraun-runner");
    if !runner.exists() {
        let version = format!("={RUNNER_VERSION}");
        let status = Command::new(cargo())
            .args(["install", "--locked", "--version", &version, "gungraun-runner", "--root"])
            .arg(&home)
            .status()
            .context("cannot run cargo install")?;
        if !status.success() {
            bail!("gungraun-runner {RUNNER_VERSION} could not be installed");
        }
    }
    Ok(runner)
}
