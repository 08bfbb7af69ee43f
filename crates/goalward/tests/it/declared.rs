//! What comes of one declaration: tables, schemas, builders, and the suite that all learners pass.

use crate::worlds_for_tests::small;
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::learners::{self, Family, LEARNERS, Told};
use goalward::parameters::{self, Bound};
use goalward::{Levis, LevisPlusPlus, LevisPlusPlusLr, Lr, RhoLevisPlusPlus, Settings, conformance};
use std::path::Path;

/// The tables that the documentation of every learner shows. `BLESS=1 cargo test` writes them.
#[test]
fn the_tables_of_the_documentation_are_the_declarations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/learners");
    let mut tables = 0;
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        let id = path.file_stem().unwrap().to_str().unwrap();
        let table = parameters::table(learners::entry(id).unwrap().parameters);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &table).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(written, table, "{}: BLESS=1 cargo test writes it", path.display());
        tables += 1;
    }
    assert!(tables >= 5, "{tables} tables");
}

/// Every default of every learner and world is a value of its own kind.
#[test]
fn defaults_can_be_read() {
    let learners = LEARNERS.iter().map(|l| (l.id, l.parameters));
    let worlds = goalward::worlds::WORLDS.iter().map(|w| (w.id, w.parameters));
    for (id, parameters) in learners.chain(worlds) {
        for p in parameters {
            assert!(!p.doc.is_empty(), "{id} {}", p.name);
            if let parameters::Fallback::Value(text) = p.fallback {
                assert_eq!(p.kind.fault(text), None, "{id} {}={text}", p.name);
            }
        }
    }
}

#[test]
fn every_learner_conforms() {
    for entry in LEARNERS {
        let report = conformance::learner(entry);
        assert!(report.passed(), "{report}");
        assert!(report.checks.len() >= 9, "{report}");
    }
}

#[test]
fn every_world_conforms() {
    for world in goalward::worlds::WORLDS {
        // the track has a test of its own in full size
        let settings = match world.id {
            "racetrack" | "frozen-lake" => small(world.id),
            _ => Settings::new(),
        };
        let report = conformance::instance(&goalward::worlds::open(world.id, &settings).unwrap());
        assert!(report.passed(), "{report}");
    }
}

/// A builder sets what the same words would set.
#[test]
fn builders_are_the_settings_in_types() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let problem = || arena.problem().clone();
    let typed = |id: &str, pairs: &[&str]| {
        let settings = Settings::parse(pairs).unwrap();
        let entry = learners::entry(id).unwrap();
        entry.build(arena.problem(), &settings, 3, 50, Told::default()).unwrap()
    };
    let same = |built: goalward::Learner, id: &str, pairs: &[&str]| {
        let typed = typed(id, pairs);
        assert_eq!((built.id(), built.in_force()), (id, typed.in_force()));
        assert_eq!(built.snapshot(), typed.snapshot(), "{id}");
    };
    let build = |learner: goalward::Result<goalward::Learner>| learner.unwrap();
    let one = LevisPlusPlus::builder().b(3.0).delta(0.05).levels(4u64).seed(3).episodes(50).build(problem());
    same(build(one), "levis++", &["B=3", "delta=0.05", "levels=4"]);
    let one = LevisPlusPlusLr::builder().b(3.0).delta_split(false).seed(3).episodes(50).build(problem());
    same(build(one), "levis++lr", &["B=3", "delta_split=false"]);
    let one = RhoLevisPlusPlus::builder().b(3.0).t_star(20.0).seed(3).episodes(50).build(problem());
    same(build(one), "rho-levis++", &["B=3", "t_star=20"]);
    let one = Levis::builder().b(3.0).lambda(2.0).rho(0.1).seed(3).episodes(50).build(problem());
    same(build(one), "levis", &["B=3", "lambda=2", "rho=0.1"]);
    let one = Lr::builder().delta(1.0 / 3.0).seed(3).episodes(50).build(problem());
    same(build(one), "lr", &["delta=1/3"]);
    // only a simulation can answer
    let error = LevisPlusPlus::builder().b(Bound::Oracle).build(problem()).unwrap_err();
    assert!(error.to_string().contains("only a simulated run"), "{error}");
    let error = LevisPlusPlus::builder().build(problem()).unwrap_err();
    assert!(error.to_string().contains('B'), "{error}");
}

/// What a learner is read by: estimates, intervals, values.
#[test]
fn a_learner_can_be_read() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let problem = arena.problem();
    for entry in LEARNERS {
        let spec = RunSpec::new(entry.id, 30).settings(entry.oracle());
        let mut runner = Runner::new(&arena, spec).unwrap();
        runner.run(&mut []).unwrap();
        let learner = runner.learner();
        // only baselines have no values, and only learners of mixtures estimate theta
        let values = entry.family != Family::Baseline;
        if learner.theta().is_some() {
            assert!(entry.setting.contains("linear mixture"), "{}", entry.id);
        }
        assert!(entry.family != Family::LinearMixture || learner.theta().is_some(), "{}", entry.id);
        for s in 0..problem.states() {
            let value = learner.value(s).unwrap();
            assert_eq!(value.is_some(), values, "{}", entry.id);
            let actions = (0..problem.actions(s)).map(|a| learner.q(s, a).unwrap());
            let least = actions.flatten().fold(f64::INFINITY, f64::min);
            if let Some(value) = value.filter(|_| s != problem.goal()) {
                // V_j is the least Q_j of certified bounds, Q_j of values: ties apart they agree
                assert!((value - least).abs() <= 1e-6 * value.max(1.0), "{}: {value} {least}", entry.id);
            }
        }
        assert!(learner.value(problem.states()).is_err() && learner.q(0, 99).is_err());
        for (theta, (low, high)) in arena
            .instance()
            .truth()
            .unwrap()
            .theta()
            .unwrap()
            .iter()
            .zip(learner.intervals().unwrap_or_default())
        {
            assert!(low <= *theta && *theta <= high, "{}", entry.id);
        }
    }
}
