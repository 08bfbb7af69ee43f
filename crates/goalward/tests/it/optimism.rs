//! DEVI is optimistic whenever theta* lies in the set, and equals value iteration when the set is a point.

use crate::worlds_for_tests::irregular;
use goalward::numeric::Stream;
use goalward::numeric::support::{ConvexSet, Ellipsoid};
use goalward::plan::{Devi, exact};
use goalward::problem::Instance;
use proptest::prelude::*;

/// A random positive definite matrix with condition number up to 1e4.
fn shape(draw: &mut Stream, d: usize) -> Vec<f64> {
    let mut sigma = vec![0.0; d * d];
    (0..d).for_each(|i| sigma[i * d + i] = 0.01);
    for _ in 0..2 * d {
        let x: Vec<f64> = (0..d).map(|_| draw.uniform() - 0.5).collect();
        let weight = 10f64.powf(4.0 * draw.uniform() - 1.0);
        for i in 0..d {
            (0..d).for_each(|k| sigma[i * d + k] += weight * x[i] * x[k]);
        }
    }
    sigma
}

fn norm(sigma: &[f64], x: &[f64]) -> f64 {
    let d = x.len();
    (0..d).map(|i| (0..d).map(|k| x[i] * sigma[i * d + k] * x[k]).sum::<f64>()).sum::<f64>().sqrt()
}

/// Plans over an ellipsoid around theta* + offset that just contains theta*, or is larger by `slack`.
fn plan(
    instance: &Instance,
    sigma: &[f64],
    center: &[f64],
    radius: f64,
    b: f64,
    eps: f64,
    q: f64,
) -> Vec<f64> {
    let problem = &instance.problem;
    let mut set = ConvexSet::new(problem.constraints(), Ellipsoid { center, shape: sigma, radius })
        .unwrap_or_else(|_| panic!("theta* is in the set, so it is not empty"));
    let mut devi = Devi::new(problem);
    let done = devi.plan(problem, problem.costs(), b, &mut set, eps, q);
    assert!(done.change < eps);
    assert!(devi.v.iter().all(|v| (0.0..=b).contains(v)));
    devi.v
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn devi_stays_below_the_optimum(
        (seed, states, dim) in (any::<u64>(), 2usize..8, 1usize..6),
        distance in 0.0f64..1.0,
        slack in prop_oneof![Just(0.0), 0.0f64..10.0],
        t in prop_oneof![Just(1.0), 2.0f64..1e5],
    ) {
        let instance = irregular(seed, states, dim);
        let truth = instance.truth().unwrap();
        let best = exact::solve(&instance.problem, truth, 1e-12).unwrap();
        let mut draw = Stream::new(seed, &[1]);
        let sigma = shape(&mut draw, dim);
        let center: Vec<f64> = truth.theta().iter().map(|x| x + distance * (draw.uniform() - 0.5)).collect();
        let offset: Vec<f64> = truth.theta().iter().zip(&center).map(|(x, c)| x - c).collect();
        let radius = norm(&sigma, &offset) * (1.0 + 1e-9) + slack + 1e-9;
        let v = plan(&instance, &sigma, &center, radius, best.b_star * 1.01, 1.0 / t, 1.0 / t);
        for s in 0..states {
            prop_assert!(v[s] <= best.upper[s] * (1.0 + 1e-9) + 1e-12, "state {s}: {} > {}", v[s], best.upper[s]);
        }
    }

    #[test]
    fn devi_with_the_true_model_is_value_iteration(seed: u64, states in 2usize..8, dim in 1usize..5) {
        let instance = irregular(seed, states, dim);
        let truth = instance.truth().unwrap();
        let problem = &instance.problem;
        let (eps, q) = (1e-10, 1e-3);
        let mut sigma = vec![0.0; dim * dim];
        (0..dim).for_each(|i| sigma[i * dim + i] = 1.0);
        let ours = plan(&instance, &sigma, truth.theta(), 1e-13, 1e3, eps, q);
        let mut v = vec![0.0; states];
        for _ in 0..100_000 {
            let step = |s: usize| problem.pairs_of(s).map(|p| {
                let next = problem.successors(p).iter().zip(truth.row(problem, p));
                problem.cost(p) + (1.0 - q) * next.map(|(&n, pr)| pr * v[n as usize]).sum::<f64>()
            }).fold(f64::INFINITY, f64::min);
            let next: Vec<f64> = (0..states).map(|s| if s == problem.goal() { 0.0 } else { step(s) }).collect();
            let change = next.iter().zip(&v).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            v = next;
            if change < eps {
                break;
            }
        }
        for s in 0..states {
            prop_assert!((v[s] - ours[s]).abs() < 1e-9, "state {s}: {} and {}", ours[s], v[s]);
        }
    }
}
