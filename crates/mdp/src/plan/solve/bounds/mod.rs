//! Bounds that are proven to lie above or below V, with every rounding accounted for.
//!
//! With sigma = +1 for least and -1 for greatest costs, the *policy's* side is a bound that one
//! policy proves, and the *other* side one that all choices must satisfy. Let slack(v) = S c - sum
//! of w (v(s) - v(s')), which is S (c + Pv - v).
//!
//! *The policy's side, least costs.* If U >= 0 and slack(U) <= 0 under a proper policy, then U is
//! at least what that policy costs. *The other side.* If L(goal) = 0 and slack(L) >= 0 for every
//! pair that a proper policy may use, then for each proper policy L <= c + PL <= ... <= its cost,
//! since P^n L -> 0. Pairs that a [`Model`] leaves out never leave their node, where L is constant,
//! so L <= c + L holds for them without a check. For greatest costs, where every policy is proper,
//! the signs change.
//!
//! *Scaling*: (1 -+ epsilon) x adds epsilon times the charge to every slack. It does where all that
//! falls short costs something, and does not grow from block to block. *Margin*: x -+ m, with m the
//! solution of a policy's equations with what is missing as costs.

mod fine;
mod margin;
mod plain;

use super::model::{Choice, Model};
use super::number::Number;
use super::sense::Sense;
pub(super) use fine::{above, below, by_all, by_policy, nothing};
pub(super) use margin::{Margin, Turn, Verdict, by_rounds};
pub(super) use plain::{Side, by_scaling, hold, lower_hold, missing};
use std::ops::Range;

/// What is proven, and how carefully.
#[derive(Clone, Copy)]
pub(super) struct Proof<'a> {
    pub(super) model: &'a Model,
    pub(super) sense: Sense,
    /// How many times roundings are counted, 1 or more: whoever checks a certificate by other sums
    /// may be less sure of them.
    pub(super) care: f64,
}

impl Proof<'_> {
    /// Whether a choice has the right slack on the policy's side.
    fn policy_holds<N: Number>(&self, node: usize, choice: Choice, bound: &[N]) -> bool {
        let slack = N::slack(self.model, node, choice, bound);
        -self.sense.sigma() * slack.value.nearest() * N::SURE >= self.care * slack.error
    }

    /// Whether all choices of a node have the right slack on the other side.
    fn all_hold<N: Number>(&self, node: usize, bound: &[N]) -> bool {
        self.model.choices(node).all(|choice| {
            let slack = N::slack(self.model, node, choice, bound);
            self.sense.sigma() * slack.value.nearest() * N::SURE >= self.care * slack.error
        })
    }

    /// What a choice lacks on the other side under x, with roundings counted so many times.
    fn lacking<N: Number>(&self, node: usize, choice: Choice, x: &[N], times: f64) -> f64 {
        let (slack, grain) = N::slack_and_grain(self.model, node, choice, x);
        times * (slack.error + grain) - self.sense.sigma() * slack.value.nearest()
    }

    /// Whether all choices of some nodes satisfy the other side. Where they do not, the policy of
    /// these nodes turns to the choices that lack most.
    pub(super) fn verdict<N: Number>(
        &self,
        bound: &[N],
        nodes: Range<usize>,
        policy: &mut [Choice],
    ) -> Verdict {
        let (model, sigma) = (self.model, self.sense.sigma());
        let mut verdict = Verdict::Holds;
        for s in nodes.clone() {
            let mut worst = 0.0;
            for choice in model.choices(s) {
                let slack = N::slack(model, s, choice, bound);
                let (value, error) = (sigma * slack.value.nearest(), self.care * slack.error);
                if value * N::SURE >= error {
                    continue;
                }
                verdict = Verdict::Violated;
                let lacks = (error - value) / model.leaving[choice];
                if lacks.is_nan() {
                    return Verdict::Broken;
                }
                if lacks > worst {
                    (worst, policy[s - nodes.start]) = (lacks, choice);
                }
            }
        }
        verdict
    }
}
