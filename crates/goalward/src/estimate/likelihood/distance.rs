//! How far a point is from the fit, in Hellinger's distance over all that was done so far.
//!
//! d^2(z) = sum over the steps of 1 - sum over s' of sqrt(p_z p_fit). Successors that were never seen
//! only make it smaller, so that
//!
//! d^2(z) <= t - sum over the triples seen of n(s,a) sqrt(p_z p_fit),
//!
//! n(s,a) the visits of the triple's pair. That needs what was seen, and nothing else.

use super::{Likelihood, Term};
use crate::numeric::dot;

/// A triple that is expected fewer times than this is left out of the parabola: the bound of a
/// square root by one says little where the probability is small.
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
    /// At least the largest squared distance from the fit of some points of B, k numbers each.
    pub(crate) fn farthest_of(&self, points: &[f64]) -> f64 {
        let visits = self.triples.visits(&self.frame);
        let fit = self.fitted();
        let points = points.chunks_exact(fit.len().max(1));
        let mut common = vec![0.0; points.len()];
        self.each_seen(fit, |seen| {
            for Term { index, row, p, .. } in seen.terms() {
                let constant = p - dot(row, fit);
                let weight = visits[index] as f64 * p.max(0.0).sqrt();
                for (common, z) in common.iter_mut().zip(points.clone()) {
                    *common += weight * (constant + dot(row, z)).max(0.0).sqrt();
                }
            }
        });
        let least = common.into_iter().fold(f64::INFINITY, f64::min);
        (self.total() as f64 - least).max(0.0)
    }

    /// sqrt(1 + y) >= 1 + y/2 - y^2/2 for all y >= -1, with y = p_z/p_fit - 1.
    pub(crate) fn above_distance(&self) -> Parabola {
        let visits = self.triples.visits(&self.frame);
        let k = self.fitted().len();
        let (mut slope, mut square) = (vec![0.0; k], vec![0.0; k * k]);
        let mut common = 0.0;
        self.each_seen(self.fitted(), |seen| {
            let expected = |x: &Term| visits[x.index] as f64 * x.p;
            seen.terms().filter(|x| expected(x) >= EXPECTED).for_each(|x| common += expected(&x));
            let often = seen.terms().filter(|x| expected(x) >= EXPECTED);
            let parts = often.map(|Term { index, row, p, .. }| {
                let n = visits[index] as f64;
                (row, -0.5 * n, 0.5 * n / p)
            });
            super::gram(parts, &mut slope, &mut square);
        });
        Parabola { rest: (self.total() as f64 - common).max(0.0), slope, square }
    }
}
