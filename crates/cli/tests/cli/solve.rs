//! `solve` and `export`.

use super::input::coin;
use super::*;

#[test]
fn a_coin_is_solved_in_the_users_names() {
    let place = Place::new();
    place.write("coin.json", &coin("[1.0, 0.0]"));
    let solved = place.run("solve coin.json --policy policy.json --json").done().json();
    let keys: Vec<&str> = solved.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["b_star", "choices", "lower", "reach_probability", "seconds", "states", "t_star", "upper", "value"]
    );
    let number = |key: &str| solved[key].as_f64().unwrap();
    assert!(number("lower") <= 2.0 && 2.0 <= number("upper"), "{solved}");
    assert!(number("upper") - number("lower") <= 2e-6 * 1.01);
    for (key, value) in [("value", 2.0), ("b_star", 2.0), ("t_star", 2.0), ("reach_probability", 1.0)] {
        assert!((number(key) - value).abs() < 1e-5, "{key}: {solved}");
    }
    assert_eq!((solved["states"].as_u64(), solved["choices"].as_u64()), (Some(2), Some(1)));
    let policy: Value = serde_json::from_slice(&place.read("policy.json")).unwrap();
    assert_eq!(policy, serde_json::json!({ "hand": "toss" }));
    let text = place.run("solve coin.json").done().out;
    assert!(text.contains("optimal cost  2 "), "{text}");
}

#[test]
fn names_that_repeat_make_an_array() {
    let place = Place::new();
    let same = r#"{"name": "twins", "states": 3, "start": 0, "goal": 2, "dim": 1, "cost": [[1.0], [1.0], []],
        "features": [[0, 0, 1, [1.0]], [1, 0, 2, [1.0]]], "theta": [1.0], "state_names": ["twin", "twin", "home"]}"#;
    place.write("twins.json", same);
    place.run("solve twins.json --policy policy.json").done();
    let policy: Value = serde_json::from_slice(&place.read("policy.json")).unwrap();
    assert_eq!(policy.as_array().unwrap().len(), 2);
}

#[test]
fn a_lost_goal_is_the_answer_no() {
    let place = Place::new();
    // theta mixes "go to the goal" and "fall into the pit, which has no way out": the truth always may fall
    let pit = r#"{"name": "pit", "states": 3, "start": 0, "goal": 2, "dim": 2, "cost": [[1.0], [1.0], []],
        "features": [[0, 0, 1, [1.0, 0.0]], [0, 0, 2, [0.0, 1.0]], [1, 0, 1, [1.0, 0.0]], [1, 0, 2, [0.0, 1.0]]],
        "theta": [1.0, 0.0], "state_names": ["edge", "pit", "home"]}"#;
    place.write("pit.json", pit);
    let ran = place.run("solve pit.json --policy policy.json");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.starts_with("error: ") && ran.err.contains("edge"), "{}", ran.err);
    assert!(!place.path("policy.json").exists());
    let ran = place.run("solve pit.json --json");
    assert_eq!(ran.code, Some(1));
    assert_eq!((&ran.json()["value"], &ran.json()["reach_probability"]), (&Value::Null, &Value::Null));
    place.run("learn pit.json --learner random").refused(&["edge"]);
}

#[test]
fn export_gives_the_same_problem_back() {
    let place = Place::new();
    let text = place.run("export hard-instance --param dim=3").done().out;
    place.run("export hard-instance --param dim=3 -o a.json").done();
    assert_eq!(place.read("a.json"), text.as_bytes());
    assert_eq!(place.run("export a.json").done().out, text);

    let learn = "--learner random --episodes 20 --json";
    let world = place.run(&format!("learn hard-instance --param dim=3 {learn}")).done().json();
    let file = place.run(&format!("learn a.json {learn}")).done().json();
    for key in ["steps", "total_cost", "optimal_cost", "regret", "gap_regret"] {
        assert_eq!(world[key], file[key], "{key}");
    }
}
