use super::*;
use crate::Stream;
use proptest::prelude::*;

fn axis(d: usize, i: usize, sign: f64) -> Vec<f64> {
    (0..d).map(|j| if i == j { sign } else { 0.0 }).collect()
}

fn simplex(d: usize) -> PolytopeBuilder {
    let mut builder = PolytopeBuilder::new(d);
    builder.equality(&vec![1.0; d], 1.0).unwrap();
    (0..d).for_each(|i| builder.halfspace(&axis(d, i, -1.0), 0.0));
    builder
}

#[test]
fn the_simplex_loses_one_dimension() {
    for d in [1, 2, 5, 64] {
        let simplex = simplex(d).finish().unwrap();
        assert_eq!(simplex.free(), d - 1);
        assert_eq!(simplex.offsets().len(), if d == 1 { 0 } else { d });
        assert!(simplex.contains(&axis(d, 0, 1.0), 1e-12));
        assert!(simplex.interior().iter().all(|&x| x > 1e-7));
        assert!((simplex.interior().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn rows_tight_everywhere_become_equalities() {
    let mut builder = PolytopeBuilder::new(4);
    builder.halfspace(&[-1.0, 0.0, 0.0, 0.0], 0.0);
    builder.halfspace(&[0.0, -1.0, 0.0, 0.0], 0.0);
    builder.halfspace(&[1.0, 1.0, 0.0, 0.0], 0.0);
    builder.halfspace(&[0.3, 0.0, 1.0, 0.5], 1.0);
    builder.halfspace(&[0.0, 0.0, -1.0, 0.0], 0.0);
    let polytope = builder.finish().unwrap();
    assert_eq!(polytope.free(), 2);
    assert_eq!(polytope.offsets().len(), 2);
    assert!(polytope.contains(&[0.0, 0.0, 0.5, -3.0], 1e-12));
    assert!(!polytope.contains(&[1e-6, 0.0, 0.5, -3.0], 1e-9));
    let inside = polytope.interior();
    assert!(inside[2] > 1e-9 && 1.0 - inside[2] - 0.5 * inside[3] > 1e-9);
}

#[test]
fn implied_equalities_may_leave_one_point() {
    let mut builder = simplex(3);
    builder.halfspace(&[1.0, 0.0, 0.0], 0.25);
    builder.halfspace(&[0.0, 1.0, 0.0], 0.25);
    builder.halfspace(&[0.0, 0.0, 1.0], 0.5);
    let point = builder.finish().unwrap();
    assert_eq!((point.free(), point.offsets().len()), (0, 0));
    for (x, y) in point.interior().iter().zip([0.25, 0.25, 0.5]) {
        assert!((x - y).abs() < 1e-9);
    }
    assert!(point.contains(&[0.25, 0.25, 0.5], 1e-9) && !point.contains(&[0.25, 0.5, 0.25], 1e-3));
}

#[test]
fn emptiness_is_found() {
    let mut facing = PolytopeBuilder::new(2);
    facing.halfspace(&[1.0, 0.0], 0.0);
    facing.halfspace(&[-2.0, 0.0], -0.1);
    assert!(facing.finish().is_err());
    let mut triangle = simplex(3);
    (0..3).for_each(|i| triangle.halfspace(&axis(3, i, 1.0), 0.33));
    assert!(triangle.finish().is_err());
    let mut everywhere = PolytopeBuilder::new(1);
    everywhere.halfspace(&[0.0], -1.0);
    assert!(everywhere.finish().is_err());
}

/// The simplex method alone has answered some of these with a point at 1e16.
#[test]
fn contradictions_hidden_in_combinations_are_found() {
    let mut random = Stream::new(8, &[]);
    let mut draw = move |n: usize| -> Vec<f64> { (0..n).map(|_| 2.0 * random.uniform() - 1.0).collect() };
    for round in 0..400 {
        let (d, m) = (1 + round % 20, 2 + round % 13);
        let mut builder = PolytopeBuilder::new(d);
        let (mut sum, mut total) = (vec![0.0; d], 0.0);
        for i in 0..m {
            let a = draw(d);
            builder.halfspace(&a, 0.5);
            if i < 4 {
                sum.iter_mut().zip(&a).for_each(|(s, a)| *s -= a);
                total -= 0.5;
            }
        }
        builder.halfspace(&sum, total - 1e-4);
        assert!(builder.finish().is_err(), "round {round}");
    }
}

#[test]
fn parallel_rows_merge_to_the_tighter() {
    let mut builder = PolytopeBuilder::new(2);
    builder.halfspace(&[3.0, 4.0], 10.0);
    builder.halfspace(&[0.6, 0.8], 1.0);
    builder.halfspace(&[6.0, 8.0], 15.0);
    builder.halfspace(&[-0.6, -0.8], 1.0);
    let strip = builder.finish().unwrap();
    assert_eq!(strip.free(), 2);
    assert_eq!(strip.offsets().len(), 2);
    assert!((strip.offsets()[0] - 1.0).abs() < 1e-15);
}

#[test]
fn a_contradicting_equality_is_refused() {
    let mut builder = PolytopeBuilder::new(2);
    builder.equality(&[1.0, 1.0], 1.0).unwrap();
    builder.equality(&[2.0, 2.0], 2.0).unwrap();
    assert!(builder.equality(&[1.0, 1.0], 2.0).is_err());
}

#[test]
fn many_rows_with_and_without_interior() {
    let mut random = Stream::new(7, &[]);
    let (d, m) = (6, 100_000);
    let mut builder = PolytopeBuilder::new(d);
    for _ in 0..m {
        let a: Vec<f64> = (0..d).map(|_| 2.0 * random.uniform() - 1.0).collect();
        builder.halfspace(&a, 0.1 + random.uniform());
    }
    let mut flat = builder.clone();
    assert_eq!(builder.finish().unwrap().free(), d);
    // theta_1 <= 0, theta_2 <= 0, theta_1 + theta_2 >= 0: no interior, and no two rows are parallel
    flat.halfspace(&axis(d, 0, 1.0), 0.0);
    flat.halfspace(&axis(d, 1, 1.0), 0.0);
    flat.halfspace(&[-1.0, -1.0, 0.0, 0.0, 0.0, 0.0], 0.0);
    assert_eq!(flat.finish().unwrap().free(), d - 2);
}

proptest! {
    #[test]
    fn a_polytope_around_a_point_contains_it(
        (d, point, rows, flat) in (1usize..9).prop_flat_map(|d| (
            Just(d),
            prop::collection::vec(-2.0f64..2.0, d),
            prop::collection::vec((prop::collection::vec(-1.0f64..1.0, d), 0.0f64..2.0), 0..30),
            prop::collection::vec(prop::collection::vec(-1.0f64..1.0, d), 0..3),
        ))
    ) {
        let mut builder = PolytopeBuilder::new(d);
        for (a, slack) in &rows {
            // a third of the rows pass through the point itself: a cone, perhaps a flat one
            builder.halfspace(a, dot(a, &point) + if *slack < 0.7 { 0.0 } else { *slack });
        }
        for a in &flat {
            prop_assert!(builder.equality(a, dot(a, &point)).is_ok());
        }
        let polytope = builder.finish().unwrap();
        prop_assert!(polytope.contains(&point, 1e-8));
        prop_assert!(polytope.contains(polytope.interior(), 1e-9));
        prop_assert!(polytope.free() >= d.saturating_sub(flat.len() + rows.len()));
        // the interior point has slack in every row that is left
        let z = polytope.coordinates(polytope.interior());
        for (a, b) in polytope.rows().chunks_exact(polytope.free().max(1)).zip(polytope.offsets()) {
            prop_assert!(b - dot(a, &z) > 0.0);
        }
        // and the basis is orthonormal
        for i in 0..polytope.free() {
            for j in 0..polytope.free() {
                let product: f64 = polytope.basis().chunks_exact(polytope.free()).map(|n| n[i] * n[j]).sum();
                prop_assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
    }
}
