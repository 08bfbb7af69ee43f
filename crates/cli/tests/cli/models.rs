//! Model files and mixtures of them, through every command.

use super::*;

/// Two states and a goal: go stays with some probability, else moves on; from 1 one can wait or go
/// back.
///
/// In steps: V(1) = 2 by waiting, V(0) = 1/(1 - stay) + 2.
pub(crate) fn drn(stay: f64) -> String {
    format!(
        "@type: MDP\n@parameters\n\n@reward_models\nsteps\n@nr_states\n3\n@model\n// by hand\n\
         state 0 [0] init\n\taction go [1]\n\t\t0 : {stay}\n\t\t1 : {}\n\
         state 1\n\taction back [1]\n\t\t0 : 1\n\taction wait [1]\n\t\t1 : 0.5\n\t\t2 : 0.5\n\
         state 2 done\n\taction 0\n\t\t2 : 1\n",
        1.0 - stay
    )
}

/// A table of a slippery walk along three cells; the last is terminal.
fn table(slip: f64) -> String {
    let walk = 1.0 - slip;
    format!(
        r#"{{"env": "Walk", "n_states": 3, "n_actions": 2, "initial_distribution": [1.0, 0.0, 0.0],
        "columns": ["state", "action", "prob", "next_state", "reward", "terminated"], "transitions": [
        [0, 0, {walk}, 1, -1.0, false], [0, 0, {slip}, 0, -1.0, false],
        [0, 1, {slip}, 1, -1.0, false], [0, 1, {walk}, 0, -1.0, false],
        [1, 0, {walk}, 2, -1.0, true], [1, 0, {slip}, 0, -1.0, false],
        [1, 1, {slip}, 2, -1.0, true], [1, 1, {walk}, 0, -1.0, false],
        [2, 0, 1.0, 2, 0.0, true], [2, 1, 1.0, 2, 0.0, true]]}}"#
    )
}

#[test]
fn every_command_takes_a_model_file() {
    let place = Place::new();
    place.write("walk.drn", &drn(0.5));
    place.write("walk.json", &table(0.25));
    let solved = place.run("solve walk.drn --goal done --cost steps --json").done().json();
    let number = |key: &str| solved[key].as_f64().unwrap();
    assert!(number("lower") <= 4.0 && 4.0 <= number("upper") && number("upper") - number("lower") <= 4e-6);
    // as the file has them, the loop at the goal included
    assert_eq!((solved["states"].as_u64(), solved["choices"].as_u64()), (Some(3), Some(4)));
    // V(1) = 1 + V(0)/4, V(0) = 4/3 + V(1): 28/9
    let solved = place.run("solve walk.json --json --policy policy.json").done().json();
    assert!((solved["value"].as_f64().unwrap() - 28.0 / 9.0).abs() < 1e-9, "{solved}");
    let policy: Value = serde_json::from_slice(&place.read("policy.json")).unwrap();
    assert_eq!(policy, serde_json::json!({ "0": "0", "1": "0" }));
    for file in ["walk.drn", "walk.json"] {
        let learnt = place.run(&format!("learn {file} --episodes 20 --json")).done().json();
        assert_eq!((&learnt["episodes"], &learnt["truncated"]), (&20.into(), &false.into()));
        place
            .run(&format!("compare {file} --learners lr,random --seeds 0..2 --episodes 5 --out {file}-out"))
            .done();
        place.run(&format!("export {file} -o exported.json")).done();
        let (direct, again) = (place.run(&format!("solve {file}")), place.run("solve exported.json"));
        let line = |text: &str| text.lines().find(|l| l.contains("certified")).map(String::from);
        assert_eq!(line(&direct.done().out), line(&again.done().out));
    }
}

#[test]
fn a_run_on_a_model_file_is_taken_up_with_its_options() {
    let place = Place::new();
    place.write("walk.drn", &drn(0.5).replace("state 1\n", "state 1 half\n"));
    let run = "learn walk.drn --goal done --cost 1 --seed 3 --json";
    let whole = place.run(&format!("{run} --episodes 40")).done().json();
    place.run(&format!("{run} --episodes 25 --checkpoint run.ckpt")).done();
    let resumed = place.run("learn --resume run.ckpt --episodes 40 --json").done().json();
    for key in ["steps", "total_cost", "regret"] {
        assert_eq!(whole[key], resumed[key], "{key}");
    }
    place.run("learn --resume run.ckpt --goal half").refused(&["goal=half", "goal=done"]);
}

