//! How far a point is from the fit, in Hellinger's distance over all that was done so far.
//!
//! d^2(z) = sum over the steps of 1 - sum over s' of sqrt(p_z p_fit). Successors that were never seen
//! only make it smaller, so that
//!
//! d^2(z) <= t - sum over the triples seen of n(s,a) sqrt(p_z p_fit),
//!
//! n(s,a) the visits of the triple's pair. A bound for many points at once needs no more than that.

use super::{Likelihood, Term};
use crate::numeric::{dot, norm};

/// A triple that is expected fewer times than this is left out of the parabola, unless its probability
/// can at most double in B: the bound of a square root by a parabola says little far from the fit.
const EXPECTED: f64 = 4.0;

/// A parabola above the squared distance: rest + slope'v + v' square v, with v = z - fit. It holds
/// wherever all triples seen have probabilities of at least 0.
#[derive(Clone, Debug)]
pub(crate) struct Parabola {
    pub(crate) rest: f64,
    pub(crate) slope: Vec<f64>,
    /// k x k.
    pub(crate) square: Vec<f64>,
}

impl Likelihood {
    /// The largest squared distance from the fit of some points of B, k numbers each.
    pub(crate) fn farthest_of(&self, points: &[f64]) -> f64 {
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
        apart.into_iter().fold(0.0, f64::max)
    }

    /// sqrt(1 + y) >= 1 + y/2 - y^2/2 for all y >= -1, with y = p_z/p_fit - 1.
    pub(crate) fn above_distance(&self) -> Parabola {
        let visits = self.triples.visits(&self.frame);
        let k = self.fitted().len();
        let (mut slope, mut square) = (vec![0.0; k], vec![0.0; k * k]);
        let mut common = 0.0;
        self.each_seen(self.fitted(), |seen| {
            let expected = |x: &Term| visits[x.index] as f64 * x.p;
            let matters = |x: &Term| expected(x) >= EXPECTED || norm(x.row) * self.extent() <= x.p;
            seen.terms().filter(matters).for_each(|x| common += expected(&x));
            let often = seen.terms().filter(matters);
            let parts = often.map(|Term { index, row, p, .. }| {
                let n = visits[index] as f64;
                (row, -0.5 * n, 0.5 * n / p)
            });
            super::gram(parts, &mut slope, &mut square);
        });
        Parabola { rest: (self.total() as f64 - common).max(0.0), slope, square }
    }
}
