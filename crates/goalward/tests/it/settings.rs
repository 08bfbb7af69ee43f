//! Every parameter of every learner and world with values that somebody might type: taken, and then the run is sound, or refused
//! by an error that says where.

use goalward::Error;
use goalward::episode::{Arena, Checkpoint, RunSpec, Runner, Trace};
use goalward::learners::{LEARNERS, LearnerEntry};
use goalward::problem::{Instance, Problem};
use goalward::registry::Settings;
use goalward::worlds::WORLDS;
use serde_json::Value;

const VALUES: &[&str] = &[
    "",
    " ",
    "nan",
    "inf",
    "-inf",
    "-1",
    "-0",
    "0",
    "1",
    "2",
    "0.5",
    "1/3",
    "1/0",
    "5e-324",
    "1e-320",
    "1e-300",
    "1e-100",
    "1e-30",
    "1e-24",
    "1e-12",
    "1e-9",
    "1e9",
    "1e12",
    "1e18",
    "1e24",
    "1e30",
    "1e100",
    "1e300",
    "1e308",
    "-1e308",
    "1e400",
    "4096",
    "18446744073709551616",
    "(x)",
    "(1)",
    "()",
    "x",
    "é",
    "１",
    "\u{0}",
    "true",
    "false",
    "oracle",
    "exact",
    "outer",
    "nearest:0",
    "nearest:1",
    "nearest:18446744073709551615",
    "nearest:",
    "nearest:-1",
    "printed",
    "determinant",
    "data",
    "scaled:",
    "scaled:0",
    "scaled:-1",
    "scaled:nan",
    "scaled:inf",
    "scaled:1e-320",
    "scaled:1e-30",
    "scaled:1e30",
    "scaled:1e308",
    "scaled:(1)",
    "auto",
    "fast",
    "faithful",
    "f32",
    "1,1",
    "1,0,0,0,0",
    "nan,0,0,0,0",
    ",",
];

/// Settings that a learner can be built with.
fn needed(entry: &LearnerEntry) -> Settings {
    let has = |name: &str| entry.parameters.iter().any(|p| p.name == name);
    let keys = ["B", "t_star"].into_iter().filter(|key| has(key));
    keys.fold(Settings::new(), |settings, key| settings.set(key, "oracle"))
}

/// Where a number may be missing: a learner without a radius or an estimate, a norm that is not used, what cannot be learnt.
const MAY_BE_NULL: &[&str] =
    &["radius", "regression_radius", "theta_hat", "theta_norm", "theta_interval", "guarantee"];

#[track_caller]
fn no_null(value: &Value, what: &str) {
    match value {
        Value::Null => panic!("{what}: null where a number is due"),
        Value::Array(all) => all.iter().for_each(|one| no_null(one, what)),
        Value::Object(all) => {
            let due = all.iter().filter(|(key, _)| !MAY_BE_NULL.contains(&key.as_str()));
            due.for_each(|(key, one)| no_null(one, &format!("{what}: {key}")));
        }
        _ => {}
    }
}

/// Twenty steps, everything that they write, and a checkpoint that is its own.
#[track_caller]
fn sound(arena: &Arena, mut runner: Runner, what: &str) {
    let mut text = Vec::new();
    let mut trace = Trace::new(&mut text);
    trace.start(&runner);
    runner.run(&mut [&mut trace]).unwrap_or_else(|e| panic!("{what}: {e}"));
    trace.end(&runner);
    trace.flush().unwrap();
    for line in String::from_utf8(text).unwrap().lines() {
        no_null(&serde_json::from_str(line).unwrap(), what);
    }
    let written = serde_json::to_string(&Checkpoint::of(&runner).learner).unwrap();
    let mut checkpoint = Checkpoint::of(&runner);
    checkpoint.learner = serde_json::from_str(&written).unwrap();
    let again = Runner::resume(arena, &checkpoint).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(again.learner().snapshot(), runner.learner().snapshot(), "{what}");
}

fn spec(entry: &LearnerEntry, settings: Settings) -> RunSpec {
    RunSpec::new(entry.id, 1000).settings(settings).max_steps(20)
}

/// The error says whose value it is, which, and what was given.
#[track_caller]
fn named(error: &Error, owner: &str, key: &str, value: &str) {
    let text = error.to_string();
    let begin: String = value.chars().take(40).collect();
    for word in [owner, key, &begin] {
        assert!(text.contains(word), "{owner}: {key}={value:?}: {word:?} is not in: {text}");
    }
}

#[test]
fn every_parameter_of_every_learner() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 2)).unwrap();
    let long = "9".repeat(100_000);
    for entry in LEARNERS {
        for parameter in entry.parameters {
            let (mut taken, mut refused) = (0, 0);
            for value in VALUES.iter().copied().chain([&long[..]]) {
                let settings = needed(entry).set(parameter.name, value);
                let what = format!("{} {}={:.40}", entry.id, parameter.name, value);
                match Runner::new(&arena, spec(entry, settings)) {
                    Ok(runner) => {
                        taken += 1;
                        sound(&arena, runner, &what);
                    }
                    Err(error) => {
                        refused += 1;
                        named(&error, entry.id, parameter.name, value);
                    }
                }
            }
            assert!(taken > 0 && refused > 0, "{} {}: {taken} taken", entry.id, parameter.name);
        }
    }
}

