//! What a set learns from a sample of the objectives to come.

use super::faces::Faces;
use super::lanes::products;
use super::pivots;
use super::starts::Starts;
use super::{ConvexSet, Warm, vertex};
use std::sync::Arc;

/// What value and bound may differ by, relative to the numbers that they are made of.
const SHARP: f64 = 1e-13;
const LANES: usize = 16;
/// Points with the same rows that are so near to each other are one.
const SAME: f64 = 1e-6;

/// The minimisers of a sample of objectives: where similar ones may start.
#[derive(Clone, Debug)]
pub struct Survey {
    dim: usize,
    most: usize,
    blocks: Vec<[f64; LANES]>,
    starts: Vec<Vec<u32>>,
    /// The rows that were active, each time.
    noted: Vec<Vec<u32>>,
    active: bool,
}

impl Survey {
    /// Empty, in `d` dimensions; at most `most` points are kept.
    pub fn new(dim: usize, most: usize) -> Self {
        Survey { dim, most, blocks: Vec::new(), starts: Vec::new(), noted: Vec::new(), active: false }
    }

    /// Notes a minimiser and its active rows.
    pub fn note(&mut self, point: &[f64], warm: &Warm) {
        let mut rows = warm.clone();
        rows.sort_unstable();
        self.noted.push(rows.clone());
        self.active |= !rows.is_empty();
        if self.starts.len() >= self.most {
            return;
        }
        let at = self.starts.len();
        let near = |k: usize| {
            let columns = &self.blocks[k / LANES * self.dim..];
            columns.iter().zip(point).all(|(column, y)| (column[k % LANES] - y).abs() <= SAME)
        };
        if (0..at).any(|k| self.starts[k] == rows && near(k)) {
            return;
        }
        if at.is_multiple_of(LANES) {
            self.blocks.resize(self.blocks.len() + self.dim, [f64::INFINITY; LANES]);
        }
        let columns = &mut self.blocks[at / LANES * self.dim..];
        columns.iter_mut().zip(point).for_each(|(column, x)| column[at % LANES] = *x);
        self.starts.push(rows);
    }

    /// Whether no row was active.
    pub fn is_empty(&self) -> bool {
        !self.active
    }

    /// Starts where an objective is least among the points that were noted.
    pub fn start(&self, c: &[f64], warm: &mut Warm) {
        warm.clear();
        let (mut least, mut best) = (f64::INFINITY, None);
        for (block, columns) in self.blocks.chunks_exact(self.dim.max(1)).enumerate() {
            let values = products(&[0.0; LANES], columns, c);
            for (&value, point) in values.iter().zip(block * LANES..self.starts.len()) {
                if value < least {
                    (least, best) = (value, Some(point));
                }
            }
        }
        if let Some(point) = best {
            warm.extend_from_slice(&self.starts[point]);
        }
    }

    fn counts(&self, rows: usize) -> Vec<u32> {
        let mut counts = vec![0; rows];
        let active = self.noted.iter().flatten().map(|&row| row as usize);
        active.filter(|&row| row < rows).for_each(|row| counts[row] += 1);
        counts
    }
}

impl ConvexSet {
    /// Prepares for objectives like those of a survey. Answers stay the same but for rounding.
    pub(super) fn make_ready(&mut self, survey: &Survey) {
        self.faces = Faces::of(&self.set);
        if self.faces.is_none() {
            let counts = survey.counts(self.set.limits.len());
            Arc::make_mut(&mut self.set).prefer(&counts);
            let starts = self.set.has_hot().then(|| Starts::of(&self.set, &survey.noted));
            self.starts = starts.flatten().map(Arc::new);
            if self.starts.is_none() {
                Arc::make_mut(&mut self.set).prefer_none();
            }
        }
    }

    /// A solve on kept working sets, or on one point that is `known` to be in the set.
    pub(super) fn min_quickly(
        &mut self,
        constant: f64,
        size: f64,
        warm: &Warm,
        known: bool,
    ) -> Option<(f64, f64)> {
        let solved = match &mut self.faces {
            Some(faces) => faces.solve(&self.set, &self.w, warm, known, &mut self.method),
            None if self.set.has_hot() => {
                let starts = self.starts.as_deref();
                known && vertex::solve(&self.set, &self.w, warm, &mut self.method)
                    || pivots::solve(&self.set, starts, &self.w, warm, known, &mut self.method)
            }
            None => known && vertex::solve(&self.set, &self.w, warm, &mut self.method),
        };
        if !solved {
            return None;
        }
        let (value, bound) = self.account(constant, size);
        let least = constant.abs() + (self.set.rho * size).min(value.abs());
        (value - bound <= SHARP * least).then_some((value, bound.min(value)))
    }
}
