//! Many dimensions, where a factor of the working set takes most of a solve: a sequence of solves
//! may take it over as long as its rows are alike, and on a simplex a solve begins at the best
//! corner.

use super::active_set::{ActiveSet, Held};
use super::lanes::Lanes;
use super::whiten::{ORDERED, Whitened};
use super::{ConvexSet, Warm};
use crate::dot;

/// The least number of dimensions.
const MANY: usize = 32;
/// A factor is reused if at most one row in this number differs,
const ALIKE: usize = 4;
/// and by at most this number of solves: rounding adds up.
const AGE: u32 = 64;

impl ActiveSet {
    /// Makes the last solve's factor that of the rows named; false if another is needed.
    pub(super) fn take_over(
        &mut self,
        set: &Whitened,
        w: &[Lanes],
        start: impl Iterator<Item = usize>,
    ) -> bool {
        let Held::Factor(age) = self.held else { return false };
        if set.free < MANY {
            return false;
        }
        self.held = Held::Nothing;
        let mut wanted = vec![false; set.limits.len()];
        start.for_each(|row| wanted[row] = true);
        let rows = &self.working.rows;
        let leaving: Vec<usize> = (0..rows.len()).filter(|&place| !wanted[rows[place]]).collect();
        rows.iter().for_each(|&row| wanted[row] = false);
        let coming: Vec<usize> = (0..wanted.len()).filter(|&row| wanted[row]).collect();
        if age >= AGE || ALIKE * (leaving.len() + coming.len()) > rows.len() {
            return false;
        }
        self.held = Held::Factor(age);
        self.working.turn(w);
        leaving.iter().rev().for_each(|&place| self.working.drop(place));
        self.lambda.clear();
        self.lambda.resize(self.working.len(), 0.0);
        for row in coming {
            self.push(set, row, 0.0);
        }
        true
    }
}

impl ConvexSet {
    /// The rows of a simplex's best corner, for a solve that has no others to begin from.
    pub(super) fn best_corner(&self, warm: &Warm) -> Option<Vec<u32>> {
        let (set, k) = (&self.set, self.set.free);
        let whole = set.uncut == k + 1 && set.polytope.offsets().len() == k + 1;
        if !whole || !warm.is_empty() || !(MANY..ORDERED - 1).contains(&k) {
            return None;
        }
        let corners = set.polytope.corners()?;
        let values = corners.chunks_exact(k).map(|corner| dot(corner, &self.c));
        let least = values.enumerate().fold((f64::INFINITY, None), |least, (i, value)| {
            if value < least.0 { (value, Some(i as u32)) } else { least }
        });
        least.1.map(|off| (0..=k as u32).filter(|row| *row != off).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{Ellipsoid, SupportMin};
    use crate::{PolytopeBuilder, Stream};
    use std::sync::Arc;

    /// A ball around the centre of the simplex of d weights.
    fn ball(d: usize, radius: f64) -> ConvexSet {
        let mut builder = PolytopeBuilder::new(d);
        builder.equality(&vec![1.0; d], 1.0).unwrap();
        for i in 0..d {
            let minus: Vec<f64> = (0..d).map(|j| if i == j { -1.0 } else { 0.0 }).collect();
            builder.halfspace(&minus, 0.0);
        }
        let polytope = Arc::new(builder.finish().unwrap());
        let shape: Vec<f64> = (0..d * d).map(|i| f64::from(u8::from(i % (d + 1) == 0))).collect();
        let ellipsoid = Ellipsoid { center: &vec![1.0 / d as f64; d], shape: &shape, radius };
        ConvexSet::new(&polytope, ellipsoid).unwrap()
    }

    /// Solves of a sequence, each from nothing and then from its own rows: the answers are those of
    /// solves on their own, and the rows that join factors are counted.
    fn joined(radius: f64) -> [u64; 2] {
        let (mut random, d) = (Stream::new(7, &[5]), 60);
        let (mut alone, mut held) = (ball(d, radius), ball(d, radius));
        held.hold(true);
        for _ in 0..60 {
            let c: Vec<f64> = (0..d).map(|_| random.uniform()).collect();
            let mut warm = Warm::default();
            for _ in 0..2 {
                let answer = held.min(&c, &mut warm);
                let expected = alone.min(&c, &mut vec![0]);
                assert!((answer.value - expected.value).abs() <= 1e-12, "{answer:?} {expected:?}");
                assert!(answer.bound <= answer.value && answer.bound >= expected.bound - 1e-11);
            }
        }
        [&alone, &held].map(|set| set.method.working.joined)
    }

    #[test]
    fn a_sequence_of_solves_makes_few_factors() {
        // corners, and what the ball leaves of them
        let [alone, held] = joined(2.0);
        assert!(alone > 120 * 50 && held < 500, "{alone} {held}");
        let [alone, held] = joined(0.9);
        assert!(4 * held < alone, "{alone} {held}");
    }

    #[test]
    fn a_cut_ends_what_is_held() {
        let mut set = ball(40, 2.0);
        set.hold(true);
        let c: Vec<f64> = (0..40).map(f64::from).collect();
        set.min(&c, &mut Warm::default());
        assert_eq!(set.method.held, Held::Factor(0));
        let row: Vec<f64> = (0..39).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect();
        set.cut(&row, 0.0);
        assert_eq!(set.method.held, Held::Nothing);
        set.hold(false);
        set.min(&c, &mut Warm::default());
        assert_eq!(set.method.held, Held::Unwanted);
    }
}