#[test]
fn what_was_let_in() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 2)).unwrap();
    for entry in LEARNERS {
        for (key, value) in [
            ("delta", "1"),
            ("delta", "0"),
            ("delta", "1.0"),
            ("rows", "nearest:0"),
            ("gamma", "(nonsense)"),
            ("gamma", "(d^(-1/4))"),
            ("lambda", "(1/B^2)"),
            ("levels", "(many)"),
            ("B", ""),
        ] {
            if entry.parameters.iter().any(|p| p.name == key) {
                let error = Runner::new(&arena, spec(entry, needed(entry).set(key, value))).err();
                named(&error.unwrap_or_else(|| panic!("{} {key}={value}", entry.id)), entry.id, key, value);
            }
        }
    }
}

#[test]
fn every_parameter_of_every_world() {
    let small = |id: &str| match id {
        "windy-grid" => Settings::new().set("n", 2),
        "random-mixture" => Settings::new().set("states", 6),
        "corridor" => Settings::new().set("length", 3),
        _ => Settings::new(),
    };
    let long = "9".repeat(100_000);
    for world in WORLDS {
        for parameter in world.parameters {
            let (mut taken, mut refused) = (0, 0);
            for value in VALUES.iter().copied().chain([&long[..]]) {
                let params = small(world.id).set(parameter.name, value);
                match Arena::open(world.id, &params) {
                    Ok(arena) => {
                        taken += 1;
                        for entry in LEARNERS {
                            let what = format!("{} on {} {}={value}", entry.id, world.id, parameter.name);
                            match Runner::new(&arena, spec(entry, needed(entry))) {
                                Ok(runner) => sound(&arena, runner, &what),
                                // what the oracle says can be beyond what a learner computes with
                                Err(error) => {
                                    assert!(matches!(error, Error::Setting { .. }), "{what}: {error}")
                                }
                            }
                        }
                    }
                    // the goal can be lost, which the settings alone do not say
                    Err(Error::NoProperPolicy { .. } | Error::GoalUnreachable { .. }) => refused += 1,
                    Err(error) => {
                        refused += 1;
                        named(&error, world.id, parameter.name, value);
                    }
                }
            }
            assert!(taken > 0 && refused > 0, "{} {}: {taken} taken", world.id, parameter.name);
        }
    }
}

/// Two actions that cost so much, or nothing.
fn at_cost(costs: [f64; 2]) -> Arena {
    let mut builder = Problem::builder("costs", 2, 2);
    for (cost, p) in costs.into_iter().zip([0.9, 0.3]) {
        let a = builder.action(0, cost).unwrap();
        builder.feature(0, a, 0, &[1.0 - p, p]).unwrap();
        builder.feature(0, a, 1, &[p, 1.0 - p]).unwrap();
    }
    let instance = Instance::new(builder.build().unwrap(), &[0.5, 0.5]).unwrap();
    Arena::new("costs", &Settings::new(), instance).unwrap()
}

/// Costs of any scale: learners that know B* from the oracle say that they cannot, or what they write is whole.
#[test]
fn costs_of_any_scale() {
    for unit in [5e-324, 1e-320, 1e-300, 1e-254, 1e-150, 1e-99, 1e-9, 1.0, 1e9, 1e50, 1e99, 1e100] {
        let arena = at_cost([unit, 0.25 * unit]);
        for entry in LEARNERS {
            let what = format!("{} at {unit:e}", entry.id);
            match Runner::new(&arena, spec(entry, needed(entry))) {
                Ok(runner) => sound(&arena, runner, &what),
                Err(error) => {
                    assert!(entry.needs.contains(&"B >= B*"), "{what}: {error}");
                    named(&error, entry.id, "B", "oracle");
                    assert!(error.to_string().contains("lr"), "{error}");
                }
            }
        }
    }
}

#[test]
fn costs_that_are_zero() {
    for costs in [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]] {
        let arena = at_cost(costs);
        for entry in LEARNERS {
            match Runner::new(&arena, spec(entry, needed(entry))) {
                Ok(runner) => sound(&arena, runner, entry.id),
                Err(error) => {
                    let text = error.to_string();
                    assert!(text.contains("lr"), "{}: {text}", entry.id);
                    let all = costs == [0.0, 0.0] && text.contains("B=");
                    assert!(!all || text.contains("every policy is optimal"), "{text}");
                }
            }
        }
    }
    // a bound of one's own is as good as any
    let arena = at_cost([0.0, 0.0]);
    let levis = LEARNERS.iter().find(|entry| entry.id == "levis").unwrap();
    let runner = Runner::new(&arena, spec(levis, Settings::new().set("B", 1))).unwrap();
    sound(&arena, runner, "levis with B=1");
}
