//! A point where as many rows meet as there are dimensions, and the way along edges. The inverse of
//! the rows is updated: an exchange costs two small products and one division.

use super::active_set::{ActiveSet, first_to_vanish};
use super::lanes::{Lanes, inner};
use super::whiten::Whitened;

/// In more dimensions the products are no longer small.
pub(super) const MOST: usize = 16;
/// Pivots of rows of norm one below this lose too many digits.
const FAINT: f64 = 1e-6;
/// Multipliers below zero by less than this part of the largest are zero.
const ROUNDING: f64 = 1e-13;
const LEAST: f64 = 1e-14;
/// The point may be off by this much from where its rows meet: what a scan would not tell.
const SAME: f64 = 1e-13;

pub(super) struct Corner<const B: usize> {
    k: usize,
    rows: [u32; MOST],
    /// The inverse of the matrix of the rows, one of its own rows in each place.
    inverse: [[Lanes; B]; MOST],
    pub(super) y: [Lanes; B],
    lambda: [Lanes; B],
}

impl<const B: usize> Corner<B> {
    pub(super) fn at(set: &Whitened, w: &[Lanes], rows: &[u32]) -> Option<Self> {
        let k = set.free;
        let mut corner = Corner::empty(k);
        corner.rows[..k].copy_from_slice(rows);
        for (inverse, &row) in corner.inverse.iter_mut().zip(rows) {
            set.copy_row(row as usize, inverse);
        }
        invert(&mut corner.inverse[..k], k).then_some(())?;
        let mut limits = [[0.0; 4]; B];
        limits.as_flattened_mut().iter_mut().zip(rows).for_each(|(h, &row)| *h = set.limits[row as usize]);
        let inverse = &corner.inverse[..k];
        for (y, inverse) in corner.y.as_flattened_mut().iter_mut().zip(inverse) {
            *y = dot(inverse, &limits);
        }
        corner.turn_to(w);
        Some(corner)
    }

    pub(super) fn from_parts(rows: &[u32], y: [Lanes; B], inverse: &[Lanes], w: &[Lanes]) -> Self {
        let mut corner = Corner::empty(rows.len());
        corner.rows[..rows.len()].copy_from_slice(rows);
        corner.y = y;
        let places = corner.inverse.iter_mut().zip(inverse.as_chunks::<B>().0);
        places.for_each(|(place, row)| *place = *row);
        corner.turn_to(w);
        corner
    }

    fn empty(k: usize) -> Self {
        let none = [[0.0; 4]; B];
        Corner { k, rows: [0; MOST], inverse: [none; MOST], y: none, lambda: none }
    }

    /// The multipliers of an objective: w + A'lambda = 0.
    fn turn_to(&mut self, w: &[Lanes]) {
        self.lambda = columns(&self.inverse[..self.k], w).map(|l| l.map(|l| -l));
    }

    pub(super) fn rows(&self) -> &[u32] {
        &self.rows[..self.k]
    }

    pub(super) fn inverse(&self) -> &[[Lanes; B]] {
        &self.inverse[..self.k]
    }

    pub(super) fn is_inside(&self, set: &Whitened) -> bool {
        dot(&self.y, &self.y) < 1.0 && self.violated(set).is_none()
    }

    pub(super) fn violated(&self, set: &Whitened) -> Option<usize> {
        let working = self.rows.map(|row| row as usize);
        set.most_violated(&self.y, 0.0, &working[..self.k]).map(|(row, _)| row)
    }

    pub(super) fn value(&self, w: &[Lanes]) -> f64 {
        inner(&self.y, w)
    }

    /// Leaves rows with negative multipliers, the steepest edge first; false if that is unbounded.
    pub(super) fn descend(&mut self, set: &Whitened) -> bool {
        let Some(mut course) = set.course(&self.y) else { return false };
        for _ in 0..10 + 2 * self.k {
            let Some(place) = self.steepest() else { return true };
            let (lane, rest) = (place / 4, place % 4);
            let mut d = [[0.0; 4]; B];
            for (d, inverse) in d.as_flattened_mut().iter_mut().zip(&self.inverse[..self.k]) {
                *d = -inverse[lane][rest];
            }
            let Some(row) = course.follow(&self.y, &d) else { return false };
            if !self.exchange(set, place, row, &self.shares(set, row)) {
                return false;
            }
        }
        false
    }

