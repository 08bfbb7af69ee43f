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
        assert_eq!(bits(&a.phi(p)), bits(&b.phi(p)));
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
        assert!(names.contains("simplex"), "{}", world.id);
        for parameter in world.parameters {
            assert!(!parameter.is_required(), "{} {}", world.id, parameter.name);
        }
        assert!(entry(world.id).is_ok());
    }
}

#[test]
fn every_world_builds_with_sound_names_and_shape() {
    for world in WORLDS {
        let instance = build(world.id, &Settings::new()).unwrap();
        let problem = &instance.problem;
        assert_eq!(problem.name(), world.id);
        assert!(problem.extra().is_empty(), "{}: extra facts are given only on demand", world.id);
        let names = problem.state_names().unwrap();
        assert_eq!(names.len(), problem.states());
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{}", world.id);
        for (s, names) in problem.action_names().unwrap().iter().enumerate() {
            assert_eq!(names.len(), problem.actions(s));
            assert_eq!(names.len(), problem.actions(problem.start()), "{}: the goal too", world.id);
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{}", world.id);
        }
        assert!(problem.min_cost() > 0.0);
        assert!(problem.cost_unit() == 1.0, "{}: the default costs lie in [0, 1]", world.id);
        let best = optimal(&instance);
        assert!(best.v[problem.start()].is_finite() && best.v[problem.start()] > 0.0, "{}", world.id);
    }
}

#[test]
fn theta_lies_in_b_with_and_without_the_simplex() {
    for world in WORLDS {
        for simplex in [false, true] {
            let instance = build(world.id, &Settings::new().set("simplex", simplex)).unwrap();
            let (problem, truth) = (&instance.problem, instance.truth().unwrap());
            assert_eq!(problem.extra().len(), if simplex { problem.dim() } else { 0 });
            for p in 0..problem.pairs() {
                let sum: f64 = truth.row(problem, p).iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "{} pair {p}: {sum}", world.id);
            }
            // B in its reduced form: theta = origin + basis z, rows z <= offsets
            let b = problem.constraints();
            let (d, k) = (b.dim(), b.free());
            let off: Vec<f64> = truth.theta().iter().zip(b.origin()).map(|(x, o)| x - o).collect();
            let z: Vec<f64> = (0..k).map(|j| (0..d).map(|i| off[i] * b.basis()[i * k + j]).sum()).collect();
            for i in 0..d {
                assert!((dot(&b.basis()[i * k..(i + 1) * k], &z) - off[i]).abs() < 1e-9, "{}", world.id);
            }
            for (row, offset) in b.rows().chunks_exact(k.max(1)).zip(b.offsets()) {
                assert!(dot(row, &z) <= offset + 1e-9, "{}", world.id);
            }
        }
    }
}

#[test]
fn export_and_import_give_the_same_problem() {
    for world in WORLDS {
        for simplex in [false, true] {
            let instance = build(world.id, &Settings::new().set("simplex", simplex)).unwrap();
            let text = to_json(&instance);
            let back = parse(&text).unwrap();
            assert_same(&instance.problem, &back.problem);
            assert_eq!(instance.truth().unwrap().theta(), back.truth().unwrap().theta());
            assert_eq!(text, to_json(&back));
        }
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
