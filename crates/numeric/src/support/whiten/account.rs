//! Certified bounds from multipliers.

use super::Whitened;
use crate::linear::double::Double;
use crate::support::lanes::{Lanes, dot_four, inner};

/// A dual feasible point's bounds: c'z >= linear + r'z on the set, r = c + A'lambda. r'z is at
/// least `center` - `pull` on the ellipsoid, and at least its value at a corner of the polytope's
/// bounds.
#[derive(Clone, Copy, Debug)]
pub(in crate::support) struct Account {
    pub(in crate::support) linear: f64,
    pub(in crate::support) center: f64,
    pull: f64,
    pub(in crate::support) rounding: f64,
}

impl Whitened {
    /// The bounds of non-negative multipliers of the rows of G on the objective c; leaves r and
    /// L^-1 r. Stated in the polytope's own rows, since rounding in G is amplified by rho.
    #[inline]
    pub(in crate::support) fn account(
        &self,
        c: &[f64],
        multipliers: impl Iterator<Item = (usize, f64)>,
        r: &mut [f64],
        whitened: &mut [Lanes],
    ) -> Account {
        let k = self.free;
        r.copy_from_slice(c);
        let (mut linear, mut weight) = (0.0, 0.0);
        for (i, multiplier) in multipliers {
            let lambda = multiplier.max(0.0) * self.scales[i];
            linear -= lambda * self.offsets[i];
            weight += lambda * self.offsets[i].abs();
            r.iter_mut().zip(&self.rows[i * k..(i + 1) * k]).for_each(|(r, a)| *r += lambda * a);
        }
        self.whiten(r, whitened);
        let pull = self.rho * inner(whitened, whitened).sqrt();
        let rounding = 2.0 * f64::EPSILON * weight;
        Account { linear, center: dot_four(r, &self.z0), pull, rounding }
    }

    /// The bound that the ellipsoid gives with these multipliers, in twice the digits.
    #[cold]
    pub(in crate::support) fn ball_in_full(
        &self,
        c: &[f64],
        multipliers: impl Iterator<Item = (usize, f64)>,
    ) -> f64 {
        let k = self.free;
        let mut r: Vec<Double> = c.iter().map(|&c| c.into()).collect();
        let mut bound = Double::ZERO;
        for (i, multiplier) in multipliers {
            let lambda = multiplier.max(0.0) * self.scales[i];
            bound = bound - Double::from(self.offsets[i]).times(lambda);
            r.iter_mut().zip(&self.rows[i * k..]).for_each(|(r, &a)| *r = *r + Double::from(a).times(lambda));
        }
        r.iter().zip(&self.z0).for_each(|(r, &z)| bound = bound + r.times(z));
        let mut pull = Double::ZERO;
        for (i, row) in self.factor.lower().chunks_exact(k).enumerate() {
            let known = (0..i).fold(Double::ZERO, |sum, j| sum + r[j].times(row[j]));
            r[i] = (r[i] - known).over(row[i]);
            pull = pull + r[i].squared();
        }
        (bound - pull.sqrt().times(self.rho)).floor()
    }
}

impl Account {
    pub(in crate::support) fn ball(&self) -> f64 {
        self.linear + self.center - self.pull
    }

    /// The better of the bounds of the ellipsoid and of the polytope's bounds.
    pub(in crate::support) fn bound(&self, r: &[f64], bounds: &[(f64, f64)]) -> f64 {
        let corner = r.iter().zip(bounds).map(|(&r, &(low, high))| match r {
            0.0 => 0.0,
            r if r > 0.0 => r * low,
            r => r * high,
        });
        self.ball().max(self.linear + corner.sum::<f64>())
    }
}
