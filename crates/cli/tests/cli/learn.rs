//! `learn`: its result for people and as JSON, its trace.

use super::*;

const RUN: &str = "learn hard-instance --param dim=2 --learner levis++ --set B=3 --set radius=scaled:0.003";

#[test]
fn json_has_exactly_the_promised_fields() {
    let place = Place::new();
    let result = place.run(&format!("{RUN} --episodes 30 --seed 5 --json")).done().json();
    let mut promised = vec![
        "world",
        "params",
        "learner",
        "seed",
        "episodes",
        "steps",
        "total_cost",
        "optimal_bounds",
        "optimal_cost",
        "regret",
        "gap_regret",
        "regret_certified",
        "regret_certified_over",
        "theta_hat",
        "planner_calls",
        "radius",
        "guarantee",
        "misfit",
        "truncated",
        "violations",
        "parameters",
        "extra",
        "episodes_asked",
        "interrupted",
        "seconds",
    ];
    promised.sort_unstable();
    let keys: Vec<&str> = result.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, promised);
    assert_eq!(result["world"], "hard-instance");
    assert_eq!(result["learner"], "levis++");
    assert_eq!(result["radius"], "scaled:0.003");
    assert_eq!((result["episodes"].as_u64(), result["seed"].as_u64()), (Some(30), Some(5)));
    assert_eq!((&result["truncated"], &result["interrupted"]), (&false.into(), &false.into()));
    assert_eq!(result["episodes_asked"], 30);
    let number = |key: &str| result[key].as_f64().unwrap();
    let regret = number("total_cost") - 30.0 * number("optimal_cost");
    assert!((number("regret") - regret).abs() < 1e-9 * number("total_cost"));
}

#[test]
fn the_summary_says_what_is_guaranteed() {
    let place = Place::new();
    let scaled = place.run(&format!("{RUN} --episodes 5")).done().out;
    assert!(scaled.contains("the radius is not scaled (by 0.003): not met"), "{scaled}");
    let printed =
        place.run("learn hard-instance --param dim=2 --learner levis++ --set B=3 --episodes 5").done().out;
    assert!(printed.contains("|phi_V| <= 1 for V in [0, 1] (1.2"), "{printed}");
    let computed = "learn hard-instance --param dim=2 --learner levis++ --set B=3 --set norms=computed";
    let computed = place.run(&format!("{computed} --episodes 5")).done().out;
    assert!(computed.contains("set, with probability 0.91"), "{computed}");
    // without --learner the recommended one runs, with a note
    for (given, learner, probability) in [
        ("", "guarded,", "regret, with probability 0.99"),
        ("--set B=3", "levis++lr,", "set, with probability 0.99"),
    ] {
        let ran = place.run(&format!("learn hard-instance --param dim=2 {given} --episodes 5")).done();
        assert!(ran.out.contains(learner) && ran.out.contains(probability), "{}", ran.out);
        assert!(ran.out.contains("theta[1] "), "{}", ran.out);
        assert!(ran.err.contains("is recommended here"), "{}", ran.err);
    }
    let random = place.run("learn hard-instance --param dim=2 --learner random --episodes 5").done().out;
    assert!(random.contains("no confidence set"), "{random}");
    for row in ["world", "episodes", "steps", "total cost", "optimal cost", "regret", "gap regret", "time"] {
        assert!(random.contains(row), "{row}");
    }
}

#[test]
fn a_truncated_run_says_so_everywhere() {
    let place = Place::new();
    let run = format!("{RUN} --episodes 300 --max-steps 10 --trace t");
    let text = place.run(&run).done();
    assert!(text.out.contains("truncated"), "{}", text.out);
    assert!(text.err.contains("note: "), "{}", text.err);
    assert!(place.run(&format!("{run} --quiet")).done().err.is_empty());
    let json = place.run(&format!("{run} --json")).done().json();
    assert_eq!((&json["truncated"], json["steps"].as_u64()), (&Value::Bool(true), Some(10)));
    let trace = String::from_utf8(place.read("t")).unwrap();
    let last: Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
    assert_eq!((&last["kind"], &last["truncated"]), (&"end".into(), &Value::Bool(true)));
}

