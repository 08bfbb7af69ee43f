//! The same polytope in coordinates that are made for its proportions.

use super::Polytope;
use crate::{Portable, dot, norm};
use microlp::{ComparisonOp, OptimizationDirection, Problem};
use std::collections::HashSet;
use std::sync::OnceLock;

/// Row entries up to this are rounding: rows and directions have norm one.
const ROUNDING: f64 = 1e-15;

/// A row is another one if they differ by no more.
const ALIKE: f64 = 1e-7;

/// Orthonormal directions of a polytope's coordinates, and the length that becomes one along each.
pub struct Turn {
    /// The directions.
    pub directions: Vec<Vec<f64>>,
    /// The length that becomes one along each.
    pub lengths: Vec<f64>,
    /// Only `facts` see the directions from this one on; other rows have rounding there.
    pub hidden: usize,
    /// Rows of norm one that see the hidden directions.
    pub facts: Vec<Vec<f64>>,
}

/// Whether a row is one of some rows of norm one.
pub(crate) fn is_among(row: &[f64], facts: &[Vec<f64>]) -> bool {
    let size = norm(row);
    facts.iter().any(|fact| row.iter().zip(fact).all(|(x, f)| (x - size * f).abs() <= ALIKE * size))
}

impl Turn {
    /// A row of the old coordinates in the new ones, not of norm one.
    pub fn row(&self, row: &[f64]) -> Vec<f64> {
        let least = ROUNDING * norm(row);
        let along = |e: &Vec<f64>| Some(dot(e, row)).filter(|x| x.abs() > least).unwrap_or(0.0);
        let lengths = self.directions.iter().zip(&self.lengths);
        let mut turned: Vec<f64> = lengths.map(|(e, length)| along(e) * length).collect();
        if !is_among(row, &self.facts) {
            turned[self.hidden..].fill(0.0);
        }
        turned
    }
}

impl Polytope {
    /// The same in the coordinates of a turn, with further rows (each with its offset and the
    /// rounding of that). Rows give way by rounding. Only for a polytope whose rows are all written
    /// out.
    pub fn turned(&self, turn: &Turn, more: impl Iterator<Item = (Vec<f64>, f64, f64)>) -> Polytope {
        let k = self.free;
        let mut basis = vec![0.0; self.dim * k];
        for (to, from) in basis.chunks_exact_mut(k.max(1)).zip(self.basis.chunks_exact(k.max(1))) {
            for (j, to) in to.iter_mut().enumerate() {
                *to = dot(from, &turn.directions[j]) * turn.lengths[j];
            }
        }
        let rounding = 4.0 * f64::EPSILON * norm(&turn.lengths);
        let own = self.rows.chunks_exact(k.max(1)).zip(&self.offsets);
        let own = own.map(|(row, &b)| (turn.row(row), b, rounding + 4.0 * f64::EPSILON * b.abs()));
        let (mut rows, mut offsets, mut known) = (Vec::new(), Vec::new(), HashSet::new());
        let mut shortest = f64::INFINITY;
        for (row, b, give) in own.chain(more) {
            let size = norm(&row);
            if !(size > 0.0 && size.is_finite()) {
                continue;
            }
            let key: Vec<i64> =
                row.iter().chain([&b]).map(|x| (x / size * 44f64.exp_2()).round() as i64).collect();
            if known.insert(key) {
                rows.extend(row.iter().map(|x| x / size));
                offsets.push((b + give) / size);
                shortest = shortest.min(size);
            }
        }
        Polytope {
            basis,
            rows,
            offsets,
            // distances grow where lengths shrink
            blur: if self.blur > 0.0 { self.blur / shortest } else { 0.0 },
            lengths: Some(turn.lengths.clone()),
            features: None,
            bounds: OnceLock::new(),
            corners: OnceLock::new(),
            ..self.clone()
        }
    }

    /// Whether the basis is not orthonormal.
    pub fn is_turned(&self) -> bool {
        self.lengths.is_some()
    }

    /// The length of each basis vector, unless all have length one.
    pub fn lengths(&self) -> Option<&[f64]> {
        self.lengths.as_deref()
    }

    /// |N'c| is at most this times |c|.
    pub(crate) fn stretch(&self) -> f64 {
        self.lengths.as_ref().map_or(1.0, |lengths| lengths.iter().copied().fold(0.0, f64::max))
    }

    /// Whether c'v falls without end, rows v <= 0, moving the coordinates from `first` on.
    pub fn recedes(&self, c: &[f64], first: usize) -> bool {
        let k = self.free;
        let mut program = Problem::new(OptimizationDirection::Minimize);
        let v: Vec<_> = (first..k).map(|j| program.add_var(c[j], (-1.0, 1.0))).collect();
        for row in self.rows.chunks_exact(k.max(1)) {
            let terms: Vec<_> = v.iter().copied().zip(row[first..].iter().copied()).collect();
            if norm(&row[first..]) > 1e-12 {
                program.add_constraint(terms, ComparisonOp::Le, 0.0);
            }
        }
        // what a program that fails leaves open is not claimed to be bounded
        program
            .solve()
            .ok()
            .and_then(|s| s.into_solution().ok())
            .is_none_or(|s| s.objective() < -1e-9 * norm(c))
    }
}
