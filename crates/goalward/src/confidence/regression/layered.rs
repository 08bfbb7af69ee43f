//! The radii of UCRL-AVE: of layered regressions.

use super::{RadiusRule, mixture, unscaled};
use crate::confidence::radius::RadiusKind;
use crate::confidence::{Assumption, Claim};
use crate::estimate::{Layer, influence};
use crate::numeric::Portable;
use crate::problem::Problem;

/// All that the radii of UCRL-AVE are computed from. Costs and B in the theory's units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LayerRule {
    pub dim: usize,
    pub unit: f64,
    pub b: f64,
    pub delta: f64,
    /// The ridge lambda; layer l has 2^(-2l) of it.
    pub lambda: f64,
    pub layers: usize,
    pub radius: RadiusKind,
    pub theta_norm: f64,
}

impl LayerRule {
    /// beta_l after t steps, for values over B:
    ///
    /// 16 2^-l sqrt((8 Var_l + 8 iota + 2^(-2l+5) lambda S^2) iota) + 6 2^-l iota + 2^-l sqrt(lambda) S,
    /// with iota = log(4 t^2 L/delta) and S the bound on |theta*|. Var_l is 8 times the weighted sum of
    /// the squared residuals where 2^l >= 64 sqrt(iota), and the number of the layer's steps elsewhere.
    pub(crate) fn beta(&self, place: usize, layer: &Layer, t: u64) -> f64 {
        let LayerRule { delta, lambda, theta_norm, .. } = *self;
        let reach = influence(place); // 2^-l
        let iota = (4.0 * self.layers as f64 / delta).log_e() + 2.0 * (t.max(1) as f64).log_e();
        let variance = match 1.0 / reach >= 64.0 * iota.sqrt() {
            true => 8.0 * layer.residuals(),
            false => layer.count as f64,
        };
        let bias = reach * reach * lambda * theta_norm * theta_norm;
        let printed = 16.0 * reach * ((8.0 * variance + 8.0 * iota + 32.0 * bias) * iota).sqrt()
            + 6.0 * reach * iota
            + bias.sqrt();
        self.radius.factor() * printed
    }
}

impl RadiusRule for LayerRule {
    fn kind(&self) -> RadiusKind {
        self.radius
    }

    /// Lemmas D.3 and D.4 of the paper.
    fn level(&self) -> f64 {
        3.0 * self.delta
    }

    fn assumptions(&self, problem: &Problem) -> Vec<Assumption> {
        let mut all = mixture(problem, (self.b * self.unit, 0.0), self.theta_norm);
        all.extend(unscaled(self.radius));
        all
    }

    fn claim(&self, problem: &Problem) -> Claim {
        // UCRL-AVE's theorem is about a finite horizon: of the regret nothing is claimed
        Claim::of_sets(self.assumptions(problem), "every layer's set", None, self.level())
    }
}
