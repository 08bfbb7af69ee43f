//! Numbers of few digits: `float32` is rescaled and said, `float16` is refused with its place and
//! sum.

use super::model_files::{Folder, settings};
use super::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::check::{Level, Report, check};
use goalward::files::json;
use goalward::problem::{Instance, Model, Problem, mix};
use goalward::{Error, Result, worlds};
use serde_json::{Value, json as value};

/// A random problem of d candidate models as a file, each number rounded.
fn file(seed: u64, dim: usize, round: impl Fn(f64) -> f64) -> Value {
    let mut text: Value = serde_json::from_str(&json::to_json(&irregular(seed, 6, dim))).unwrap();
    for feature in text["features"].as_array_mut().unwrap() {
        for x in feature[3].as_array_mut().unwrap() {
            *x = value!(round(x.as_f64().unwrap()));
        }
    }
    for x in text["theta"].as_array_mut().unwrap() {
        *x = value!(round(x.as_f64().unwrap()));
    }
    text
}

fn float32(x: f64) -> f64 {
    f64::from(x as f32)
}

/// Eleven significant bits, as numbers of 16 bits have.
fn float16(x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let unit = 2f64.powi(x.abs().log2().floor() as i32 - 10);
    (x / unit).round() * unit
}

fn open(text: &Value) -> Result<Instance> {
    let folder = Folder::new();
    worlds::open(&folder.put("tensor.json", text.to_string()), &Settings::new())
}

fn report(text: &Value) -> Report {
    let folder = Folder::new();
    check(&folder.put("tensor.json", text.to_string()), &settings("")).unwrap()
}

#[test]
fn a_float32_tensor_is_rescaled_and_that_is_said() {
    for (seed, dim) in [(1, 1), (1, 2), (2, 3), (3, 5), (4, 8)] {
        let exact = irregular(seed, 6, dim);
        let mut text = file(seed, dim, float32);
        let world = open(&text).unwrap();
        // B has as many dimensions as with all digits: rounding fixes no direction
        assert_eq!(world.problem.constraints().free(), exact.problem.constraints().free());
        for p in 0..world.problem.pairs() {
            let (rows, theirs) = (world.problem.phi(p), exact.problem.phi(p));
            for m in 0..dim {
                let sum: f64 = rows.iter().skip(m).step_by(dim).sum();
                assert!((sum - 1.0).abs() < 1e-14, "{sum}");
            }
            assert!(rows.iter().zip(theirs.iter()).all(|(x, y)| (x - y).abs() < 1e-6));
            let sum: f64 = world.truth().unwrap().row(&world.problem, p).iter().sum();
            assert!((sum - 1.0).abs() < 1e-14, "{sum}");
        }
        let theta = world.truth().unwrap().theta().unwrap();
        assert!(world.problem.constraints().contains(theta, 1e-12), "{theta:?}");
        let note = world.notes.iter().find(|note| note.kind == "rescaled").unwrap();
        assert!(note.value.is_some_and(|sum| (sum - 1.0).abs() > 1e-9 && (sum - 1.0).abs() < 1e-5));
        assert!(
            note.message.contains("state") && (dim == 1 || note.message.contains("model")),
            "{}",
            note.message
        );
        let found = report(&text);
        assert!(found.ok, "{:?}", found.findings);
        assert!(found.findings.iter().any(|f| f.note.kind == "rescaled" && f.level == Level::Warning));
        // the same without a theta
        text["theta"] = Value::Null;
        assert!(open(&text).unwrap().notes.iter().any(|note| note.kind == "rescaled"));
    }
}

/// All digits: the bits that were written are those that are read.
#[test]
fn what_needs_no_rescaling_is_left_to_the_bit() {
    for dim in [1, 2, 4] {
        let text = file(7, dim, |x| x);
        let world = open(&text).unwrap();
        assert!(world.notes.is_empty(), "{:?}", world.notes);
        assert_eq!(
            serde_json::from_str::<Value>(&json::to_json(&world)).unwrap()["features"],
            text["features"]
        );
        assert!(report(&text).findings.is_empty());
    }
}

/// Ten digits are off by less than is said, and still must not fix a direction of theta.
#[test]
fn ten_digits_fix_no_direction() {
    let text = file(2, 3, |x| (x * 1e10).round() / 1e10);
    let world = open(&text).unwrap();
    assert_eq!(world.problem.constraints().free(), 2);
    assert!(world.notes.is_empty(), "{:?}", world.notes);
}

#[test]
fn a_float16_tensor_is_refused_with_its_place_and_sum() {
    for (seed, dim) in [(1, 1), (1, 2), (2, 3), (3, 5), (4, 40)] {
        for theta in [true, false] {
            let mut text = file(seed, dim, float16);
            if !theta {
                text["theta"] = Value::Null;
            }
            let error = open(&text).unwrap_err().to_string();
            assert!(
                error.contains("state ") && error.contains("action ") && error.contains("sums to "),
                "{error}"
            );
            let what = match (dim, theta) {
                (1, _) => "the row sums to ",
                (40, true) => "theta is outside B",
                _ => "model ",
            };
            assert!(error.contains(what), "{dim} {theta}: {error}");
            assert!(!report(&text).ok);
        }
    }
}

