//! The likelihood set against the set itself, and its promise against the truth.

use crate::worlds_for_tests::irregular;
use goalward::confidence::{LikelihoodCone, LikelihoodSet, likelihood_threshold};
use goalward::estimate::{Likelihood, Seen};
use goalward::numeric::support::{SupportMin, Warm};
use goalward::numeric::{Stream, categorical};
use goalward::problem::Instance;
use goalward::registry::Settings;
use goalward::worlds;

/// Problems of many shapes: few and many states, with and without simplex facts, sharp and blunt models.
fn problem(seed: u64) -> Instance {
    let simplex = seed % 2 == 0;
    let world = |id: &str, settings: Settings| worlds::build(id, &settings.set("simplex", simplex)).unwrap();
    match seed % 5 {
        0 => world("hard-instance", Settings::new().set("dim", 2 + seed % 4)),
        1 => world("windy-grid", Settings::new().set("n", 3)),
        2 => {
            let settings = Settings::new().set("seed", seed).set("states", 8).set("dim", 2 + seed % 5);
            world("random-mixture", settings)
        }
        3 => irregular(seed, 6, 3),
        _ => irregular(seed, 10, 6),
    }
}

/// Takes in so many transitions of uniformly random pairs.
fn watch(instance: &Instance, likelihood: &mut Likelihood, steps: u64, draw: &mut Stream) {
    let (problem, truth) = (&instance.problem, instance.truth().unwrap());
    let goal = problem.pairs_of(problem.goal());
    for _ in 0..steps {
        let p = draw.below(problem.pairs() - goal.len());
        let p = if p >= goal.start { p + goal.len() } else { p };
        let next = truth.sample(problem, p, draw.uniform());
        assert_eq!(likelihood.observe(p, next), Seen::Counted);
    }
}

/// Points of {theta in B : f(theta) <= r} on random chords, both ends of each chord among them.
fn sample(
    likelihood: &Likelihood,
    instance: &Instance,
    r: f64,
    chords: usize,
    draw: &mut Stream,
) -> Vec<Vec<f64>> {
    let polytope = instance.problem.constraints();
    let (d, k) = (polytope.dim(), polytope.free());
    let mut theta = likelihood.maximum().theta;
    let mut points = Vec::new();
    for _ in 0..chords {
        let z: Vec<f64> = (0..k).map(|_| draw.exponential() - draw.exponential()).collect();
        let direction: Vec<f64> =
            (0..d).map(|i| (0..k).map(|j| polytope.basis()[i * k + j] * z[j]).sum()).collect();
        let at = |t: f64| -> Vec<f64> { theta.iter().zip(&direction).map(|(x, d)| x + t * d).collect() };
        let inside = |t: f64| {
            let x = at(t);
            polytope.contains(&x, 1e-12) && likelihood.loss(&x) <= r
        };
        let end = |sign: f64| {
            let (mut low, mut high) = (0.0, sign);
            while inside(high) && high.abs() < 1e3 {
                (low, high) = (high, 2.0 * high);
            }
            for _ in 0..30 {
                let middle = 0.5 * (low + high);
                if inside(middle) { low = middle } else { high = middle }
            }
            low
        };
        let (low, high) = (end(-1.0), end(1.0));
        let parts = 10;
        points.extend((0..parts).map(|i| at(low + (high - low) * i as f64 / (parts - 1) as f64)));
        theta = at(low + (high - low) * draw.uniform());
    }
    points
}

#[test]
fn probe_width() {
    let mut all = Vec::new();
    for seed in 0..200 {
        let instance = problem(seed);
        let mut draw = Stream::new(seed, &[1]);
        let mut likelihood = Likelihood::new(&instance.problem);
        let steps = [0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000][draw.below(10)];
        watch(&instance, &mut likelihood, steps, &mut draw);
        let mut kept = LikelihoodSet::new(0.1);
        let knowledge = kept.update(&likelihood);
        let r = knowledge.threshold;
        let m = likelihood.seen_directions();
        let excess = likelihood.prediction_loss() - knowledge.maximum.loss;
        let mut set = knowledge.set.unwrap();
        let mut cone = LikelihoodCone::new(&likelihood, r);
        let d = instance.problem.dim();
        let mut ratios = Vec::new();
        for _ in 0..6 {
            // a direction that some kernel sees
            let c: Vec<f64> = {
                let v: Vec<f64> = (0..instance.problem.states()).map(|_| draw.uniform()).collect();
                let mut out = vec![0.0; d];
                instance.problem.phi_v(draw.below(instance.problem.pairs()), &v, &mut out);
                out
            };
            let minus: Vec<f64> = c.iter().map(|x| -x).collect();
            let mut warm = Warm::default();
            let wide = -set.min(&minus, &mut warm).bound - set.min(&c, &mut Warm::default()).bound;
            let true_ = -cone.min(&minus, &mut warm).value - cone.min(&c, &mut warm).value;
            if true_ > 1e-6 {
                ratios.push(wide / true_);
            }
        }
        let outside = sample(&likelihood, &instance, r, 20, &mut draw)
            .iter()
            .filter(|x| !kept.contains(&likelihood, x))
            .count();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        if mean.is_finite() {
            all.push(mean);
        }
        println!(
            "{seed:3} {:14} d={d} m={m} t={steps:5} gap={:6.2} excess={:6.2} mix={:6.2} ratio={mean:.3} max={:.3} outside={outside}",
            instance.problem.name(),
            r - knowledge.maximum.loss,
            excess,
            if steps > 0 {
                m as f64 * (steps as f64 / m as f64).ln_1p()
                    + steps as f64 * (m as f64 / steps as f64).ln_1p()
            } else {
                0.0
            },
            ratios.iter().fold(0.0, |a: f64, b| a.max(*b))
        );
    }
    println!("mean ratio {}", all.iter().sum::<f64>() / all.len() as f64);
    let _ = likelihood_threshold;
}
