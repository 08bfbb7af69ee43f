//! The likelihood set itself as a set to plan over: certified, narrower than the ellipsoid, and
//! small problems run with it.

use crate::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::confidence::{
    ConfidenceSet as _, LikelihoodCone, LikelihoodKeeper, SharpSet, likelihood_threshold,
};
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
            let region = keeper.region(&known).unwrap();
            let mut ellipsoid = known.set.unwrap();
            let likelihood = keeper.likelihood();
            let mut sharp = SharpSet::new(region, ellipsoid.clone());
            let mut cone = LikelihoodCone::new(likelihood, known.threshold);
            let mut phi = vec![0.0; problem.dim()];
            for _ in 0..8 {
                let v: Vec<f64> = (0..problem.states()).map(|_| draw.uniform()).collect();
                problem.phi_v(draw.below(problem.pairs()), &v, &mut phi);
                let ours = sharp.min(&phi, &mut Warm::default());
                let outer = ellipsoid.min(&phi, &mut Warm::default());
                let direct = cone.min(&phi, &mut Warm::default());
                assert!(outer.bound <= ours.bound + 1e-12, "{outer:?} {ours:?}");
                assert!(ours.bound <= ours.value, "{ours:?}");
                assert!(ours.bound <= direct.value + 1e-6, "{ours:?}, directly {direct:?}");
                assert!(ours.bound >= direct.value - 1e-6, "{ours:?}, directly {direct:?}");
                let mut theta = vec![0.0; problem.dim()];
                sharp.minimiser(&mut theta);
                assert!(likelihood.loss(&theta) <= known.threshold + 1e-4);
                let at_theta: f64 = phi.iter().zip(&theta).map(|(c, x)| c * x).sum();
                assert!((at_theta - ours.value).abs() < 1e-6, "{at_theta} {ours:?}");
                // the truth is in the set here, so no bound may exceed its value
                if likelihood.loss(truth.theta().unwrap()) <= known.threshold {
                    let value: f64 = phi.iter().zip(truth.theta().unwrap()).map(|(c, x)| c * x).sum();
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

/// Half of the objectives make cuts; Clarabel says how far down the set itself reaches for all.
#[test]
fn cuts_keep_the_set_and_come_close_to_it() {
    let (mut outer_reach, mut cut_reach, mut own_reach) = (0.0, 0.0, 0.0);
    for (i, instance) in instances().into_iter().enumerate() {
        let (problem, truth) = (&instance.problem, instance.truth().unwrap());
        for steps in [10, 60, 400] {
            let mut draw = Stream::new(i as u64, &[steps, 7]);
            let mut keeper = LikelihoodKeeper::new(problem, 0.05);
            for _ in 0..steps {
                let p = draw.below(problem.pairs_of(problem.goal()).start.max(1));
                let _ = keeper.observe(p, truth.sample(problem, p, draw.uniform()));
            }
            let known = keeper.update();
            let region = keeper.region(&known).unwrap();
            let center = known.maximum.theta.clone();
            let mut outer = known.set.unwrap();
            let mut cut = outer.clone();
            let mut cone = LikelihoodCone::new(keeper.likelihood(), known.threshold);
            let objectives: Vec<Vec<f64>> = (0..24)
                .map(|_| {
                    let v: Vec<f64> = (0..problem.states()).map(|_| draw.uniform()).collect();
                    let mut phi = vec![0.0; problem.dim()];
                    problem.phi_v(draw.below(problem.pairs()), &v, &mut phi);
                    phi
                })
                .collect();
            for phi in objectives.iter().step_by(2) {
                region.sharpen(&mut cut, phi, &mut Warm::default(), 0.02);
            }
            for phi in &objectives {
                let direct = cone.min(phi, &mut Warm::default()).value;
                let [wide, near] = [&mut outer, &mut cut].map(|set| set.min(phi, &mut Warm::default()).bound);
                assert!(wide <= near + 1e-9, "cuts made it wider: {wide} {near}");
                assert!(near <= direct + 1e-6, "cuts went too far: {near}, the set itself {direct}");
                let here: f64 = phi.iter().zip(&center).map(|(c, x)| c * x).sum();
                outer_reach += here - wide;
                cut_reach += here - near;
                own_reach += here - direct;
            }
            // cuts survive being stored, and the truth is kept where the set keeps it
            keeper.keep_cuts(&cut);
            let mut again = LikelihoodKeeper::new(problem, 0.05);
            again.restore(keeper.kept()).unwrap();
            let mut stored = again.set().last(again.likelihood()).unwrap();
            for phi in &objectives {
                let [a, b] = [&mut cut, &mut stored].map(|set| set.min(phi, &mut Warm::default()).bound);
                assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
            if keeper.likelihood().loss(truth.theta().unwrap()) <= known.threshold {
                assert!(again.set().margin(again.likelihood(), truth.theta().unwrap()) >= 0.0);
            }
        }
    }
    let (outer, cut) = (outer_reach / own_reach, cut_reach / own_reach);
    assert!(outer > 1.04 && cut < 1.0 + 0.6 * (outer - 1.0), "{outer} with the ellipsoid, {cut} with cuts");
}

/// Later starts: the set is that of the sum of all products, which is smaller than each alone allows.
#[test]
fn restarts_are_sums_of_products() {
    let instance = irregular(3, 5, 3);
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    let mut draw = Stream::new(5, &[]);
    let mut keeper = LikelihoodKeeper::new(problem, 0.05).restarting();
    // what every step was predicted with, and the step
    let mut seen: Vec<(usize, usize, f64)> = Vec::new();
    for t in 1..=700usize {
        let p = draw.below(problem.pairs_of(problem.goal()).start.max(1));
        let next = truth.sample(problem, p, draw.uniform());
        let place = problem.successors(p).iter().position(|&n| n as usize == next).unwrap();
        seen.push((p, place, keeper.likelihood().prediction(p)[place]));
        let _ = keeper.observe(p, next);
        if ![7, 8, 9, 64, 300, 700].contains(&t) {
            continue;
        }
        let least = keeper.likelihood().maximum().loss;
        for theta in [truth.theta().unwrap().to_vec(), problem.constraints().interior().to_vec()] {
            let p_of = |(p, place, _): &(usize, usize, f64)| -> f64 {
                let row = problem.phi(*p);
                let phi = &row[place * problem.dim()..(place + 1) * problem.dim()];
                phi.iter().zip(&theta).map(|(x, y)| x * y).sum()
            };
            let product = |from: usize| -> f64 { seen[from..].iter().map(|s| (s.2 / p_of(s)).ln()).sum() };
            let rb = likelihood_threshold(keeper.likelihood(), least, 1.0);
            let first = keeper.likelihood().loss(&theta) - rb;
            let mut sum = 0.5 * first.exp();
            for n in 1..=(t as f64).log(8.0).floor() as i32 {
                let weight = 0.5 / f64::from(n * (n + 1));
                sum += weight * product(8usize.pow(n as u32)).exp();
            }
            let margin = keeper.now().margin(&theta);
            assert!((margin - (1.0 / 0.05f64).ln() + sum.ln()).abs() < 1e-6, "t = {t}: {margin} {sum}");
        }
        // and the ellipsoid contains it
        let known = keeper.update();
        let (region, set) = (keeper.region(&known).unwrap(), known.set.unwrap());
        let (mut sharp, mut outer) = (SharpSet::new(region, set.clone()), set);
        for _ in 0..8 {
            let v: Vec<f64> = (0..problem.states()).map(|_| draw.uniform()).collect();
            let mut phi = vec![0.0; problem.dim()];
            problem.phi_v(draw.below(problem.pairs()), &v, &mut phi);
            let own = sharp.min(&phi, &mut Warm::default());
            assert!(outer.min(&phi, &mut Warm::default()).bound <= own.bound + 1e-9);
            let mut theta = vec![0.0; problem.dim()];
            sharp.minimiser(&mut theta);
            assert!(keeper.now().margin(&theta) > -1e-3, "t = {t}: a minimiser outside");
        }
    }
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
