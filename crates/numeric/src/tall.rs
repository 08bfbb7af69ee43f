//! A tall matrix: millions of rows of a few numbers each, whole or split into two halves.
//!
//! *Split*, each number is an `f32`, its first 24 digits rounded towards zero, and the 29 digits
//! that this leaves out. Both together are the number itself, to the last bit, in the same 8 bytes;
//! who can do with the first half reads half as much, and knows by how much that is off.

use std::borrow::Cow;
use std::ops::Range;

/// The digits of an `f64` that an `f32` has no room for.
const LOW: u64 = (1 << 29) - 1;
/// Numbers that are split at once: so much more memory is in use for a moment.
const AT_ONCE: usize = 1 << 20;

/// Rows of `dim` numbers, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Tall {
    dim: usize,
    numbers: Numbers,
}

#[derive(Clone, Debug)]
enum Numbers {
    Whole(Vec<f64>),
    Split { high: Vec<f32>, low: Vec<u32> },
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers::Whole(Vec::new())
    }
}

/// A number whose first digits are beyond an `f32`: larger than 1e38, or smaller than 1e-38 with
/// too many digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unsplittable {
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// The number.
    pub number: f64,
}

impl Tall {
    /// Takes the numbers as they are.
    pub fn new(dim: usize, numbers: Vec<f64>) -> Tall {
        Tall { dim, numbers: Numbers::Whole(numbers) }
    }

    /// Splits every number. Nothing is held twice on the way but a few megabytes.
    ///
    /// ```
    /// use goalward_numeric::Tall;
    /// let whole = Tall::new(2, vec![0.1, -0.25, 1e-3, 1.0 / 3.0]);
    /// let split = whole.clone().split().unwrap();
    /// assert!(split.is_split());
    /// assert_eq!(split.get(0..2), whole.get(0..2)); // to the last bit
    /// let mut near = [0.0; 2];
    /// split.combine_nearly(0..2, [1.0, 1.0].into_iter(), &mut near);
    /// assert!((near[0] - 0.101).abs() <= split.off_by(0..2) && split.off_by(0..2) < 6e-8);
    /// ```
    pub fn split(self) -> Result<Tall, Unsplittable> {
        let Numbers::Whole(mut whole) = self.numbers else { return Ok(self) };
        let cut = |x: f64| f64::from_bits(x.to_bits() & !LOW);
        if let Some(at) = whole.iter().position(|&x| f64::from(cut(x) as f32) != cut(x)) {
            return Err(Unsplittable { row: at / self.dim, column: at % self.dim, number: whole[at] });
        }
        // the system gives pages as they are written, and takes them back as the whole shrinks from
        // its end
        let (mut high, mut low) = (vec![0f32; whole.len()], vec![0u32; whole.len()]);
        while !whole.is_empty() {
            let start = (whole.len() - 1) / AT_ONCE * AT_ONCE;
            for (i, &x) in whole.iter().enumerate().skip(start) {
                high[i] = cut(x) as f32;
                low[i] = (x.to_bits() & LOW) as u32;
            }
            whole.truncate(start);
            whole.shrink_to_fit();
        }
        Ok(Tall { dim: self.dim, numbers: Numbers::Split { high, low } })
    }

    /// Whether the numbers are split.
    pub fn is_split(&self) -> bool {
        matches!(self.numbers, Numbers::Split { .. })
    }

