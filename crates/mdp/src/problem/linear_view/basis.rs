//! Rows that span all others, and the coordinates of the others in these.

use crate::numeric::{dot, norm};
use crate::problem::{Pair, Problem};
use std::collections::BTreeMap;

/// A residual estimated below this share of the largest row has lost half its digits.
const CLOSE: f64 = 1e-6;
/// A residual of at most this, relative to the largest row, is rounding.
const RESIDUAL: f64 = 1e-10;
/// The most numbers that the orthonormal basis may take: its time is that times the rank.
const MOST_NUMBERS: usize = 40_000_000;

/// The rank; per pair the number of its row, which equal pairs share; and each row's coordinates in a
/// basis of rows, none for the goal's.
type Coordinates = (usize, Vec<usize>, Vec<Vec<f64>>);

/// Takes the row with the largest residual until every row is a combination of those taken, so that
/// coordinates stay small.
pub(super) fn coordinates(problem: &Problem, most: usize) -> Result<Coordinates, String> {
    let (rows, class) = Rows::of(problem);
    rows.refuse(rows.independent(), most)?;
    let mut span = Span::new(rows);
    let count = span.rows.rows.len();
    loop {
        while let Some(p) = span.furthest() {
            span.take(p, most)?;
        }
        let rows: Vec<Vec<f64>> = (0..count).map(|i| span.coordinates(i)).collect();
        let off = |i: usize| (span.residual(i, &rows[i]), i);
        let worst = (0..count).map(off).max_by(|a, b| a.0.total_cmp(&b.0));
        match worst {
            Some((residual, i)) if residual > RESIDUAL * span.rows.largest => span.take(i, most)?,
            _ => return Ok((span.basis.len(), class, rows)),
        }
    }
}

/// The different rows of pairs: features, and the cost in units of the largest; empty at the goal.
struct Rows {
    width: usize,
    rows: Vec<Vec<(usize, f64)>>,
    largest: f64,
}

impl Rows {
    /// The rows, and per pair which is its.
    fn of(problem: &Problem) -> (Rows, Vec<usize>) {
        let (d, unit) = (problem.dim(), problem.largest_cost());
        let goal = problem.pairs_of(problem.goal());
        let row = |p: Pair| -> Vec<(usize, f64)> {
            if goal.contains(&p) {
                return Vec::new();
            }
            let phi = problem.phi(p);
            let mut row: Vec<(usize, f64)> = Vec::with_capacity(phi.len() + 1);
            for (&next, phi) in problem.successors(p).iter().zip(phi.chunks_exact(d)) {
                row.extend(phi.iter().enumerate().map(|(k, x)| (next as usize * d + k, *x)));
            }
            row.push((problem.states() * d, problem.cost(p) / unit));
            row.retain(|(_, x)| *x != 0.0);
            row
        };
        let mut numbers: BTreeMap<Vec<(usize, u64)>, usize> = BTreeMap::new();
        let (mut rows, mut class) = (Vec::new(), Vec::with_capacity(problem.pairs()));
        for row in (0..problem.pairs()).map(row) {
            let key = row.iter().map(|(i, x)| (*i, x.to_bits())).collect();
            let number = *numbers.entry(key).or_insert(rows.len());
            if number == rows.len() {
                rows.push(row);
            }
            class.push(number);
        }
        // only columns that occur
        let mut columns: Vec<usize> = rows.iter().flatten().map(|(i, _)| *i).collect();
        columns.sort_unstable();
        columns.dedup();
        for (i, _) in rows.iter_mut().flatten() {
            *i = columns.binary_search(i).unwrap_or_default();
        }
        let largest = rows.iter().map(|row| size(row)).fold(0.0, f64::max);
        (Rows { width: columns.len(), rows, largest }, class)
    }

    /// The number of rows with a new column, clear of rounding: a lower bound on the rank.
    fn independent(&self) -> usize {
        let mut met = vec![false; self.width];
        let mut fresh = |row: &&Vec<(usize, f64)>| {
            let new = row.iter().any(|(i, x)| !met[*i] && x.abs() > CLOSE * self.largest);
            if new {
                row.iter().for_each(|(i, _)| met[*i] = true);
            }
            new
        };
        self.rows.iter().filter(|row| fresh(row)).count()
    }

