//! Two regressions, of V_j and of V_j^2: the second estimates the variance that weighs the first.
//!
//! That is what LEVIS+ keeps, in normalised form. With U = V_j/B in [0, 1] the first regression is
//! of psi_1 = phi_U with weights 1/s^2, s^2 = sigma_bar^2/B^2. Its Sigma and theta_hat are those of
//! phi_V with weights 1/sigma_bar^2. The second is of psi_2 = phi_{U^2} without weights. Its Sigma
//! is that of phi_{V^2} over B^4, so its ridge is lambda/B^4, and its theta is the same.

use super::Ridge;
use crate::numeric::dot;
use crate::problem::{Pair, Problem, State};
use serde::{Deserialize, Serialize};

/// The weighted regression of V_j and the plain one of V_j^2.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TwoMoments {
    /// The weighted regression: theta_hat and Sigma_hat.
    pub(crate) hat: Ridge,
    tilde: Ridge,
    /// s^2 of the last step.
    pub(crate) sigma_sq: [f64; 1],
    /// psi_1, psi_2 and scratch space, d numbers each.
    #[serde(skip)]
    room: [Vec<f64>; 3],
}

impl TwoMoments {
    pub(crate) fn new(dim: usize, lambda: f64, b: f64) -> Self {
        let (hat, tilde) = (Ridge::new(dim, lambda), Ridge::new(dim, lambda / b.powi(4)));
        TwoMoments { hat, tilde, sigma_sq: [0.0], room: Default::default() }
    }

    /// Weighs a transition and takes it in. `u` is V_j/B in [0, 1]; the radii are beta_check, which
    /// bounds the error of the mean, and beta_tilde/B^2, which bounds that of the second moment.
    ///
    /// The weight comes from the estimates of the step before: it must not have seen the next
    /// state.
    pub(crate) fn step(
        &mut self,
        problem: &Problem,
        (p, next): (Pair, State),
        u: &[f64],
        (check, tilde): (f64, f64),
    ) {
        let d = problem.dim();
        self.room.iter_mut().for_each(|room| room.resize(d, 0.0));
        let [first, second, scratch] = &mut self.room;
        problem.phi_v(p, u, first);
        problem.phi_of(p, |s| u[s] * u[s], second);
        let mut of = |ridge: &Ridge, psi: &[f64]| {
            ridge.theta_in(scratch);
            dot(psi, scratch).clamp(0.0, 1.0)
        };
        // it may be negative: only its sum with the errors enters
        let variance = of(&self.tilde, second) - of(&self.hat, first).powi(2);
        let error = (2.0 * check * self.hat.running().inverse_norm(first, scratch)).min(1.0)
            + (tilde * self.tilde.running().inverse_norm(second, scratch)).min(1.0);
        let sigma_sq = (variance + error).max(1.0 / d as f64);
        self.sigma_sq = [sigma_sq];
        self.hat.update(first, u[next], 1.0 / sigma_sq, scratch);
        self.tilde.update(second, u[next] * u[next], 1.0, scratch);
    }

    /// Freezes both, and makes their factors anew.
    pub(crate) fn freeze(&mut self) {
        self.hat.freeze();
        self.tilde.freeze();
    }
}
