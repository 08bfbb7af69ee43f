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
        [
            "b_star",
            "choices",
            "lost",
            "lower",
            "objective",
            "precision_reached",
            "reach_probability",
            "seconds",
            "states",
            "t_star",
            "upper",
            "value"
        ]
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
        "features": [[0, 0, 1, [1.0]], [1, 0, 2, [1.0]]], "theta": [1.0],
        "state_names": ["twin", "twin", "home"]}"#;
    place.write("twins.json", same);
    place.run("solve twins.json --policy policy.json").done();
    let policy: Value = serde_json::from_slice(&place.read("policy.json")).unwrap();
    assert_eq!(policy.as_array().unwrap().len(), 2);
}

#[test]
fn a_lost_goal_is_the_answer_no() {
    let place = Place::new();
    // theta mixes "go to the goal" and "fall into the pit, which has no way out": the truth always
    // may fall
    let pit = r#"{"name": "pit", "states": 3, "start": 0, "goal": 2, "dim": 2, "cost": [[1.0], [1.0], []],
        "features": [[0, 0, 1, [1.0, 0.0]], [0, 0, 2, [0.0, 1.0]], [1, 0, 1, [1.0, 0.0]],
          [1, 0, 2, [0.0, 1.0]]],
        "theta": [1.0, 0.0], "state_names": ["edge", "pit", "home"]}"#;
    place.write("pit.json", pit);
    let ran = place.run("solve pit.json --policy policy.json");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.starts_with("error: ") && ran.err.contains("edge"), "{}", ran.err);
    assert!(!place.path("policy.json").exists());
    let ran = place.run("solve pit.json --json");
    assert_eq!(ran.code, Some(1));
    assert_eq!((&ran.json()["value"], &ran.json()["lost"]), (&Value::Null, &serde_json::json!([0, 1])));
    assert_eq!(ran.json()["reach_probability"].as_f64(), Some(0.0));
    place.run("learn pit.json --learner random").refused(&["edge"]);
}

/// A leap that ends in a pit half of the time; a dear way round.
pub(super) const LEAP: &str = r#"{"name": "leap", "states": 3, "start": 0, "goal": 2, "dim": 2,
    "cost": [[1.0], [1.0], []],
    "features": [[0, 0, 1, [0.5, 0.5]], [0, 0, 2, [0.5, 0.5]], [1, 0, 1, [1.0, 0.0]], [1, 0, 2, [0.0, 1.0]]],
    "theta": [1.0, 0.0], "state_names": ["edge", "pit", "home"], "action_names": [["leap"], ["stay"], []]}"#;

