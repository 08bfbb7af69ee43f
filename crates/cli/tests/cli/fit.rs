//! `goalward fit`: what it prints, and what it refuses.

use super::*;
use std::io::Write;

/// A trace of random steps in the small grid.
fn traced(place: &Place, name: &str, more: &str) {
    let line =
        format!("learn windy-grid@n=3 --learner random --episodes 150 --seed 4 --trace {name} --json {more}");
    place.run(&line).done();
}

#[test]
fn a_trace_is_fitted() {
    let place = Place::new();
    traced(&place, "steps.jsonl", "");
    let text = place.run("fit windy-grid@n=3 steps.jsonl").done().out;
    for word in ["rows", "calm", "right", "misfit", "no evidence", "costs", "between", "the best one"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let json = place.run("fit windy-grid@n=3 steps.jsonl --json").done().json();
    let truth = [0.3, 0.05, 0.05, 0.3, 0.3];
    let weights = json["weights"].as_array().unwrap();
    assert_eq!(weights.len(), 5);
    for (w, x) in weights.iter().zip(truth) {
        assert!(w["low"].as_f64().unwrap() <= x && x <= w["high"].as_f64().unwrap(), "{w}");
    }
    let value = &json["value"];
    let number = |key: &str| value[key].as_f64().unwrap();
    assert!(number("lower") <= number("fitted") && number("fitted") <= number("upper"));
    assert_eq!((json["delta"].as_f64(), json["misfit"]["status"].as_str()), (Some(0.01), Some("none")));
    assert_eq!(
        (json["contradiction"].as_bool(), value["may_miss_goal"].as_bool()),
        (Some(false), Some(false))
    );
    // wider at a smaller level
    let surer = place.run("fit windy-grid@n=3 steps.jsonl --json --delta 1e-9").done().json();
    assert!(surer["weights"][0]["high"].as_f64() > weights[0]["high"].as_f64());
}

#[test]
fn a_policy_of_solve_is_taken() {
    let place = Place::new();
    traced(&place, "steps.jsonl", "");
    place.run("solve windy-grid@n=3 --policy policy.json").done();
    let json = place.run("fit windy-grid@n=3 steps.jsonl --policy policy.json --json").done().json();
    let value = &json["value"];
    assert_eq!(value["policy"], "given");
    // V* of the small grid
    assert!(value["lower"].as_f64().unwrap() < 2.83 && 2.84 < value["upper"].as_f64().unwrap(), "{value}");
    place.write("policy.json", "{\"(0,0)\": \"dive\"}");
    let words = ["policy.json", "\"(0,0)\"", "no action \"dive\"", "right, down, left, up"];
    place.run("fit windy-grid@n=3 steps.jsonl --policy policy.json").refused(&words);
    place.write("policy.json", "{\"(0,0)\": \"right\"}");
    place.run("fit windy-grid@n=3 steps.jsonl --policy policy.json").refused(&["no action for state (0,1)"]);
    place.run("fit windy-grid@n=3 steps.jsonl --policy none.json").refused(&["none.json"]);
}

#[test]
fn wrong_models_are_said_to_be_wrong() {
    let place = Place::new();
    traced(&place, "steps.jsonl", "--param reversed=0.3");
    let ran = place.run("fit windy-grid@n=3 steps.jsonl").done();
    assert!(
        ran.out.contains("rejected") && ran.err.contains("no mixture of the models explains"),
        "{}",
        ran.out
    );
    place.write("log.csv", "state,action,next\n0,right,1\n0,right,8\n");
    let ran = place.run("fit windy-grid@n=3 log.csv").done();
    assert!(ran.out.contains("no model allows") && ran.out.contains("first in line 3"), "{}", ran.out);
    let quiet = place.run("fit windy-grid@n=3 log.csv --quiet --json").done();
    assert_eq!((quiet.json()["impossible_rows"].as_u64(), quiet.err.as_str()), (Some(1), ""));
}

#[test]
fn logs_are_refused_with_line_and_field() {
    let place = Place::new();
    place.write("log.csv", "state,action,next\n0,right,1\n0,rihgt,1\n");
    place.run("fit windy-grid@n=3 log.csv").refused(&["log.csv:3:", "action", "rihgt"]);
    place.write("log.csv", "");
    place.run("fit windy-grid@n=3 log.csv").refused(&["log.csv", "no transition"]);
    place.run("fit windy-grid@n=3 none.csv").refused(&["none.csv"]);
    place.run("fit windy-grid@n=3 .").refused(&["folder"]);
    place.run("fit - -").refused(&["standard input", "once"]);
    place.run("fit windy-grid@n=3 log.csv --delta 2").refused(&["--delta", "between 0 and 1"]);
}

#[test]
fn logs_come_through_pipes() {
    let text = "state,action,next\n0,right,1\n1,down,4\n";
    let mut child = std::process::Command::new(goalward())
        .args(["fit", "windy-grid@n=3", "-", "--json"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    let json: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json["rows"], 2);
}
