//! Features in halves: the same problem, plans with the same certificate.

use goalward::Settings;
use goalward::numeric::Stream;
use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin};
use goalward::plan::{Devi, Planner, Task};
use goalward::problem::{Instance, Problem};
use goalward::worlds;

fn mixture(states: usize, dim: usize) -> Instance {
    let params = Settings::new().set("states", states).set("dim", dim).set("successors", 8);
    worlds::build("random-mixture", &params).unwrap()
}

fn ball(instance: &Instance, radius: f64) -> ConvexSet {
    let d = instance.problem.dim();
    let shape: Vec<f64> = (0..d * d).map(|i| f64::from(u8::from(i % (d + 1) == 0))).collect();
    let ellipsoid = Ellipsoid { center: instance.truth().unwrap().theta().unwrap(), shape: &shape, radius };
    ConvexSet::new(instance.problem.constraints(), ellipsoid).unwrap()
}

#[test]
fn split_features_are_the_same_features() {
    let whole = mixture(300, 5);
    let split = whole.clone().with_split_features().unwrap();
    let (a, b) = (&whole.problem, &split.problem);
    assert!(b.has_split_features() && !a.has_split_features());
    let mut random = Stream::new(3, &[]);
    let v: Vec<f64> = (0..a.states()).map(|_| 20.0 * random.uniform()).collect();
    let most = v.iter().copied().fold(0.0, f64::max);
    let theta = whole.truth().unwrap().theta().unwrap();
    let size: f64 = theta.iter().map(|x| x.abs()).sum();
    let (mut x, mut y, mut near) = ([0.0; 5], [0.0; 5], [0.0; 5]);
    let (mut worst, mut differ) = (0f64, 0);
    for p in 0..a.pairs() {
        assert_eq!(a.phi(p), b.phi(p));
        a.phi_v(p, &v, &mut x);
        b.phi_v(p, &v, &mut y);
        assert_eq!(x, y);
        b.phi_v_nearly(p, &v, &mut near);
        let error: f64 = (0..5).map(|i| theta[i] * (near[i] - x[i])).sum();
        worst = worst.max(error.abs() / (most * size * b.off_by(p)));
        differ += usize::from(near != x);
    }
    assert!(worst <= 1.0 && worst > 1e-3 && differ > a.pairs() / 2, "{worst} {differ}");
    // the size in memory is the same but for a number per pair
    assert_eq!(b.bytes(), a.bytes() + 4 * a.pairs());
}

/// V is below the fixed point and within what the residual says of it, loose or tight, faithful or
/// fast; reading halves shows where it may, and only there.
#[test]
fn plans_from_halves_keep_their_certificate() {
    // few states and many are evaluated in different ways
    [300, 1_300].into_iter().for_each(planned_from_halves);
}

fn planned_from_halves(states: usize) {
    let whole = mixture(states, 6);
    let split = whole.clone().with_split_features().unwrap();
    let start = vec![0.0; states];
    let mut seen = 0;
    for radius in [1e-3, 0.05, 0.5] {
        for (eps, planner) in [
            (1e-3, Planner::Faithful),
            (1e-3, Planner::Fast),
            (1e-9, Planner::Fast),
            (1e-8, Planner::Faithful),
        ] {
            let plan = |instance: &Instance, eps: f64, planner: Planner| {
                let problem = &*instance.problem;
                let task = Task { problem, costs: problem.costs(), b: 40.0, eps, q: 1e-3 };
                let mut devi = Devi::new(problem);
                let done = devi.plan(&task, &mut ball(instance, radius), planner, &start);
                assert!(done.residual <= eps, "{done:?}");
                // what the residual says holds for L read whole
                let task = Task { problem: &whole.problem, ..task };
                let mut again = Devi::new(&whole.problem);
                let change = again.apply(&task, &mut ball(&whole, radius), &devi.v);
                assert!(change <= done.residual + 1e-12, "{change} {done:?}");
                devi.v
            };
            let best = plan(&whole, 1e-12, Planner::Fast);
            let (a, b) = (plan(&whole, eps, planner), plan(&split, eps, planner));
            let below = |v: &[f64]| v.iter().zip(&best).all(|(v, best)| *v <= best + 1e-9);
            assert!(below(&a) && below(&b));
            seen += usize::from(eps > 1e-6 && a != b);
        }
    }
    assert!(seen > 0, "halves are never read");
}

/// A bound on |theta|_1 holds for every point of the set.
#[test]
fn one_norms_bound_minimisers() {
    let instance = mixture(100, 6);
    let mut random = Stream::new(5, &[]);
    for radius in [1e-6, 0.1, 1.0, 1e4] {
        let mut set = ball(&instance, radius);
        let bound = set.one_norm();
        let mut largest = 0f64;
        for _ in 0..500 {
            let c: [f64; 6] = std::array::from_fn(|_| random.uniform() - 0.5);
            set.min(&c, &mut Default::default());
            largest = largest.max(set.theta().iter().map(|x| x.abs()).sum());
        }
        assert!(largest <= bound && bound <= 20.0 * largest, "{radius}: {largest} {bound}");
    }
}

#[test]
fn what_no_f32_can_begin_is_named() {
    let mut builder = Problem::builder("tiny", 2, 2);
    let toss = builder.action(0, 1.0).unwrap();
    builder.feature(0, toss, 0, &[0.5, 1.7e-42]).unwrap();
    builder.feature(0, toss, 1, &[0.5, 1.0]).unwrap();
    let problem = builder.build().unwrap();
    let error = problem.with_split_features().unwrap_err().to_string();
    assert!(error.contains("1.7e-42") && error.contains("feature 1"), "{error}");
}
