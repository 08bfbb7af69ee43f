//! A run that is stopped between any two steps and resumed from its checkpoint file writes the same
//! trace bytes.

use goalward::Settings;
use goalward::episode::{Arena, Checkpoint, Ending, Flow, Observer, RunSpec, Runner, Step, Stop, Trace};
use goalward::learners::{LEARNERS, LearnerEntry};

/// Pauses after a step.
struct PauseAt(u64);

impl Observer for PauseAt {
    fn step(&mut self, step: &Step) -> Flow {
        if step.t == self.0 { Flow::Break(Stop) } else { Flow::Continue(()) }
    }
}

fn whole(arena: &Arena, spec: &RunSpec) -> (Vec<u8>, u64) {
    let mut text = Vec::new();
    let mut trace = Trace::new(&mut text);
    let mut runner = Runner::new(arena, spec.clone()).unwrap();
    trace.start(&runner);
    assert_eq!(runner.run(&mut [&mut trace]).unwrap(), Ending::Finished);
    trace.end(&runner);
    trace.flush().unwrap();
    let steps = runner.progress().steps;
    (text, steps)
}

/// Stops after so many steps, goes through a file, goes on in a new runner.
fn interrupted(arena: &Arena, spec: &RunSpec, after: u64) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.checkpoint");
    let mut text = Vec::new();
    let mut trace = Trace::new(&mut text);
    let mut runner = Runner::new(arena, spec.clone()).unwrap();
    trace.start(&runner);
    if after > 0 {
        runner.run(&mut [&mut trace, &mut PauseAt(after)]).unwrap();
    }
    trace.flush().unwrap();
    let mut checkpoint = Checkpoint::of(&runner);
    checkpoint.trace = Some(trace.written().mark(&dir.path().join("run.trace")));
    let bytes = checkpoint.to_bytes().unwrap();
    drop(runner);

    // a file now and then: each is written through to the disk, which takes its time
    let checkpoint = if after.is_multiple_of(16) {
        checkpoint.write(&file).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), bytes);
        Checkpoint::read(&file).unwrap()
    } else {
        Checkpoint::from_bytes(&bytes, &file).unwrap()
    };
    let mut runner = Runner::resume(arena, &checkpoint).unwrap();
    let written = checkpoint.trace.unwrap().verify(&runner, &text[..]).unwrap();
    let mut trace = Trace::resume(&mut text, written);
    runner.run(&mut [&mut trace]).unwrap();
    trace.end(&runner);
    trace.flush().unwrap();
    assert_eq!(trace.bytes(), text.len() as u64);
    text
}

/// The settings that a learner is tried with: what it must be given, and with that every radius
/// that it takes.
fn tried(arena: &Arena, entry: &LearnerEntry) -> Vec<Settings> {
    let has = |name: &str| entry.parameters.iter().any(|parameter| parameter.name == name);
    let base = entry.oracle();
    if !has("radius") {
        return vec![base];
    }
    let radii = ["scaled:0.001", "determinant"].map(|radius| base.clone().set("radius", radius));
    let taken = |settings: &Settings| {
        Runner::new(arena, RunSpec::new(entry.id, 1).settings(settings.clone())).is_ok()
    };
    let taken: Vec<Settings> = radii.into_iter().filter(taken).collect();
    assert!(!taken.is_empty(), "{}", entry.id);
    [vec![base], taken].concat()
}

#[test]
fn any_step_of_any_learner() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 2)).unwrap();
    for entry in LEARNERS {
        for settings in tried(&arena, entry) {
            let spec = RunSpec::new(entry.id, 12).settings(settings.clone()).seed(3);
            let (expected, steps) = whole(&arena, &spec);
            assert!(steps >= 12, "{}: {steps} steps", entry.id);
            for after in 0..steps {
                let same = interrupted(&arena, &spec, after) == expected;
                assert!(same, "{} {settings:?} after step {after} of {steps}", entry.id);
            }
        }
    }
}

#[test]
fn episodes_add_up() {
    let arena = Arena::open("hard-instance", &Settings::new()).unwrap();
    let settings = Settings::new().set("B", 3).set("radius", "scaled:0.003");
    let spec = RunSpec::new("levis++", 40).settings(settings);
    let mut first = Runner::new(&arena, RunSpec { episodes: 15, ..spec.clone() }).unwrap();
    first.run(&mut []).unwrap();
    let mut checkpoint = Checkpoint::of(&first);
    checkpoint.spec.episodes = 40;
    let mut second = Runner::resume(&arena, &checkpoint).unwrap();
    second.run(&mut []).unwrap();
    let mut once = Runner::new(&arena, spec).unwrap();
    once.run(&mut []).unwrap();
    assert_eq!(once.progress(), second.progress());
    assert_eq!(once.learner().snapshot(), second.learner().snapshot());
}

#[test]
fn a_checkpoint_of_another_problem_is_refused() {
    let arena = Arena::open("hard-instance", &Settings::new()).unwrap();
    let other = Arena::open("hard-instance", &Settings::new().set("dim", 2)).unwrap();
    let runner = Runner::new(&arena, RunSpec::new("random", 3)).unwrap();
    let checkpoint = Checkpoint::of(&runner);
    let refused = Runner::resume(&other, &checkpoint).err().unwrap().to_string();
    assert!(refused.contains("another problem"), "{refused}");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("broken");
    for text in ["", "{", "{}", "[1]", "{\"version\": 9}"] {
        std::fs::write(&file, text).unwrap();
        assert!(Checkpoint::read(&file).is_err(), "{text}");
    }
}

#[test]
fn a_cap_truncates_and_a_higher_cap_goes_on() {
    let arena = Arena::open("hard-instance", &Settings::new()).unwrap();
    let spec = RunSpec::new("random", 100).max_steps(37);
    let mut runner = Runner::new(&arena, spec).unwrap();
    assert_eq!(runner.run(&mut []).unwrap(), Ending::Truncated);
    let result = runner.result();
    assert!(result.truncated && result.steps == 37 && result.episodes < 100);
    let mut checkpoint = Checkpoint::of(&runner);
    checkpoint.spec.max_steps = None;
    let mut runner = Runner::resume(&arena, &checkpoint).unwrap();
    assert_eq!(runner.run(&mut []).unwrap(), Ending::Finished);
    assert!(!runner.result().truncated);
    assert_eq!(runner.result().episodes, 100);
}
