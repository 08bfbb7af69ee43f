//! The radius of LEVIS++: of the weighted regressions of all moment levels.

use super::{RadiusRule, unscaled};
use crate::confidence::norms::{Norms, theta_norm};
use crate::confidence::radius::{RadiusKind, levis_plus_plus, weighted_determinant};
use crate::confidence::{Assumption, Claim, Condition, Kind};
use crate::estimate::Home;
use crate::numeric::Portable;
use crate::problem::Problem;

/// What rho-LEVIS++ adds to every cost, in the user's units, and the T* it is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Perturbation {
    /// rho.
    pub rho: f64,
    /// The bound on T*.
    pub t_star: f64,
}

/// All that the radii of LEVIS++ are computed from. Costs, B and c_min in the theory's units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MomentRule {
    pub dim: usize,
    pub unit: f64,
    pub b: f64,
    pub c_min: f64,
    /// Of the costs; none for LEVIS++ itself.
    pub perturbation: Option<Perturbation>,
    pub delta: f64,
    pub lambda: f64,
    pub gamma: f64,
    pub levels: usize,
    pub radius: RadiusKind,
    /// Whether delta is divided by 2L + 1.
    pub delta_split: bool,
    pub norms: Norms,
    pub phi_norm: f64,
    /// The bound on |theta*|; none for the printed one, 1/sqrt(lambda).
    pub theta_norm: Option<f64>,
}

impl MomentRule {
    /// sqrt(lambda) |theta*|: the radius' last term.
    pub(crate) fn bias(&self) -> f64 {
        self.theta_norm.map_or(1.0, |norm| self.lambda.sqrt() * norm)
    }

    /// L = max(2, ceil(log2(5B/c_min))), levels 0..L-1 (reading A8).
    pub(crate) fn levels_of(b: f64, c_min: f64) -> u64 {
        ((5.0 * b / c_min).log_2().ceil().min(4096.0) as u64).max(2)
    }

    /// The failure probability in the formula.
    pub(crate) fn share(&self) -> f64 {
        let parts = if self.delta_split { 2 * self.levels + 1 } else { 1 };
        self.delta / parts as f64
    }

    /// Whether the data enter the radius: HOME then has the radii of the last plan.
    pub(crate) fn is_of_data(&self) -> bool {
        match self.radius {
            RadiusKind::Printed | RadiusKind::Scaled(_) => false,
            RadiusKind::Determinant => true,
        }
    }

    pub(crate) fn radii(&self, t: u64, home: &Home, radii: &mut Vec<f64>) {
        let MomentRule { dim, lambda, phi_norm, .. } = *self;
        let (delta, bias) = (self.share(), self.bias());
        radii.clear();
        match self.radius {
            RadiusKind::Printed | RadiusKind::Scaled(_) => {
                let printed = levis_plus_plus(t, dim, lambda, delta, phi_norm, bias);
                radii.resize(self.levels, self.radius.factor() * printed);
            }
            RadiusKind::Determinant => {
                let levels = home.levels().iter().zip(home.steepest());
                radii.extend(levels.map(|(level, &steepest)| {
                    let ratio = level.running().log_det() - dim as f64 * lambda.log_e();
                    weighted_determinant(ratio, delta, steepest, bias)
                }));
            }
        }
    }
}

impl RadiusRule for MomentRule {
    fn kind(&self) -> RadiusKind {
        self.radius
    }

    fn level(&self) -> f64 {
        match self.radius {
            // Hoeffding's bound needs level 0 alone
            RadiusKind::Determinant => self.delta,
            _ if self.delta_split => self.delta,
            _ => (2 * self.levels + 1) as f64 * self.delta,
        }
    }

    fn assumptions(&self, problem: &Problem) -> Vec<Assumption> {
        let (rho, t_star) = self.perturbation.map_or((0.0, 0.0), |p| (p.rho, p.t_star));
        let over_b = theta_norm(problem);
        let mut all = vec![Assumption::BoundsValues { b: self.b * self.unit - rho * t_star, rho: 0.0 }];
        if self.perturbation.is_some() {
            all.push(Assumption::BoundsSteps { t_star });
        }
        all.push(Assumption::Mixture);
        let (factor, bound) = match self.theta_norm {
            Some(bound) => ((1.0, ""), bound),
            None => ((self.lambda.sqrt(), "sqrt(lambda) "), self.bias()),
        };
        all.push(Assumption::ThetaNorm { factor, bound, over_b });
        all.extend(unscaled(self.radius));
        if self.radius != RadiusKind::Determinant {
            all.push(Assumption::phi_norm(problem, self.phi_norm));
            let least = 1.0 / (problem.dim() as f64).sqrt();
            let levels = (5.0 * self.b / self.c_min).log_2();
            let gamma = Condition::at_least("gamma^2 >= d^(-1/2)", Some(self.gamma.powi(2)), Some(least));
            let levels =
                Condition::at_least("levels >= log2(5B/c_min)", Some(self.levels as f64), Some(levels));
            all.extend([gamma, levels].map(Assumption::Settled));
        }
        all
    }

    fn claim(&self, problem: &Problem) -> Claim {
        let raised = self.perturbation.is_some().then_some("V* of the perturbed costs");
        let claim = Claim::of_sets(self.assumptions(problem), "every confidence set", raised, self.level());
        let theorem = match (&self.perturbation, self.norms) {
            (Some(_), Norms::Printed) => "Theorem 5.2",
            (None, Norms::Printed) => "Theorem 5.1",
            (Some(_), Norms::Computed) => "Theorem 5.2 with the problem's norms",
            (None, Norms::Computed) => "Theorem 5.1 with the problem's norms",
        };
        let text = format!(
            "the regret of K episodes is at most of the order d B sqrt(K) + d^2 B, up to logarithms \
             (Di et al. 2023, {theorem})"
        );
        match self.radius {
            // nothing is proved of the regret
            RadiusKind::Determinant => claim,
            _ => claim.states(Kind::Regret, text, self.level()),
        }
    }
}
