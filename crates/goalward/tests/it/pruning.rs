//! Rows of B that the others imply are dropped, and no others.

use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use goalward::numeric::{Polytope, PolytopeBuilder, Pruned, Stream, Tall};
use microlp::{ComparisonOp, OptimizationDirection, Problem};
use std::sync::Arc;

/// max a'z over rows, none of which is skipped unless `skip` says so, and a'z <= most.
fn maximum(rows: &[f64], offsets: &[f64], skip: &dyn Fn(usize) -> bool, a: &[f64], most: f64) -> f64 {
    let mut program = Problem::new(OptimizationDirection::Maximize);
    let z: Vec<_> = a.iter().map(|&a| program.add_var(a, (f64::NEG_INFINITY, f64::INFINITY))).collect();
    let terms = |row: &[f64]| -> Vec<_> { z.iter().copied().zip(row.iter().copied()).collect() };
    for (i, (row, &b)) in rows.chunks_exact(a.len()).zip(offsets).enumerate() {
        if !skip(i) {
            program.add_constraint(terms(row), ComparisonOp::Le, b);
        }
    }
    program.add_constraint(terms(a), ComparisonOp::Le, most);
    program.solve().unwrap().into_solution().unwrap().objective()
}

/// Which rows stay when each in turn, the last first, is asked of all others that are left.
fn by_brute_force(polytope: &Polytope) -> Vec<usize> {
    let (k, m) = (polytope.free(), polytope.offsets().len());
    let mut left = vec![true; m];
    for i in (0..m).rev() {
        let (a, b) = (&polytope.rows()[i * k..(i + 1) * k], polytope.offsets()[i]);
        let skip = |j: usize| j == i || !left[j];
        left[i] = maximum(polytope.rows(), polytope.offsets(), &skip, a, b + 1.0) > b + 1e-9;
    }
    (0..m).filter(|&i| left[i]).collect()
}

/// Both polytopes of a builder: with all rows, and pruned.
fn both(builder: PolytopeBuilder) -> (Polytope, Polytope) {
    (builder.clone().unpruned().finish().unwrap(), builder.finish().unwrap())
}

fn assert_is_brute_force(case: &str, builder: PolytopeBuilder) -> usize {
    let (all, pruned) = both(builder);
    let k = all.free();
    assert_eq!(pruned.free(), k);
    if k == 0 {
        assert!(pruned.offsets().is_empty());
        return 0;
    }
    let rows: Vec<usize> = by_brute_force(&all);
    let expected: Vec<&[f64]> = rows.iter().map(|i| &all.rows()[i * k..(i + 1) * k]).collect();
    let found: Vec<&[f64]> = pruned.rows().chunks_exact(k).collect();
    assert_eq!(found, expected, "{case}: {} rows", all.offsets().len());
    assert!(rows.iter().zip(pruned.offsets()).all(|(&i, b)| all.offsets()[i] == *b));
    assert!(pruned.pruned().complete && pruned.pruned().kept == rows.len(), "{case}: {:?}", pruned.pruned());
    rows.len()
}

fn draw(random: &mut Stream, n: usize) -> Vec<f64> {
    (0..n).map(|_| 2.0 * random.uniform() - 1.0).collect()
}

fn axis(d: usize, i: usize, sign: f64) -> Vec<f64> {
    (0..d).map(|j| if i == j { sign } else { 0.0 }).collect()
}

