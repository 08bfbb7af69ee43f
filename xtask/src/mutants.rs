//! `cargo xtask mutants FILE [--shard K/N]`: changes a file of the library in many small ways, one
//! at a time, and asks whether some test notices. What no test notices is listed; exit code 1 then.
//!
//! A copy of the tree under `target/mutants` is changed, never the tree itself. The copy stays, and
//! so does what was built of it: the next run begins where the last one ended.

use crate::{cargo, root};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const USAGE: &str = "usage: cargo xtask mutants FILE [--shard K/N]
  FILE   a source file of the library, for instance confidence/radius.rs
  K/N    every Nth change alone, beginning with number K, from 0";

/// The library's crates, below `crates/`.
const CRATES: [&str; 3] = ["numeric", "mdp", "goalward"];
/// Seconds after which tests that a change keeps running are taken to run for ever, and those that
/// a build may take; both with much room, for machines that are busy.
const PATIENCE: [&str; 2] = ["300", "1800"];
/// Tests that take seconds, and the folders of the sources that they are about: for a file that
/// lies elsewhere they only cost time.
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
    if !installed() {
        bail!("cargo mutants is not installed\n  hint: cargo install cargo-mutants");
    }
    let home = root()?.join("target/mutants");
    copy(root()?, &home.join("tree"))?;
    let status = command(&home, &file, shard).status().context("cannot run cargo mutants")?;
    // 0: all caught, 2: some missed, 3: some ran out of time; else nothing was tested
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        bail!("cargo mutants failed ({status})");
    }
    let outcomes = home.join("mutants.out/outcomes.json");
    let text = fs::read_to_string(&outcomes).with_context(|| format!("no {}", outcomes.display()))?;
    let tally = Tally::read(&text)?;
    print!("{tally}");
    Ok(if tally.missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The file's path below `crates/`, given as it is or from a library's `src`.
fn in_sources(root: &Path, file: &str) -> Result<String> {
    let short = file.strip_prefix("crates/").unwrap_or(file);
    let mut places = CRATES.iter().map(|name| format!("{name}/src/{short}")).chain([short.to_string()]);
    let found = places.find(|place| root.join("crates").join(place).is_file());
    found.with_context(|| format!("no library has a file {short}\n{USAGE}"))
}

fn installed() -> bool {
    let mut command = Command::new(cargo());
    command.args(["mutants", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
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

/// Makes the copy equal to the tree. Files that are equal keep their time, so that nothing is built
/// again because of them; what an interrupted run left changed is put right.
fn copy(root: &Path, to: &Path) -> Result<()> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("cannot run git, which knows the files of the tree")?;
    if !listed.status.success() {
        bail!("git cannot list the files of {}", root.display());
    }
    let names = String::from_utf8(listed.stdout).context("a file's name is not UTF-8")?;
    let mut kept = BTreeSet::new();
    for name in names.split('\0').filter(|name| !name.is_empty() && root.join(name).is_file()) {
        let there = to.join(name);
        let content = fs::read(root.join(name)).with_context(|| format!("cannot read {name}"))?;
        if fs::read(&there).ok().as_ref() != Some(&content) {
            fs::create_dir_all(there.parent().unwrap_or(to))?;
            fs::write(&there, content).with_context(|| format!("cannot write {}", there.display()))?;
        }
        kept.insert(there);
    }
    remove_others(to, &kept)
}

fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, kept)?;
        } else if !kept.contains(&path) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// What became of the changes.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    caught: usize,
    unviable: usize,
    missed: Vec<String>,
    timeouts: Vec<String>,
}

impl Tally {
    /// Reads `outcomes.json`.
    fn read(text: &str) -> Result<Tally> {
        let json: Value = serde_json::from_str(text).context("outcomes.json is no JSON")?;
        let mut tally = Tally::default();
        for outcome in json["outcomes"].as_array().context("outcomes.json has no outcomes")? {
            // the tree without a change is an outcome too, and has no name
            let Some(name) = outcome["scenario"]["Mutant"]["name"].as_str() else { continue };
            match outcome["summary"].as_str() {
                Some("CaughtMutant") => tally.caught += 1,
                Some("Unviable") => tally.unviable += 1,
                Some("MissedMutant") => tally.missed.push(name.into()),
                Some("Timeout") => tally.timeouts.push(name.into()),
                other => bail!("{name}: what is {other:?}?"),
            }
        }
        Ok(tally)
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Tally { caught, unviable, missed, timeouts } = self;
        let tested = caught + missed.len() + timeouts.len();
        let (gone, slow) = (missed.len(), timeouts.len());
        writeln!(
            f,
            "{tested} tested: {caught} caught, {gone} missed, {slow} out of time; {unviable} do not compile"
        )?;
        timeouts.iter().try_for_each(|name| writeln!(f, "  out of time: {name}"))?;
        missed.iter().try_for_each(|name| writeln!(f, "  missed: {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_counted() {
        let of = |name: &str, summary: &str| {
            format!(r#"{{"scenario":{{"Mutant":{{"name":"{name}"}}}},"summary":"{summary}"}}"#)
        };
        let outcomes = [
            r#"{"scenario":"Baseline","summary":"Success"}"#.into(),
            of("a.rs:1:2: replace + with -", "CaughtMutant"),
            of("a.rs:3:4: replace f with ()", "MissedMutant"),
            of("a.rs:5:6: replace g with None", "Unviable"),
        ];
        let tally = Tally::read(&format!(r#"{{"outcomes":[{}]}}"#, outcomes.join(","))).unwrap();
        assert_eq!((tally.caught, tally.unviable), (1, 1));
        let told = tally.to_string();
        assert!(told.starts_with("2 tested: 1 caught, 1 missed, 0 out of time"), "{told}");
        assert!(told.contains("missed: a.rs:3:4: replace f with ()"), "{told}");
    }

    #[test]
    fn slow_tests_are_kept_for_what_they_are_about() {
        let of = |file: &str| skipped(file).collect::<Vec<_>>();
        assert!(of("goalward/src/confidence/radius.rs").contains(&"support_stress::"));
        assert!(!of("numeric/src/support/mod.rs").contains(&"support_stress::"));
        assert!(!of("goalward/src/estimate/likelihood/mod.rs").contains(&"scale::"));
    }

    #[test]
    fn a_copy_follows_the_tree() {
        let home = std::env::temp_dir().join(format!("xtask-mutants-{}", std::process::id()));
        let (from, to) = (home.join("from"), home.join("to"));
        fs::create_dir_all(from.join("src")).unwrap();
        fs::write(from.join("src/a.rs"), "a").unwrap();
        let git = Command::new("git").arg("init").arg("--quiet").current_dir(&from).status();
        assert!(git.unwrap().success());
        copy(&from, &to).unwrap();
        let made = fs::metadata(to.join("src/a.rs")).unwrap().modified().unwrap();
        fs::write(from.join("b.rs"), "b").unwrap();
        fs::write(to.join("src/c.rs"), "left over").unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(fs::metadata(to.join("src/a.rs")).unwrap().modified().unwrap(), made);
        assert_eq!(fs::read_to_string(to.join("b.rs")).unwrap(), "b");
        assert!(!to.join("src/c.rs").exists());
        fs::write(to.join("b.rs"), "changed").unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("b.rs")).unwrap(), "b");
        fs::remove_dir_all(home).unwrap();
    }
}
