//! Project tasks: `cargo xtask test` checks everything that must hold before a change is merged, `cargo xtask bench`
//! runs the benchmarks, `cargo xtask soak` the long sweeps.

mod bench;
mod soak;

use anyhow::{Context, Result};
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask test          format, lints, all tests, documentation; stops at the first failure
       cargo xtask bench NAME    run a benchmark; without a name, list them
       cargo xtask soak NAME     run a long sweep; without a name, list them";

/// One check: its heading, cargo's arguments, and the environment that it needs.
struct Check {
    heading: &'static str,
    args: &'static [&'static str],
    env: &'static [(&'static str, &'static str)],
}

const CHECKS: &[Check] = &[
    Check { heading: "format", args: &["fmt", "--all", "--check"], env: &[] },
    Check {
        heading: "lints",
        args: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        env: &[],
    },
    // plain `cargo test`, because it runs the examples in the documentation too
    Check { heading: "tests", args: &["test", "--workspace"], env: &[] },
    Check {
        heading: "documentation",
        args: &["doc", "--workspace", "--no-deps"],
        env: &[("RUSTDOCFLAGS", "-D warnings")],
    },
];

fn main() -> Result<ExitCode> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test(),
        ["bench", ref rest @ ..] => bench::run(rest),
        ["soak", ref rest @ ..] => soak::run(rest),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprintln!("{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}

/// Runs every check.
fn test() -> Result<ExitCode> {
    let root = root()?;
    let began = Instant::now();
    for check in CHECKS {
        let command = check.args.join(" ");
        eprintln!("== {}: cargo {command}", check.heading);
        let clock = Instant::now();
        let status = Command::new(cargo())
            .args(check.args)
            .envs(check.env.iter().copied())
            .current_dir(root)
            .status()
            .with_context(|| format!("cannot run cargo {command}"))?;
        let seconds = clock.elapsed().as_secs_f64();
        if !status.success() {
            eprintln!("== {}: FAILED after {seconds:.1} s", check.heading);
            // a child that a signal ended has no code
            let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
            return Ok(ExitCode::from(code));
        }
        eprintln!("== {}: ok in {seconds:.1} s\n", check.heading);
    }
    eprintln!("== all checks passed in {:.1} s", began.elapsed().as_secs_f64());
    Ok(ExitCode::SUCCESS)
}

/// The cargo that started us, so that the toolchain is the same.
fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The workspace.
fn root() -> Result<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the workspace")
}