/// One to five dimensions: bounded, unbounded, with rows given twice, in multiples and in parallel.
#[test]
fn random_polytopes_keep_their_facets() {
    let mut random = Stream::new(41, &[]);
    let (mut kept, mut unbounded) = (0, 0);
    for round in 0..150 {
        let d = 1 + round % 5;
        let mut builder = PolytopeBuilder::new(d);
        let m = 1 + (random.uniform() * 40.0) as usize;
        for _ in 0..m {
            let mut a = draw(&mut random, d);
            if round % 3 == 0 {
                // a cone of directions that no row bounds
                a[0] = a[0].abs() + 0.05;
            }
            let b = 0.1 + random.uniform();
            builder.halfspace(&a, b);
            let scale = 0.5 + random.uniform();
            let again: Vec<f64> = a.iter().map(|a| scale * a).collect();
            match (random.uniform() * 6.0) as usize {
                0 => builder.halfspace(&a, b),
                1 => builder.halfspace(&again, scale * b),
                2 => builder.halfspace(&again, scale * (b + 0.1)),
                3 => builder.halfspace(&a.iter().map(|a| -a).collect::<Vec<f64>>(), 0.3),
                _ => {}
            }
        }
        unbounded += usize::from(round % 3 == 0);
        kept += assert_is_brute_force(&format!("round {round}"), builder);
    }
    assert!(kept > 600 && unbounded == 50, "{kept} facets");
}

/// Vertices in which more rows meet than there are dimensions: cubes, simplices and
/// cross-polytopes, and rows that touch their vertices, edges and faces without cutting anything
/// off, or cut vertices off by a little.
#[test]
fn degenerate_polytopes_keep_their_facets() {
    let mut random = Stream::new(42, &[]);
    for d in 2..=5 {
        for shape in 0..3 {
            let mut rows: Vec<(Vec<f64>, f64)> = match shape {
                0 => (0..2 * d).map(|i| (axis(d, i / 2, [1.0, -1.0][i % 2]), 1.0)).collect(),
                1 => (0..d).map(|i| (axis(d, i, -1.0), 0.0)).chain([(vec![1.0; d], 1.0)]).collect(),
                _ => (0..1 << d)
                    .map(|signs: usize| ((0..d).map(|j| [1.0, -1.0][signs >> j & 1]).collect(), 1.0))
                    .collect(),
            };
            let facets = rows.len();
            let mut builder = PolytopeBuilder::new(d);
            for _ in 0..30 {
                // a sum of rows with whole weights touches where they meet, or passes by
                let (mut a, mut b) = (vec![0.0; d], 0.0);
                for _ in 0..d {
                    let (row, offset) = &rows[(random.uniform() * facets as f64) as usize];
                    let weight = (random.uniform() * 3.0).floor();
                    a.iter_mut().zip(row).for_each(|(a, x)| *a += weight * x);
                    b += weight * offset;
                }
                if a.iter().any(|a| *a != 0.0) {
                    rows.push((a, b));
                }
            }
            // the order must not matter for what is a facet
            for place in (1..rows.len()).rev() {
                rows.swap(place, (random.uniform() * (place + 1) as f64) as usize);
            }
            rows.iter().for_each(|(a, b)| builder.halfspace(a, *b));
            let cut = builder.clone();
            assert_eq!(assert_is_brute_force(&format!("shape {shape}, {d} dimensions"), builder), facets);
            let mut cut = cut;
            let corner: Vec<f64> = (0..d).map(|j| 1.0 + j as f64).collect();
            cut.halfspace(
                &corner,
                [0.95 * (d * (d + 1) / 2) as f64, 0.95 * d as f64, 0.95 * d as f64][shape],
            );
            assert_is_brute_force(&format!("shape {shape}, {d} dimensions, cut"), cut);
        }
    }
}

