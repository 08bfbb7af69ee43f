//! Bounds on blocks of rows, for sets whose full scan takes most of a solve.

use super::{ROWS, Whitened};
use crate::support::lanes::{Lanes, inner, largest, products};

/// Balls around the rows of each block: excesses are at most centre'y + radius |y| - least.
#[derive(Clone, Debug)]
pub(super) struct Coarse {
    centers: Vec<[f64; ROWS]>,
    radii: Vec<[f64; ROWS]>,
    /// The least ceiling of each block; infinite for the padding.
    least: Vec<[f64; ROWS]>,
}

impl Coarse {
    pub(super) fn of(set: &Whitened) -> Coarse {
        let k = set.free;
        let (blocks, m) = (set.ceilings.len(), set.limits.len());
        let groups = blocks.div_ceil(ROWS);
        let mut coarse = Coarse {
            centers: vec![[0.0; ROWS]; groups * k],
            radii: vec![[0.0; ROWS]; groups],
            least: vec![[f64::INFINITY; ROWS]; groups],
        };
        for block in 0..blocks {
            let (group, lane) = (block / ROWS, block % ROWS);
            let rows = block * ROWS..((block + 1) * ROWS).min(m);
            let share = 1.0 / rows.len() as f64;
            for j in 0..k {
                let sum: f64 = rows.clone().map(|i| set.entry(i, j)).sum();
                coarse.centers[group * k + j][lane] = share * sum;
            }
            let center = |j: usize| coarse.centers[group * k + j][lane];
            let distance_sq = |i: usize| (0..k).map(|j| (set.entry(i, j) - center(j)).powi(2)).sum::<f64>();
            let radius = rows.clone().map(distance_sq).fold(0.0, f64::max).sqrt();
            coarse.radii[group][lane] = radius * (1.0 + 1e-12) + 1e-14;
            coarse.least[group][lane] = set.ceilings[block].iter().copied().fold(f64::INFINITY, f64::min);
        }
        coarse
    }

    /// The most violated row above the floor; skips blocks whose bound is no better.
    #[inline(never)]
    pub(super) fn scan(
        &self,
        set: &Whitened,
        y: &[Lanes],
        floor: f64,
        without: &[usize],
    ) -> Option<(usize, f64)> {
        let k = set.free;
        let length = inner(y, y).sqrt() * (1.0 + 1e-12);
        let y = &y.as_flattened()[..k];
        let (mut most, mut row) = (floor, None);
        let groups = self.centers.chunks_exact(k).zip(&self.radii).zip(&self.least);
        for (group, ((centers, radii), least)) in groups.enumerate() {
            let mut bounds = [0.0; ROWS];
            for lane in 0..ROWS {
                bounds[lane] = radii[lane] * length - least[lane];
            }
            let bounds = products(&bounds, centers, y);
            if largest(&bounds) <= most {
                continue;
            }
            for lane in 0..ROWS {
                if bounds[lane] <= most {
                    continue;
                }
                let block = group * ROWS + lane;
                let floors = set.ceilings[block].map(|h| -h);
                let mut excess = products(&floors, &set.blocks[block * k..(block + 1) * k], y);
                for &i in without.iter().filter(|&&i| i / ROWS == block) {
                    excess[i % ROWS] = f64::NEG_INFINITY;
                }
                let top = largest(&excess);
                if top > most {
                    let lane = (0..ROWS).fold(0, |best, lane| if excess[lane] == top { lane } else { best });
                    (most, row) = (top, Some(ROWS * block + lane));
                }
            }
        }
        row.map(|row| (row, most))
    }
}