    fn refuse(&self, rank: usize, most: usize) -> Result<(), String> {
        if rank <= most && rank.saturating_mul(self.width) <= MOST_NUMBERS {
            return Ok(());
        }
        Err(format!(
            "{rank} features or more, and at most {most} can be computed with, or {MOST_NUMBERS} numbers"
        ))
    }
}

fn size(row: &[(usize, f64)]) -> f64 {
    row.iter().map(|(_, x)| x * x).sum::<f64>().sqrt()
}

/// The rows in the basis, and what the others have beyond them.
struct Span {
    rows: Rows,
    basis: Vec<usize>,
    axes: Vec<Vec<f64>>,
    /// <row, axis> of the rows in the basis: lower triangular.
    triangle: Vec<Vec<f64>>,
    along: Vec<Vec<f64>>,
    /// |row|^2 less the squares of these: the remainder of every row, with rounding.
    left: Vec<f64>,
}

impl Span {
    fn new(rows: Rows) -> Span {
        let left = rows.rows.iter().map(|row| size(row).powi(2)).collect();
        let along = vec![Vec::new(); rows.rows.len()];
        Span { rows, basis: Vec::new(), axes: Vec::new(), triangle: Vec::new(), along, left }
    }

    /// The row with the largest residual, if some residual is clear of rounding.
    fn furthest(&self) -> Option<usize> {
        let mut best = (CLOSE * self.rows.largest).powi(2);
        let mut found = None;
        for (p, &left) in self.left.iter().enumerate() {
            if left > best {
                (best, found) = (left, Some(p));
            }
        }
        found
    }

    fn take(&mut self, p: usize, most: usize) -> Result<(), String> {
        self.rows.refuse(self.basis.len() + 1, most)?;
        let row = &self.rows.rows[p];
        let mut axis = vec![0.0; self.rows.width];
        row.iter().for_each(|&(i, x)| axis[i] = x);
        // rows without a column in common, of which sparse problems are full, give exactly zero
        for (other, &t) in self.axes.iter().zip(&self.along[p]).filter(|(_, t)| **t != 0.0) {
            axis.iter_mut().zip(other).for_each(|(x, o)| *x -= t * o);
        }
        // where much was taken away a second time removes what rounding left of the first
        if norm(&axis) < 0.5 * size(row) {
            for other in &self.axes {
                let t = dot(other, &axis);
                axis.iter_mut().zip(other).for_each(|(x, o)| *x -= t * o);
            }
        }
        let length = norm(&axis);
        axis.iter_mut().for_each(|x| *x /= length);
        for (row, (along, left)) in self.rows.rows.iter().zip(self.along.iter_mut().zip(&mut self.left)) {
            let t: f64 = row.iter().map(|&(i, x)| x * axis[i]).sum();
            along.push(t);
            *left -= t * t;
        }
        self.left[p] = 0.0;
        self.triangle.push(self.along[p].clone());
        self.basis.push(p);
        self.axes.push(axis);
        Ok(())
    }

    fn coordinates(&self, p: usize) -> Vec<f64> {
        if self.rows.rows[p].is_empty() {
            return Vec::new();
        }
        let r = self.basis.len();
        let mut x = vec![0.0; r];
        if let Some(i) = self.basis.iter().position(|&b| b == p) {
            x[i] = 1.0;
            return x;
        }
        // x' triangle = along, from the last column
        let mut rest = self.along[p].clone();
        for i in (0..r).rev() {
            let row = &self.triangle[i];
            x[i] = rest[i] / row[i];
            rest[..i].iter_mut().zip(row).for_each(|(rest, t)| *rest -= x[i] * t);
        }
        x
    }

    fn residual(&self, p: usize, x: &[f64]) -> f64 {
        let mut off = vec![0.0; self.rows.width];
        self.rows.rows[p].iter().for_each(|&(i, v)| off[i] = v);
        for (&b, x) in self.basis.iter().zip(x).filter(|(_, x)| **x != 0.0) {
            self.rows.rows[b].iter().for_each(|&(i, v)| off[i] -= x * v);
        }
        norm(&off)
    }
}
