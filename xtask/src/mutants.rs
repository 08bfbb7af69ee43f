//! `cargo xtask mutants FILE [--shard K/N]`: changes a copy of a file of the library in many small
//! ways, one at a time. Changes that no test notices are listed; exit code 1 then. The copy of the
//! tree stays under `target/mutants`, so that the next run builds little.

use crate::process::quietly;
use crate::{cargo, root, tree};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask mutants FILE [--shard K/N]
  FILE   a source file of the library, for instance confidence/radius.rs
  K/N    every Nth change alone, beginning with number K, from 0";

const CRATES: [&str; 3] = ["numeric", "mdp", "goalward"];
/// Time limits of tests and of builds in seconds, generous for busy machines.
const PATIENCE: [&str; 2] = ["300", "1800"];
/// Tests that take seconds, with the sources that they cover; they are skipped for other files.
const SLOW: &[(&str, &[&str])] = &[
    ("plan::", &["numeric", "mdp/src/plan", "mdp/src/problem"]),
    ("files::", &["mdp/src/files", "mdp/src/problem"]),
    ("exactness::", &["numeric"]),
    ("model_mutations::", &["mdp/src/files", "mdp/src/problem"]),
    ("planning::", &["numeric", "mdp/src/plan", "mdp/src/problem"]),
    ("planning_set::", &["numeric", "mdp/src/plan"]),
    ("pruning::", &["numeric"]),
    ("scale::", &["goalward/src/estimate/likelihood", "numeric", "mdp/src/plan", "mdp/src/problem"]),
    ("support_stress::", &["numeric"]),
];

pub(crate) fn run(args: &[&str]) -> Result<ExitCode> {
    let (file, shard) = match args {
        [file] => (*file, None),
        [file, "--shard", shard] | ["--shard", shard, file] => (*file, Some(*shard)),
        _ => {
            eprintln!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    };
    let file = in_sources(root()?, file)?;
    if quietly(Command::new(cargo()).args(["mutants", "--version"])).is_err() {
        bail!("cargo mutants is not installed\n  hint: cargo install cargo-mutants");
    }
    let home = root()?.join("target/mutants");
    tree::copy(root()?, &home.join("tree"))?;
    let status = command(&home, &file, shard).status().context("cannot run cargo mutants")?;
    match status.code() {
        Some(0) => Ok(ExitCode::SUCCESS),
        // some changes were missed, or ran out of time
        Some(2 | 3) => Ok(ExitCode::FAILURE),
        _ => bail!("cargo mutants failed ({status})"),
    }
}

/// The file's path below `crates/`, given as it is or from a library's `src`.
fn in_sources(root: &Path, file: &str) -> Result<String> {
    let short = file.strip_prefix("crates/").unwrap_or(file);
    let mut places = CRATES.iter().map(|name| format!("{name}/src/{short}")).chain([short.to_string()]);
    let found = places.find(|place| root.join("crates").join(place).is_file());
    found.with_context(|| format!("no library has a file {short}\n{USAGE}"))
}

fn command(home: &Path, file: &str, shard: Option<&str>) -> Command {
    let mut command = Command::new(cargo());
    let [test, build] = PATIENCE;
    command.args(["mutants", "--in-place", "--test-package"]);
    command.arg(
        CRATES
            .map(|name| if name == "goalward" { name.into() } else { format!("goalward-{name}") })
            .join(","),
    );
    command.args(["--timeout", test, "--build-timeout", build, "--output"]).arg(home);
    command.arg("--dir").arg(home.join("tree"));
    command.args(["--file", &format!("crates/{file}")]);
    if let Some(shard) = shard {
        command.args(["--sharding", "round-robin", "--shard", shard]);
    }
    command.args(["--", "--lib", "--test", "it", "--"]);
    for test in skipped(file) {
        command.args(["--skip", test]);
    }
    // a folder of its own: cargo would take what is built of the copy for the tree itself. The
    // library is built for each change, so that a quick build counts for more than quick tests
    command.env("CARGO_TARGET_DIR", home.join("build")).env("CARGO_PROFILE_TEST_OPT_LEVEL", "1");
    command
}

/// The slow tests that have nothing to do with the file.
fn skipped(file: &str) -> impl Iterator<Item = &'static str> {
    let slow =
        SLOW.iter().filter(move |(_, about)| !about.iter().any(|folder| Path::new(file).starts_with(folder)));
    slow.map(|(test, _)| *test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_tests_are_kept_for_what_they_are_about() {
        let of = |file: &str| skipped(file).collect::<Vec<_>>();
        assert!(of("goalward/src/confidence/radius.rs").contains(&"support_stress::"));
        assert!(!of("numeric/src/support/mod.rs").contains(&"support_stress::"));
        assert!(!of("goalward/src/estimate/likelihood/mod.rs").contains(&"scale::"));
    }
}
