//! When half of each feature is enough for a sweep, and what is taken off its bounds for it.

use super::{Devi, Task};
use crate::numeric::support::SupportMin;
use crate::problem::{Pair, Problem};

/// A sweep may be off by a part of eps,
const PART: f64 = 1.0 / 8.0;
/// or by a part of what the sweep before it changed.
const LITTLE: f64 = 1.0 / 32.0;

/// What a sweep reads of each feature.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leeway {
    /// All of it.
    None,
    /// Its first half, since |theta|_1 max V is this: what is off by so much, per unit of
    /// [`Problem::off_by`], is taken off every bound.
    Of(f64),
}

impl Leeway {
    /// phi_V of a pair; by how much its product with any theta may be off.
    #[inline]
    pub(super) fn phi_v(self, problem: &Problem, p: Pair, v: &[f64], phi: &mut [f64]) -> f64 {
        match self {
            Leeway::None => {
                problem.phi_v(p, v, phi);
                0.0
            }
            Leeway::Of(leeway) => {
                problem.phi_v_nearly(p, v, phi);
                leeway * problem.off_by(p)
            }
        }
    }

    /// What was taken off the bound of a pair.
    pub(super) fn off(self, problem: &Problem, p: Pair) -> f64 {
        match self {
            Leeway::None => 0.0,
            Leeway::Of(leeway) => leeway * problem.off_by(p),
        }
    }

    /// By how much more than it seems a sweep's V may be off from L V.
    pub(super) fn doubt(self, problem: &Problem) -> f64 {
        match self {
            Leeway::None => 0.0,
            Leeway::Of(leeway) => 2.0 * leeway * problem.largest_off(),
        }
    }
}

impl Devi {
    /// Whether the first halves are enough for a sweep of `before`.
    ///
    /// What they leave out is taken off every bound, so that V stays below L's fixed point. It is
    /// no more than a small part of eps, which the residual has room for, or of what the sweep
    /// before changed, when the end is far.
    pub(super) fn leeway(&self, task: &Task, set: &impl SupportMin) -> Leeway {
        if !task.problem.has_split_features() {
            return Leeway::None;
        }
        let leeway = set.one_norm() * self.before.iter().copied().fold(0.0, f64::max);
        let slack = leeway * task.problem.largest_off();
        match slack.is_finite() && slack <= f64::max(PART * task.eps, LITTLE * self.change) {
            true => Leeway::Of(leeway),
            false => Leeway::None,
        }
    }
}
