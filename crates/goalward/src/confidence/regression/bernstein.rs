//! The radius of LEVIS+: of a regression weighed by estimated variances.

use super::{RadiusRule, unscaled};
use crate::confidence::norms::theta_norm;
use crate::confidence::radius::{RadiusKind, TwoRadii};
use crate::confidence::{Assumption, Claim, Condition, Kind};
use crate::estimate::Errors;
use crate::problem::Problem;

/// All that the radii of LEVIS+ are computed from. Costs, B and rho in the theory's units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BernsteinRule {
    /// The user's units per unit of the theory.
    pub unit: f64,
    /// The bound on the values.
    pub b: f64,
    /// What is added to every cost.
    pub rho: f64,
    /// Which radius.
    pub radius: RadiusKind,
    /// The formulas.
    pub radii: TwoRadii,
}

impl BernsteinRule {
    /// beta_hat after t steps.
    pub(crate) fn beta(&self, t: u64) -> f64 {
        self.radius.factor() * self.radii.hat(t)
    }

    /// What step t is weighed with.
    pub(crate) fn errors(&self, t: u64) -> Errors {
        let factor = self.radius.factor();
        Errors { check: factor * self.radii.check(t), tilde: factor * self.radii.tilde(t) }
    }
}

impl RadiusRule for BernsteinRule {
    fn kind(&self) -> RadiusKind {
        self.radius
    }

    /// Each of the three radii may fail.
    fn level(&self) -> f64 {
        3.0 * self.radii.delta
    }

    fn assumptions(&self, problem: &Problem) -> Vec<Assumption> {
        let bound = self.radii.theta_norm;
        let mut all = vec![
            Assumption::BoundsValues { b: self.b * self.unit, rho: self.rho * self.unit },
            Assumption::Mixture,
            Assumption::ThetaNorm { factor: (1.0, ""), bound, over_b: theta_norm(problem) },
            Assumption::phi_norm(problem, self.radii.phi_norm),
        ];
        all.extend(unscaled(self.radius));
        all
    }

    fn claim(&self, problem: &Problem) -> Claim {
        let raised = (self.rho > 0.0).then_some("V* of the perturbed costs");
        let claim = Claim::of_sets(self.assumptions(problem), "every confidence set", raised, self.level());
        let costs = problem.min_cost() > 0.0 || self.rho > 0.0;
        let one = Condition::at_least("B >= 1 in units of the largest cost", Some(self.b), Some(1.0));
        let needs = vec![
            Assumption::settled("every cost off the goal is positive, or rho is", costs),
            Assumption::Settled(one),
        ];
        let text = "the regret of K episodes is at most of the order d B sqrt(K/c_min), up to logarithms, from \
                    K = d^5 + B^2 d^4/c_min on (Min et al. 2022)";
        // the sets, and what else the analysis of the regret needs
        claim.states_if(Kind::Regret, text, 7.0 * self.radii.delta, needs)
    }
}