#[test]
fn the_three_objectives() {
    let place = Place::new();
    place.write("leap.json", LEAP);
    let near = |json: &Value, key: &str, value: f64| {
        let found = json[key].as_f64().unwrap();
        assert!((found - value).abs() < 1e-6, "{key}: {json}");
    };
    let reach = place.run("solve leap.json --objective reach --json").done().json();
    near(&reach, "value", 0.5);
    near(&reach, "reach_probability", 0.5);
    assert_eq!((&reach["lost"], &reach["b_star"]), (&serde_json::json!([1]), &Value::Null));
    let text = place.run("solve leap.json --objective reach").done().out;
    assert!(text.contains("pit cannot reach the goal"), "{text}");

    let ran = place.run("solve leap.json --json");
    assert_eq!(ran.code, Some(1));
    near(&ran.json(), "reach_probability", 0.5);
    let most = place.run("solve leap.json --objective max --json").done().json();
    assert_eq!(
        (&most["value"], &most["b_star"], &most["t_star"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    let said = place.run("solve leap.json --objective max").done().out;
    assert_eq!(said.matches("infinite").count(), 3, "the cost, B* and T*: {said}");

    // x = 1 + x/2
    let again = place.run("solve leap.json --restart --policy policy.json --json").done().json();
    near(&again, "value", 2.0);
    near(&again, "reach_probability", 1.0);
    let most = place.run("solve leap.json --restart --objective max --json").done().json();
    near(&most, "value", 2.0);
    let policy: Value = serde_json::from_slice(&place.read("policy.json")).unwrap();
    assert_eq!(policy, serde_json::json!({ "edge": "leap", "pit": "restart" }));
    place.run("solve leap.json --objective least").refused(&["least"]);
}

/// Models in others' formats and their exact answers.
#[test]
fn models_of_others_have_their_known_values() {
    let place = Place::new();
    place.write("consensus.drn", &known_models::consensus(2));
    place.write("cliff.json", &known_models::cliff());
    place.write("lake.json", &known_models::lake());
    for (line, answer) in [
        ("consensus.drn --goal finished --cost steps", 48.0),
        ("cliff.json", 13.0),
        ("lake.json --objective reach", 14.0 / 17.0),
        ("lake.json --restart", 612.0 / 11.0),
    ] {
        let solved = place.run(&format!("solve {line} --json")).done().json();
        let [lower, upper] = ["lower", "upper"].map(|key| solved[key].as_f64().unwrap());
        assert!(lower <= answer && answer <= upper, "{line}: {lower} {upper}");
        assert!(upper - lower < 2e-6 * answer, "{line}: {lower} {upper}");
        if line.ends_with("reach") {
            assert_eq!(solved["lost"], serde_json::json!([5, 7, 11, 12]));
        }
    }
    let ran = place.run("solve lake.json --json");
    assert_eq!(ran.code, Some(1));
    assert!((ran.json()["reach_probability"].as_f64().unwrap() - 14.0 / 17.0).abs() < 1e-6);
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

/// What a limit of the shell leaves counts, and what does not fit is refused with its size instead
/// of being killed.
#[cfg(target_os = "linux")]
#[test]
fn more_than_the_shell_allows_is_refused_with_its_size() {
    let script = "ulimit -v 1000000 && exec \"$0\" --threads 1 solve random-mixture --param states=250000 \
                  --param actions=4 --param dim=10 --param successors=10";
    let program = env!("CARGO_BIN_EXE_goalward");
    let ran = std::process::Command::new("sh").args(["-c", script, program]).output().unwrap();
    let error = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{error}");
    assert!(error.contains("this world would take 1.08 GB") && error.contains("are free"), "{error}");
}

/// Two states that pass to and fro for free, on a way that takes 1/p rounds.
fn rounds(p: f64) -> String {
    format!(
        r#"{{"name": "rounds", "states": 4, "start": 0, "goal": 3, "dim": 1,
        "cost": [[1.0], [0.0], [0.0, 0.0], []],
        "features": [[0, 0, 1, [1.0]], [1, 0, 2, [1.0]], [2, 0, 1, [1.0]],
          [2, 1, 3, [{p:e}]], [2, 1, 0, [{:e}]]],
        "theta": [1.0]}}"#,
        1.0 - p
    )
}

#[test]
fn a_right_answer_is_not_refused() {
    let place = Place::new();
    for (p, precision) in [(1e-3, "1e-12"), (1e-6, "1e-9"), (1e-9, "1e-6"), (1e-12, "1e-6"), (1e-12, "1e-15")]
    {
        place.write("rounds.json", &rounds(p));
        let solved = place.run(&format!("solve rounds.json --json --precision {precision}")).done().json();
        let number = |key: &str| solved[key].as_f64().unwrap();
        let room = 1e-3 * p;
        assert!(number("lower") * p <= 1.0 + room && 1.0 - room <= number("upper") * p, "{solved}");
        let narrow = number("upper") - number("lower") <= precision.parse::<f64>().unwrap() * number("upper");
        assert!(narrow || solved["precision_reached"] == false, "{solved}");
    }
}

/// A precision that arithmetic does not have is not pretended.
#[test]
fn a_precision_that_is_not_reached_is_said() {
    let place = Place::new();
    place.write("rounds.json", &rounds(1e-15));
    let solved = place.run("solve rounds.json --json --precision 1e-18").done();
    assert_eq!(solved.json()["precision_reached"], false);
    assert!(solved.err.contains("did not reach the precision"), "{}", solved.err);
    let text = place.run("solve rounds.json --precision 1e-18").done().out;
    assert!(text.contains("not reached"), "{text}");
    assert_eq!(place.run("solve rounds.json --json").done().json()["precision_reached"], true);
}

/// A way of 1e330 steps: no number bounds it from above, and none is made up.
#[test]
fn no_bound_is_the_answer_no() {
    let place = Place::new();
    // few states, so that all that is tried is tried quickly; some 1e360 steps
    let n = 4;
    let steps: Vec<String> =
        (0..n).map(|s| format!("[{s}, 0, {}, [1e-90]], [{s}, 0, 0, [1.0]]", s + 1)).collect();
    let features = steps.join(", ");
    let costs = vec!["[1.0]"; n].join(", ");
    let far = format!(
        r#"{{"name": "far", "states": {}, "start": 0, "goal": {n}, "dim": 1, "cost": [{costs}, []],
        "features": [{features}], "theta": [1.0]}}"#,
        n + 1
    );
    place.write("far.json", &far);
    let ran = place.run("solve far.json --json --policy policy.json");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let solved = ran.json();
    assert!(solved["value"].is_null() && solved["upper"].is_null() && solved["b_star"].is_null(), "{solved}");
    assert!(solved["lower"].as_f64().unwrap() >= 0.0 && solved["precision_reached"] == false, "{solved}");
    assert!(ran.err.contains("no finite bound") && ran.err.contains("tried"), "{}", ran.err);
    assert!(!place.path("policy.json").exists());
    assert!(!ran.err.contains("inf "), "{}", ran.err);
}