    /// The length of a row.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        let numbers = match &self.numbers {
            Numbers::Whole(all) => all.len(),
            Numbers::Split { high, .. } => high.len(),
        };
        numbers / self.dim.max(1)
    }

    /// The size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        8 * self.rows() * self.dim
    }

    fn range(&self, rows: Range<usize>) -> Range<usize> {
        rows.start * self.dim..rows.end * self.dim
    }

    /// Some rows, one after the other; a copy of them where they are split.
    pub fn get(&self, rows: Range<usize>) -> Cow<'_, [f64]> {
        let range = self.range(rows);
        match &self.numbers {
            Numbers::Whole(all) => Cow::Borrowed(&all[range]),
            Numbers::Split { high, low } => {
                Cow::Owned(high[range.clone()].iter().zip(&low[range]).map(|(h, l)| join(*h, *l)).collect())
            }
        }
    }

    /// All rows, one after the other; none if they are split.
    #[inline]
    pub fn whole(&self) -> Option<&[f64]> {
        match &self.numbers {
            Numbers::Whole(all) => Some(all),
            Numbers::Split { .. } => None,
        }
    }

    /// One row; in `room` if it is split.
    pub(crate) fn row<'a>(&'a self, row: usize, room: &'a mut Vec<f64>) -> &'a [f64] {
        let range = self.range(row..row + 1);
        match &self.numbers {
            Numbers::Whole(all) => &all[range],
            Numbers::Split { high, low } => {
                room.clear();
                room.extend(high[range.clone()].iter().zip(&low[range]).map(|(h, l)| join(*h, *l)));
                room
            }
        }
    }

    /// The sum of the rows, each times its weight, added in their order.
    #[inline]
    pub fn combine(&self, rows: Range<usize>, weights: impl Iterator<Item = f64> + Clone, out: &mut [f64]) {
        let range = self.range(rows);
        match &self.numbers {
            Numbers::Whole(all) => combine(&all[range], weights, out),
            Numbers::Split { high, low } => combine((&high[range.clone()], &low[range]), weights, out),
        }
    }

    /// The same from the first halves alone, if the numbers are split: with weights of at most w,
    /// and scaled by theta, off by no more than w |theta|_1 [`off_by`](Self::off_by).
    #[inline]
    pub fn combine_nearly(
        &self,
        rows: Range<usize>,
        weights: impl Iterator<Item = f64> + Clone,
        out: &mut [f64],
    ) {
        match &self.numbers {
            Numbers::Whole(_) => self.combine(rows, weights, out),
            Numbers::Split { high, .. } => combine(&high[self.range(rows)], weights, out),
        }
    }

    /// The sum over the rows of the largest that a number differs from its first half; zero if the
    /// numbers are whole.
    pub fn off_by(&self, rows: Range<usize>) -> f64 {
        let Numbers::Split { high, low } = &self.numbers else { return 0.0 };
        let range = self.range(rows);
        let pairs = high[range.clone()].chunks_exact(self.dim).zip(low[range].chunks_exact(self.dim));
        let off = |(high, low): (&f32, &u32)| (join(*high, *low) - f64::from(*high)).abs();
        pairs.map(|(high, low)| high.iter().zip(low).map(off).fold(0.0, f64::max)).sum()
    }
}

/// The number of two halves.
#[inline]
fn join(high: f32, low: u32) -> f64 {
    f64::from_bits(f64::from(high).to_bits() | u64::from(low))
}

/// Numbers that can be read a few at a time.
trait Source: Copy {
    fn block<const W: usize>(self, at: usize) -> [f64; W];
}

impl Source for &[f64] {
    #[inline(always)]
    fn block<const W: usize>(self, at: usize) -> [f64; W] {
        std::array::from_fn(|i| self[at..at + W][i])
    }
}

impl Source for &[f32] {
    #[inline(always)]
    fn block<const W: usize>(self, at: usize) -> [f64; W] {
        std::array::from_fn(|i| f64::from(self[at..at + W][i]))
    }
}

impl Source for (&[f32], &[u32]) {
    #[inline(always)]
    fn block<const W: usize>(self, at: usize) -> [f64; W] {
        let (high, low) = (&self.0[at..at + W], &self.1[at..at + W]);
        std::array::from_fn(|i| join(high[i], low[i]))
    }
}

