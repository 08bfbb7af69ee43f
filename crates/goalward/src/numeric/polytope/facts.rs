//! Feature rows that stated facts imply, each on its own: O(d) for a row.
//!
//! Facts l_i <= x_i <= u_i and the first stated equality a'x = b bound a row from below. For every
//! t, phi'x is at least t b plus the sum of the least values of (phi_i - t a_i) x_i. A row whose
//! bound is not negative for some t is left out. The weights of a mixture, x >= 0 with sum 1, imply
//! every row without a negative entry, with t = 0.
//!
//! What is left out changes neither the polytope nor its hull. The facts and the equality stay, and
//! the hull belongs to the set, not to the rows that describe it. If a row that was left out is
//! tight on the whole polytope, the bound above is tight too, term by term: wherever phi_i differs
//! from t a_i, x_i is at its bound everywhere. Those facts are rows that stayed, and they are found
//! to be equalities like any others.
//!
//! What rounding can do: a row that is left out may be exceeded by 4 epsilon of its largest entry,
//! as little as rounding moves the row itself. A row is kept whenever anything is in doubt.

use super::PolytopeBuilder;
use crate::numeric::Tall;
use rayon::prelude::*;

/// Rows of a chunk, in words of 64; chunks never depend on the number of threads.
const CHUNK: usize = 1 << 8;
/// What an entry may be off by, as a share of the largest.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// The coefficient of a fact is at least this, and no more than its inverse: others may be lost in
/// the hull's coordinates.
const LEAST: f64 = 1e-150;

/// Which rows of an array are implied.
#[derive(Clone, Debug)]
pub(super) struct Implied {
    words: Vec<u64>,
    count: usize,
}

impl Implied {
    pub(super) fn has(&self, row: usize) -> bool {
        self.words[row / 64] >> (row % 64) & 1 == 1
    }

    /// How many they are.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

/// Bounds of single coordinates, and an equality.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    lower: Vec<f64>,
    upper: Vec<f64>,
    a: &'a [f64],
    b: f64,
}

impl<'a> Facts<'a> {
    /// What a builder was told of single coordinates; none if that is nothing.
    pub(super) fn of(builder: &'a PolytopeBuilder) -> Option<Facts<'a>> {
        let d = builder.dim;
        let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; d], vec![f64::INFINITY; d]);
        let mut any = false;
        for row in builder.halfspaces.chunks_exact(d + 1) {
            let mut entries = (0..d).filter(|&i| row[i] != 0.0);
            let (Some(i), None) = (entries.next(), entries.next()) else { continue };
            let bound = row[d] / row[i];
            if !bound.is_finite() || !(LEAST..=1.0 / LEAST).contains(&row[i].abs()) {
                continue;
            }
            any = true;
            if row[i] < 0.0 {
                lower[i] = lower[i].max(bound);
            } else {
                upper[i] = upper[i].min(bound);
            }
        }
        let (a, b) = builder.equalities.first().map_or((&[][..], 0.0), |(a, b)| (&a[..], *b));
        any.then_some(Facts { lower, upper, a, b })
    }

    /// Looks at all rows, in parallel; none if none is implied.
    pub(super) fn implied(&self, features: &Tall) -> Option<Implied> {
        let rows = features.rows();
        let mut words = vec![0u64; rows.div_ceil(64)];
        let look = |(chunk, words): (usize, &mut [u64])| {
            let (mut room, mut order, mut count) = (Vec::new(), Vec::new(), 0);
            for (place, word) in words.iter_mut().enumerate() {
                let first = 64 * (chunk * CHUNK + place);
                for row in first..rows.min(first + 64) {
                    let implied = self.imply(features.row(row, &mut room), &mut order);
                    *word |= u64::from(implied) << (row % 64);
                    count += usize::from(implied);
                }
            }
            count
        };
        let count = words.par_chunks_mut(CHUNK).enumerate().map(look).sum();
        (count > 0).then_some(Implied { words, count })
    }

    /// Whether phi'x >= 0 follows.
    fn imply(&self, phi: &[f64], order: &mut Vec<usize>) -> bool {
        self.bounds(phi, 0.0) || self.best(phi, order).is_some_and(|t| self.bounds(phi, t))
    }

    /// Whether it follows with t times the equality.
    fn bounds(&self, phi: &[f64], t: f64) -> bool {
        let (mut least, mut size) = (t * self.b, (t * self.b).abs());
        let mut largest = 0.0f64;
        for (i, &x) in phi.iter().enumerate() {
            largest = largest.max(x.abs());
            let taken = if t == 0.0 { 0.0 } else { t * self.a[i] };
            let left = x - taken;
            if left == 0.0 {
                continue;
            }
            let bound = if left > 0.0 { self.lower[i] } else { self.upper[i] };
            let whole = x.abs() + taken.abs();
            if bound.is_finite() {
                least += left * bound;
                size += whole * bound.abs();
            } else if left.is_nan() || left.abs() > ROUNDING * whole {
                return false;
            }
        }
        // what is not a number compares as false
        let off = (phi.len() + 4) as f64 * f64::EPSILON * size;
        largest.is_finite() && least - off >= -ROUNDING * largest
    }

    /// The t that bounds a row best, if the equality bounds it at all.
    ///
    /// The bound is concave in t. Its slope is b - a'x, x where the terms are least. As t grows, a_i
    /// x_i goes from its least to its largest value at t = phi_i / a_i, so that the best t is where
    /// a'x passes b.
    fn best(&self, phi: &[f64], order: &mut Vec<usize>) -> Option<f64> {
        let turn = |i: usize| phi[i] / self.a[i];
        let ends = |i: usize| {
            let (x, y) = (self.a[i] * self.lower[i], self.a[i] * self.upper[i]);
            (x.min(y), x.max(y))
        };
        order.clear();
        order.extend((0..self.a.len()).filter(|&i| self.a[i] != 0.0));
        let (mut sum, mut endless) = (0.0, 0);
        for (low, _) in order.iter().map(|&i| ends(i)) {
            if low.is_finite() { sum += low } else { endless += 1 }
        }
        order.sort_unstable_by(|&i, &j| turn(i).total_cmp(&turn(j)).then(i.cmp(&j)));
        for &i in &*order {
            let (low, high) = ends(i);
            if low.is_finite() {
                sum -= low
            } else {
                endless -= 1
            }
            sum += high;
            if endless == 0 && sum >= self.b {
                return Some(turn(i));
            }
        }
        None
    }
}
