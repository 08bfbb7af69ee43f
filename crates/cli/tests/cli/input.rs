//! Wrong worlds, learners, settings and files: exit code 2, the reason and the place.

use super::*;

#[test]
fn unknown_names_are_answered_with_the_known_ones() {
    let place = Place::new();
    for command in
        ["learn atlantis", "solve atlantis", "export atlantis", "compare atlantis --learners random"]
    {
        place.run(command).refused(&["atlantis", "hard-instance", "hint: goalward list worlds"]);
    }
    place.run("learn hard-instance --learner oracle").refused(&[
        "oracle",
        "levis++",
        "hint: goalward list learners",
    ]);
    place.run("compare hard-instance --learners random,oracle --seeds 0..2 --episodes 2").refused(&[
        "oracle",
        "levis++",
        "hint: goalward list learners",
    ]);
    place.run("learn hard-instance --param size=3").refused(&["size", "dim", "hint: "]);
    place
        .run("learn hard-instance --learner levis++ --set size=3")
        .refused(&["levis++", "size", "radius", "hint: "]);
    place.run("learn hard-instance --set B").refused(&["B", "key=value"]);
    place.run("learn hard-instance --set B=3 --set B=4").refused(&["B=4", "twice"]);
    place.run("learn hard-instance --param dim=two").refused(&["dim=two"]);
}

#[test]
fn a_missing_bound_is_explained() {
    let place = Place::new();
    place.run("learn hard-instance --learner levis++").refused(&[
        "levis++",
        "B",
        "hint: ",
        "--set B=3",
        "--set B=oracle",
    ]);
    place.run("compare hard-instance --learners levis++ --seeds 0..2 --episodes 2").refused(&[
        "levis++",
        "B",
        "hint: ",
        "--set B=3",
    ]);
}

#[test]
fn problem_files_are_refused_with_the_place() {
    let place = Place::new();
    let good = place.run("export hard-instance --param dim=2").done().out;
    let cases: &[(&str, String, &[&str])] = &[
        ("text", "not JSON at all".into(), &["bad.json:1:"]),
        ("cut", good[..good.len() / 2].into(), &["bad.json:"]),
        ("empty", String::new(), &["bad.json:1:1"]),
        ("unknown field", good.replacen("\"start\"", "\"begin\"", 1), &["bad.json:", "begin"]),
        ("goal outside", good.replacen("\"goal\": ", "\"goal\": 99", 1), &["bad.json", "goal", "99"]),
    ];
    for (what, text, words) in cases {
        assert_ne!(*text, good, "{what}");
        place.write("bad.json", text);
        for command in ["learn", "solve", "export", "compare --learners random"] {
            place.run(&format!("{command} bad.json")).refused(words);
        }
    }
    place.run("learn missing.json").refused(&["missing.json"]);
    place.write("good.json", &good);
    place.run("learn good.json --param dim=2").refused(&["good.json", "dim=2"]);
}

#[test]
fn a_problem_without_theta_can_only_be_exported() {
    let place = Place::new();
    place.write("coin.json", &coin("null"));
    place.run("export coin.json").done();
    for command in ["learn", "solve"] {
        place.run(&format!("{command} coin.json")).refused(&["coin", "theta", "hint: "]);
    }
}

#[test]
fn files_that_cannot_be_written_are_named() {
    let place = Place::new();
    let run = "learn hard-instance --param dim=2 --learner random --episodes 3";
    place.run(&format!("{run} --trace no/trace")).refused(&["no/trace"]);
    place.run(&format!("{run} --checkpoint no/check")).refused(&["no/check"]);
    place.run("export hard-instance -o no/file").refused(&["no/file"]);
    place.run("solve hard-instance --policy no/file").refused(&["no/file"]);
    place.run(&format!("{run} --trace same --checkpoint same")).refused(&["same file"]);
}

/// One state with one action that reaches the goal with probability 1/2 or 1: theta mixes the two.
pub(crate) fn coin(theta: &str) -> String {
    format!(
        r#"{{"name": "coin", "states": 2, "start": 0, "goal": 1, "dim": 2, "cost": [[1.0], []],
        "features": [[0, 0, 0, [0.5, 0.0]], [0, 0, 1, [0.5, 1.0]]], "theta": {theta},
        "state_names": ["hand", "heads"], "action_names": [["toss"], []]}}"#
    )
}

/// A hole in the ice is a dead end: what helps is said.
#[test]
fn a_lake_with_holes_asks_for_restart() {
    let place = Place::new();
    place.run("learn frozen-lake --episodes 2").refused(&["hole (1,1)", "hint: ", "restart"]);
    let best = place.run("solve frozen-lake --restart --json").done().json();
    let value = best["value"].as_f64().or(best["v_start"].as_f64()).unwrap();
    assert!((value - 612.0 / 11.0).abs() < 1e-6, "{value}");
}
