//! How far a point is from the fit, in Hellinger's distance over all that was done so far.
//!
//! d^2(z) = sum over the steps of 1 - sum over s' of sqrt(p q), where p is what z says of a successor
//! and q what the fit says. Since probabilities add up to 1, a step's part is half the sum of
//! (sqrt p - sqrt q)^2, and (sqrt p - sqrt q)^2 is at most (p - q)^2/q and at most p + q: the sum of
//! these bounds is a parabola above d^2, for all points at once.

use super::{Likelihood, gram};
use crate::numeric::{dot, norm};

/// A parabola above the squared distance: rest + slope'v + v' square v, with v = z - fit. It holds
/// in all of B.
#[derive(Clone, Debug)]
pub(crate) struct Parabola {
    pub(crate) rest: f64,
    pub(crate) slope: Vec<f64>,
    /// k x k.
    pub(crate) square: Vec<f64>,
}

impl Parabola {
    pub(crate) fn at(&self, v: &[f64]) -> f64 {
        self.rest + dot(&self.slope, v) + self.curved(v)
    }

    /// v' square v.
    pub(crate) fn curved(&self, v: &[f64]) -> f64 {
        let rows = self.square.chunks_exact(v.len().max(1));
        rows.zip(v).map(|(row, own)| own * dot(row, v)).sum::<f64>().max(0.0)
    }
}

impl Likelihood {
    /// The squared distances from the fit of some points of B, k numbers each.
    pub(crate) fn distances(&self, points: &[f64]) -> Vec<f64> {
        let fit = self.fitted();
        let points = points.chunks_exact(fit.len().max(1));
        let mut apart = vec![0.0; points.len()];
        let (mut row, mut common) = (vec![0.0; fit.len()], vec![0.0; points.len()]);
        let visits = self.triples.visits_of_pairs(&self.frame);
        for (p, &n) in visits.iter().enumerate().filter(|(_, n)| **n > 0) {
            common.fill(0.0);
            for place in 0..self.frame.problem.successors(p).len() {
                let (constant, _) = self.triples.row(&self.frame, p, place, &mut row);
                let fitted = (constant + dot(&row, fit)).max(0.0);
                for (common, z) in common.iter_mut().zip(points.clone()) {
                    *common += (fitted * (constant + dot(&row, z)).max(0.0)).sqrt();
                }
            }
            apart.iter_mut().zip(&common).for_each(|(apart, common)| *apart += n as f64 * (1.0 - common));
        }
        apart
    }

    /// The successors of all pairs that were visited.
    pub(crate) fn successors_of_visited(&self) -> usize {
        let visits = self.triples.visits_of_pairs(&self.frame);
        let visited = (0..visits.len()).filter(|&p| visits[p] > 0);
        visited.map(|p| self.frame.problem.successors(p).len()).sum()
    }

    /// The parabola that is good for points whose probabilities differ from the fit's by about
    /// `reach` of their rows.
    pub(crate) fn above_distance(&self, mut reach: impl FnMut(&[f64]) -> f64) -> Parabola {
        let fit = self.fitted();
        let k = fit.len();
        let (mut rest, mut slope, mut square) = (0.0, vec![0.0; k], vec![0.0; k * k]);
        let mut row = vec![0.0; k];
        let visits = self.triples.visits_of_pairs(&self.frame);
        for (p, &n) in visits.iter().enumerate().filter(|(_, n)| **n > 0) {
            let half = 0.5 * n as f64;
            for place in 0..self.frame.problem.successors(p).len() {
                let (constant, _) = self.triples.row(&self.frame, p, place, &mut row);
                if norm(&row) == 0.0 {
                    continue;
                }
                let q = (constant + dot(&row, fit)).max(0.0);
                let off = reach(&row);
                let (slant, bend) = match q <= 0.0 || off * off > q * (2.0 * q + off) {
                    true => {
                        rest += 2.0 * half * q;
                        (half, 0.0)
                    }
                    false => (0.0, half / q),
                };
                gram(std::iter::once((&row[..], slant, bend)), &mut slope, &mut square);
            }
        }
        Parabola { rest, slope, square }
    }
}
