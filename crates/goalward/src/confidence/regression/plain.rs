//! The radius of LEVIS: of one regression without weights.

use super::{RadiusRule, levis_needs, mixture, unscaled};
use crate::confidence::radius::{RadiusKind, levis, realised_determinant};
use crate::confidence::{Assumption, Claim, Condition, Kind};
use crate::estimate::Ridge;
use crate::numeric::Portable;
use crate::problem::Problem;

/// All that the radius of LEVIS is computed from. Costs, B and rho in the theory's units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlainRule {
    pub dim: usize,
    pub unit: f64,
    pub b: f64,
    pub rho: f64,
    pub delta: f64,
    pub lambda: f64,
    pub radius: RadiusKind,
    pub phi_norm: f64,
    pub theta_norm: f64,
}

impl PlainRule {
    /// The radius after t steps.
    pub(crate) fn beta(&self, t: u64, ridge: &Ridge) -> f64 {
        let PlainRule { dim, b, delta, lambda, .. } = *self;
        match self.radius {
            RadiusKind::Determinant => {
                let ratio = ridge.running().log_det() - dim as f64 * lambda.log_e();
                realised_determinant(ratio, lambda, delta, b, self.theta_norm)
            }
            kind => {
                let norms = (self.phi_norm, self.theta_norm);
                kind.factor() * levis(t, dim, lambda, delta, b, norms)
            }
        }
    }
}

impl RadiusRule for PlainRule {
    fn kind(&self) -> RadiusKind {
        self.radius
    }

    fn level(&self) -> f64 {
        self.delta
    }

    fn assumptions(&self, problem: &Problem) -> Vec<Assumption> {
        let mut all = mixture(problem, (self.b * self.unit, self.rho * self.unit), self.theta_norm);
        all.extend(unscaled(self.radius));
        if self.radius != RadiusKind::Determinant {
            all.push(Assumption::phi_norm(problem, self.phi_norm));
        }
        all
    }

    fn claim(&self, problem: &Problem) -> Claim {
        let raised = (self.rho > 0.0).then_some("V* of the perturbed costs");
        let claim = Claim::of_sets(self.assumptions(problem), "every confidence set", raised, self.level());
        let mut needs = levis_needs(problem, self.rho, self.b);
        let ridge = Condition::at_least("lambda >= 1", Some(self.lambda), Some(1.0));
        needs.push(Assumption::Settled(ridge));
        let text = "the regret of K episodes is at most of the order d B^1.5 sqrt(K/c_min) + d^2 B^2/c_min, up to \
                    logarithms (Min et al. 2022)";
        claim.states_if(Kind::Regret, text, self.level(), needs)
    }
}
