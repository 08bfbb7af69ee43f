//! `cargo xtask dummy`: shows that a new learner is one file and its line in the folder's `mod.rs`.
//!
//! It adds a learner with three parameters to a copy of the workspace in this way, and runs the
//! conformance suite and the tests of the house on it.

use crate::process::succeed;
use crate::{cargo, root, tree};
use anyhow::{Context, Result, ensure};
use std::fs;
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
    tree::copy(root()?, &copy)?;
    fs::write(copy.join(FILE), LEARNER)?;
    let text = fs::read_to_string(copy.join(LINE))?;
    let text = text.replacen("mod fixed_policy;", "mod dummy;\nmod fixed_policy;", 1);
    let text = text.replacen("&[random::ENTRY, ", "&[dummy::ENTRY, random::ENTRY, ", 1);
    ensure!(text.matches("dummy").count() == 2, "{LINE} does not look as expected");
    fs::write(copy.join(LINE), text)?;
    println!("files touched: {FILE}, {LINE}");
    let built = root()?.join("target/dummy-build");
    let cargo = |args: &[&str]| {
        let mut command = Command::new(cargo());
        command.args(args).current_dir(&copy).env("CARGO_TARGET_DIR", &built);
        command
    };
    for test in ["declared::", "house::", "conformance::"] {
        succeed(&mut cargo(&["test", "-p", "goalward", "--test", "it", "--", test]))
            .with_context(|| format!("{test} fails with one more learner"))?;
    }
    let listed = cargo(&["run", "--quiet", "--", "list", "learners"]).output()?;
    let listed = String::from_utf8_lossy(&listed.stdout);
    let entry = listed.split("\n\n").find(|entry| entry.starts_with("dummy")).context("it is not listed")?;
    println!("{entry}");
    Ok(ExitCode::SUCCESS)
}
