//! The radii of LEVIS+: of a regression weighed by estimated variances.

use super::{RadiusRule, levis_needs, mixture, unscaled};
use crate::confidence::radius::RadiusKind;
use crate::confidence::{Assumption, Claim, Kind};
use crate::numeric::Portable;
use crate::problem::Problem;

/// All that the radii of LEVIS+ are computed from. Costs, B and rho in the theory's units.
///
/// With L a bound on |phi_V| for V in [0, 1], S one on |theta*| and iota = log(4 t^2/delta):
///
/// * beta_hat = 8 sqrt(d log(1 + t L^2/lambda) iota) + 4 sqrt(d) iota + sqrt(lambda) S,
/// * beta_check = 8 d sqrt(log(1 + t L^2/lambda) iota) + 4 sqrt(d) iota + sqrt(lambda) S,
/// * beta_tilde = 8 B^2 sqrt(d log(1 + t B^4 L^2/(d lambda)) iota) + 4 B^2 iota + sqrt(lambda) S.
///
/// All three are one lemma: noise of at most R with variance at most sigma^2, and |x| <= X, give 8
/// sigma sqrt(d log(1 + t X^2/(d lambda)) iota) + 4 R iota + sqrt(lambda) S. For the weighted
/// regression of V_j, R = sqrt(d) and X = sqrt(d) L, as sigma_bar >= B/sqrt(d); sigma = 1 where the
/// variance is known to be bounded by sigma_bar, and sqrt(d) where it is not yet. For that of
/// V_j^2, R = sigma = B^2 and X = B^2 L. With L = S = sqrt(d) they are those of LEVIS+, with L = 1
/// those of UCRL-VTR+.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BernsteinRule {
    pub dim: usize,
    pub unit: f64,
    pub b: f64,
    pub rho: f64,
    pub delta: f64,
    pub lambda: f64,
    pub radius: RadiusKind,
    /// L.
    pub phi_norm: f64,
    /// S.
    pub theta_norm: f64,
}

impl BernsteinRule {
    /// beta_hat after t steps.
    pub(crate) fn beta(&self, t: u64) -> f64 {
        self.radius.factor() * self.weighted(t, 1.0)
    }

    /// What step t is weighed with: beta_check and beta_tilde/B^2.
    pub(crate) fn errors(&self, t: u64) -> (f64, f64) {
        let factor = self.radius.factor();
        (factor * self.weighted(t, (self.dim as f64).sqrt()), factor * self.tilde(t))
    }

    fn iota(&self, t: u64) -> f64 {
        (4.0 / self.delta).log_e() + 2.0 * (t.max(1) as f64).log_e()
    }

    fn bias(&self) -> f64 {
        self.lambda.sqrt() * self.theta_norm
    }

    fn weighted(&self, t: u64, sigma: f64) -> f64 {
        let (d, iota) = (self.dim as f64, self.iota(t));
        let growth = (t as f64 * self.phi_norm * self.phi_norm / self.lambda).log_1p();
        8.0 * sigma * (d * growth * iota).sqrt() + 4.0 * d.sqrt() * iota + self.bias()
    }

    fn tilde(&self, t: u64) -> f64 {
        let (d, iota) = (self.dim as f64, self.iota(t));
        let steepness = self.b * self.b * self.phi_norm;
        let growth = (t as f64 * steepness * steepness / (d * self.lambda)).log_1p();
        8.0 * (d * growth * iota).sqrt() + 4.0 * iota + self.bias() / (self.b * self.b)
    }
}

impl RadiusRule for BernsteinRule {
    fn kind(&self) -> RadiusKind {
        self.radius
    }

    /// Each of the three radii may fail.
    fn level(&self) -> f64 {
        3.0 * self.delta
    }

    fn assumptions(&self, problem: &Problem) -> Vec<Assumption> {
        let mut all = mixture(problem, (self.b * self.unit, self.rho * self.unit), self.theta_norm);
        all.push(Assumption::phi_norm(problem, self.phi_norm));
        all.extend(unscaled(self.radius));
        all
    }

    fn claim(&self, problem: &Problem) -> Claim {
        let raised = (self.rho > 0.0).then_some("V* of the perturbed costs");
        let claim = Claim::of_sets(self.assumptions(problem), "every confidence set", raised, self.level());
        let text = "the regret of K episodes is at most of the order d B sqrt(K/c_min), up to logarithms, from \
                    K = d^5 + B^2 d^4/c_min on (Min et al. 2022)";
        // the sets, and what else the analysis of the regret needs
        claim.states_if(Kind::Regret, text, 7.0 * self.delta, levis_needs(problem, self.rho, self.b))
    }
}