/// Some columns at a time, so that their sums stay in registers; each row is read from the nearest
/// cache for the second time.
#[inline(always)]
fn combine(source: impl Source, weights: impl Iterator<Item = f64> + Clone, out: &mut [f64]) {
    let dim = out.len();
    let mut column = 0;
    while column < dim {
        column += match dim - column {
            16.. => columns::<16>(source, weights.clone(), column, out),
            8.. => columns::<8>(source, weights.clone(), column, out),
            4.. => columns::<4>(source, weights.clone(), column, out),
            2.. => columns::<2>(source, weights.clone(), column, out),
            _ => columns::<1>(source, weights.clone(), column, out),
        };
    }
}

#[inline(always)]
fn columns<const W: usize>(
    source: impl Source,
    weights: impl Iterator<Item = f64>,
    column: usize,
    out: &mut [f64],
) -> usize {
    let mut sums = [0.0; W];
    let mut at = column;
    for weight in weights {
        let row = source.block::<W>(at);
        (0..W).for_each(|i| sums[i] += weight * row[i]);
        at += out.len();
    }
    out[column..column + W].copy_from_slice(&sums);
    W
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;
    use proptest::prelude::*;

    proptest! {
        /// Every number comes back to the last bit, or is refused by its place.
        #[test]
        fn halves_make_the_number(numbers in proptest::collection::vec(proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO, 1..40)) {
            let whole = Tall::new(1, numbers.clone());
            match whole.split() {
                Ok(split) => {
                    let back = split.get(0..numbers.len());
                    prop_assert!(back.iter().zip(&numbers).all(|(a, b)| a.to_bits() == b.to_bits()));
                }
                Err(fault) => {
                    prop_assert_eq!(fault.number, numbers[fault.row]);
                    prop_assert!(!(1e-30..1e30).contains(&fault.number.abs()));
                }
            }
        }
    }

    /// Sums in every width, against a plain loop; the halves alone within what they say.
    #[test]
    fn sums_are_plain_sums() {
        let mut random = Stream::new(7, &[]);
        for dim in (1..=20).chain([31, 32, 33]) {
            let numbers: Vec<f64> = (0..9 * dim).map(|_| random.uniform() - 0.5).collect();
            let weights: Vec<f64> = (0..5).map(|_| 10.0 * random.uniform()).collect();
            let mut plain = vec![0.0; dim];
            for (row, w) in (3..8).zip(&weights) {
                (0..dim).for_each(|j| plain[j] += w * numbers[row * dim + j]);
            }
            let whole = Tall::new(dim, numbers);
            let split = whole.clone().split().unwrap();
            let mut out = vec![f64::NAN; dim];
            for tall in [&whole, &split] {
                tall.combine(3..8, weights.iter().copied(), &mut out);
                assert_eq!(out, plain, "dim {dim}");
            }
            whole.combine_nearly(3..8, weights.iter().copied(), &mut out);
            assert_eq!(out, plain);
            assert_eq!(whole.off_by(3..8), 0.0);
            split.combine_nearly(3..8, weights.iter().copied(), &mut out);
            let theta: Vec<f64> = (0..dim).map(|_| random.uniform() - 0.5).collect();
            let error: f64 = (0..dim).map(|j| theta[j] * (out[j] - plain[j])).sum();
            let bound = 10.0 * split.off_by(3..8) * theta.iter().map(|x| x.abs()).sum::<f64>();
            assert!(error.abs() <= bound && out != plain && bound < 1e-4, "{error} {bound}");
        }
    }

    #[test]
    fn numbers_beyond_an_f32_are_refused_with_their_place() {
        let fault = Tall::new(2, vec![0.5, 0.25, 0.125, 1.7e-42]).split().unwrap_err();
        assert_eq!(fault, Unsplittable { row: 1, column: 1, number: 1.7e-42 });
        assert!(Tall::new(1, vec![1e40]).split().is_err());
        // more than is split at once
        let many: Vec<f64> = (0..2 * AT_ONCE + 3).map(|i| 1.0 / (i + 1) as f64).collect();
        let split = Tall::new(1, many.clone()).split().unwrap();
        assert_eq!(split.get(0..many.len()), many);
    }
}
