//! Learners that know no bound on B*, radii of zero, and models that are known.

use crate::plain::Walk;
use crate::worlds_for_tests::irregular;
use goalward::confidence::Holds;
use goalward::episode::{Arena, Checkpoint, RunSpec, Runner};
use goalward::learners::{self, Observed, Told, Transition};
use goalward::plan::Halt;
use goalward::problem::{Instance, Problem};
use goalward::{Settings, worlds};
use serde_json::json;

/// Learners whose bound may double, with a radius that lets them learn within a few hundred steps.
const DOUBLING: &[(&str, &str)] = &[
    ("levis", "scaled:0.05"),
    ("levis+", "scaled:0.01"),
    ("levis++", "scaled:0.002"),
    ("levis++", "determinant"),
];

fn settings(pairs: &[(&str, &str)]) -> Settings {
    pairs.iter().fold(Settings::new().set("B", "doubling"), |settings, (key, value)| settings.set(key, value))
}

fn instances() -> Vec<Instance> {
    vec![worlds::build("windy-grid", &Settings::new().set("n", 4)).unwrap(), irregular(5, 7, 4)]
}

/// The bound that the last plan shows.
fn bound(walk: &Walk) -> f64 {
    walk.learner.last_plan().unwrap().mixture().unwrap().b.unwrap()
}

/// B begins at a cost that no action avoids and only doubles. With a valid radius it stays below 2
/// B*.
#[test]
fn the_bound_doubles_and_stays_below_twice_the_truth() {
    for instance in instances() {
        let arena = Arena::new("world", &Settings::new(), instance.clone()).unwrap();
        let b_star = arena.exact().upper.iter().copied().fold(0.0, f64::max);
        let problem = &instance.problem;
        let least = |s: usize| problem.pairs_of(s).map(|p| problem.cost(p)).fold(f64::INFINITY, f64::min);
        let beginning = (0..problem.states()).filter(|&s| s != problem.goal()).map(least).fold(0.0, f64::max);
        for &(id, radius) in DOUBLING {
            for radius in ["printed", radius] {
                let mut walk = Walk::new(&instance, id, &settings(&[("radius", radius)]), 3);
                assert_eq!(walk.learner.in_force()["B"], json!("doubling"), "{id}");
                let (mut last, mut grown) = (beginning, 0);
                for _ in 0..400 {
                    let made = walk.step();
                    let plan = made.shown.plan.unwrap();
                    let b = plan.mixture().unwrap().b.unwrap();
                    let doubled = (b / last).log2();
                    assert!(
                        doubled >= 0.0 && (doubled - doubled.round()).abs() < 1e-9,
                        "{id}: {last} to {b}"
                    );
                    assert!(plan.v.iter().all(|v| *v <= b * (1.0 + 1e-9)), "{id}: {b} {:?}", plan.v);
                    (last, grown) = (b, grown + doubled.round() as i32);
                }
                assert!(grown > 0, "{id} with {radius}: {last} has never doubled");
                if ["printed", "determinant"].contains(&radius) {
                    assert!(last < 2.0 * b_star, "{id} with {radius}: {last}, but B* = {b_star}");
                }
            }
        }
    }
}

#[test]
fn no_guarantee_is_claimed() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    for &(id, _) in DOUBLING {
        let spec = |settings| RunSpec::new(id, 20).settings(settings);
        let mut runner = Runner::new(&arena, spec(settings(&[]))).unwrap();
        runner.run(&mut []).unwrap();
        let guarantee = runner.guarantee().unwrap();
        assert_eq!(guarantee.holds, Holds::No, "{id}");
        assert!(guarantee.summary().contains("doubles"), "{id}: {}", guarantee.summary());
        // those that need a bound say so
        for other in ["rho-levis++", "levis++lr", "ucrl-ave-ssp"] {
            let given = Settings::new().set("B", "doubling");
            let error =
                Runner::new(&arena, RunSpec::new(other, 5).settings(given)).err().unwrap().to_string();
            assert!(error.contains("doubling") && error.contains("a bound"), "{error}");
        }
    }
}

/// Through a snapshot after every step, and with every plan cut off once, a run is the same.
#[test]
fn a_doubling_run_goes_on_from_any_step() {
    let halt = Halt::new();
    halt.ask();
    for instance in instances() {
        for &(id, radius) in DOUBLING {
            let settings = settings(&[("radius", radius)]);
            let build = || {
                let entry = learners::entry(id).unwrap();
                entry.build(&instance.problem, &settings, 3, 100, Told::default()).unwrap()
            };
            let mut plain = Walk::new(&instance, id, &settings, 3);
            let mut cut = build();
            let mut plans = 0;
            for _ in 0..120 {
                let made = plain.step();
                let (state, action, next) = (made.state, made.action, made.next);
                let cost = instance.problem.cost(instance.problem.pair(state, action));
                assert_eq!(cut.act(state).unwrap(), action);
                cut.heed(&halt);
                let observed = cut.observe(&Transition { state, action, cost, next }).unwrap();
                let mut later = build();
                later.restore(&cut.snapshot()).unwrap();
                if observed == Observed::Owed {
                    plans += 1;
                    assert_eq!(later.catch_up(), Observed::Planned);
                }
                assert_eq!(later.snapshot(), plain.learner.snapshot(), "{id} at step {}", made.t);
                cut = later;
            }
            assert!(plans > 5, "{id}: {plans} plans");
        }
    }
}

#[test]
fn a_forged_bound_is_refused() {
    let instance = &instances()[0];
    for &(id, radius) in DOUBLING {
        let settings = settings(&[("radius", radius)]);
        let mut walk = Walk::new(instance, id, &settings, 3);
        (0..60).for_each(|_| drop(walk.step()));
        let own = walk.learner.snapshot();
        let mut other = Walk::new(instance, id, &settings, 3).learner;
        for (b, doubled) in [(json!(0.123), json!(1)), (json!(1e300), json!(5)), (json!(null), json!(0))] {
            let mut forged = own.clone();
            forged.0["algorithm"]["standing"]["doubling"] = json!({"b": b, "doubled": doubled});
            assert!(other.restore(&forged).is_err(), "{id}: {b}");
        }
        let mut forged = own.clone();
        forged.0["algorithm"]["standing"].as_object_mut().unwrap().remove("doubling");
        assert!(other.restore(&forged).is_err(), "{id}: no bound");
        other.restore(&own).unwrap();
        assert_eq!(bound(&walk), other.last_plan().unwrap().mixture().unwrap().b.unwrap());
    }
}

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
    for learner in ["levis", "levis+", "levis++", "eb-ssp", "hoeffding-ssp"] {
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
