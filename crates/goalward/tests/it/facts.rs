//! Feature rows that facts about single weights imply are left out of B, and B stays what it was.

use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use goalward::numeric::{Polytope, PolytopeBuilder, Pruned, Stream, Tall};
use goalward::{Settings, worlds};
use std::sync::Arc;

/// What is known of each weight.
type Bounds<'a> = &'a [(f64, f64)];

/// B from feature rows, the sum of the weights and bounds of some, stated after the rows.
fn stated(phi: &Arc<Tall>, bounds: Bounds, most: usize) -> PolytopeBuilder {
    let d = phi.dim();
    let mut builder = PolytopeBuilder::new(d).at_most(most);
    builder.equality(&vec![1.0; d], 1.0).unwrap();
    builder.no_less_than_zero(phi);
    for (i, (low, high)) in bounds.iter().enumerate() {
        for (sign, bound) in [(-1.0, -low), (1.0, *high)].into_iter().filter(|(_, b)| b.is_finite()) {
            let fact: Vec<f64> = (0..d).map(|j| if i == j { sign } else { 0.0 }).collect();
            builder.halfspace(&fact, bound);
        }
    }
    builder
}

/// Distributions over five successors, one for each of d models; some entries are zero.
fn mixtures(pairs: usize, dim: usize, random: &mut Stream) -> Vec<f64> {
    let mut phi = vec![0.0; pairs * 5 * dim];
    for pair in phi.chunks_exact_mut(5 * dim) {
        for model in 0..dim {
            let weights: Vec<f64> = (0..5).map(|_| (random.exponential() - 0.2).max(0.0) + 1e-3).collect();
            let sum: f64 = weights.iter().sum();
            weights.iter().enumerate().for_each(|(row, w)| pair[row * dim + model] = w / sum);
        }
    }
    phi
}

/// The minimum over a ball that contains all of B that matters, for random objectives.
fn assert_same_set(case: &str, all: Polytope, left: Polytope, random: &mut Stream) {
    assert_eq!(all.free(), left.free(), "{case}");
    let d = all.dim();
    let mut shape = vec![0.0; d * d];
    (0..d).for_each(|i| shape[i * d + i] = 1.0);
    let center = all.interior().to_vec();
    for radius in [0.3, 1e2] {
        let ellipsoid = Ellipsoid { center: &center, shape: &shape, radius };
        let mut expected = ConvexSet::new(&Arc::new(all.clone()), ellipsoid).unwrap();
        let mut found = ConvexSet::new(&Arc::new(left.clone()), ellipsoid).unwrap();
        for _ in 0..50 {
            let c: Vec<f64> = (0..d).map(|_| 2.0 * random.uniform() - 1.0).collect();
            let x = expected.min(&c, &mut Warm::default());
            let y = found.min(&c, &mut Warm::default());
            assert!((x.value - y.value).abs() <= 1e-9 * (1.0 + x.value.abs()), "{case}: {x:?} {y:?}");
        }
    }
}

#[test]
fn the_set_stays_whatever_is_known_of_the_weights() {
    const NONE: f64 = f64::INFINITY;
    let mut random = Stream::new(71, &[]);
    for d in [2, 3, 5, 8] {
        let phi = Arc::new(Tall::new(d, mixtures(40, d, &mut random)));
        let cases: [(&str, Vec<(f64, f64)>); 6] = [
            ("simplex", vec![(0.0, NONE); d]),
            ("some", (0..d).map(|i| if i % 2 == 0 { (0.0, NONE) } else { (-NONE, NONE) }).collect()),
            ("below", vec![(-0.05, NONE); d]),
            ("box", (0..d).map(|i| (0.1 * i as f64 / d as f64, 0.9)).collect()),
            ("above", vec![(-NONE, 0.7); d]),
            ("none", vec![(-NONE, NONE); d]),
        ];
        for (case, bounds) in &cases {
            let builder = stated(&phi, bounds, 1 << 16);
            let all = builder.clone().unpruned().finish().unwrap();
            assert_same_set(&format!("{case}, d = {d}"), all, builder.finish().unwrap(), &mut random);
        }
        let simplex = stated(&phi, &cases[0].1, 1 << 16).finish().unwrap();
        assert_eq!(simplex.pruned(), Pruned { seen: 200 + d, kept: d, complete: true });
    }
}