#[test]
fn what_a_model_leaves_open_is_asked_for() {
    let place = Place::new();
    place.write("walk.drn", &drn(0.5).replace("state 1\n", "state 1 half\n"));
    for command in ["solve", "learn", "export", "compare --learners random"] {
        place.run(&format!("{command} walk.drn")).refused(&["\"done\"", "\"half\"", "hint: --goal"]);
        place
            .run(&format!("{command} walk.drn --goal done --cost fuel"))
            .refused(&["\"steps\"", "hint: --cost"]);
        place.run(&format!("{command} walk.drn --goal done --start 8")).refused(&["\"8\"", "hint: --start"]);
    }
    place.run("solve hard-instance --goal done").refused(&["hard-instance", "goal"]);
}

#[test]
fn a_row_that_sums_to_1_1_is_refused_in_every_format() {
    let place = Place::new();
    place.write("a.drn", &drn(0.5).replace("1 : 0.5\n\t\t2 : 0.5", "1 : 0.6\n\t\t2 : 0.5"));
    place.write("a.json", &table(0.25).replace("[0, 1, 0.25, 1", "[0, 1, 0.35, 1"));
    let problem = place.run("export hard-instance --param dim=2").done().out;
    let mut problem: Value = serde_json::from_str(&problem).unwrap();
    let phi = &mut problem["features"][0][3];
    for i in 0..2 {
        phi[i] = (phi[i].as_f64().unwrap() + 0.1).into();
    }
    place.write("b.json", &problem.to_string());
    place.write("c.drn", &drn(0.5));
    for command in ["solve", "learn", "export", "compare --learners random"] {
        place.run(&format!("{command} a.drn")).refused(&["a.drn:17: state 1, action wait", "sums to 1.1"]);
        place.run(&format!("{command} a.json")).refused(&["a.json:4: state 0, action 1", "sums to 1.1"]);
        place.run(&format!("{command} b.json")).refused(&["b.json"]);
    }
    place.run("mix c.drn a.drn").refused(&["a.drn:17: ", "sums to 1.1"]);
}

/// Two models that disagree, a truth between them: the learner finds the weights, and its interval
/// has them.
#[test]
fn the_weights_of_a_mixture_are_learnt() {
    let place = Place::new();
    place.write("a.drn", &drn(0.2));
    place.write("b.drn", &drn(0.8));
    place.write("a.json", &table(0.1));
    place.write("b.json", &table(0.5));
    for (a, b) in [("a.drn", "b.drn"), ("a.json", "b.json")] {
        place.run(&format!("mix {a} {b} --weights 3/10,7/10 -o mixed.json")).done();
        let mixed: Value = serde_json::from_slice(&place.read("mixed.json")).unwrap();
        assert_eq!((&mixed["dim"], &mixed["theta"]), (&2.into(), &serde_json::json!([0.3, 0.7])));
        assert_eq!(mixed["extra"], serde_json::json!([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]));
        let report = place.run("check mixed.json --json").done().json();
        assert_eq!((&report["free"], &report["identifiable"]), (&1.into(), &true.into()));
        let learnt = place.run("learn mixed.json --learner lr --episodes 300 --json").done().json();
        let intervals = learnt["theta_interval"].as_array().unwrap();
        for (interval, truth) in intervals.iter().zip([0.3, 0.7]) {
            let end = |i: usize| interval[i].as_f64().unwrap();
            assert!(end(0) <= truth && truth <= end(1) && end(1) - end(0) < 0.6, "{interval} {truth}");
        }
    }
}

#[test]
fn models_that_do_not_fit_are_named() {
    let place = Place::new();
    place.write("a.drn", &drn(0.2));
    place.write("b.drn", &drn(0.8).replace("action back", "action turn"));
    place.run("mix a.drn b.drn -o m.json").refused(&["b.drn does not fit a.drn: state 1 has no action back"]);
    assert!(!place.path("m.json").exists());
    place.run("mix a.drn hard-instance").refused(&["hard-instance does not fit a.drn: 2 states, not 3"]);
    place.run("mix a.drn a.drn --weights 0.5").refused(&["weights", "1 weights for 2 models"]);
    place.run("mix a.drn a.drn --weights 0.5,half").refused(&["--weights", "half"]);
    // without weights there is no truth, and to the screen it goes
    let mixed = place.run("mix a.drn a.drn").done().json();
    assert_eq!(mixed["theta"], Value::Null);
}
