//! A tall matrix: millions of rows of a few numbers each.

use std::ops::Range;

/// Rows of `dim` numbers, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Tall {
    dim: usize,
    numbers: Vec<f64>,
}

impl Tall {
    /// Takes the numbers as they are.
    pub fn new(dim: usize, numbers: Vec<f64>) -> Tall {
        Tall { dim, numbers }
    }

    /// The length of a row.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.numbers.len() / self.dim.max(1)
    }

    /// The size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        8 * self.numbers.len()
    }

    /// All rows, one after the other.
    #[inline]
    pub fn all(&self) -> &[f64] {
        &self.numbers
    }

    /// Some rows, one after the other.
    #[inline]
    pub fn get(&self, rows: Range<usize>) -> &[f64] {
        &self.numbers[rows.start * self.dim..rows.end * self.dim]
    }

    /// One row.
    #[inline]
    pub fn row(&self, row: usize) -> &[f64] {
        self.get(row..row + 1)
    }

    /// The sum of the rows times their weights, in order, some columns at a time.
    #[inline]
    pub fn combine(&self, rows: Range<usize>, weights: impl Iterator<Item = f64> + Clone, out: &mut [f64]) {
        let (numbers, dim) = (self.get(rows), out.len());
        let mut column = 0;
        while column < dim {
            column += match dim - column {
                16.. => columns::<16>(numbers, weights.clone(), column, out),
                8.. => columns::<8>(numbers, weights.clone(), column, out),
                4.. => columns::<4>(numbers, weights.clone(), column, out),
                2.. => columns::<2>(numbers, weights.clone(), column, out),
                _ => columns::<1>(numbers, weights.clone(), column, out),
            };
        }
    }
}

#[inline(always)]
fn columns<const W: usize>(
    numbers: &[f64],
    weights: impl Iterator<Item = f64>,
    column: usize,
    out: &mut [f64],
) -> usize {
    let mut sums = [0.0; W];
    let mut at = column;
    for weight in weights {
        let row = &numbers[at..at + W];
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

    /// Sums in every width, against a plain loop.
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
            let mut out = vec![f64::NAN; dim];
            Tall::new(dim, numbers).combine(3..8, weights.iter().copied(), &mut out);
            assert_eq!(out, plain, "dim {dim}");
        }
    }
}
