//! `check`: what is printed, and the exit codes.

use super::input::coin;
use super::models::drn;
use super::*;

#[test]
fn a_fine_world_is_code_0() {
    let place = Place::new();
    let ran = place.run("check hard-instance").done();
    assert!(ran.err.is_empty() && ran.out.contains("fine: 0 errors, 0 warnings"), "{}", ran.out);
    place.write("coin.json", &coin("[1.0, 0.0]"));
    place.write("walk.drn", &drn(0.5));
    for world in ["coin.json", "walk.drn", "windy-grid --param n=2"] {
        let report = place.run(&format!("check {world} --json")).done().json();
        assert_eq!((&report["ok"], &report["errors"]), (&Value::Bool(true), &0.into()), "{report}");
    }
    // neither simulated nor solved, but nothing is wrong with it
    place.write("coin.json", &coin("null"));
    assert!(place.run("check coin.json").done().out.contains("note: the file has no theta"));
}

#[test]
fn everything_that_is_wrong_is_code_1() {
    let place = Place::new();
    let text = drn(0.5).replace("0 : 0.5", "0 : 0.6").replace("back [1]", "back [-1]");
    place.write("walk.drn", &text);
    let ran = place.run("check walk.drn");
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.err.is_empty(), "{}", ran.err);
    for words in [
        "error: walk.drn:11: state 0, action go: the row sums to 1.1",
        "error: walk.drn:15: state 1, action back: cost is -1.0",
        "wrong: 2 errors, 0 warnings",
        "hint: give rewards as costs",
    ] {
        assert!(ran.out.contains(words), "{words:?} is not in: {}", ran.out);
    }
    let ran = place.run("check walk.drn --json");
    assert_eq!(ran.code, Some(1));
    let report = ran.json();
    let finding = &report["findings"][0];
    assert_eq!(
        (&finding["level"], &finding["kind"], &finding["line"], &finding["state"], &finding["action"]),
        (&"error".into(), &"row-sum".into(), &11.into(), &"0".into(), &"go".into())
    );
    assert_eq!(finding["value"], 1.1);
    // wrong form is an answer too
    place.write("cut.json", "{\"states\": 3,\n");
    let ran = place.run("check cut.json");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("error: cut.json:2:"), "{}", ran.out);
}

#[test]
fn what_cannot_be_asked_is_code_2() {
    let place = Place::new();
    place.run("check absent.drn").refused(&["absent.drn"]);
    place.run("check atlantis").refused(&["atlantis", "hint: goalward list worlds"]);
    place.run("check hard-instance --goal home").refused(&["hard-instance", "goal"]);
    place.write("coin.json", &coin("null"));
    place.run("check coin.json --goal heads").refused(&["coin.json", "goal=heads", "hint: "]);
    place.write("walk.drn", &drn(0.5));
    place.run("check walk.drn --param speed=2").refused(&["speed", "goal, cost, start", "hint: "]);
    place.run("check walk.drn --goal done --param goal=done").refused(&["twice"]);
}