    /// The row with a negative multiplier on whose edge the objective falls fastest.
    pub(super) fn steepest(&self) -> Option<usize> {
        let lambda = &self.lambda.as_flattened()[..self.k];
        let largest = lambda.iter().fold(0.0, |most: f64, l| most.max(l.abs()));
        if lambda.iter().all(|l| *l >= -ROUNDING * largest) {
            return None;
        }
        let mut squares = [[0.0; 4]; B];
        for inverse in &self.inverse[..self.k] {
            for (square, x) in squares.iter_mut().zip(inverse) {
                for lane in 0..4 {
                    square[lane] += x[lane] * x[lane];
                }
            }
        }
        let mut best = (0.0, None);
        for (place, (l, square)) in lambda.iter().zip(squares.as_flattened()).enumerate() {
            let rate = l * l / square;
            if *l < -ROUNDING * largest && rate > best.0 {
                best = (rate, Some(place));
            }
        }
        best.1
    }

    /// With what multipliers W's rows give a row.
    #[inline]
    fn shares(&self, set: &Whitened, row: usize) -> [Lanes; B] {
        let mut g = [[0.0; 4]; B];
        set.copy_row(row, &mut g);
        columns(&self.inverse[..self.k], &g)
    }

    /// Takes a violated row in for the one whose multiplier vanishes first; false if none does.
    pub(super) fn admit(&mut self, set: &Whitened, row: usize) -> bool {
        let shares = self.shares(set, row);
        let (lambda, all) = (&self.lambda.as_flattened()[..self.k], &shares.as_flattened()[..self.k]);
        let Some((place, _)) = first_to_vanish(lambda, all) else { return false };
        if !self.exchange(set, place, row, &shares) {
            return false;
        }
        self.lambda.iter_mut().for_each(|l| *l = l.map(|l| l.max(0.0)));
        true
    }

    /// Puts a row in the stead of another; false if the rows would be nearly dependent.
    #[inline]
    fn exchange(&mut self, set: &Whitened, place: usize, row: usize, shares: &[Lanes; B]) -> bool {
        let mut shares = *shares;
        let pivot = shares.as_flattened()[place];
        if pivot.is_nan() || pivot.abs() <= FAINT {
            return false;
        }
        let (lane, rest) = (place / 4, place % 4);
        let scale = 1.0 / pivot;
        // the row's excess, and the point that takes it away
        let mut g = [[0.0; 4]; B];
        set.copy_row(row, &mut g);
        let step = set.limits[row] - dot(&g, &self.y);
        let multiplier = self.lambda[lane][rest] * scale;
        // so that the one place becomes what its column is divided by
        shares[lane][rest] = pivot - 1.0;
        let ys = self.y.as_flattened_mut();
        for (inverse, y) in self.inverse[..self.k].iter_mut().zip(ys) {
            let part = inverse[lane][rest] * scale;
            *y += step * part;
            subtract(inverse, part, &shares);
        }
        subtract(&mut self.lambda, multiplier, &shares);
        self.lambda[lane][rest] = multiplier;
        self.rows[place] = row as u32;
        true
    }

    /// The answer, if that is the point that was found inside.
    pub(super) fn settle_inside(&mut self, set: &Whitened, w: &[Lanes], answer: &mut ActiveSet) -> bool {
        let before = self.y;
        if !self.settle(set, w, answer) {
            return false;
        }
        let pairs = self.y.as_flattened().iter().zip(before.as_flattened());
        let off = pairs.fold(0.0, |most: f64, (x, y)| most.max((x - y).abs()));
        off <= SAME || set.most_violated(&self.y, 0.0, &answer.working.rows).is_none()
    }

