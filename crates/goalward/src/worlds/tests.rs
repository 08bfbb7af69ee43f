//! Conformance of every registered world, and a plain value iteration for the worlds' own value
//! tests.

use super::{WORLDS, build, entry, open};
use crate::Error;
use crate::files::json::{parse, to_json};
use crate::numeric::dot;
use crate::parameters::Settings;
use crate::problem::{Instance, Problem};
use std::collections::HashSet;

/// V*, an optimal policy and its expected steps.
pub(super) struct Optimal {
    pub(super) v: Vec<f64>,
    pub(super) policy: Vec<usize>,
    pub(super) steps: Vec<f64>,
}

/// Value iteration from 0, state after state, until nothing moves: slow, short and independent of
/// the planners.
pub(super) fn optimal(instance: &Instance) -> Optimal {
    let (problem, truth) = (&*instance.problem, instance.truth().unwrap());
    let expected = |p: usize, v: &[f64]| -> f64 {
        let row = truth.row(problem, p).iter().zip(problem.successors(p));
        row.map(|(probability, next)| probability * v[*next as usize]).sum()
    };
    let settle = |update: &dyn Fn(usize, &[f64]) -> f64| {
        let mut v = vec![0.0; problem.states()];
        for _ in 0..1_000_000 {
            let mut change: f64 = 0.0;
            for s in (0..v.len()).filter(|&s| s != problem.goal()) {
                let new = update(s, &v);
                change = change.max((new - v[s]).abs());
                v[s] = new;
            }
            if change < 1e-13 {
                return v;
            }
        }
        panic!("value iteration does not settle");
    };
    let q = |p: usize, v: &[f64]| problem.cost(p) + expected(p, v);
    let v = settle(&|s, v| problem.pairs_of(s).map(|p| q(p, v)).fold(f64::INFINITY, f64::min));
    let best = |s: usize| {
        let ordered = problem.pairs_of(s).min_by(|&p, &r| q(p, &v).total_cmp(&q(r, &v)));
        ordered.unwrap_or(problem.pairs_of(s).start) - problem.pairs_of(s).start
    };
    let policy: Vec<usize> = (0..problem.states()).map(best).collect();
    let steps = settle(&|s, t| 1.0 + expected(problem.pair(s, policy[s]), t));
    Optimal { v, policy, steps }
}

/// The optimal values of a law that a test states once more; `pairs` gives a state's costs and
/// rows.
pub(super) fn settled(states: usize, goal: usize, pairs: impl Fn(usize) -> Vec<(f64, Row)>) -> Vec<f64> {
    let law: Vec<Vec<(f64, Row)>> =
        (0..states).map(|s| if s == goal { Vec::new() } else { pairs(s) }).collect();
    let mut v = vec![0.0; states];
    for _ in 0..1_000_000 {
        let mut change: f64 = 0.0;
        for s in (0..states).filter(|&s| !law[s].is_empty()) {
            let q = |(cost, row): &(f64, Row)| cost + row.iter().map(|(t, p)| p * v[*t]).sum::<f64>();
            let new = law[s].iter().map(q).fold(f64::INFINITY, f64::min);
            change = change.max((new - v[s]).abs());
            v[s] = new;
        }
        if change < 1e-13 {
            return v;
        }
    }
    panic!("value iteration does not settle");
}

/// States with their probabilities.
pub(super) type Row = Vec<(usize, f64)>;

/// The settings with which every world is quickly tried.
fn small(id: &str) -> Settings {
    match id {
        "racetrack" => Settings::new().set("map", "corner"),
        _ => Settings::new(),
    }
}

/// Whether theta has negative entries, which is what this family is about.
fn signed(id: &str) -> bool {
    id == "min-lower-bound"
}

/// Every world, without and with the simplex.
fn instances() -> impl Iterator<Item = (&'static str, bool, Instance)> {
    let plain = WORLDS.iter().map(|world| (world.id, false, small(world.id)));
    let known = WORLDS.iter().filter(|world| !signed(world.id));
    let known = known.map(|world| (world.id, true, small(world.id).set("simplex", true)));
    plain.chain(known).map(|(id, simplex, settings)| (id, simplex, build(id, &settings).unwrap()))
}

/// Everything that a file holds, to the bit.
fn assert_same(a: &Problem, b: &Problem) {
    assert_eq!((a.name(), a.start(), a.goal(), a.dim()), (b.name(), b.start(), b.goal(), b.dim()));
    assert_eq!((a.states(), a.pairs()), (b.states(), b.pairs()));
    assert_eq!(
        (a.state_names(), a.action_names(), a.model_names(), a.extra()),
        (b.state_names(), b.action_names(), b.model_names(), b.extra())
    );
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(a.costs()), bits(b.costs()));
    for p in 0..a.pairs() {
        assert_eq!(a.successors(p), b.successors(p));
        assert_eq!(bits(a.phi(p)), bits(b.phi(p)));
    }
}

