//! Rows that are active more often than others, side by side: they are looked at first.

use super::coarse::{add_products, largest};
use super::{Lanes, ROWS, Whitened};

/// So many rows at most are looked at first; a set of hardly more needs no order.
const HOT: usize = 6 * ROWS;
const ENOUGH: usize = 2 * HOT;

/// Copies of some rows.
#[derive(Clone, Debug)]
pub(super) struct Hot {
    blocks: Vec<[f64; ROWS]>,
    ceilings: Vec<[f64; ROWS]>,
    /// Which rows they are.
    rows: Vec<u32>,
}

impl Whitened {
    /// Looks from now on at those rows first that were active most often.
    pub(in crate::numeric::support) fn prefer(&mut self, counts: &[u32]) {
        let k = self.free;
        self.hot = None;
        if counts.len() < ENOUGH || k == 0 {
            return;
        }
        let mut rows: Vec<u32> = (0..counts.len() as u32).filter(|&i| counts[i as usize] > 0).collect();
        rows.sort_unstable_by_key(|&i| (std::cmp::Reverse(counts[i as usize]), i));
        rows.truncate(HOT);
        let mut hot = Hot { blocks: Vec::new(), ceilings: Vec::new(), rows };
        for (at, &i) in hot.rows.iter().enumerate() {
            let (block, lane) = (at / ROWS, at % ROWS);
            if lane == 0 {
                hot.blocks.resize((block + 1) * k, [0.0; ROWS]);
                hot.ceilings.push([f64::INFINITY; ROWS]);
            }
            for j in 0..k {
                hot.blocks[block * k + j][lane] = self.entry(i as usize, j);
            }
            hot.ceilings[block][lane] = self.ceilings[i as usize / ROWS][i as usize % ROWS];
        }
        self.hot = Some(hot);
    }
}

impl Hot {
    /// The most violated of these rows whose excess is above the floor, without those of W.
    pub(super) fn scan(&self, y: &[Lanes], floor: f64, working: &[usize]) -> Option<(usize, f64)> {
        let k = self.blocks.len() / self.ceilings.len().max(1);
        let y = &y.as_flattened()[..k];
        let (mut most, mut found) = (floor, None);
        for (block, columns) in self.blocks.chunks_exact(k.max(1)).enumerate() {
            let mut excess = self.ceilings[block].map(|h| -h);
            add_products(&mut excess, columns, y);
            if largest(&excess) <= most {
                continue;
            }
            for (&row, &excess) in self.rows[block * ROWS..].iter().zip(&excess) {
                if excess > most && !working.contains(&(row as usize)) {
                    (most, found) = (excess, Some(row as usize));
                }
            }
        }
        found.map(|row| (row, most))
    }
}