    /// Regains what digits the inverse has lost of the point and the multipliers.
    pub(super) fn refine(&mut self, set: &Whitened, w: &[Lanes]) {
        let k = self.k;
        let (mut off, mut rest) = ([[0.0; 4]; B], [[0.0; 4]; B]);
        rest.copy_from_slice(w);
        let multipliers = self.rows[..k].iter().zip(self.lambda.as_flattened());
        for ((&row, l), off) in multipliers.zip(off.as_flattened_mut()) {
            let mut g = [[0.0; 4]; B];
            set.copy_row(row as usize, &mut g);
            *off = set.limits[row as usize] - dot(&g, &self.y);
            subtract(&mut rest, -l, &g);
        }
        let more = columns(&self.inverse[..k], &rest);
        subtract(&mut self.lambda, 1.0, &more);
        for (y, inverse) in self.y.as_flattened_mut().iter_mut().zip(&self.inverse[..k]) {
            *y += dot(inverse, &off);
        }
    }

    /// Leaves the answer if the multipliers are non-negative and the point is in the ball.
    pub(super) fn settle(&mut self, set: &Whitened, w: &[Lanes], answer: &mut ActiveSet) -> bool {
        self.refine(set, w);
        let lambda = &self.lambda.as_flattened()[..self.k];
        let largest = lambda.iter().fold(0.0, |most: f64, l| most.max(l.abs()));
        // false for NaN
        let inside = dot(&self.y, &self.y) < 1.0;
        if !(inside && lambda.iter().all(|l| *l >= -LEAST * largest)) {
            return false;
        }
        let rows = self.rows().iter().map(|&row| row as usize);
        answer.adopt(rows, lambda.iter().map(|l| l.max(0.0)), &self.y, false);
        true
    }
}

#[inline(always)]
fn subtract<const B: usize>(x: &mut [Lanes; B], scale: f64, y: &[Lanes; B]) {
    for place in 0..B {
        for lane in 0..4 {
            x[place][lane] -= scale * y[place][lane];
        }
    }
}

