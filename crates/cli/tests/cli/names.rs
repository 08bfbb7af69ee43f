//! Names with parameters (`windy-grid@n=3`), names that are nearly right, counts with exponents.

use super::*;

fn without_time(mut json: Value) -> Value {
    json.as_object_mut().unwrap().remove("seconds");
    json
}

#[test]
fn names_take_their_parameters_along() {
    let place = Place::new();
    let json = |line: &str| without_time(place.run(&format!("{line} --json")).done().json());
    let short = json("learn windy-grid@n=3@wind=0.1 --learner levis++@B=5@radius=scaled:0.01 --episodes 5");
    let long = json(
        "learn windy-grid --param n=3 --param wind=0.1 --learner levis++ --set B=5 --set \
         radius=scaled:0.01 --episodes 5",
    );
    assert_eq!(short, long);
    let mixed = json(
        "learn windy-grid@n=3 --param wind=0.1 --learner levis++@B=5 --set radius=scaled:0.01 --episodes 5",
    );
    assert_eq!(mixed, long);
    assert_eq!(json("solve windy-grid@n=3"), json("solve windy-grid --param n=3"));
    assert_eq!(json("check windy-grid@n=3@restart=true")["states"], 9);
    let export = |line: &str| place.run(line).done().out;
    assert_eq!(export("export windy-grid@n=3"), export("export windy-grid --param n=3"));
    let compared = json("compare hard-instance@dim=2 --learners random,levis@B=3 --seeds 2 --episodes 5");
    assert_eq!(compared["params"]["dim"], "2");
    let mixture = export("mix windy-grid@wind=0.1 windy-grid@wind=0.3 --param n=3 --weights 1/2,1/2");
    assert_eq!(serde_json::from_str::<Value>(&mixture).unwrap()["dim"], 2);
}

#[test]
fn the_same_key_twice_is_refused() {
    let place = Place::new();
    for line in [
        "learn windy-grid@n=3 --param n=3",
        "learn windy-grid@n=3@n=3",
        "learn windy-grid@restart=true --restart",
        "solve windy-grid@n=3 --param n=4",
        "check windy-grid@n=3 --param n=4",
        "export windy-grid@n=3 --param n=4",
        "mix windy-grid@n=3 windy-grid --param n=4",
        "compare windy-grid@n=3 --param n=4 --learners random",
    ] {
        place.run(line).refused(&["twice"]);
    }
    place
        .run("learn windy-grid --learner levis++@B=3 --set B=3")
        .refused(&["B: it is given twice", "hint: "]);
    for line in ["learn windy-grid@", "learn windy-grid@n", "learn windy-grid@n=", "solve @n=3", "learn lr@"]
    {
        assert_eq!(place.run(line).code, Some(2), "{line}");
    }
    place.run("learn windy-grid --learner lr@").refused(&["lr@: expected key=value"]);
}

/// Names that would colour a terminal, move its cursor, or be a formula in a spreadsheet.
#[test]
fn names_of_others_move_no_cursor_and_are_no_formulas() {
    const ODD: &str = "=1+1\u{1b}[2J\u{9b}31m\u{202e}\r";
    let place = Place::new();
    let mut world: Value = serde_json::from_str(&place.run("export windy-grid@n=3").done().out).unwrap();
    let states = world["states"].as_u64().unwrap();
    world["state_names"] =
        (0..states).map(|s| format!("{ODD}{s}\nfine: 0 errors")).collect::<Vec<_>>().into();
    let actions =
        |costs: &Value| (0..costs.as_array().unwrap().len()).map(|a| format!("{ODD}{a}")).collect::<Vec<_>>();
    let actions: Vec<Vec<String>> = world["cost"].as_array().unwrap().iter().map(actions).collect();
    world["action_names"] = serde_json::json!(actions);
    place.write("odd.json", &world.to_string());
    let harmless = |text: &str| !text.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}');
    for line in ["check odd.json", "solve odd.json --show", "learn odd.json --episodes 3 --show"] {
        let ran = place.run(line).done();
        assert!(harmless(&ran.out) && harmless(&ran.err), "{line}: {:?}{:?}", ran.out, ran.err);
    }
    let checked = place.run("check odd.json").done().out;
    assert!(checked.contains("\\u{1b}[2J") && checked.matches("\nfine: 0 errors").count() == 1, "{checked}");
    let csv = place.run("solve odd.json --values -").done().out;
    assert!(csv.contains("'=1+1") && !csv.contains(",=") && !csv.contains("\"="), "{csv}");
    // programs get what stands there
    assert_eq!(place.run("check odd.json --json").done().json()["start"], format!("{ODD}0\nfine: 0 errors"));
    world["cost"][0][0] = (-1).into();
    place.write("odd.json", &world.to_string());
    let refused = place.run("solve odd.json").refused(&["\\u{1b}[2J"]);
    assert!(harmless(&refused.err), "{:?}", refused.err);
}

#[test]
fn a_path_may_contain_an_at() {
    let place = Place::new();
    let problem = place.run("export hard-instance@dim=2").done().out;
    std::fs::create_dir(place.path("me@home=1")).unwrap();
    for name in ["a@b.json", "a@n=3", "me@home=1/p.json", "x@y=z@w.json"] {
        place.write(name, &problem);
        for command in ["check", "solve", "learn --episodes 2 --learner random"] {
            place.run(&format!("{command} {name}")).done();
            place.run(&format!("{command} {name}@restart=true")).done();
        }
        place.run(&format!("compare {name} --learners random --seeds 1 --episodes 2 --force")).done();
        let study = format!("steps = 5\nseeds = 2\nlearners = [\"lr\"]\nworlds = [{name:?}]\n");
        place.write("at.toml", &study);
        place.run("study run at.toml --force").done();
    }
    place.run("solve no@such.json").refused(&["no@such.json"]);
    place.run("solve me@home=1/missing.json").refused(&["me@home=1/missing.json"]);
    let model =
        "@type: MDP\n@model\nstate 0 init\n\taction a\n\t\t1 : 1\nstate 1 done\n\taction b\n\t\t1 : 1\n";
    place.write("m@1.drn", model);
    place.run("solve m@1.drn@goal=done@cost=1").done();
}

