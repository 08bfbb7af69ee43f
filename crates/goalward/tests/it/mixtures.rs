//! Several models as one learning problem.

use super::model_files::{CROSSING, Folder, settings, value};
use goalward::Settings;
use goalward::files::json;
use goalward::problem::{Instance, mix};
use goalward::{Result, worlds};

/// The crossing in steps, where walking succeeds with another probability.
fn crossing(walk: &str) -> String {
    let fall = format!("1/{walk}");
    CROSSING
        .replace("1 : 1/4", &format!("1 : {fall}"))
        .replace("3 : 1/4", "3 : 0")
        .replace("2 : 0.5\n\t\t3", &format!("2 : {}/{walk}\n\t\t3", walk.parse::<u32>().unwrap() - 1))
}

fn open(text: &str) -> Instance {
    let folder = Folder::new();
    worlds::open(&folder.put("model.drn", text), &settings("goal=done cost=1")).unwrap()
}

fn mixed(first: &str, second: &str, weights: Option<&[f64]>) -> Result<Instance> {
    mix(&[("a.drn".into(), open(first)), ("b.drn".into(), open(second))], weights)
}

#[test]
fn one_feature_for_each_model() {
    let instance = mixed(&crossing("4"), &crossing("2"), Some(&[0.25, 0.75])).unwrap();
    let problem = &instance.problem;
    assert_eq!((problem.dim(), problem.successors(0)), (2, &[1, 2][..]));
    assert_eq!(*problem.phi(0), [0.25, 0.5, 0.75, 0.5]);
    // no weight is negative: a known fact, which makes B the segment between the models
    assert_eq!(
        problem.extra().iter().map(|f| (f.a.clone(), f.b)).collect::<Vec<_>>(),
        [(vec![-1.0, 0.0], 0.0), (vec![0.0, -1.0], 0.0)]
    );
    assert!(
        problem.constraints().contains(&[1.0, 0.0], 1e-12)
            && !problem.constraints().contains(&[1.1, -0.1], 1e-3)
    );
    // falling has probability 1/4 + 3/4 * 1/4 = 7/16: V = (1 + 7/16)/(9/16) = 23/9, and running
    // takes 2
    assert_eq!(value(&instance), 2.0);
    // a file that reads back the same
    let again = json::parse(&json::to_json(&instance)).unwrap();
    assert_eq!(
        (again.problem.phi(0), again.truth().unwrap().theta().unwrap()),
        (problem.phi(0), &[0.25, 0.75][..])
    );
    assert!(mixed(&crossing("4"), &crossing("2"), None).unwrap().truth.is_none());
}

/// The models keep the names that they were given, each once, through a file and a restart.
#[test]
fn models_keep_their_names() {
    let names = |instance: &Instance| instance.problem.model_names().unwrap().to_vec();
    let instance = mixed(&crossing("4"), &crossing("2"), None).unwrap();
    assert_eq!(names(&instance), ["a.drn", "b.drn"]);
    assert_eq!(names(&json::parse(&json::to_json(&instance)).unwrap()), ["a.drn", "b.drn"]);
    let model = || open(&crossing("4"));
    let mixed = mix(&[("calm".into(), model()), ("calm".into(), model()), ("".into(), model())], None);
    assert_eq!(names(&mixed.unwrap()), ["calm", "calm-2", "model"]);
    // a mixture is one model of the next
    let weather = mix(&[("a".into(), model()), ("b".into(), model())], Some(&[0.5, 0.5])).unwrap();
    let again = mix(&[("weather".into(), weather), ("c".into(), model())], None).unwrap();
    assert_eq!((again.problem.dim(), names(&again)), (2, vec!["weather".to_string(), "c".to_string()]));
}

