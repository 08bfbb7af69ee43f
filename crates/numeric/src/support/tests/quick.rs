//! Sets that were made ready for many objectives answer as others do.

use super::super::*;
use super::{draw, instance, surrounded};
use crate::{PolytopeBuilder, Stream};
use proptest::prelude::*;

/// A copy that is ready, and where objectives may start.
fn ready(set: &ConvexSet, d: usize, random: &mut Stream) -> (ConvexSet, Survey) {
    let (mut copy, mut survey, mut theta) = (set.clone(), Survey::new(d, 40), vec![0.0; d]);
    for _ in 0..60 {
        let mut warm = Warm::default();
        copy.min(&draw(random, d), &mut warm);
        copy.minimiser(&mut theta);
        survey.note(&theta, &warm);
    }
    copy.ready(&survey);
    (copy, survey)
}

/// Objectives in pairs that differ a little, the second from what the first left.
fn agree(set: &ConvexSet, d: usize, random: &mut Stream) {
    let (mut quick, survey) = ready(set, d, random);
    let (first, mut plain) = (quick.clone(), set.clone());
    let mut asked = Vec::new();
    for _ in 0..20 {
        let c = draw(random, d);
        let mut warm = Warm::default();
        survey.start(&c, &mut warm);
        let mut known = false;
        for shift in [0.0, 1e-3, 0.3] {
            let c: Vec<f64> = c.iter().map(|c| c + shift * (random.uniform() - 0.5)).collect();
            let before = (warm.clone(), known);
            let found;
            (found, known) = quick.min_again(&c, &mut warm, known);
            let expected = plain.min(&c, &mut Warm::default());
            let scale = norm(&c) * (1.0 + norm(&plain.theta()) + norm(&quick.theta()));
            let slack = if plain.fallbacks() + quick.fallbacks() == 0 { 1e-8 } else { 1e-5 };
            assert!((found.value - expected.value).abs() <= slack * scale, "{found:?} {expected:?}");
            assert!(found.bound <= expected.value + slack * scale, "{found:?} {expected:?}");
            asked.push((c, before, found, warm.clone()));
        }
    }
    // whatever a copy was asked before, an answer is the same to the last bit
    let mut other = first;
    for (c, (mut warm, known), found, rows) in asked.into_iter().rev() {
        let again = other.min_again(&c, &mut warm, known).0;
        assert_eq!(
            (again.value.to_bits(), again.bound.to_bits()),
            (found.value.to_bits(), found.bound.to_bits())
        );
        assert_eq!(warm, rows);
    }
}

proptest! {
    #[test]
    fn sets_of_few_rows_answer_alike(seed in 0u64..) {
        let mut random = Stream::new(seed, &[8]);
        let instance = instance(&mut random);
        if let Ok(set) = ConvexSet::new(&instance.polytope, instance.ellipsoid()) {
            agree(&set, instance.polytope.dim(), &mut random);
        }
    }
}

/// Rows in general position around the origin: nearly all can bind.
#[test]
fn sets_of_many_rows_answer_alike() {
    let mut random = Stream::new(5, &[9]);
    for (d, rows) in [(3, 200), (6, 400), (9, 700), (20, 300), (6, 1200)] {
        for radius in [1.05, 1.5, 100.0] {
            let set = surrounded(&mut random, d, rows, radius);
            assert!(set.binding_rows() >= 128 && set.faces.is_none());
            agree(&set, d, &mut random);
        }
    }
}

/// Where the ball hardly matters, minimisers are found along the edges, from nothing and from the
/// last one, without the general method.
#[test]
fn corners_are_found_along_the_edges() {
    let mut random = Stream::new(6, &[9]);
    for (d, rows) in [(2, 150), (4, 200), (6, 400), (9, 700), (13, 500), (5, 1500)] {
        let set = surrounded(&mut random, d, rows, 100.0);
        let (quick, _) = ready(&set, d, &mut random);
        assert!(quick.is_eager());
        let (mut quick, mut plain, mut found, mut asked) = (quick, set, 0, 0);
        for _ in 0..100 {
            let (mut c, mut warm, mut known) = (draw(&mut random, d), Warm::default(), false);
            for _ in 0..3 {
                quick.set.whiten(&c, &mut quick.w);
                let size = norm(quick.w.as_flattened());
                quick.w.iter_mut().for_each(|w| *w = w.map(|w| w / size));
                let (starts, answer) = (quick.starts.as_deref(), &mut quick.method);
                found += usize::from(pivots::solve(&quick.set, starts, &quick.w, &warm, known, answer));
                asked += 1;
                let answer;
                (answer, known) = quick.min_again(&c, &mut warm, known);
                let expected = plain.min(&c, &mut Warm::default());
                let slack = 1e-9 * (1.0 + expected.value.abs());
                assert!(known && (answer.value - expected.value).abs() <= slack, "{answer:?} {expected:?}");
                assert!(answer.bound <= answer.value && answer.value - answer.bound <= slack);
                c.iter_mut().for_each(|c| *c += 0.3 * (random.uniform() - 0.5));
            }
        }
        assert!(100 * found >= 98 * asked, "{d}: {found} of {asked}");
        assert_eq!(quick.fallbacks(), 0);
        // once it is cut, old corners may be outside
        let row = draw(&mut random, d);
        for set in [&mut quick, &mut plain] {
            set.cut(&row, 0.2 * norm(&row));
        }
        assert!(!quick.is_eager());
        let lowest = |set: &mut ConvexSet| {
            set.min(&row.iter().map(|x| -x).collect::<Vec<_>>(), &mut Warm::default()).value
        };
        let (found, expected) = (lowest(&mut quick), lowest(&mut plain));
        assert!((found - expected).abs() < 1e-9 && (expected + 0.2 * norm(&row)).abs() < 1e-9);
    }
}

/// A set that is cut is another set: what was kept of the old one is gone.
#[test]
fn cuts_undo_what_was_prepared() {
    let mut builder = PolytopeBuilder::new(2);
    builder.halfspace(&[-1.0, 0.0], 0.0);
    builder.halfspace(&[0.0, -1.0], 0.0);
    let quarter = Arc::new(builder.finish().unwrap());
    let disc = Ellipsoid { center: &[0.5, 0.5], shape: &[1.0, 0.0, 0.0, 1.0], radius: 2.0 };
    let mut set = ConvexSet::new(&quarter, disc).unwrap();
    let (before, mut survey, mut warm) = (set.identity(), Survey::new(2, 4), Warm::default());
    let at_origin = set.min_again(&[1.0, 2.0], &mut warm, false);
    assert!(at_origin.1 && at_origin.0.value.abs() < 1e-12);
    survey.note(&set.theta(), &warm);
    set.ready(&survey);
    assert_eq!(set.identity(), before);
    let (again, known) = set.min_again(&[2.0, 1.0], &mut warm, true);
    assert!(known && again.value.abs() < 1e-12);
    set.cut(&[-1.0, -1.0], -0.5);
    assert!(set.identity() != before && set.faces.is_none());
    assert!((set.min(&[1.0, 2.0], &mut warm).value - 0.5).abs() < 1e-12);
}
