//! Every parameter of every learner and world with values that somebody might type: taken, and then
//! the run is sound, or refused by an error that says where.

use crate::worlds_for_tests::{LARGE, small};
use goalward::Error;
use goalward::Settings;
use goalward::episode::{Arena, Checkpoint, RunSpec, Runner, Trace};
use goalward::learners::{LEARNERS, LearnerEntry};
use goalward::parameters::{Choice, Fallback, Kind, Parameter};
use goalward::problem::{Instance, Problem};
use goalward::worlds::WORLDS;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};

const VALUES: &[&str] = &[
    "proposals",
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
    "3",
    "0.2",
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
    "known",
    "unknown",
    "exact",
    "outer",
    "nearest:0",
    "nearest:1",
    "nearest:18446744073709551615",
    "nearest:",
    "nearest:-1",
    "printed",
    "values",
    "every",
    "long",
    "determinant",
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
    "one-hot",
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

/// Where a number may be missing: a learner without a radius or an estimate, a norm that is not
/// used, what cannot be learnt.
const MAY_BE_NULL: &[&str] = &[
    "radius",
    "regression_radius",
    "theta_hat",
    "theta_norm",
    "theta_interval",
    "guarantee",
    "regret_certified",
    "regret_certified_over",
    // of a misfit: when it was rejected
    "step",
    "e",
];

/// Learners that ignore the models have no misfit.
const MAY_BE_ALL_NULL: &str = "misfit";

/// Where a null stands for a number.
fn null(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Array(all) => all.iter().find_map(null),
        Value::Object(all) => {
            let nothing = |key: &str, one: &Value| key == MAY_BE_ALL_NULL && one.is_null();
            let mut due =
                all.iter().filter(|(key, one)| !MAY_BE_NULL.contains(&key.as_str()) && !nothing(key, one));
            due.find_map(|(key, one)| null(one).map(|place| format!("{key} {place}")))
        }
        _ => None,
    }
}

/// What is wrong with twenty steps, everything that they write, or the checkpoint after them.
fn unsound(arena: &Arena, mut runner: Runner) -> Option<String> {
    let mut text = Vec::new();
    let mut trace = Trace::new(&mut text);
    trace.start(&runner);
    if let Err(error) = runner.run(&mut [&mut trace]) {
        return Some(error.to_string());
    }
    trace.end(&runner);
    trace.flush().unwrap();
    for line in String::from_utf8(text).unwrap().lines() {
        if let Some(place) = null(&serde_json::from_str(line).unwrap()) {
            return Some(format!("null for a number: {place}"));
        }
    }
    let mut checkpoint = Checkpoint::of(&runner);
    let written = serde_json::to_string(&checkpoint.learner).unwrap();
    checkpoint.learner = serde_json::from_str(&written).unwrap();
    match Runner::resume(arena, &checkpoint) {
        Err(error) => Some(format!("its own checkpoint: {error}")),
        Ok(again) => {
            (again.learner().snapshot() != runner.learner().snapshot()).then(|| "another snapshot".into())
        }
    }
}

fn spec(entry: &LearnerEntry, settings: Settings) -> RunSpec {
    RunSpec::new(entry.id, 1000).settings(settings).max_steps(20)
}

/// What an error does not say of whose value it is, which, and what was given.
fn unnamed(error: &Error, owner: &str, key: &str, value: &str) -> Option<String> {
    let text = error.to_string();
    let begin: String = value.chars().take(40).collect();
    let lacks = [owner, key, &begin].into_iter().find(|word| !text.contains(word))?;
    Some(format!("{lacks:?} is not in: {text}"))
}

/// All faults of many tries; a panic is one too.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn try_out(&mut self, what: &str, work: impl FnOnce() -> Option<String>) {
        let fault = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Some("a panic".into()));
        self.0.extend(fault.map(|fault| format!("{what:.80}: {fault:.200}")));
    }

    #[track_caller]
    fn none(self) {
        assert!(self.0.is_empty(), "{} faults:\n{}", self.0.len(), self.0.join("\n"));
    }
}

#[test]
fn every_parameter_of_every_learner() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 2)).unwrap();
    let long = "9".repeat(100_000);
    let mut faults = Faults::default();
    for entry in LEARNERS {
        for parameter in entry.parameters {
            let (mut taken, mut refused) = (0, 0);
            for value in VALUES.iter().copied().chain([&long[..]]) {
                let settings = needed(entry).set(parameter.name, value);
                faults.try_out(&format!("{} {}={value}", entry.id, parameter.name), || {
                    match Runner::new(&arena, spec(entry, settings)) {
                        Ok(runner) => {
                            taken += 1;
                            unsound(&arena, runner)
                        }
                        Err(error) => {
                            refused += 1;
                            unnamed(&error, entry.id, parameter.name, value)
                        }
                    }
                });
            }
            if taken == 0 || refused == 0 {
                faults.0.push(format!("{} {}: {taken} taken, {refused} refused", entry.id, parameter.name));
            }
        }
    }
    faults.none();
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
                let error = error.unwrap_or_else(|| panic!("{} {key}={value}", entry.id));
                assert_eq!(unnamed(&error, entry.id, key, value), None);
            }
        }
    }
}

