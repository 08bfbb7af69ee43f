use goalward::confidence::{self, LikelihoodSet};
use goalward::estimate::{Home, Likelihood};
use goalward::numeric::Stream;
use goalward::registry::Settings;
use goalward::worlds;
use std::time::Instant;

#[test]
fn probe_cost() {
    for (id, s, levels) in [
        ("hard-instance", Settings::new().set("dim", 8), 4),
        ("random-mixture", Settings::new().set("dim", 8).set("states", 20), 6),
        ("random-mixture", Settings::new().set("dim", 8).set("states", 100).set("actions", 5), 6),
    ] {
        let instance = worlds::build(id, &s).unwrap();
        let (problem, truth) = (&instance.problem, instance.truth().unwrap());
        for steps in [1_000usize, 10_000, 100_000] {
            let mut draw = Stream::new(1, &[]);
            let goal = problem.pairs_of(problem.goal()).start;
            let data: Vec<(usize, usize)> = (0..steps)
                .map(|_| {
                    let p = draw.below(goal);
                    (p, truth.sample(problem, p, draw.uniform()))
                })
                .collect();
            let u: Vec<f64> = (0..problem.states()).map(|_| draw.uniform()).collect();
            let start = Instant::now();
            let mut home = Home::new(8, levels, 1.0 / 9.0, 0.6);
            for (i, &(p, next)) in data.iter().enumerate() {
                let t = i as u64 + 1;
                let beta = confidence::levis_plus_plus(t, 8, 1.0 / 9.0, 0.01, 1.0, 1.0);
                home.step(problem, p, next, &u, beta, t);
                if home.doubled() {
                    home.freeze();
                }
            }
            let levis = start.elapsed();
            let start = Instant::now();
            let mut likelihood = Likelihood::new(problem);
            let made = start.elapsed();
            let start = Instant::now();
            let mut most = f64::NEG_INFINITY;
            let mut set = LikelihoodSet::new(0.01);
            let (mut plans, mut planning) = (0, std::time::Duration::ZERO);
            for &(p, next) in &data {
                let _ = likelihood.observe(p, next);
                if likelihood.log_information() > most + 2f64.ln() {
                    let begin = Instant::now();
                    most = likelihood.log_information();
                    assert!(set.update(&likelihood).set.is_ok());
                    plans += 1;
                    planning += begin.elapsed();
                }
            }
            let ours = start.elapsed();
            println!(
                "{id} t={steps}: home {:?}/step, likelihood {:?}/step (of it sets {:?}, {plans} plans), ratio {:.2}; frame {made:?}; B rows {}",
                levis / steps as u32,
                ours / steps as u32,
                planning / steps as u32,
                ours.as_secs_f64() / levis.as_secs_f64(),
                problem.constraints().offsets().len()
            );
        }
    }
}
