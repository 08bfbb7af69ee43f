use super::outer::curvature;
use super::*;
use crate::numeric::Portable;
use crate::problem::Problem;
use std::sync::Arc;

#[test]
fn minorants_are_below_and_touch() {
    for p0 in [1e-6, 0.03, 0.5, 0.99] {
        for hi in [0.5 * p0, p0 * (1.0 - 1e-5), p0, p0 * (1.0 + 1e-5), 2.0 * p0, 1f64.max(p0)] {
            let kappa = curvature(p0, hi);
            let minorant = |p: f64| -p0.log_e() - (p - p0) / p0 + kappa * (p - p0) * (p - p0);
            for i in 1..=1000 {
                let p = hi * f64::from(i) / 1000.0;
                let gap = -p.log_e() - minorant(p);
                assert!(gap >= -1e-12 * (1.0 + p.log_e().abs()), "p0 = {p0}, hi = {hi}, p = {p}: {gap}");
            }
            let gap = -hi.log_e() - minorant(hi);
            assert!(gap <= 1e-8 * (1.0 + hi / p0), "p0 = {p0}, hi = {hi}: {gap}");
        }
    }
}

/// One state that is left with probability theta_1/4 + 3 theta_2/4.
fn coin() -> Arc<Problem> {
    let mut builder = Problem::builder("coin", 2, 2);
    builder.start(0).goal(1);
    let toss = builder.action(0, 1.0).unwrap();
    builder.feature(0, toss, 0, &[0.75, 0.25]).unwrap();
    builder.feature(0, toss, 1, &[0.25, 0.75]).unwrap();
    builder.simplex();
    Arc::new(builder.build().unwrap())
}

#[test]
fn the_threshold_averages_both_predictions() {
    let mut likelihood = Likelihood::new(&coin());
    assert!((likelihood_threshold(&likelihood, 0.0, 0.1) - 10f64.log_e()).abs() < 1e-12);
    for i in 0..40 {
        let _ = likelihood.observe(0, usize::from(i % 3 == 0));
    }
    let loss = likelihood.maximum().loss;
    let r = likelihood_threshold(&likelihood, loss, 0.1);
    // m = 1: log(1 + 40) + 40 log(1 + 1/40)
    let (ra, rb) = (likelihood.prediction_loss(), loss + 41f64.log_e() + 40.0 * 1.025f64.log_e());
    let direct = 10f64.log_e() - (0.8 * (-ra).exp_e() + 0.2 * (-rb).exp_e()).log_e();
    assert!((r - direct).abs() < 1e-9, "{r} {direct}");
    assert!(r <= ra + (10.0 / 0.8f64).log_e() && r >= ra.min(rb) + 10f64.log_e());
}

#[test]
fn an_interval_is_the_sets_own_in_one_dimension() {
    let mut likelihood = Likelihood::new(&coin());
    for i in 0..2000 {
        let _ = likelihood.observe(0, usize::from(i % 2 == 0));
    }
    let mut kept = LikelihoodSet::new(0.1);
    assert!(kept.intervals(&likelihood).is_none() && kept.radius().is_none());
    let r = kept.update(&likelihood).threshold;
    let covered = |x: f64| likelihood.loss(&[1.0 - x, x]) <= r;
    let (low, high) = kept.intervals(&likelihood).unwrap()[1];
    let steps: Vec<f64> = (0..=10_000).map(|i| f64::from(i) / 10_000.0).filter(|x| covered(*x)).collect();
    let (least, most) = (steps[0], steps[steps.len() - 1]);
    assert!(low <= least && most <= high, "[{low}, {high}] around [{least}, {most}]");
    assert!(high - low <= 1.05 * (most - least) + 2e-4);
    assert!(likelihood_covers(&likelihood, 0.1, &[0.5, 0.5]));
    assert!(!likelihood_covers(&likelihood, 0.1, &[0.0, 1.0]));
}

#[test]
fn containment_is_never_claimed_wrongly() {
    let mut likelihood = Likelihood::new(&coin());
    for i in 0..500 {
        let _ = likelihood.observe(0, usize::from(i % 2 == 0));
    }
    let mut kept = LikelihoodSet::new(0.1);
    let mut own = kept.update(&likelihood).set.unwrap();
    let minus = -own.min(&[0.0, -1.0], &mut Warm::default()).bound;
    let shape = [1.0, 0.0, 0.0, 1.0];
    let mut claimed = 0;
    for i in 0..100 {
        let center = [0.5, 0.5];
        let other = Ellipsoid { center: &center, shape: &shape, radius: 0.02 * f64::from(i) };
        if kept.lies_in(&likelihood, &other) {
            claimed += 1;
            let mut set = ConvexSet::new(likelihood.polytope(), other).unwrap();
            assert!(-set.min(&[0.0, -1.0], &mut Warm::default()).bound >= minus - 1e-12);
        }
    }
    assert!((50..99).contains(&claimed), "{claimed}");
}
