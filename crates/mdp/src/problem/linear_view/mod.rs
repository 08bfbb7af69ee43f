//! A problem as a linear SSP: features of pairs, in which costs and kernels are linear.
//!
//! A linear SSP has c(s,a) = <phi(s,a), w> and P(s'|s,a) = <phi(s,a), mu(s')>. So is a linear
//! mixture, with one phi for every theta: the row of all features phi(s'|s,a) of a pair and its
//! cost, in a basis of r such rows. r, their rank, is the least that serves all theta.
//!
//! Learners assume |phi| <= 1, |w| <= sqrt(r) and |sum of h(s') mu(s')| <= sqrt(r) for |h| <= 1.
//! All three hold for every theta in B in the coordinates in which the smallest ellipsoid around
//! all phi and -phi is the unit ball (John 1948), which `design.rs` finds.

mod basis;
mod design;

use super::{Pair, Problem};
use crate::numeric::Cholesky;

pub(crate) const MOST_FEATURES: usize = 2_000;
/// Coordinates below this are rounding, if others are 1.
const NOTHING: f64 = 1e-15;

/// Features of pairs. Those at the goal are zero.
#[derive(Clone, Debug)]
pub struct LinearView {
    features: usize,
    /// What |w| and |mu| are at most, for costs in units of the largest.
    norm: f64,
    /// Per pair its class: pairs of one class have the same features.
    class: Vec<usize>,
    first: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl LinearView {
    /// As few features as there can be for all theta; an error in words if they are too many.
    pub fn low_rank(problem: &Problem) -> Result<LinearView, String> {
        let (rank, class, rows) = basis::coordinates(problem, MOST_FEATURES)?;
        let off_goal: Vec<&[f64]> = rows.iter().filter(|row| !row.is_empty()).map(|row| &row[..]).collect();
        let (factor, largest) = design::optimal(&off_goal, rank);
        let norm = largest.sqrt();
        let whitened = rows.iter().map(|row| whiten(&factor, row, norm)).collect();
        Ok(LinearView::of(rank, norm, class, whitened))
    }

    /// One feature for each pair off the goal.
    pub fn one_hot(problem: &Problem) -> Result<LinearView, String> {
        let goal = problem.pairs_of(problem.goal());
        let features = problem.pairs() - goal.len();
        if features > MOST_FEATURES {
            return Err(format!(
                "{features} pairs, and at most {MOST_FEATURES} features can be computed with"
            ));
        }
        let mut next = 0..;
        let row = |p: Pair| match goal.contains(&p) {
            true => Vec::new(),
            false => vec![(next.next().unwrap_or(0), 1.0)],
        };
        let rows = (0..problem.pairs()).map(row).collect();
        Ok(LinearView::of(features, (features as f64).sqrt(), (0..problem.pairs()).collect(), rows))
    }

    fn of(features: usize, norm: f64, class: Vec<usize>, rows: Vec<Vec<(u32, f64)>>) -> LinearView {
        let mut first = vec![0];
        first.extend(rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        }));
        LinearView { features, norm, class, first, entries: rows.concat() }
    }

    /// How many features there are.
    pub fn features(&self) -> usize {
        self.features
    }

    /// A bound on |w|, and on |sum of h(s') mu(s')| for |h| <= 1, whatever theta is. |phi| <= 1.
    pub fn norm(&self) -> f64 {
        self.norm
    }

    /// How many classes of pairs with the same features there are.
    pub fn classes(&self) -> usize {
        self.first.len() - 1
    }

    /// The class of a pair.
    pub fn class(&self, p: Pair) -> usize {
        self.class[p]
    }

    /// phi(s,a) of a class: positions and numbers, none at the goal.
    pub fn phi(&self, class: usize) -> &[(u32, f64)] {
        &self.entries[self.first[class]..self.first[class + 1]]
    }
}

/// The coordinates in which the design's matrix is the identity, divided by a norm.
fn whiten(factor: &Cholesky, row: &[f64], norm: f64) -> Vec<(u32, f64)> {
    let mut x = row.to_vec();
    if !x.is_empty() {
        factor.solve_lower(&mut x);
    }
    let kept = x.iter().enumerate().filter(|(_, x)| x.abs() > NOTHING * norm);
    kept.map(|(i, x)| (i as u32, x / norm)).collect()
}
