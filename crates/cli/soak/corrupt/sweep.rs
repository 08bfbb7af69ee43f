//! What becomes of corrupted checkpoints, in this process and in others.

use super::corrupt;
use goalward::Settings;
use goalward::episode::{Arena, Checkpoint, Flow, Observer, RunSpec, Runner, Step, Stop};
use goalward::learners::LEARNERS;
use goalward::parameters::{Choice, Kind, Parameter};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Steps that a run goes on for.
const STEPS: u64 = 120;
/// The file that a forged path names: no trace.
pub(crate) const VICTIM: (&str, &[u8]) = ("victim", b"{\"kind\":\"start\"}\nprecious\n");

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) tried: u64,
    pub(crate) refused: u64,
    /// Each one: which corruption of which checkpoint.
    pub(crate) panics: Vec<String>,
    /// Taken, though they should not have been.
    pub(crate) taken: Vec<String>,
    pub(crate) slowest: Duration,
}

/// A checkpoint of every learner, in the middle of an episode.
pub(crate) struct Case {
    pub(crate) label: String,
    pub(crate) file: Vec<u8>,
}

pub(crate) fn arena() -> Arena {
    Arena::open("windy-grid", &Settings::new().set("n", 3)).expect("it is built in")
}

pub(crate) fn cases(arena: &Arena) -> Vec<Case> {
    let case = |learner: &str, settings: Settings, steps: u64| {
        let spec = RunSpec::new(learner, 1000).settings(settings);
        let mut runner = Runner::new(arena, spec).expect("it can be built");
        runner.run(&mut [&mut PauseAt(steps)]).expect("it runs");
        let file = Checkpoint::of(&runner).to_bytes().expect("it can be written");
        Case { label: format!("{learner} after {steps}"), file }
    };
    let mut cases = Vec::new();
    for entry in LEARNERS {
        let told = |key| entry.parameters.iter().any(|p| p.name == key);
        let mut settings = Settings::new();
        for key in ["B", "t_star"] {
            if told(key) {
                settings = settings.set(key, "oracle");
            }
        }
        cases.push(case(entry.id, settings.clone(), 0));
        cases.push(case(entry.id, settings.clone(), 75));
        let takes =
            |p: &Parameter| matches!(p.kind, Kind::Choice(all) if all.contains(&Choice::Word("determinant")));
        if entry.parameters.iter().any(takes) {
            cases.push(case(entry.id, settings.set("radius", "determinant"), 40));
        }
    }
    cases
}

struct PauseAt(u64);

impl Observer for PauseAt {
    fn step(&mut self, step: &Step) -> Flow {
        if step.t >= self.0 { Flow::Break(Stop) } else { Flow::Continue(()) }
    }
}

/// Corruptions as they are: every one must be refused.
pub(crate) fn as_they_are(cases: &[Case], numbers: std::ops::Range<u64>) -> Found {
    let mut found = Found::default();
    for n in numbers {
        let case = &cases[n as usize % cases.len()];
        let corrupted = corrupt(&case.file, n, VICTIM);
        found.tried += 1;
        match Checkpoint::from_bytes(&corrupted.bytes, Path::new("c")) {
            Ok(_) => found.taken.push(format!("{n}: {}: {}", case.label, corrupted.what)),
            Err(_) => found.refused += 1,
        }
    }
    found
}

/// Corruptions with the checksum made anew: refused, or a run that goes on, and never a panic.
pub(crate) fn forged(arena: &Arena, cases: &[Case], numbers: std::ops::Range<u64>) -> Found {
    let mut found = Found::default();
    for n in numbers {
        let case = &cases[n as usize % cases.len()];
        let corrupted = corrupt(&case.file, n, VICTIM);
        let Some(bytes) = corrupted.forged else { continue };
        found.tried += 1;
        let began = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| go_on(arena, &bytes)));
        let took = began.elapsed();
        found.slowest = found.slowest.max(took);
        match outcome {
            Ok(true) => {}
            Ok(false) => found.refused += 1,
            Err(_) => found.panics.push(format!("{n}: {}: {}", case.label, corrupted.what)),
        }
    }
    found
}

/// Takes a run up and lets it go on for some steps; whether that was let in.
fn go_on(arena: &Arena, bytes: &[u8]) -> bool {
    let Ok(checkpoint) = Checkpoint::from_bytes(bytes, Path::new("c")) else { return false };
    let Ok(mut runner) = Runner::resume(arena, &checkpoint) else { return false };
    if let Some(mark) = &checkpoint.trace
        && mark.verify(&runner, VICTIM.1).is_err()
    {
        return false;
    }
    let until = checkpoint.progress.steps + STEPS;
    if runner.run(&mut [&mut PauseAt(until)]).is_err() {
        return true;
    }
    let result = runner.result();
    // what goes on can be saved; a forged number may have grown beyond what can be stored
    let again = Checkpoint::of(&runner);
    let _ = Runner::resume(arena, &again);
    assert_eq!(result.steps, runner.progress().steps);
    true
}
