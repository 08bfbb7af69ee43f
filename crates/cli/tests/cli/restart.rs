//! Second chances in every command that takes a world, and through checkpoints.

use super::solve::LEAP;
use super::*;

/// The same leap as a model file: it fails with the probability given.
fn model(fails: f64) -> String {
    format!(
        "@type: MDP\n@model\nstate 0 init\n\taction leap\n\t\t1 : {fails}\n\t\t2 : {}\nstate \
         1\n\taction stay\n\t\t1 : 1\n\
         state 2 home\n\taction rest\n\t\t2 : 1\n",
        1.0 - fails
    )
}

#[test]
fn every_command_says_how_and_takes_it() {
    let place = Place::new();
    place.write("leap.json", LEAP);
    for line in ["learn leap.json", "compare leap.json --learners random --seeds 2"] {
        place.run(&format!("{line} --episodes 5")).refused(&["probability one", "pit", "--restart"]);
        let ran = place.run(&format!("{line} --episodes 5 --restart")).done();
        assert!(ran.err.contains("leads back to the start: pit"), "{}", ran.err);
        let quiet = place.run(&format!("{line} --episodes 5 --restart --quiet")).done();
        assert!(quiet.err.is_empty(), "{}", quiet.err);
    }
    let ran = place.run("solve leap.json");
    assert!(ran.code == Some(1) && ran.err.contains("--restart"), "{}", ran.err);
    let ran = place.run("check leap.json");
    assert!(ran.code == Some(1) && ran.out.contains("--restart"), "{}", ran.out);
    place.run("check leap.json --restart").done();
    place.run("export leap.json --restart -o again.json").done();
    place.run("learn again.json --episodes 5").done();
    let optimal = place.run("learn leap.json --restart --learner optimal --episodes 5 --json").done().json();
    assert!((optimal["optimal_cost"].as_f64().unwrap() - 2.0).abs() < 1e-9, "x = 1 + x/2: {optimal}");
    place.write(
        "leap.toml",
        "steps = 5\nseeds = 2\nlearners = [\"lr\"]\nworlds = [\"leap.json@restart=true\"]\n",
    );
    let ran = place.run("study run leap.toml").done();
    assert!(ran.err.contains("leads back to the start: pit"), "{}", ran.err);
}

#[test]
fn a_checkpoint_remembers_it() {
    let place = Place::new();
    place.write("leap.json", LEAP);
    let run = "learn leap.json --restart --learner lr --episodes 40";
    let whole = place.run(&format!("{run} --trace whole --json")).done().json();
    place.run(&format!("{run} --trace a --checkpoint c --max-steps 20")).done();
    let resumed = place.run("learn --resume c --max-steps none --json").done().json();
    assert_eq!(place.read("a"), place.read("whole"));
    assert_eq!(resumed["regret"], whole["regret"]);
    assert_eq!(resumed["params"]["restart"], "true");
    place.run("learn leap.json --restart --resume c --episodes 41").done();
    place.run("learn leap.json --episodes 5 --learner random --checkpoint d --param restart=true").done();
    place.run("learn --resume d --restart --episodes 6").done();
}

#[test]
fn mixtures_restart_as_a_whole() {
    let place = Place::new();
    place.write("wet.drn", &model(0.5));
    place.write("dry.drn", &model(0.0));
    let mix = "mix wet.drn dry.drn --goal home --cost 1";
    place.run(mix).refused(&["unreachable", "--restart"]);
    // a name that is printed can be typed, and so can what a hint says
    let ran = place.run("check wet.drn --goal home --cost 1");
    assert!(ran.out.contains("add --restart:") && !ran.out.contains("restart=true"), "{}", ran.out);
    let spelled = "wet.drn@cost=1@goal=home@restart=true";
    assert!(place.run("solve wet.drn --goal home --cost 1 --restart").done().out.contains(spelled));
    place.run(&format!("solve {spelled}")).done();
    for weights in ["--weights 0.5,0.5", "--weights 0,1", "--weights 1,0", ""] {
        let ran = place.run(&format!("{mix} {weights} --restart -o mixed.json")).done();
        assert!(ran.err.contains("leads back to the start: 1"), "{}", ran.err);
        if !weights.is_empty() {
            place.run("learn mixed.json --episodes 20").done();
        }
    }
    let file: Value = serde_json::from_slice(&place.read("mixed.json")).unwrap();
    assert_eq!(file["theta"], Value::Null, "without weights there is no truth");
    // half of the leaps of half of the weight fail: x = 1 + x/4
    place.run(&format!("{mix} --weights 1/2,1/2 --param restart=true -o mixed.json")).done();
    let value = place.run("solve mixed.json --json").done().json()["value"].as_f64().unwrap();
    assert!((value - 4.0 / 3.0).abs() < 1e-6, "{value}");
    place.run(&format!("{mix} --param restart=yes")).refused(&["restart=yes", "true or false"]);
}

/// From a start that is lost itself nothing leads back.
#[test]
fn a_lost_start_stays_lost() {
    let place = Place::new();
    place.write("stuck.drn", &model(1.0).replace("\t\t2 : 0\n", ""));
    let ran = place.run("solve stuck.drn --goal home --cost 1 --restart");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("from the start itself: no state restarts"), "{}", ran.err);
}