#[test]
fn the_trace_tells_the_whole_run_and_no_time() {
    let place = Place::new();
    let result = place.run(&format!("{RUN} --episodes 20 --trace t --json")).done().json();
    let text = String::from_utf8(place.read("t")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_kind = |kind: &str| lines.iter().filter(|line| line["kind"] == kind).count() as u64;
    assert_eq!(lines[0]["kind"], "start");
    assert_eq!(lines.last().unwrap()["kind"], "end");
    assert_eq!((of_kind("start"), of_kind("end")), (1, 1));
    assert_eq!(Some(of_kind("step")), result["steps"].as_u64());
    assert_eq!(Some(of_kind("plan")), result["planner_calls"].as_u64());
    assert_eq!(of_kind("episode"), 20);
    assert!(!text.contains("seconds"));
    place.run(&format!("{RUN} --episodes 20 --trace again --threads 1")).done();
    assert_eq!(place.read("again"), place.read("t"));
}

#[test]
fn the_misfit_of_a_true_mixture_is_none() {
    let place = Place::new();
    let grid = "learn windy-grid@n=3 --learner lr --episodes 40 --seed 2";
    let misfit = place.run(&format!("{grid} --json")).done().json()["misfit"].clone();
    assert_eq!((&misfit["status"], &misfit["alpha"]), (&"none".into(), &0.01.into()));
    assert!(misfit["log_e"].as_f64().unwrap() < 0.0 && misfit["step"].is_null(), "{misfit}");
    assert_eq!(misfit["where"].as_array().unwrap().len(), 0);
    let text = place.run(&format!("{grid} --on-misfit tabular --misfit-level 0.2")).done().out;
    assert!(text.contains("misfit") && text.contains("no evidence (log e = -"), "{text}");
    assert!(!text.contains("fallback"), "{text}");
    // a learner that ignores the models has none
    let tabular = "learn windy-grid@n=3 --learner eb-ssp@B=9 --episodes 3 --json";
    assert!(place.run(tabular).done().json()["misfit"].is_null());
    for (flag, word) in [("--on-misfit maybe", "tabular"), ("--misfit-level 1", "between 0 and 1")] {
        place.run(&format!("{grid} {flag}")).refused(&[word]);
    }
}

/// `regret` has the episode that was cut off, and what is certified has not: the JSON says so.
#[test]
fn a_run_that_is_cut_off_says_over_what_it_certifies() {
    let place = Place::new();
    let line = "learn windy-grid@n=3 --learner lr --max-steps 3 --seed 3";
    let result = place.run(&format!("{line} --json")).done().json();
    assert_eq!(
        (&result["truncated"], &result["regret_certified_over"]),
        (&true.into(), &"finished episodes".into())
    );
    assert!(place.run(line).done().out.contains("over finished episodes"));
    assert!(result["regret_certified"].is_number());
}

#[test]
fn what_to_do_on_misfit_is_part_of_a_checkpoint() {
    let place = Place::new();
    let run = "learn windy-grid@n=3 --learner lr --max-steps 60 --on-misfit stop --checkpoint run.ckpt";
    place.run(run).done();
    let on = "learn --resume run.ckpt --max-steps 90";
    place.run(&format!("{on} --on-misfit warn")).refused(&["--on-misfit stop"]);
    place.run(&format!("{on} --misfit-level 0.5")).refused(&["--misfit-level 0.01"]);
    place.run("learn --resume run.ckpt --max-steps 90 --on-misfit stop --misfit-level 0.01").done();
}

/// The truth leads to state 1, where no model leads.
const ODD: &str = r#"{"states": 3, "start": 0, "goal": 2, "dim": 2, "cost": [[1.0], [1.0], []],
    "features": [[0, 0, 0, [0.5, 0.0]], [0, 0, 2, [0.5, 1.0]], [1, 0, 2, [1.0, 1.0]]],
    "kernel": [[0, 0, 0, 0.3], [0, 0, 1, 0.4], [0, 0, 2, 0.3], [1, 0, 2, 1.0]]}"#;

#[test]
fn impossible_steps_are_violations_and_no_planning_calls() {
    let place = Place::new();
    place.write("odd.json", ODD);
    let text = place.run("learn odd.json --learner lr --episodes 30 --seed 1").done().out;
    let row = |name: &str| {
        let line = text.lines().find_map(|line| line.trim_start().strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name}: {text}")).trim().to_string()
    };
    assert!(row("impossible").contains("20 times"), "{text}");
    assert!(row("violations").starts_with("20: "), "{text}");
    assert!(row("planner calls").bytes().all(|b| b.is_ascii_digit()), "{text}");
}