#[test]
fn a_row_with_a_negative_entry_stays_and_cuts() {
    let mut random = Stream::new(72, &[]);
    let d = 4;
    let mut numbers = mixtures(40, d, &mut random);
    numbers.extend([-0.5, 0.5, 0.5, 0.5]);
    let phi = Arc::new(Tall::new(d, numbers));
    for most in [1 << 16, 0] {
        let b = stated(&phi, &[(0.0, f64::INFINITY); 4], most).finish().unwrap();
        assert_eq!(b.pruned(), Pruned { seen: 205, kept: 5, complete: true });
        assert!(b.contains(&[0.5, 0.5, 0.0, 0.0], 1e-12) && !b.contains(&[0.51, 0.49, 0.0, 0.0], 1e-6));
    }
}

/// Rows that are tight on all of B need not be kept for B's hull to be found.
#[test]
fn implied_equalities_are_found_without_the_rows() {
    let d = 3;
    // theta_1 = 0 by the last two rows; the first is then implied, and tight, on all of B
    let phi = Arc::new(Tall::new(d, vec![0.4, 0.0, 0.0, 0.3, 0.5, 0.5, -0.2, 0.0, 0.0, 0.1, 0.5, 0.5]));
    let builder = stated(&phi, &[(0.0, f64::INFINITY); 3], 1 << 16);
    let b = builder.clone().finish().unwrap();
    assert_eq!((b.free(), b.pruned().kept), (1, 2));
    assert!(b.contains(&[0.0, 0.2, 0.8], 1e-12) && !b.contains(&[1e-3, 0.2, 0.799], 1e-6));
    let all = builder.unpruned().finish().unwrap();
    assert_same_set("flat", all, b, &mut Stream::new(73, &[]));
}

/// Half of the weights are known to be no less than zero, and every second row is theirs: the
/// others stay features, on any number of threads.
#[test]
fn features_that_no_fact_implies_are_scanned_alone() {
    let (d, mut random) = (10, Stream::new(74, &[]));
    let mut numbers = mixtures(300, d, &mut random);
    for row in numbers.chunks_exact_mut(d).step_by(2) {
        row[d / 2..].fill(0.0);
    }
    let bounds: Vec<_> =
        (0..d).map(|i| (if i < d / 2 { 0.0 } else { f64::NEG_INFINITY }, f64::INFINITY)).collect();
    let whole = Arc::new(Tall::new(d, numbers));
    let on = |threads: usize, phi: &Arc<Tall>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| stated(phi, &bounds, 100).finish().unwrap())
    };
    let (one, three) = (on(1, &whole), on(3, &whole));
    assert!(one.has_features());
    assert_eq!(one.pruned(), Pruned { seen: 1505, kept: 755, complete: false });
    assert_eq!((one.pruned(), one.rows()), (three.pruned(), three.rows()));
    assert_eq!((one.offsets(), one.interior()), (three.offsets(), three.interior()));
    let all = stated(&whole, &bounds, 1 << 16).unpruned().finish().unwrap();
    let exact = one.with_rows(goalward::numeric::Rows::Exact);
    assert_same_set("features", all, exact, &mut random);
}

#[test]
fn a_large_mixture_over_the_simplex_has_as_many_facets_as_models() {
    let settings = |simplex: bool| {
        let shape = Settings::new().set("states", 2_001).set("actions", 4).set("dim", 10);
        shape.set("successors", 10).set("simplex", simplex)
    };
    let build = |simplex| worlds::build("random-mixture", &settings(simplex)).unwrap().problem;
    let (known, unknown) = (build(true), build(false));
    let (b, larger) = (known.constraints(), unknown.constraints());
    assert!(larger.has_features() && !b.has_features());
    assert!(b.pruned().seen > 1 << 16 && b.pruned().seen == larger.pruned().seen + 10);
    assert_eq!((b.free(), b.pruned().kept, b.pruned().complete), (9, 10, true));
    let weights: Vec<f64> = (0..10).map(|i| if i == 3 { 1.0 } else { 0.0 }).collect();
    assert!(b.contains(&weights, 1e-12));
}