#[test]
fn what_was_meant_is_offered() {
    let place = Place::new();
    for (line, meant) in [
        ("learn windy-gird", "windy-grid"),
        ("learn windygrid@n=3", "windy-grid"),
        ("solve Hard_Instance", "hard-instance"),
        ("check coridor", "corridor"),
        ("learn windy-grid --learner lewis", "levis"),
        ("learn windy-grid --learner levis++rl", "levis++lr"),
        ("compare windy-grid --learners random,optmal", "optimal"),
        ("study run growht", "growth"),
        ("learn windy-grid --param widn=0.1", "wind"),
        ("learn windy-grid@simplx=true", "simplex"),
        ("learn windy-grid --set dleta=0.1", "delta"),
        ("learn windy-grid --learner levis++ --set b=3", "B"),
        ("compare windy-grid --learners lr --set detla=0.1", "delta"),
        ("compare windy-grid --learners lr,random --against rl", "lr"),
        ("learn windy-grid --learner levis++ --set B=3 --set radius=pritned", "radius=printed"),
        ("learn windy-grid --learner levis++ --set B=3 --set radius=scale:0.1", "radius=scaled:0.1"),
        ("learn windy-grid --learner levis++ --set B=orcale", "B=oracle"),
        ("learn windy-grid --set planner=fats", "planner=fast"),
        ("learn windy-grid --set rows=nearst:9", "rows=nearest:9"),
        ("learn windy-grid --param simplex=ture", "simplex=true"),
        ("learn windy-grid --param restart=fasle", "restart=false"),
    ] {
        place.run(line).refused(&[&format!("did you mean {meant}?")]);
    }
    for line in ["learn labyrinth", "learn windy-grid --set zeta=1", "learn windy-grid --learner sarsa"] {
        let ran = place.run(line).refused(&["hint: "]);
        assert!(!ran.err.contains("did you mean"), "{}", ran.err);
    }
    place.run("learn windy-grid --param restrat=true").refused(&["did you mean restart?"]);
    place.run("learn lr").refused(&["lr is a learner", "--learner lr"]);
    place.run("learn corridor --learner windy-grid").refused(&["windy-grid is a world"]);
    let ran = place.run("lern windy-grid");
    assert!(ran.code == Some(2) && ran.err.contains("learn"), "{}", ran.err);
}

#[test]
fn counts_may_have_exponents() {
    let place = Place::new();
    let json = |line: &str| without_time(place.run(&format!("{line} --json")).done().json());
    let run = "learn hard-instance@dim=2 --learner random";
    assert_eq!(json(&format!("{run} --episodes 1e2"))["episodes"], 100);
    assert_eq!(json(&format!("{run} --max-steps 1.5e1"))["steps"], 15);
    assert_eq!(
        json(&format!("{run} --seed 1.8446744073709551615e19 --episodes 1"))["seed"].as_u64(),
        Some(u64::MAX)
    );
    place.run(&format!("{run} --episodes 1e1 --checkpoint c --checkpoint-every 1e1")).done();
    place.run("learn --resume c --episodes 2e1").done();
    assert_eq!(json("solve windy-grid@n=1e1"), json("solve windy-grid@n=10"));
    assert_eq!(
        json("solve random-mixture@seed=1e3@states=1e1"),
        json("solve random-mixture@seed=1000@states=10")
    );
    let levels = "learn hard-instance@dim=2 --learner levis++@B=3 --episodes 2 --set levels=1e1";
    assert_eq!(json(levels)["parameters"]["levels"], 10);
    let compared =
        json("compare hard-instance@dim=2 --learners random --seeds 1e1 --episodes 1e1 --max-steps 1e3");
    assert_eq!((&compared["rows"][0]["runs"], &compared["episodes"]), (&10.into(), &10.into()));
    place.run("--threads 1e0 list worlds").done();
    for bad in ["1.5e0", "1e20", "1e", "-1", "1.0", "ten", "18446744073709551616", "1e-1"] {
        for flag in ["--episodes", "--seed", "--max-steps", "--checkpoint-every"] {
            place.run(&format!("{run} {flag}={bad}")).refused(&[flag, bad, "whole number"]);
        }
        place.run(&format!("solve windy-grid@n={bad}")).refused(&[bad, "whole number"]);
        assert_eq!(place.run(&format!("compare windy-grid --learners random --seeds={bad}")).code, Some(2));
    }
}

#[test]
fn a_number_of_seeds_is_that_many() {
    let place = Place::new();
    let compare = "compare hard-instance@dim=2 --learners random --episodes 3 --force --json --seeds";
    let seeds = |given: &str| place.run(&format!("{compare} {given}")).done().json()["seeds"].clone();
    assert_eq!(seeds("3"), serde_json::json!([0, 1, 2]));
    assert_eq!(seeds("0..3"), serde_json::json!([0, 1, 2]));
    assert_eq!(seeds("3,5,7"), serde_json::json!([3, 5, 7]));
    assert_eq!(seeds("0..2,7"), serde_json::json!([0, 1, 7]));
    place.run(&format!("{compare} 0")).refused(&["--seeds", "0 seeds"]);
    for study in ["demo", "reproduce", "study run coverage"] {
        place.run(&format!("{study} --seeds 0")).refused(&["--seeds", "0 seeds"]);
    }
}
