//! Scaled radii, models that are known, and the claim of a bound that doubles.

use crate::worlds_for_tests::irregular;
use goalward::episode::{Arena, Checkpoint, RunSpec, Runner};
use goalward::learners;
use goalward::problem::{Instance, Problem};
use goalward::{Settings, worlds};
use serde_json::json;

/// scale=X is radius=scaled:X, byte for byte; both at once must agree.
#[test]
fn scale_is_another_way_to_scale_the_radius() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    for entry in learners::LEARNERS.iter().filter(|entry| entry.parameters.iter().any(|p| p.name == "scale"))
    {
        let Some(_) = entry.parameters.iter().find(|p| p.name == "radius") else { continue };
        let run = |pairs: &[(&str, &str)]| {
            let given = pairs.iter().fold(entry.oracle(), |settings, (key, value)| settings.set(key, value));
            let mut runner = Runner::new(&arena, RunSpec::new(entry.id, 8).settings(given).seed(2))?;
            runner.run(&mut [])?;
            Ok::<_, goalward::Error>((runner.learner().snapshot(), runner.learner().in_force().clone()))
        };
        let scaled = run(&[("radius", "scaled:0.01")]).unwrap();
        assert_eq!(scaled, run(&[("scale", "0.01")]).unwrap(), "{}", entry.id);
        assert_eq!(scaled, run(&[("scale", "0.01"), ("radius", "scaled:0.01")]).unwrap(), "{}", entry.id);
        assert_eq!(scaled.1["radius"], json!("scaled:0.01"));
        assert_eq!(run(&[("scale", "1")]).unwrap(), run(&[]).unwrap(), "{}", entry.id);
        assert_eq!(run(&[("scale", "0")]).unwrap().1["radius"], json!("scaled:0"));
        for bad in
            [[("scale", "0.02"), ("radius", "scaled:0.01")], [("scale", "1"), ("radius", "scaled:0.01")]]
        {
            let error = run(&bad).unwrap_err().to_string();
            assert!(error.contains("says otherwise"), "{error}");
        }
        let error = run(&[("scale", "1e-40")]).unwrap_err().to_string();
        assert!(error.contains("at least 1e-30"), "{error}");
    }
    let given = Settings::new().set("B", 3).set("radius", "determinant").set("scale", 0.1);
    let error = Runner::new(&arena, RunSpec::new("levis", 5).settings(given)).err().unwrap().to_string();
    assert!(error.contains("only the printed radius is scaled"), "{error}");
}

/// The same world with its kernel known: one feature, its probability, and theta = 1.
fn known(instance: &Instance) -> Instance {
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    let mut builder = Problem::builder("known", problem.states(), 1);
    builder.start(problem.start()).goal(problem.goal());
    for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
        for p in problem.pairs_of(s) {
            let a = builder.action(s, problem.cost(p)).unwrap();
            for (next, probability) in problem.successors(p).iter().zip(truth.row(problem, p)) {
                builder.feature(s, a, *next as usize, &[*probability]).unwrap();
            }
        }
    }
    Instance::new(builder.build().unwrap(), &[1.0]).unwrap()
}

/// With a radius of zero and the model known, no action after the first plan is worse than the best.
#[test]
fn nothing_is_lost_when_the_model_is_known() {
    let worlds = [
        worlds::build("windy-grid", &Settings::new().set("n", 4)).unwrap(),
        worlds::build("random-mixture", &Settings::new().set("states", 12)).unwrap(),
        irregular(5, 9, 4),
    ];
    for instance in worlds {
        let arena = Arena::new("known", &Settings::new(), known(&instance)).unwrap();
        for id in ["levis", "levis+", "levis++", "ucrl-ave-ssp", "psrl-mixture", "certainty-equivalence"] {
            let entry = learners::entry(id).unwrap();
            let scaled = entry.parameters.iter().any(|p| p.name == "scale");
            let given = if scaled { entry.oracle().set("scale", 0) } else { entry.oracle() };
            let gap = |steps: u64| {
                let spec = RunSpec::new(id, 1000).settings(given.clone()).seed(2).max_steps(steps);
                let mut runner = Runner::new(&arena, spec).unwrap();
                runner.run(&mut []).unwrap();
                runner.result().gap_regret
            };
            // the first plan comes after the first step, or before it
            let first = if scaled { gap(1) } else { 0.0 };
            let rest = gap(500) - first;
            assert!(rest < 1e-6, "{id}: {rest} after the first plan");
        }
    }
}

/// A trace begins with the claim, and a run that goes on must find its own trace again.
#[test]
fn the_claim_is_that_of_the_beginning() {
    let arena = Arena::open("psrl-gridworld", &Settings::new()).unwrap();
    for learner in ["eb-ssp", "hoeffding-ssp"] {
        let spec =
            RunSpec::new(learner, 40).settings(Settings::new().set("B", "doubling").set("scale", 1e-3));
        let mut runner = Runner::new(&arena, spec.max_steps(2_000)).unwrap();
        let begun = runner.guarantee();
        runner.run(&mut []).unwrap();
        assert_eq!(runner.guarantee(), begun, "{learner}");
        let again = Runner::resume(&arena, &Checkpoint::of(&runner)).unwrap();
        assert_eq!(again.guarantee(), begun, "{learner}");
    }
}
