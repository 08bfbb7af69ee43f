//! `cargo xtask soak laws [ROUNDS [SEED]]`: the laws that proptest checks, each time with other
//! cases. The tests draw the same cases every time: `.cargo/config.toml` has their seed.

use crate::{cargo, root};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{SystemTime, UNIX_EPOCH};

const ROUNDS: u64 = 20;

pub(crate) fn run(args: &[&str]) -> Result<ExitCode> {
    let number = |at: usize| args.get(at).map(|arg| arg.parse::<u64>()).transpose();
    let rounds = number(0)?.unwrap_or(ROUNDS);
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as u64;
    let first = number(1)?.unwrap_or(now);
    let crates = root()?.join("crates");
    let mut names = Vec::new();
    for folder in ["numeric/src", "mdp/src", "goalward/src", "goalward/tests"] {
        collect(&crates.join(folder), &mut names)?;
    }
    for round in 0..rounds {
        let seed = first.wrapping_add(round);
        println!("== round {} of {rounds}: cargo xtask soak laws 1 {seed}", round + 1);
        let mut command = Command::new(cargo());
        command.args(["test", "--quiet", "--lib", "--test", "it"]);
        for package in ["goalward-numeric", "goalward-mdp", "goalward"] {
            command.args(["--package", package]);
        }
        command.arg("--");
        command.args(&names).env("PROPTEST_RNG_SEED", seed.to_string()).current_dir(root()?);
        if !command.status().context("cannot run cargo test")?.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    println!("{} laws held in {rounds} rounds", names.len());
    Ok(ExitCode::SUCCESS)
}

fn collect(folder: &Path, names: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, names)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            names.extend(laws(&fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

/// The names of the tests from the first `proptest!` of a file on.
fn laws(text: &str) -> Vec<String> {
    let lines: Vec<&str> =
        text.lines().map(str::trim).skip_while(|line| !line.starts_with("proptest! {")).collect();
    let tests = lines.windows(2).filter(|pair| pair[0] == "#[test]");
    tests.filter_map(|pair| Some(pair[1].strip_prefix("fn ")?.split_once('(')?.0.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_are_found() {
        let text = "#[test]\nfn unit() {}\n\n    proptest! {\n        #[test]\n        fn law(x in 0..3) {}\n\n\
                    \x20       #[test]\n        fn other(\n            y in 0..3,\n        ) {}\n    }\n";
        assert_eq!(laws(text), ["law", "other"]);
        let mut names = Vec::new();
        collect(&root().unwrap().join("crates/goalward"), &mut names).unwrap();
        assert!(names.contains(&"no_mutation_makes_it_panic".into()), "{names:?}");
    }
}
