//! What a learner with a regression for every moment level shows of them.

use crate::confidence::{MomentRule, RadiusKind, levis_plus_plus};
use crate::estimate::Home;

/// The weighted regressions of LEVIS++ and its variants, as they stand after a step.
///
/// All is in the normalised form, for U = V_j/B in [0, 1]: level l is about U^(2^l), and no power of
/// B enters.
pub struct Levels<'a> {
    home: &'a Home,
    rule: &'a MomentRule,
    t: u64,
}

/// What a level made of the last step, before it took it in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The estimated variance of U^(2^l), and E_l, which is to bound its error; none at the top
    /// level, which has no level above to estimate from.
    pub variance: Option<(f64, f64)>,
    /// |psi_l| in the norm of Sigma_{t-1}^-1.
    pub norm: f64,
    /// The weight s_l^2 that the step has.
    pub sigma_sq: f64,
}

impl<'a> Levels<'a> {
    pub(in crate::learners) fn new(home: &'a Home, rule: &'a MomentRule, t: u64) -> Self {
        Levels { home, rule, t }
    }

    /// L.
    pub fn count(&self) -> usize {
        self.home.levels().len()
    }

    /// The bound B, in the user's units.
    pub fn b(&self) -> f64 {
        self.rule.b * self.rule.unit
    }

    /// The user's units per unit of the theory.
    pub fn unit(&self) -> f64 {
        self.rule.unit
    }

    /// The ridge.
    pub fn lambda(&self) -> f64 {
        self.rule.lambda
    }

    /// gamma.
    pub fn gamma(&self) -> f64 {
        self.rule.gamma
    }

    /// The failure probability in the formula of the radius.
    pub fn delta(&self) -> f64 {
        self.rule.share()
    }

    /// The bound on |phi_V| in force.
    pub fn phi_norm(&self) -> f64 {
        self.rule.phi_norm
    }

    /// Whether the proof is about this level's set, and about its weights: a Hoeffding bound needs
    /// level 0 alone, and no weights.
    pub fn claims(&self, level: usize) -> bool {
        level == 0 || self.rule.radius != RadiusKind::Determinant
    }

    /// The radius of every level now.
    pub fn radii(&self, radii: &mut Vec<f64>) {
        self.rule.radii(self.t, self.home, radii);
    }

    /// The formula of Theorem 5.1 after `t` steps, not scaled.
    pub fn printed_radius(&self, t: u64) -> f64 {
        let MomentRule { dim, lambda, phi_norm, .. } = *self.rule;
        levis_plus_plus(t, dim, lambda, self.delta(), phi_norm, self.rule.bias())
    }

    /// |theta - theta_hat_l| in the norm of Sigma_l, both of now. `room` holds 2d numbers.
    pub fn distance(&self, level: usize, theta: &[f64], room: &mut [f64]) -> f64 {
        let (room, scratch) = room.split_at_mut(theta.len());
        self.home.levels()[level].distance(theta, room, scratch)
    }

    /// What a level made of the last step; none after the state was put back.
    pub fn last(&self, level: usize) -> Option<Level> {
        let weighed = self.home.weighed().get(level)?;
        let sigma_sq = self.home.sigma_sq()[level];
        Some(Level { variance: weighed.variance, norm: weighed.norm, sigma_sq })
    }

    /// theta_hat_l and Sigma_l of now, d and d x d numbers.
    pub fn regression(&self, level: usize) -> (Vec<f64>, &'a [f64]) {
        let level = &self.home.levels()[level];
        (level.theta(), level.sigma())
    }
}
