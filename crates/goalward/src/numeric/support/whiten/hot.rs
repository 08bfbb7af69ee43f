//! Rows in half the digits, those that are active most often first: where rows are many, looking for
//! the most violated one takes most of a solve.
//!
//! Half the digits say nearly always which rows can matter. Those are asked again in full, so that
//! answers are as sharp as without.

use super::{Lanes, ROWS, Whitened};

/// From so many rows on it is worthwhile.
const ENOUGH: usize = 8 * ROWS;
/// So many blocks are looked at first, and alone if one of them is violated.
const HOT: usize = 6;
/// In more dimensions rounding would leave too many rows in doubt.
const MOST_FREE: usize = 64;
/// What half the digits of a number of size one may be off by, for each product.
const ROUNDING: f64 = 4e-7;

/// All rows in another order.
#[derive(Clone, Debug)]
pub(super) struct Hot {
    blocks: Vec<[f32; ROWS]>,
    ceilings: Vec<[f32; ROWS]>,
    /// Which rows they are.
    rows: Vec<u32>,
    /// Blocks that are looked at first.
    first: usize,
}

impl Whitened {
    /// Looks from now on at those rows first that were active most often.
    pub(in crate::numeric::support) fn prefer(&mut self, counts: &[u32]) {
        let k = self.free;
        self.hot = None;
        if counts.len() < ENOUGH || !(1..=MOST_FREE).contains(&k) || self.coarse.is_some() {
            return;
        }
        let mut rows: Vec<u32> = (0..counts.len() as u32).collect();
        rows.sort_unstable_by_key(|&i| (std::cmp::Reverse(counts[i as usize]), i));
        let blocks = rows.len().div_ceil(ROWS);
        let first = HOT.min(counts.iter().filter(|&&count| count > 0).count().div_ceil(ROWS));
        let mut hot = Hot {
            blocks: vec![[0.0; ROWS]; blocks * k],
            ceilings: vec![[f32::INFINITY; ROWS]; blocks],
            rows,
            first,
        };
        for (at, &i) in hot.rows.iter().enumerate() {
            let (block, lane) = (at / ROWS, at % ROWS);
            for j in 0..k {
                hot.blocks[block * k + j][lane] = self.entry(i as usize, j) as f32;
            }
            hot.ceilings[block][lane] = self.ceilings[i as usize / ROWS][i as usize % ROWS] as f32;
        }
        self.hot = Some(hot);
    }

    /// By how much y violates a row.
    fn excess(&self, row: usize, y: &[f64]) -> f64 {
        let columns = &self.blocks[row / ROWS * self.free..];
        let sum: f64 = columns.iter().zip(y).map(|(column, y)| column[row % ROWS] * y).sum();
        sum - self.ceilings[row / ROWS][row % ROWS]
    }
}

impl Hot {
    /// The most violated of the hot rows whose excess is above the floor, without those of W; of all
    /// rows if there is none.
    #[inline(never)]
    pub(super) fn scan(
        &self,
        set: &Whitened,
        y: &[Lanes],
        floor: f64,
        working: &[usize],
    ) -> Option<(usize, f64)> {
        let y = &y.as_flattened()[..set.free];
        let all = self.ceilings.len();
        let hot = self.scan_blocks(0..self.first, set, y, floor, working);
        hot.or_else(|| self.scan_blocks(self.first..all, set, y, floor, working))
    }

    #[inline(always)]
    fn scan_blocks(
        &self,
        range: std::ops::Range<usize>,
        set: &Whitened,
        y: &[f64],
        floor: f64,
        working: &[usize],
    ) -> Option<(usize, f64)> {
        let k = set.free;
        let mut half = [0.0f32; MOST_FREE];
        half.iter_mut().zip(y).for_each(|(half, y)| *half = *y as f32);
        let longest = y.iter().map(|y| y * y).sum::<f64>().sqrt().max(1.0);
        let margin = ROUNDING * (k + 2) as f64 * longest;
        let (mut most, mut found) = (floor, None);
        let mut limit = (most - margin) as f32;
        for block in range {
            let excess =
                excesses(&self.ceilings[block], &self.blocks[block * k..(block + 1) * k], &half[..k]);
            if largest(&excess) <= limit {
                continue;
            }
            for (&row, &nearly) in self.rows[block * ROWS..].iter().zip(&excess) {
                let row = row as usize;
                if nearly > limit && !working.contains(&row) {
                    let excess = set.excess(row, y);
                    if excess > most {
                        (most, found) = (excess, Some(row));
                        limit = (most - margin) as f32;
                    }
                }
            }
        }
        found.map(|row| (row, most))
    }
}

/// Columns times y, less the ceilings. A function of its own keeps the sums in vectors.
#[inline(never)]
fn excesses(ceilings: &[f32; ROWS], columns: &[[f32; ROWS]], y: &[f32]) -> [f32; ROWS] {
    let mut sums = ceilings.map(|h| -h);
    for (column, y) in columns.iter().zip(y) {
        for lane in 0..ROWS {
            sums[lane] += column[lane] * y;
        }
    }
    sums
}

#[inline(always)]
fn largest(x: &[f32; ROWS]) -> f32 {
    let mut top = *x;
    let mut half = ROWS / 2;
    while half > 0 {
        for lane in 0..half {
            top[lane] = if top[lane] > top[lane + half] { top[lane] } else { top[lane + half] };
        }
        half /= 2;
    }
    top[0]
}
