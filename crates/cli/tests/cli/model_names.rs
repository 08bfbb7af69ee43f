//! Models have names, from their files to the results.

use super::models::drn;
use super::*;

const MIX: &str = "mix calm.drn storm.drn --weights 0.3,0.7 -o weather.json";

/// A place with two models of one walk.
fn weather() -> Place {
    let place = Place::new();
    place.write("calm.drn", &drn(0.2));
    place.write("storm.drn", &drn(0.8));
    place
}

fn file(place: &Place, name: &str) -> Value {
    serde_json::from_slice(&place.read(name)).unwrap()
}

/// The line that begins so, without what stands before it.
fn line<'a>(text: &'a str, name: &str) -> &'a str {
    let lines = text.lines().map(|line| line.trim().trim_start_matches("theta_hat").trim());
    lines.into_iter().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {text}"))
}

/// The numbers of `calm 0.298 [0.00, 0.61]`.
fn numbers(line: &str) -> [f64; 3] {
    let numbers = line.split_whitespace().skip(1).map(|word| word.trim_matches(['[', ']', ',']));
    let numbers: Vec<f64> = numbers.map(|word| word.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

#[test]
fn results_call_models_by_their_names() {
    let place = weather();
    place.run(MIX).done();
    assert_eq!(file(&place, "weather.json")["model_names"], serde_json::json!(["calm", "storm"]));
    let text = place.run("learn weather.json --episodes 30").done().out;
    let json = place.run("learn weather.json --episodes 30 --json").done().json();
    assert_eq!(json["model_names"], serde_json::json!(["calm", "storm"]));
    for (i, (name, truth)) in [("calm", 0.3), ("storm", 0.7)].into_iter().enumerate() {
        let [estimate, low, high] = numbers(line(&text, name));
        let end = |k: usize| json["theta_interval"][i][k].as_f64().unwrap();
        assert!((estimate - json["theta_hat"][i].as_f64().unwrap()).abs() <= 5e-4);
        // outwards, and never beyond what weights can be
        assert!(0.0 <= low && low <= end(0) && end(0) <= truth && truth <= end(1) && end(1) <= high);
        assert!(high <= 1.0 && 0.0 <= end(0) && end(1) <= 1.0);
    }
    // a learner without intervals has names too
    let text = place.run("learn weather.json --learner levis++ --set B=oracle --episodes 5").done().out;
    let words = line(&text, "calm");
    assert!(words.contains(", storm ") && !words.contains('['), "{text}");
    // and models without names have numbers
    let mut plain = file(&place, "weather.json");
    plain.as_object_mut().unwrap().remove("model_names");
    place.write("plain.json", &plain.to_string());
    let text = place.run("learn plain.json --episodes 30").done().out;
    line(&text, "theta[0] 0.");
    assert!(place.run("learn plain.json --episodes 3 --json").done().json().get("model_names").is_none());
}

/// Ends that rounding moved, or that facts rule out, are cut off: to the bit.
#[test]
fn ends_stay_within_what_is_known() {
    let place = Place::new();
    let run = "learn windy-grid@n=3@simplex=true --episodes 5";
    let json = place.run(&format!("{run} --json")).done().json();
    assert_eq!(json["model_names"], serde_json::json!(["calm", "right", "down", "left", "up"]));
    let intervals = json["theta_interval"].as_array().unwrap();
    let ends = intervals.iter().flat_map(|ends| ends.as_array().unwrap()).map(|end| end.as_f64().unwrap());
    let ends: Vec<f64> = ends.collect();
    assert!(ends.iter().all(|end| (0.0..=1.0).contains(end)), "{ends:?}");
    assert!(ends.contains(&0.0), "{ends:?}");
    let [_, low, _] = numbers(line(&place.run(run).done().out, "calm"));
    assert_eq!(low, 0.0);
}

#[test]
fn mixtures_take_names_from_their_files() {
    let place = weather();
    std::fs::create_dir_all(place.path("wet")).unwrap();
    place.write("wet/calm.drn", &drn(0.5));
    let named = |models: &str| place.run(&format!("mix {models}")).done().json()["model_names"].clone();
    assert_eq!(named("calm.drn storm.drn"), serde_json::json!(["calm", "storm"]));
    assert_eq!(named("calm.drn wet/calm.drn"), serde_json::json!(["calm.drn", "wet/calm.drn"]));
    assert_eq!(named("calm.drn calm.drn calm.drn"), serde_json::json!(["calm", "calm-2", "calm-3"]));
    let grids = ["windy-grid@n=2@wind=0.1", "windy-grid@n=2@wind=0.4"];
    assert_eq!(named(&grids.join(" ")), serde_json::json!(grids));
    // what a file calls itself
    let mut own = place.run("export storm.drn").done().json();
    own["name"] = "tempest".into();
    place.write("b.json", &own.to_string());
    assert_eq!(named("calm.drn b.json"), serde_json::json!(["calm", "tempest"]));
    // a mixture is one model of the next, by its own name
    place.run(MIX).done();
    assert_eq!(named("weather.json calm.drn"), serde_json::json!(["calm+storm", "calm"]));
    // with second chances too
    assert_eq!(named("calm.drn storm.drn --restart"), serde_json::json!(["calm", "storm"]));
}

#[test]
fn exported_names_come_back() {
    let place = Place::new();
    place.run("export windy-grid@n=2 -o grid.json").done();
    place.run("export grid.json -o again.json").done();
    assert_eq!(place.read("grid.json"), place.read("again.json"));
    assert_eq!(file(&place, "grid.json")["model_names"][4], "up");
    place.run("export grid.json --restart -o again.json").done();
    assert_eq!(place.read("grid.json"), place.read("again.json"));
}

#[test]
fn wrong_names_are_refused_with_the_place() {
    let place = weather();
    place.run(MIX).done();
    let sound = String::from_utf8(place.read("weather.json")).unwrap();
    let names = r#"["calm","storm"]"#;
    let at = 1 + sound[..sound.find(names).unwrap()].matches('\n').count();
    let at = format!("wrong.json:{at}:");
    for (wrong, parts) in [
        (r#"["calm"]"#, ["model_names: 1 names for 2 models", "hint: give every model a name of its own"]),
        (r#"["calm","storm","up"]"#, ["model_names: 3 names for 2 models", "hint: "]),
        (r#"["calm","calm"]"#, ["model_names[1]: model 0 is called \"calm\" too", "hint: "]),
        (r#"["calm",""]"#, ["model_names[1]: the name is empty", "hint: "]),
        (r#"["calm",7]"#, ["integer `7`", "a string"]),
        (r#"{"calm":1}"#, ["map", "a sequence of names"]),
    ] {
        place.write("wrong.json", &sound.replace(names, wrong));
        for command in ["learn", "solve", "export", "mix"] {
            place.run(&format!("{command} wrong.json")).refused(&[&at, parts[0], parts[1]]);
        }
        assert_eq!(place.run("check wrong.json").code, Some(1));
    }
    place.write("odd.json", &sound.replace("storm\"", "st\\norm\""));
    let text = place.run("learn odd.json --episodes 3").done().out;
    line(&text, "st\\norm 0.");
}

/// A run that was saved goes on, also if the models were named in the meantime.
#[test]
fn a_saved_run_goes_on_with_names() {
    let place = weather();
    place.run(MIX).done();
    let named = file(&place, "weather.json");
    let mut plain = named.clone();
    plain.as_object_mut().unwrap().remove("model_names");
    let whole = place.run("learn weather.json --episodes 40 --json").done().json();
    for start in [&named, &plain] {
        place.write("weather.json", &start.to_string());
        place.run("learn weather.json --episodes 25 --checkpoint run.ckpt").done();
        place.write("weather.json", &named.to_string());
        let resumed = place.run("learn --resume run.ckpt --episodes 40 --json").done().json();
        for key in ["steps", "regret", "theta_hat", "theta_interval", "model_names"] {
            assert_eq!(whole[key], resumed[key], "{key}");
        }
    }
}