/// Equalities stated and implied; a single point; no rows at all.
#[test]
fn flat_polytopes_keep_their_facets() {
    let mut random = Stream::new(43, &[]);
    for d in 2..=6 {
        for implied in [false, true] {
            let mut builder = PolytopeBuilder::new(d);
            builder.equality(&vec![1.0; d], 1.0).unwrap();
            (0..d).for_each(|i| builder.halfspace(&axis(d, i, -1.0), 0.0));
            for _ in 0..20 {
                let a = draw(&mut random, d);
                let mean = a.iter().sum::<f64>() / d as f64;
                builder.halfspace(&a, mean + 0.2 * random.uniform() + 0.05);
            }
            if implied {
                builder.halfspace(&axis(d, 0, 1.0), 1.0 / d as f64);
                builder.halfspace(&axis(d, 0, -2.0), -2.0 / d as f64);
            }
            assert_is_brute_force(&format!("{d} dimensions, implied: {implied}"), builder);
        }
    }
    let mut point = PolytopeBuilder::new(2);
    (0..2).for_each(|i| point.equality(&axis(2, i, 1.0), 0.5).unwrap());
    point.halfspace(&[1.0, 1.0], 3.0);
    let point = point.finish().unwrap();
    assert_eq!((point.offsets().len(), point.pruned()), (0, Pruned { seen: 1, kept: 0, complete: true }));
    let space = PolytopeBuilder::new(3).finish().unwrap();
    assert_eq!(space.pruned(), Pruned { seen: 0, kept: 0, complete: true });
    // only a slab: no vertex at all
    let mut slab = PolytopeBuilder::new(3);
    for b in [1.0, 2.0, 3.0] {
        slab.halfspace(&[1.0, 2.0, 0.0], b);
        slab.halfspace(&[-1.0, -2.0, 0.0], b);
    }
    let slab = slab.finish().unwrap();
    assert_eq!(slab.pruned(), Pruned { seen: 6, kept: 2, complete: true });
}

/// Feature rows in general position, ten to a pair.
pub(super) fn features(pairs: usize, dim: usize, seed: u64) -> Arc<Tall> {
    let mut random = Stream::new(seed, &[]);
    let mut phi = vec![0.0; pairs * 10 * dim];
    for pair in phi.chunks_exact_mut(10 * dim) {
        for model in 0..dim {
            let weights: Vec<f64> = (0..10).map(|_| random.exponential()).collect();
            let sum: f64 = weights.iter().sum();
            weights.iter().enumerate().for_each(|(row, w)| pair[row * dim + model] = w / sum);
        }
    }
    Arc::new(Tall::new(dim, phi))
}

fn builder(phi: &Arc<Tall>, dim: usize, most: usize) -> PolytopeBuilder {
    let mut builder = PolytopeBuilder::new(dim).at_most(most);
    builder.equality(&vec![1.0; dim], 1.0).unwrap();
    builder.no_less_than_zero(phi);
    builder
}

/// Twenty thousand rows, written out or not, in two dimensions: the facets are the corners of the
/// convex hull of a/s, found by Andrew's monotone chain.
#[test]
fn the_facets_of_many_rows_in_the_plane_are_a_convex_hull() {
    let phi = features(2_000, 3, 5);
    let all = builder(&phi, 3, 1 << 16).unpruned().finish().unwrap();
    assert_eq!((all.free(), all.offsets().len()), (2, 20_000));
    let inside: Vec<f64> = (0..2)
        .map(|j| (0..3).map(|i| all.basis()[i * 2 + j] * (all.interior()[i] - all.origin()[i])).sum())
        .collect();
    let mut points: Vec<([f64; 2], usize)> = all
        .rows()
        .chunks_exact(2)
        .zip(all.offsets())
        .map(|(a, b)| {
            let s = b - a[0] * inside[0] - a[1] * inside[1];
            [a[0] / s, a[1] / s]
        })
        .zip(0..)
        .collect();
    points.sort_by(|x, y| x.0[0].total_cmp(&y.0[0]).then(x.0[1].total_cmp(&y.0[1])));
    let turn =
        |o: [f64; 2], a: [f64; 2], b: [f64; 2]| (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    let mut corners = Vec::new();
    for reversed in [false, true] {
        let mut chain: Vec<([f64; 2], usize)> = Vec::new();
        for i in 0..points.len() {
            let point = points[if reversed { points.len() - 1 - i } else { i }];
            while chain.len() >= 2 && turn(chain[chain.len() - 2].0, chain[chain.len() - 1].0, point.0) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        corners.extend(chain.iter().map(|(_, row)| *row));
    }
    corners.sort_unstable();
    corners.dedup();
    let expected: Vec<&[f64]> = corners.iter().map(|i| &all.rows()[i * 2..i * 2 + 2]).collect();
    for most in [1 << 16, 100] {
        let pruned = builder(&phi, 3, most).finish().unwrap();
        assert!(!pruned.has_features() && pruned.pruned().complete && pruned.pruned().seen == 20_000);
        let mut found: Vec<&[f64]> = pruned.rows().chunks_exact(2).collect();
        let mut expected = expected.clone();
        for rows in [&mut found, &mut expected] {
            rows.sort_by(|x, y| x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])));
        }
        assert_eq!(found.len(), expected.len());
        let close = |x: &[f64], y: &[f64]| (x[0] - y[0]).abs() + (x[1] - y[1]).abs() < 1e-12;
        assert!(found.iter().zip(&expected).all(|(x, y)| close(x, y)));
    }
}