/// One row of one model that is off by 1e-3 among rows that are right.
#[test]
fn one_bad_row_is_named_with_its_model() {
    let text = r#"{"states": 3, "start": 0, "goal": 2, "dim": 2, "cost": [[1.0], [1.0], []], "state_names": ["a", "b", "c"],
        "features": [[0, 0, 1, [0.5, 0.1]], [0, 0, 2, [0.5, 0.9]], [1, 0, 0, [0.2, 0.6]], [1, 0, 2, [0.8, 0.401]]]}"#;
    let Err(Error::InFile { source, .. }) = open(&serde_json::from_str(text).unwrap()) else { panic!() };
    let Error::ModelRow { model, state, action, sum, .. } = &*source else { panic!("{source}") };
    assert_eq!((&**model, &**state, &**action), ("1", "b", "0"));
    assert!((sum - 1.001).abs() < 1e-12 && source.hint().is_some());
    let named = text.replacen('{', r#"{"model_names": ["dry", "icy"], "#, 1);
    let error = open(&serde_json::from_str(&named).unwrap()).unwrap_err().to_string();
    assert!(error.contains("model icy, state b, action 0: "), "{error}");
}

/// Features that are no models: their sums are taken as they are, and what is nearly equal is said.
#[test]
fn other_features_are_taken_as_they_are() {
    // theta = (1, 1): the first feature halves what the second completes
    let text = |x: f64| {
        format!(
            r#"{{"states": 2, "start": 0, "goal": 1, "dim": 3, "cost": [[1.0, 1.0], []],
            "features": [[0, 0, 0, [0.25, 0.25, 0]], [0, 0, 1, [0.25, 0.25, 0]], [0, 1, 1, [0.5, {x:?}, 0]]],
            "theta": [1.0, 1.0, 0.0]}}"#
        )
    };
    let world = open(&serde_json::from_str(&text(0.5)).unwrap()).unwrap();
    assert!(world.notes.is_empty(), "{:?}", world.notes);
    let near: Value = serde_json::from_str(&text(0.500_000_1)).unwrap();
    let world = open(&near).map(|world| world.notes);
    // theta no longer fits, within what may be forgiven; the second sum is nearly the first
    assert!(world.as_ref().is_ok_and(|notes| notes.iter().any(|note| note.kind == "sums")), "{world:?}");
    assert!(
        report(&near).findings.iter().any(|f| f.note.kind == "sums" && f.note.action.as_deref() == Some("1"))
    );
}

/// A theta of few digits is divided by what its rows sum to; one that is further off is refused.
#[test]
fn a_theta_of_few_digits_is_mended() {
    let mut text = file(5, 3, |x| x);
    text["theta"] = value!([0.333333, 0.333333, 0.333333]);
    let world = open(&text).unwrap();
    assert!(world.truth().unwrap().theta().unwrap().iter().all(|x| (x - 1.0 / 3.0).abs() < 1e-12));
    assert_eq!(world.notes.iter().map(|note| note.kind).collect::<Vec<_>>(), ["theta"]);
    let found = report(&text);
    assert!(found.ok && found.findings.iter().any(|f| f.note.kind == "theta"), "{:?}", found.findings);
    text["theta"] = value!([0.3333, 0.3333, 0.3333]);
    let error = open(&text).unwrap_err().to_string();
    assert!(error.contains("theta is outside B: state 0, action 0: the row sums to 0.9998"), "{error}");
    assert!(!report(&text).ok);
}

#[test]
fn models_in_rust_alike() {
    let model = |heads: f64, tails: f64| -> Model { vec![vec![vec![(1, heads), (0, tails)]], vec![]] };
    let costs = [vec![1.0], vec![]];
    let fair = f64::from(0.1f32);
    let problem =
        Problem::from_models(&[model(fair, f64::from(0.9f32)), model(0.2, 0.800004)], &costs, 0, 1).unwrap();
    assert_eq!(problem.constraints().free(), 1);
    assert_eq!(problem.notes().len(), 1);
    assert!(problem.notes()[0].message.contains("model 1, state 0, action 0"), "{:?}", problem.notes());
    let error = Problem::from_models(&[model(0.1, 0.9), model(0.2, 0.801)], &costs, 0, 1).unwrap_err();
    assert!(error.to_string().starts_with("model 1, state 0, action 0: the row sums to 1.001"), "{error}");
    // weights of few digits
    let world = |heads: f64| {
        Instance::new(Problem::from_models(&[model(heads, 1.0 - heads)], &costs, 0, 1).unwrap(), &[1.0])
            .unwrap()
    };
    let models = [("a".to_string(), world(0.1)), ("b".to_string(), world(0.5))];
    let mixed = mix(&models, Some(&[0.333333, 0.666666])).unwrap();
    assert!((mixed.truth().unwrap().theta().unwrap()[0] - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(mixed.notes[0].kind, "theta");
    assert!(mix(&models, Some(&[0.333, 0.666])).is_err());
}
