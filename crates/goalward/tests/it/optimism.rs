//! DEVI is optimistic whenever theta* lies in the set, and equals value iteration when the set is a
//! point.

use crate::worlds_for_tests::{half_free, irregular};
use goalward::Settings;
use goalward::numeric::Stream;
use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use goalward::plan::{Devi, Options, Planner, Task, solve};
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

/// An ellipsoid by its centre, shape and radius.
struct Region {
    center: Vec<f64>,
    sigma: Vec<f64>,
    radius: f64,
}

impl Region {
    fn set(&self, instance: &Instance) -> ConvexSet {
        let ellipsoid = Ellipsoid { center: &self.center, shape: &self.sigma, radius: self.radius };
        let set = ConvexSet::new(instance.problem.constraints(), ellipsoid);
        set.unwrap_or_else(|_| panic!("theta* is in the set, so it is not empty"))
    }

    /// One that contains theta*, just so or with some slack.
    fn around_truth(instance: &Instance, seed: u64, distance: f64, slack: f64) -> Region {
        let theta = instance.truth().unwrap().theta().unwrap();
        let mut draw = Stream::new(seed, &[1]);
        let sigma = shape(&mut draw, theta.len());
        let center: Vec<f64> = theta.iter().map(|x| x + distance * (draw.uniform() - 0.5)).collect();
        let offset: Vec<f64> = theta.iter().zip(&center).map(|(x, c)| x - c).collect();
        let radius = norm(&sigma, &offset) * (1.0 + 1e-9) + slack + 1e-9;
        Region { center, sigma, radius }
    }
}

/// Plans, checks what both planners promise, and gives V.
fn plan(task: &Task, set: &mut ConvexSet, planner: Planner) -> Vec<f64> {
    let Task { problem, costs, b, eps, q } = *task;
    let mut devi = Devi::new(problem);
    let done = devi.plan(task, set, planner, &vec![0.0; problem.states()]);
    assert!(done.residual <= eps, "{planner:?}: residual {}", done.residual);
    assert_eq!(done.planner, planner);
    assert!(devi.v.iter().all(|v| (0.0..=b).contains(v)));
    // |V - LV| <= eps by a sweep of our own; and V is the minimum of the Q that belongs to it
    let mut phi = vec![0.0; problem.dim()];
    for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
        let mut best = b;
        for p in problem.pairs_of(s) {
            problem.phi_v(p, &devi.v, &mut phi);
            best = best.min(costs[p] + (1.0 - q) * set.min(&phi, &mut Warm::default()).value);
        }
        assert!((best - devi.v[s]).abs() <= eps + 1e-11 * b, "{planner:?}, state {s}: {} {best}", devi.v[s]);
        let least = problem.pairs_of(s).map(|p| devi.q[p]).fold(b, f64::min);
        assert!((least - devi.v[s]).abs() <= 1e-9 * b.max(1.0));
    }
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
        let problem = &instance.problem;
        let best = solve(problem, instance.truth().unwrap(), &Options::exact(1e-12)).unwrap();
        let mut set = Region::around_truth(&instance, seed, distance, slack).set(&instance);
        let (b, rate) = (best.b_star * 1.01, 1.0 / t);
        let task = Task { problem, costs: problem.costs(), b, eps: rate, q: rate };
        for planner in [Planner::Faithful, Planner::Fast] {
            let v = plan(&task, &mut set, planner);
            for s in 0..states {
                let limit = best.upper[s] * (1.0 + 1e-9) + 1e-12;
                prop_assert!(v[s] <= limit, "{planner:?}, state {s}: {} > {limit}", v[s]);
            }
        }
    }

    /// Stopped at a residual both may be far from the fixed point; forced to it they agree, also
    /// where B clamps.
    #[test]
    fn both_planners_agree_at_the_fixed_point(
        (seed, states, dim) in (any::<u64>(), 2usize..8, 1usize..6),
        (slack, share, q) in (0.0f64..3.0, prop_oneof![Just(2.0), 0.2f64..1.0], 1e-4f64..0.5),
    ) {
        let instance = irregular(seed, states, dim);
        let problem = &instance.problem;
        let best = solve(problem, instance.truth().unwrap(), &Options::exact(1e-12)).unwrap();
        let mut set = Region::around_truth(&instance, seed, 0.3, slack).set(&instance);
        let task = Task { problem, costs: problem.costs(), b: share * best.b_star, eps: 1e-12, q };
        let mut devi = Devi::new(problem);
        devi.plan(&task, &mut set, Planner::Faithful, &[]);
        let faithful = devi.v.clone();
        devi.plan(&task, &mut set, Planner::Fast, &vec![0.0; states]);
        for s in 0..states {
            prop_assert!((faithful[s] - devi.v[s]).abs() <= 1e-8, "state {s}: {} {}", faithful[s], devi.v[s]);
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
        let region = Region { center: truth.theta().unwrap().to_vec(), sigma, radius: 1e-13 };
        let task = Task { problem, costs: problem.costs(), b: 1e3, eps, q };
        let ours = plan(&task, &mut region.set(&instance), Planner::Faithful);
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

/// Zero costs have no c_min to scale by: the certificate subtracts instead.
#[test]
fn free_states_are_certified_too() {
    let instance = half_free();
    let problem = &instance.problem;
    let best = solve(problem, instance.truth().unwrap(), &Options::exact(1e-12)).unwrap();
    for t in [10.0, 1e3, 1e5] {
        let mut set = Region::around_truth(&instance, 1, 0.2, 0.1).set(&instance);
        let task = Task { problem, costs: problem.costs(), b: 3.0, eps: 1.0 / t, q: 1.0 / t };
        for planner in [Planner::Faithful, Planner::Fast] {
            let v = plan(&task, &mut set, planner);
            (0..problem.states()).for_each(|s| assert!(v[s] <= best.upper[s] + 1e-12));
        }
    }
}

/// The same bytes from one thread and from several, in both planners.
#[test]
fn threads_do_not_change_a_bit() {
    let instance = goalward::worlds::build("windy-grid", &Settings::new().set("n", 20)).unwrap();
    let problem = &instance.problem;
    let region = Region::around_truth(&instance, 4, 0.1, 0.5);
    let run = |threads: usize, planner: Planner| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let task = Task { problem, costs: problem.costs(), b: 20.0, eps: 0.05, q: 1e-3 };
            let mut devi = Devi::new(problem);
            let done = devi.plan(&task, &mut region.set(&instance), planner, &vec![0.0; problem.states()]);
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            (bits(&devi.v), bits(&devi.q), done.sweeps)
        })
    };
    for planner in [Planner::Faithful, Planner::Fast] {
        let one = run(1, planner);
        assert_eq!(one, run(2, planner));
        assert_eq!(one, run(5, planner));
    }
}
