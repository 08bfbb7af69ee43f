//! The likelihood set itself as a set to plan over: certified, narrower than the ellipsoid, and
//! small problems run with it.

use crate::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::confidence::{LikelihoodCone, LikelihoodKeeper, likelihood_threshold};
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::numeric::Stream;
use goalward::numeric::support::{SupportMin, Warm};
use goalward::problem::Instance;
use goalward::worlds;

fn instances() -> Vec<Instance> {
    vec![
        worlds::build("hard-instance", &Settings::new().set("dim", 3)).unwrap(),
        worlds::build("windy-grid", &Settings::new().set("n", 2)).unwrap(),
        irregular(3, 5, 3),
        irregular(8, 6, 5),
    ]
}

/// Against Clarabel's own answer, the ellipsoid's, and points of the set.
#[test]
fn bounds_are_bounds_and_close() {
    let (mut sharper, mut asked) = (0, 0);
    for (i, instance) in instances().into_iter().enumerate() {
        let (problem, truth) = (&instance.problem, instance.truth().unwrap());
        for steps in [2, 20, 400] {
            let mut draw = Stream::new(i as u64, &[steps]);
            let mut keeper = LikelihoodKeeper::new(problem, 0.05);
            let goal = problem.pairs_of(problem.goal());
            for _ in 0..steps {
                let p = draw.below(problem.pairs() - goal.len());
                let p = if p >= goal.start { p + goal.len() } else { p };
                let _ = keeper.observe(p, truth.sample(problem, p, draw.uniform()));
            }
            let known = keeper.update();
            let mut ellipsoid = known.set.unwrap();
            let likelihood = keeper.likelihood();
            let mut sharp = keeper.set().sharp(likelihood, known.threshold, ellipsoid.clone()).unwrap();
            let mut cone = LikelihoodCone::new(likelihood, known.threshold);
            let mut phi = vec![0.0; problem.dim()];
            for _ in 0..8 {
                let v: Vec<f64> = (0..problem.states()).map(|_| draw.uniform()).collect();
                problem.phi_v(draw.below(problem.pairs()), &v, &mut phi);
                let ours = sharp.min(&phi, &mut Warm::default());
                let outer = ellipsoid.min(&phi, &mut Warm::default());
                let direct = cone.min(&phi, &mut Warm::default());
                assert!(outer.bound <= ours.bound && ours.bound <= ours.value, "{outer:?} {ours:?}");
                assert!(ours.bound <= direct.value + 1e-6, "{ours:?}, directly {direct:?}");
                assert!(ours.bound >= direct.value - 1e-6, "{ours:?}, directly {direct:?}");
                let mut theta = vec![0.0; problem.dim()];
                sharp.minimiser(&mut theta);
                assert!(likelihood.loss(&theta) <= known.threshold + 1e-4);
                let at_theta: f64 = phi.iter().zip(&theta).map(|(c, x)| c * x).sum();
                assert!((at_theta - ours.value).abs() < 1e-6, "{at_theta} {ours:?}");
                // the truth is in the set here, so no bound may exceed its value
                if likelihood.loss(truth.theta()) <= known.threshold {
                    let value: f64 = phi.iter().zip(truth.theta()).map(|(c, x)| c * x).sum();
                    assert!(ours.bound <= value + 1e-12);
                }
                sharper += u32::from(ours.bound > outer.bound + 1e-4);
                asked += 1;
            }
            assert!(likelihood_threshold(likelihood, known.maximum.loss, 0.05) == known.threshold);
        }
    }
    assert!(asked == 96 && sharper > 20, "{sharper} of {asked}");
}

#[test]
fn lr_runs_with_it_and_says_so() {
    let arena = Arena::open("hard-instance", &Settings::new().set("dim", 2)).unwrap();
    let run = |set: &str| {
        let spec = RunSpec::new("lr", 40).settings(Settings::new().set("set", set)).seed(1);
        let mut runner = Runner::new(&arena, spec).unwrap();
        runner.run(&mut []).unwrap();
        runner.result()
    };
    let (outer, sharp) = (run("outer"), run("exact"));
    assert_eq!((&outer.parameters["set"], &sharp.parameters["set"]), (&"outer".into(), &"exact".into()));
    assert_eq!(sharp.parameters["planner"], "fast");
    assert_eq!((sharp.radius.as_deref(), sharp.violations), (Some("likelihood"), 0));
    assert!(sharp.gap_regret <= 2.0 * outer.gap_regret + 20.0);
}