#[test]
fn ids_and_docs_are_complete() {
    let ids: HashSet<&str> = WORLDS.iter().map(|w| w.id).collect();
    assert_eq!(ids.len(), WORLDS.len());
    for world in WORLDS {
        assert!(!world.title.is_empty() && !world.reference.is_empty(), "{}", world.id);
        let names: HashSet<&str> = world.parameters.iter().map(|p| p.name).collect();
        assert_eq!(names.len(), world.parameters.len(), "{}", world.id);
        assert!(names.contains("simplex") || signed(world.id), "{}", world.id);
        for parameter in world.parameters {
            assert!(!parameter.is_required(), "{} {}", world.id, parameter.name);
        }
        assert!(entry(world.id).is_ok());
    }
}

#[test]
fn every_world_builds_with_sound_names_and_shape() {
    for world in WORLDS {
        let instance = build(world.id, &small(world.id)).unwrap();
        let problem = &instance.problem;
        assert_eq!(problem.name(), world.id);
        assert!(problem.extra().is_empty(), "{}: extra facts are given only on demand", world.id);
        let names = problem.state_names().unwrap();
        assert_eq!(names.len(), problem.states());
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{}", world.id);
        for (s, names) in problem.action_names().unwrap().iter().enumerate() {
            assert_eq!(names.len(), problem.actions(s));
            // one state of these has nothing to decide
            let uneven = ["rosenberg", "cliff"].contains(&world.id);
            assert!(uneven || names.len() == problem.actions(problem.start()), "{}", world.id);
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{}", world.id);
        }
        assert!(problem.min_cost() > 0.0);
        // these have the units of their originals
        let original = ["cliff", "taxi"].contains(&world.id);
        assert!(original || problem.cost_unit() == 1.0, "{}: default costs lie in [0, 1]", world.id);
        let best = optimal(&open(world.id, &small(world.id).set("restart", true)).unwrap());
        assert!(best.v[problem.start()].is_finite() && best.v[problem.start()] > 0.0, "{}", world.id);
    }
}

#[test]
fn theta_lies_in_b_with_and_without_the_simplex() {
    for (id, simplex, instance) in instances() {
        let (problem, truth) = (&instance.problem, instance.truth().unwrap());
        assert_eq!(problem.extra().len(), if simplex { problem.dim() } else { 0 });
        for p in 0..problem.pairs() {
            let sum: f64 = truth.row(problem, p).iter().sum();
            assert!((sum - 1.0).abs() < 1e-12, "{id} pair {p}: {sum}");
        }
        // B in its reduced form: theta = origin + basis z, rows z <= offsets
        let b = problem.constraints();
        let (d, k) = (b.dim(), b.free());
        let off: Vec<f64> = truth.theta().unwrap().iter().zip(b.origin()).map(|(x, o)| x - o).collect();
        let z: Vec<f64> = (0..k).map(|j| (0..d).map(|i| off[i] * b.basis()[i * k + j]).sum()).collect();
        for i in 0..d {
            assert!((dot(&b.basis()[i * k..(i + 1) * k], &z) - off[i]).abs() < 1e-9, "{id}");
        }
        for (row, offset) in b.rows().chunks_exact(k.max(1)).zip(b.offsets()) {
            assert!(dot(row, &z) <= offset + 1e-9, "{id}");
        }
    }
}

#[test]
fn export_and_import_give_the_same_problem() {
    for (_, _, instance) in instances() {
        let text = to_json(&instance);
        let back = parse(&text).unwrap();
        assert_same(&instance.problem, &back.problem);
        assert_eq!(instance.truth().unwrap().theta().unwrap(), back.truth().unwrap().theta().unwrap());
        assert_eq!(text, to_json(&back));
    }
}

#[test]
fn unknown_parameters_and_values_are_refused() {
    for world in WORLDS {
        let error = build(world.id, &Settings::new().set("nonsense", 1)).unwrap_err();
        assert!(matches!(error, Error::UnknownSetting { .. }), "{error}");
        for parameter in world.parameters {
            let error = build(world.id, &Settings::new().set(parameter.name, "?")).unwrap_err().to_string();
            assert!(error.contains(world.id) && error.contains(parameter.name), "{error}");
        }
    }
}

#[test]
fn open_takes_ids_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain-name");
    let world = build("corridor", &Settings::new()).unwrap();
    std::fs::write(&path, to_json(&world)).unwrap();
    let name = path.to_str().unwrap();
    assert_same(&open(name, &Settings::new()).unwrap().problem, &world.problem);
    assert_eq!(open("windy-grid", &Settings::new().set("n", 2)).unwrap().problem.states(), 4);

    let error = open(name, &Settings::new().set("n", 2)).unwrap_err();
    assert!(matches!(error, Error::Setting { .. }) && error.to_string().contains("takes no parameters"));
    assert!(matches!(open("absent.json", &Settings::new()), Err(Error::Io { .. })));
    assert!(matches!(open("no/such/thing", &Settings::new()), Err(Error::Io { .. })));
    let error = open("windy-gird", &Settings::new()).unwrap_err();
    assert!(matches!(error, Error::UnknownId { .. }) && error.to_string().contains("windy-grid"), "{error}");
}