/// The words that a parameter takes; of numbers with commas, whose count only the world knows, the
/// default.
fn words(parameter: &Parameter) -> Vec<&'static str> {
    if let (Kind::Numbers, Fallback::Value(text)) = (parameter.kind, parameter.fallback) {
        return vec![text];
    }
    let Kind::Choice(choices) = parameter.kind else { return Vec::new() };
    choices.iter().filter_map(|c| if let Choice::Word(word) = c { Some(*word) } else { None }).collect()
}

#[test]
fn every_parameter_of_every_world() {
    let small = |id: &str| match id {
        "windy-grid" => Settings::new().set("n", 2),
        "corridor" => Settings::new().set("length", 3),
        _ => small(id),
    };
    let long = "9".repeat(100_000);
    let mut faults = Faults::default();
    for world in WORLDS.iter().filter(|world| !LARGE.contains(&world.id)) {
        for parameter in world.parameters {
            let (mut taken, mut refused) = (0, 0);
            // a world of thousands of states is as sound as a small one, and takes minutes
            let usual = VALUES.iter().copied().filter(|value| *value != "4096");
            for value in usual.chain([&long[..]]).chain(words(parameter)) {
                let params = small(world.id).set(parameter.name, value);
                let what = format!("{} {}={value}", world.id, parameter.name);
                let mut arena = None;
                faults.try_out(&what, || match Arena::open(world.id, &params) {
                    Ok(opened) => {
                        arena = Some(opened);
                        None
                    }
                    // the goal can be lost, which the settings alone do not say
                    Err(Error::NoProperPolicy { .. } | Error::GoalUnreachable { .. }) => None,
                    Err(error) => unnamed(&error, world.id, parameter.name, value),
                });
                let Some(arena) = arena else {
                    refused += 1;
                    continue;
                };
                taken += 1;
                for entry in LEARNERS {
                    faults.try_out(&format!("{} on {what}", entry.id), || {
                        match Runner::new(&arena, spec(entry, needed(entry))) {
                            Ok(runner) => unsound(&arena, runner),
                            // what the oracle says can be beyond what a learner computes with
                            Err(Error::Setting { .. }) => None,
                            // and features can be too faint for a likelihood
                            Err(Error::Field { field, .. }) if field == "features" => None,
                            Err(error) => Some(error.to_string()),
                        }
                    });
                }
            }
            if taken == 0 || refused == 0 {
                faults.0.push(format!("{} {}: {taken} taken, {refused} refused", world.id, parameter.name));
            }
        }
    }
    faults.none();
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

/// Costs of any scale: learners that know B* from the oracle say that they cannot, or what they
/// write is whole.
#[test]
fn costs_of_any_scale() {
    let mut faults = Faults::default();
    for unit in [5e-324, 1e-320, 1e-300, 1e-254, 1e-150, 1e-99, 1e-9, 1.0, 1e9, 1e50, 1e99, 1e100] {
        let arena = at_cost([unit, 0.25 * unit]);
        for entry in LEARNERS {
            faults.try_out(&format!("{} at {unit:e}", entry.id), || {
                match Runner::new(&arena, spec(entry, needed(entry))) {
                    Ok(runner) => unsound(&arena, runner),
                    Err(error) if !entry.wants(goalward::learners::Need::B) => Some(error.to_string()),
                    Err(error) => {
                        let fault = unnamed(&error, entry.id, "B", "oracle");
                        fault.or(unnamed(&error, "lr", "lr", "lr"))
                    }
                }
            });
        }
    }
    faults.none();
}

#[test]
fn costs_that_are_zero() {
    let mut faults = Faults::default();
    for costs in [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]] {
        let arena = at_cost(costs);
        for entry in LEARNERS {
            faults.try_out(&format!("{} at {costs:?}", entry.id), || {
                match Runner::new(&arena, spec(entry, needed(entry))) {
                    Ok(runner) => unsound(&arena, runner),
                    Err(error) => {
                        let all = costs == [0.0, 0.0] && error.to_string().contains("B=");
                        let why = if all { "every policy is optimal" } else { "lr" };
                        unnamed(&error, entry.id, "lr", why)
                    }
                }
            });
        }
    }
    faults.none();
    // a bound of one's own is as good as any
    let arena = at_cost([0.0, 0.0]);
    let levis = LEARNERS.iter().find(|entry| entry.id == "levis").unwrap();
    let runner = Runner::new(&arena, spec(levis, Settings::new().set("B", 1))).unwrap();
    assert_eq!(unsound(&arena, runner), None);
}
