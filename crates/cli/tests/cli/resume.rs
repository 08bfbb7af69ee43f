//! Kill and resume: the trace of a killed run ends up like that of a whole one.

use super::*;
use std::thread::sleep;
use std::time::Duration;

const RUN: &str = "learn hard-instance --param dim=2 --learner levis++ --set B=3 --set radius=scaled:0.003 \
                   --episodes 300 --trace a --checkpoint c --checkpoint-every 7";

/// The trace of the run that nothing happened to, and its result.
fn uninterrupted() -> (Vec<u8>, Value) {
    let place = Place::new();
    let result = place.run(&format!("{RUN} --json")).done().json();
    (place.read("a"), result)
}

#[track_caller]
fn same_but_for_the_time(mut a: Value, mut b: Value) {
    for result in [&mut a, &mut b] {
        result.as_object_mut().unwrap().remove("seconds");
    }
    assert_eq!(a, b);
}

#[test]
fn a_run_that_is_stopped_and_raised_is_the_same_run() {
    let (trace, whole) = uninterrupted();
    let place = Place::new();
    place.run(&format!("{RUN} --max-steps 1")).done();
    for cap in [2, 7, 8, 100, 101, 333] {
        let ran = place.run(&format!("learn --resume c --max-steps {cap} --json")).done();
        assert_eq!(ran.json()["steps"].as_u64(), Some(cap));
    }
    // everything may be repeated, as long as it agrees
    let resumed = place.run(&format!("{RUN} --resume c --max-steps none --json")).done();
    assert_eq!(place.read("a"), trace);
    same_but_for_the_time(resumed.json(), whole.clone());
    // a finished run is finished
    let again = place.run("learn --resume c --json").done();
    assert_eq!(place.read("a"), trace);
    same_but_for_the_time(again.json(), whole);
}

#[test]
fn a_run_that_is_killed_again_and_again_is_the_same_run() {
    let (trace, whole) = uninterrupted();
    let place = Place::new();
    let mut line = RUN.to_string();
    for part in [0.0, 0.01, 0.2, 0.5, 0.51, 0.9] {
        let mut child = place.start(&line);
        let enough = (trace.len() as f64 * part) as u64;
        let length = || std::fs::metadata(place.path("a")).map_or(0, |file| file.len());
        while !(place.path("c").exists() && length() > enough) && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_micros(200));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        line = "learn --resume c".into();
    }
    let resumed = place.run("learn --resume c --json").done();
    assert_eq!(place.read("a"), trace);
    same_but_for_the_time(resumed.json(), whole);
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_between_two_steps() {
    let place = Place::new();
    let run = "learn hard-instance --param dim=2 --learner random --episodes 1000000000 --trace a \
               --checkpoint c --json";
    let child = place.start(run);
    while std::fs::metadata(place.path("a")).map_or(0, |file| file.len()) < 10_000 {
        sleep(Duration::from_millis(1));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.err.contains("--resume c"), "{}", ran.err);
    let result = ran.json();
    let checkpoint: Value = serde_json::from_slice(&place.read("c")).unwrap();
    assert_eq!(checkpoint["progress"]["steps"], result["steps"]);
    assert_eq!(checkpoint["trace"]["bytes"].as_u64(), Some(place.read("a").len() as u64));
}

#[test]
fn episodes_may_be_raised() {
    let place = Place::new();
    let run = "learn hard-instance --param dim=2 --learner random --trace a --checkpoint c";
    place.run(&format!("{run} --episodes 40")).done();
    let whole = place.read("a");
    place.run(&format!("{run} --episodes 15")).done();
    place.run("learn --resume c --episodes 40 --checkpoint d").done();
    assert_eq!(place.read("a"), whole);
    let checkpoint = |name| serde_json::from_slice::<Value>(&place.read(name)).unwrap();
    assert_eq!(checkpoint("c")["progress"]["episodes"].as_u64(), Some(15));
    assert_eq!(checkpoint("d")["progress"]["episodes"].as_u64(), Some(40));
}

#[test]
fn what_does_not_agree_is_named() {
    let place = Place::new();
    place.run(&format!("{RUN} --max-steps 50")).done();
    let (trace, checkpoint) = (place.read("a"), place.read("c"));
    for (given, saved) in [
        ("hard-instance --param dim=3", "dim=2"),
        ("corridor", "hard-instance"),
        ("--learner random", "levis++"),
        ("--set B=4", "B=3"),
        ("--set radius=printed", "scaled:0.003"),
        ("--set delta=0.77", "delta="),
        ("--seed 1", "--seed 0"),
        ("--trace b", "--trace a"),
        ("--episodes 299", "300"),
        ("--max-steps 49", "50"),
    ] {
        let word = given.split(' ').next_back().unwrap();
        place.run(&format!("learn --resume c {given}")).refused(&[word, saved, "checkpoint", "hint: "]);
    }
    assert_eq!((place.read("a"), place.read("c")), (trace, checkpoint), "a refused resume changes nothing");
    place.run("learn hard-instance --resume c --set B=3.0 --seed 0 --episodes 300 --trace ./a").done();
}

#[test]
fn a_trace_that_is_missing_or_cut_is_refused() {
    let place = Place::new();
    place.run(&format!("{RUN} --max-steps 50")).done();
    let trace = place.read("a");
    std::fs::write(place.path("a"), &trace[..trace.len() / 2]).unwrap();
    place.run("learn --resume c").refused(&["trace a", "bytes", "hint: "]);
    std::fs::remove_file(place.path("a")).unwrap();
    place.run("learn --resume c").refused(&["trace a", "missing", "hint: "]);
    place.run("learn --resume nothing").refused(&["nothing"]);
    place.write("c", "{}");
    place.run("learn --resume c").refused(&["c:1:", "not a checkpoint"]);
}

#[test]
fn a_problem_file_that_changed_is_refused() {
    let place = Place::new();
    place.run("export hard-instance --param dim=2 -o p.json").done();
    place.run("learn p.json --learner random --episodes 50 --checkpoint c --max-steps 9").done();
    place.run("export hard-instance --param dim=3 -o p.json").done();
    place.run("learn --resume c").refused(&["checkpoint", "p.json"]);
}