#[test]
fn what_does_not_fit_is_named() {
    let base = crossing("4");
    let cases: &[(String, &[&str])] = &[
        (base.replace("3 done", "3"), &["4 states, not 3"]),
        (
            base.replace("\taction run [2, 3]\n\t\t0 : 0.5\n\t\t2 : 0.5\n", "")
                .replace("@nr_choices\n5", "@nr_choices\n4"),
            &["state 0 has 1 actions, not 2"],
        ),
        (base.replace("action run", "action swim"), &["state 0 has no action run"]),
        (
            base.replace("[0, 1] init", "[0, 1]").replace("wet", "init wet"),
            &["start is state 1, not state 0"],
        ),
    ];
    for (other, parts) in cases {
        let error = mixed(&base, other, None).unwrap_err().to_string();
        assert!(error.starts_with("b.drn does not fit a.drn: "), "{error}");
        parts.iter().for_each(|part| assert!(error.contains(part), "{error:?} does not say {part:?}"));
    }
    let folder = Folder::new();
    let path = folder.put("a.drn", &base);
    let timed = worlds::open(&path, &settings("goal=done cost=time")).unwrap();
    let error = mix(&[("a".into(), open(&base)), ("b".into(), timed)], None).unwrap_err().to_string();
    assert!(error.contains("state 0, action walk: the cost is 5, not 1"), "{error}");
    for (weights, part) in [
        (&[1.0][..], "1 weights for 2 models"),
        (&[0.5, 0.6], "sum to 1.1"),
        (&[1.5, -0.5], "1.5 does not lie between 0 and 1"),
        (&[f64::NAN, 1.0], "NaN"),
    ] {
        let error = mixed(&base, &base, Some(weights)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    assert!(mix(&[], None).unwrap_err().to_string().contains("no model"));
    let silent = Instance { truth: None, ..open(&base) };
    assert!(mix(&[("a".into(), silent)], None).unwrap_err().to_string().contains("no theta"));
}

#[test]
fn names_match_in_any_order() {
    let problem = |states: [&str; 3], to: [usize; 2]| {
        let [s, bridge, home] =
            [0, 1, 2].map(|i| states.iter().position(|n| *n == ["bank", "bridge", "home"][i]).unwrap());
        let mut cost = vec![vec![]; 3];
        cost[s] = vec![1.0, 2.0];
        cost[bridge] = vec![3.0];
        let (walk, swim) = (to[0], to[1]);
        if walk == 1 {
            cost[s].reverse();
        }
        let mut names = vec![vec![]; 3];
        names[s] = vec!["", ""];
        (names[s][walk], names[s][swim]) = ("walk", "swim");
        names[bridge] = vec!["cross"];
        let text = format!(
            r#"{{"states": 3, "start": {s}, "goal": {home}, "dim": 1, "cost": {cost:?},
            "features": [[{s}, {walk}, {bridge}, [1.0]], [{s}, {swim}, {home}, [0.5]], [{s}, {swim}, {s}, [0.5]],
            [{bridge}, 0, {home}, [1.0]]], "theta": [1.0], "state_names": {states:?}, "action_names": {names:?}}}"#
        );
        json::parse(&text).unwrap()
    };
    let ordered = problem(["bank", "bridge", "home"], [0, 1]);
    let turned = problem(["home", "bank", "bridge"], [1, 0]);
    let same =
        mix(&[("a".into(), ordered.clone()), ("b".into(), ordered.clone())], Some(&[0.5, 0.5])).unwrap();
    let other = mix(&[("a".into(), ordered.clone()), ("b".into(), turned)], Some(&[0.5, 0.5])).unwrap();
    assert_eq!(json::to_json(&same), json::to_json(&other));
    let renamed = problem(["bank", "bridge", "home"], [0, 1]);
    let text = json::to_json(&renamed).replace("\"bridge\"", "\"ford\"");
    let error = mix(&[("a".into(), ordered), ("b".into(), json::parse(&text).unwrap())], None).unwrap_err();
    assert!(error.to_string().contains("it has no state bridge"), "{error}");
}

/// A mixture of worlds is a mixture too: what their thetas mix, the weights mix again.
#[test]
fn worlds_can_be_mixed() {
    let world = |theta: f64| {
        let mut text = json::to_json(&worlds::open("windy-grid", &Settings::new().set("n", 2)).unwrap());
        let from = text.find("\"theta\": [").unwrap();
        let to = from + text[from..].find(']').unwrap();
        let rest = (1.0 - theta) / 4.0;
        text.replace_range(from..to, &format!("\"theta\": [{theta}, {rest}, {rest}, {rest}, {rest}"));
        json::parse(&text).unwrap()
    };
    let mixed = mix(&[("a".into(), world(1.0)), ("b".into(), world(0.0))], Some(&[0.4, 0.6])).unwrap();
    let direct = world(0.4);
    for p in 0..direct.problem.pairs() {
        let expected: Vec<(u32, f64)> = (direct.problem.successors(p).iter().copied())
            .zip(direct.truth().unwrap().row(&direct.problem, p).iter().copied())
            .filter(|(_, w)| *w > 0.0)
            .collect();
        let row = mixed.truth().unwrap().row(&mixed.problem, p);
        assert_eq!(mixed.problem.successors(p).len(), expected.len());
        for (i, (next, w)) in expected.into_iter().enumerate() {
            assert!(mixed.problem.successors(p)[i] == next && (row[i] - w).abs() < 1e-15);
        }
    }
}