#[inline(always)]
fn dot<const B: usize>(x: &[Lanes; B], y: &[Lanes; B]) -> f64 {
    let mut sums = [0.0; 4];
    for place in 0..B {
        for lane in 0..4 {
            sums[lane] += x[place][lane] * y[place][lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// M'x, where M is given by its rows.
#[inline(always)]
fn columns<const B: usize>(rows: &[[Lanes; B]], x: &[Lanes]) -> [Lanes; B] {
    let mut sums = [[0.0; 4]; B];
    for (row, x) in rows.iter().zip(x.as_flattened()) {
        for place in 0..B {
            for lane in 0..4 {
                sums[place][lane] += row[place][lane] * x;
            }
        }
    }
    sums
}

/// M <- M^-1 in its own place; false if a pivot is faint.
fn invert<const B: usize>(m: &mut [[Lanes; B]], k: usize) -> bool {
    let mut order = [0; MOST];
    for step in 0..k {
        let (lane, rest) = (step / 4, step % 4);
        let size = |i: usize| m[i][lane][rest].abs();
        let pivot = (step..k).fold(step, |best, i| if size(i) > size(best) { i } else { best });
        m.swap(step, pivot);
        order[step] = pivot;
        let mut top = m[step];
        let value = top[lane][rest];
        if value.is_nan() || value.abs() <= FAINT {
            return false;
        }
        top[lane][rest] = 1.0;
        let scale = 1.0 / value;
        top.iter_mut().for_each(|x| *x = x.map(|x| x * scale));
        for (i, row) in m.iter_mut().enumerate() {
            if i == step {
                *row = top;
                continue;
            }
            let share = row[lane][rest];
            row[lane][rest] = 0.0;
            subtract(row, share, &top);
        }
    }
    // rows that changed places are columns of the inverse that did
    for step in (0..k).rev().filter(|&step| order[step] != step) {
        let (a, b) = (step, order[step]);
        for row in m.iter_mut() {
            row.as_flattened_mut().swap(a, b);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::tests::{draw, surrounded};
    use super::super::{SupportMin, Warm};
    use super::*;
    use crate::Stream;

    const K: usize = 9;

    fn lanes(x: &[f64]) -> [Lanes; 3] {
        let mut out = [[0.0; 4]; 3];
        out.as_flattened_mut()[..x.len()].copy_from_slice(x);
        out
    }

    /// How far the corner is from what defines it: A y = h, w + A'lambda = 0 and A A^-1 = 1.
    fn flaw(corner: &Corner<3>, set: &Whitened, w: &[Lanes; 3]) -> f64 {
        let (mut most, mut rest) = (0.0f64, *w);
        for (place, (&row, l)) in corner.rows().iter().zip(corner.lambda.as_flattened()).enumerate() {
            let mut g = [[0.0; 4]; 3];
            set.copy_row(row as usize, &mut g);
            most = most.max((dot(&g, &corner.y) - set.limits[row as usize]).abs());
            subtract(&mut rest, -l, &g);
            let product = columns(corner.inverse(), &g);
            for (other, x) in product.as_flattened()[..K].iter().enumerate() {
                most = most.max((x - f64::from(u8::from(other == place))).abs());
            }
        }
        rest.as_flattened().iter().fold(most, |most, x| most.max(x.abs()))
    }

    #[test]
    fn corners_are_where_their_rows_meet_after_every_exchange() {
        let mut random = Stream::new(1, &[2]);
        let set = surrounded(&mut random, K, 300, 100.0).set;
        let w = lanes(&draw(&mut random, K));
        let rows: Vec<u32> = (0..K as u32).map(|i| 31 * i).collect();
        let mut corner = Corner::<3>::at(&set, &w, &rows).unwrap();
        assert!(flaw(&corner, &set, &w) < 1e-9);
        let mut exchanged = 0;
        for step in 0..200 {
            let (place, row) = (step % K, random.below(300));
            let shares = corner.shares(&set, row);
            let sound = shares.as_flattened()[place].abs() > 0.1 && !corner.rows().contains(&(row as u32));
            if sound && corner.exchange(&set, place, row, &shares) {
                exchanged += 1;
                assert_eq!(corner.rows()[place], row as u32);
                assert!(flaw(&corner, &set, &w) < 1e-7, "{step}: {}", flaw(&corner, &set, &w));
            }
        }
        assert!(exchanged > 50);
        // a damaged point and its multipliers are mended
        corner.y[0][1] += 1e-6;
        corner.lambda[1][2] += 1e-6;
        (0..2).for_each(|_| corner.refine(&set, &w));
        assert!(flaw(&corner, &set, &w) < 1e-7);
        assert!(Corner::<3>::at(&set, &w, &[5; K]).is_none());
    }

    #[test]
    fn descending_leaves_no_negative_multiplier() {
        let mut random = Stream::new(2, &[2]);
        let mut whole = surrounded(&mut random, K, 300, 100.0);
        let mut set = whole.set.clone();
        std::sync::Arc::make_mut(&mut set).prefer(&[1; 300]);
        let (mut descended, mut fell) = (0, 0);
        for _ in 0..50 {
            let (mut warm, w) = (Warm::default(), lanes(&draw(&mut random, K)));
            whole.min(&draw(&mut random, K), &mut warm);
            let mut corner = Corner::<3>::at(&set, &w, &warm).unwrap();
            assert!(corner.is_inside(&set));
            let before = corner.value(&w);
            if corner.descend(&set) {
                assert!(corner.steepest().is_none() && flaw(&corner, &set, &w) < 1e-6);
                assert!(corner.value(&w) <= before + 1e-9);
                (descended, fell) = (descended + 1, fell + usize::from(corner.value(&w) < before));
            }
        }
        assert!(descended > 45 && fell > 45, "{descended}, {fell}");
    }
}