/// In four dimensions: no kept row is implied by the other kept ones, every dropped row is, and
/// features give the same facets on any number of threads.
#[test]
fn the_facets_of_many_rows_are_needed_and_enough() {
    let (pairs, dim) = (4_000, 5);
    let phi = features(pairs, dim, 6);
    let (all, written) = both(builder(&phi, dim, 1 << 16));
    let k = all.free();
    assert_eq!((k, all.offsets().len()), (4, 40_000));
    assert!(written.pruned().complete, "{:?}", written.pruned());
    let (rows, offsets) = (written.rows(), written.offsets());
    for (i, (a, b)) in rows.chunks_exact(k).zip(offsets).enumerate() {
        assert!(maximum(rows, offsets, &|j| j == i, a, b + 1.0) > b + 1e-9, "row {i} is not needed");
    }
    for (a, b) in all.rows().chunks_exact(k).zip(all.offsets()).step_by(37) {
        assert!(maximum(rows, offsets, &|_| false, a, b + 1.0) <= b + 1e-9);
    }
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| builder(&phi, dim, 100).finish().unwrap())
    };
    let (one, three) = (on(1), on(3));
    assert!(!one.has_features() && one.pruned() == three.pruned() && one.pruned().complete);
    assert_eq!(one.pruned().kept, offsets.len());
    let same = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| x.to_bits() == y.to_bits());
    assert!(same(one.rows(), three.rows()) && same(one.offsets(), three.offsets()));
}

/// Where nearly all rows are facets it is given up, and nothing is lost.
#[test]
fn facets_beyond_number_are_left_alone() {
    let phi = features(500, 10, 7);
    let (all, pruned) = both(builder(&phi, 10, 1 << 16));
    assert_eq!(pruned.pruned(), Pruned { seen: 5_000, kept: 5_000, complete: false });
    assert_eq!(all.rows(), pruned.rows());
    let kept = builder(&phi, 10, 100).finish().unwrap();
    assert!(kept.has_features() && kept.pruned() == pruned.pruned());
}

/// The same minima over ellipsoids that B contains, cuts and lies in.
#[test]
fn pruning_changes_no_minimum() {
    let mut random = Stream::new(44, &[]);
    for dim in [2, 3, 5] {
        let phi = features(300, dim, 8);
        let (all, pruned) = both(builder(&phi, dim, 1 << 16));
        let (all, pruned) = (Arc::new(all), Arc::new(pruned));
        assert!(10 * pruned.offsets().len() < all.offsets().len() || dim == 2);
        let center = vec![1.0 / dim as f64; dim];
        let mut shape = vec![0.0; dim * dim];
        (0..dim).for_each(|i| shape[i * dim + i] = 1.0 + i as f64);
        for radius in [0.01, 0.3, 1.0, 1e3] {
            let ellipsoid = Ellipsoid { center: &center, shape: &shape, radius };
            let mut expected = ConvexSet::new(&all, ellipsoid).unwrap();
            let mut found = ConvexSet::new(&pruned, ellipsoid).unwrap();
            for _ in 0..300 {
                let c = draw(&mut random, dim);
                let x = expected.min(&c, &mut Warm::default());
                let y = found.min(&c, &mut Warm::default());
                assert!((x.value - y.value).abs() <= 1e-10 * (1.0 + x.value.abs()), "{x:?} {y:?}");
            }
        }
    }
}
