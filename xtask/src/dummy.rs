//! `cargo xtask dummy`: shows that a new learner is one file and its line in the folder's `mod.rs`.
//!
//! It adds a learner with three parameters to a copy of the workspace, counts the files that this
//! touches, and runs the conformance suite and the tests of the house on it.

use crate::{cargo, root};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const LEARNER: &str = r#"//! A dummy: always the same action.

use crate::Result;
use crate::learners::{Algorithm, Brief, Clock, Family, LearnerEntry, Seen, Snapshot, Transition};
use crate::parameters::{Choice, Key};
use crate::problem::{Action, Pair, State};

pub(super) const ENTRY: LearnerEntry = LearnerEntry::new("dummy", "always the same action", build)
    .reference("none")
    .setting("any SSP")
    .parameters(&[FIRST.about(), COUNT.about(), WORD.about()])
    .family(Family::Baseline);

const FIRST: Key<f64> = Key::number("first", 0.0, 1.0, "a number").or("0.5");
const COUNT: Key<u64> = Key::count("count", 1, 9, "a count").computed("3");
const WORD: Key<String> =
    Key::choice("word", &[Choice::Word("one"), Choice::Word("two")], "a word").or("one");

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    brief.settings.get(&FIRST)?;
    brief.settings.get_or(&COUNT, || 3)?;
    brief.settings.get(&WORD)?;
    Ok(Box::new(Dummy))
}

struct Dummy;

impl Algorithm for Dummy {
    fn act(&mut self, _: State) -> Action {
        0
    }

    fn observe(&mut self, _: &Transition, _: Pair, _: &Clock) -> Seen {
        Seen::Counted
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&())
    }

    fn restore(&mut self, state: &Snapshot, _: &Clock) -> Result<()> {
        state.to::<()>()
    }
}
"#;

const FILE: &str = "crates/goalward/src/learners/baselines/dummy.rs";
const LINE: &str = "crates/goalward/src/learners/baselines/mod.rs";

pub(crate) fn run() -> Result<ExitCode> {
    let copy = root()?.join("target/dummy");
    let before = copy_sources(&copy)?;
    fs::write(copy.join(FILE), LEARNER)?;
    let text = fs::read_to_string(copy.join(LINE))?;
    let text = text.replacen("mod fixed_policy;", "mod dummy;\nmod fixed_policy;", 1);
    let text = text.replacen("&[random::ENTRY, ", "&[dummy::ENTRY, random::ENTRY, ", 1);
    ensure!(text.matches("dummy").count() == 2, "{LINE} does not look as expected");
    fs::write(copy.join(LINE), text)?;
    let touched: Vec<String> = files(&copy)?
        .into_iter()
        .filter(|file| before.iter().all(|old| old != file) || differs(&copy, file))
        .map(|file| file.display().to_string())
        .collect();
    println!("files touched: {}", touched.join(", "));
    ensure!(touched == [FILE, LINE], "more than one file and one line");
    let tests = ["declared::", "house::", "conformance::"];
    for test in tests {
        let status = Command::new(cargo())
            .args(["test", "-p", "goalward", "--test", "it", "--", test])
            .current_dir(&copy)
            .env("CARGO_TARGET_DIR", root()?.join("target/dummy-build"))
            .status()
            .context("cargo test")?;
        if !status.success() {
            bail!("{test} fails with one more learner");
        }
    }
    let listed = Command::new(cargo())
        .args(["run", "--quiet", "--", "list", "learners"])
        .current_dir(&copy)
        .env("CARGO_TARGET_DIR", root()?.join("target/dummy-build"))
        .output()?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let entry = listed.split("\n\n").find(|entry| entry.starts_with("dummy")).context("it is not listed")?;
    println!("{entry}");
    Ok(ExitCode::SUCCESS)
}

/// Copies everything that git would, and gives the files.
fn copy_sources(to: &Path) -> Result<Vec<PathBuf>> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    let listed = files(root()?)?;
    for file in &listed {
        let target = to.join(file);
        fs::create_dir_all(target.parent().context("a file has a folder")?)?;
        fs::copy(root()?.join(file), target)?;
    }
    Ok(listed)
}

fn differs(copy: &Path, file: &Path) -> bool {
    let read = |folder: &Path| fs::read(folder.join(file)).ok();
    root().is_ok_and(|root| read(root) != read(copy))
}

/// The files of a workspace, but for what is built, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    fn walk(folder: &Path, below: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
        for entry in fs::read_dir(folder.join(below))? {
            let entry = entry?;
            let path = below.join(entry.file_name());
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            match entry.file_type()?.is_dir() {
                true if path != Path::new("target") && path != Path::new("out") && !hidden => {
                    walk(folder, &path, found)?;
                }
                true => {}
                false => found.push(path),
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    walk(folder, Path::new(""), &mut found)?;
    found.sort();
    Ok(found)
}
