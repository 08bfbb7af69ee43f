//! Every example runs to its end and says something.

use std::process::Command;

#[test]
fn every_example_runs() {
    for (example, binary, part) in [
        ("minimal_loop", env!("CARGO_BIN_EXE_minimal_loop"), "fast: 1.00"),
        ("five_models", env!("CARGO_BIN_EXE_five_models"), "the truth is 0.3"),
        ("own_learner", env!("CARGO_BIN_EXE_own_learner"), "balanced: regret"),
        ("from_a_file", env!("CARGO_BIN_EXE_from_a_file"), "sunny 0."),
        ("guarded_controller", env!("CARGO_BIN_EXE_guarded_controller"), "85 of 471 steps"),
        ("certified_planning", env!("CARGO_BIN_EXE_certified_planning"), "between"),
    ] {
        let out = Command::new(binary).output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success(), "{example}: {}", String::from_utf8_lossy(&out.stderr));
        assert!(text.contains(part), "{example}: {text}");
    }
}

/// The example of a learner of one's own is short enough to be read at once.
#[test]
fn the_own_learner_is_short() {
    let text = include_str!("../src/bin/own_learner.rs");
    assert!(text.lines().count() < 100, "{} lines", text.lines().count());
}
