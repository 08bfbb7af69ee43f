//! Bounds that are proven to lie above or below V, with every rounding accounted for, in f64 on a
//! block or in 30 digits on a whole model.
//!
//! The *policy's* side is a bound that one policy proves, the *other* side one that all choices
//! must satisfy. Let slack(v) = S c - sum of w (v(s) - v(s')), which is S (c + Pv - v). For least
//! costs: if U >= 0 and slack(U) <= 0 under a proper policy, U is at least its cost. If L(goal) = 0
//! and slack(L) >= 0 for every pair that a proper policy may use, then L <= c + PL <= ... <= its
//! cost. Pairs that a [`Model`] leaves out never leave their node, where L <= c + L holds. For
//! greatest costs the signs change. Zero is below V.
//!
//! *Scaling*: (1 -+ epsilon) x adds epsilon times the charge to every slack, where all that falls
//! short costs something. *Margin*: x -+ m, with m the solution of a policy's equations with what
//! is missing as costs; on the other side the policy turns to the choices that lack most. That
//! needs no positive costs.

use super::model::{Choice, Model};
use super::number::Number;
use super::values::{Sense, Values};
use std::ops::Range;

/// Rounds of policy iteration for a margin; one or two is what it takes.
const ROUNDS: usize = 30;
/// A margin pays for this multiple of what is missing.
const SPARE: f64 = 1.5;
/// The widest that scaling proves.
pub(super) const WIDEST: f64 = 0.49;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Policy,
    All,
}

impl Side {
    pub(super) const BOTH: [Side; 2] = [Side::Policy, Side::All];

    fn is_above(self, sense: Sense) -> bool {
        (self == Side::Policy) == (sense == Sense::Least)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Proof<'a> {
    pub(super) model: &'a Model,
    pub(super) sense: Sense,
    /// The factor on roundings, 1 or more: the independent check sums otherwise.
    pub(super) care: f64,
}

impl Proof<'_> {
    /// +1 where slacks must not be negative, else -1.
    fn sign(&self, side: Side) -> f64 {
        if side == Side::All { self.sense.sigma() } else { -self.sense.sigma() }
    }

    fn choices(&self, side: Side, s: usize, policy: u32) -> Range<Choice> {
        match side {
            Side::Policy => policy as Choice..policy as Choice + 1,
            Side::All => self.model.choices(s),
        }
    }

    /// Whether the bounds of one side hold on some nodes, given those before; none if arithmetic
    /// failed. Where they do not, the policy turns to the choices that lack most.
    fn holds<N: Number>(
        &self,
        side: Side,
        values: &Values<N>,
        nodes: Range<usize>,
        policy: &mut [u32],
    ) -> Option<bool> {
        let bound = if side.is_above(self.sense) { &values.upper } else { &values.lower };
        let (sign, mut holds) = (self.sign(side), true);
        for s in nodes.clone() {
            let mut worst = 0.0;
            // false for NaN
            if !(0.0..f64::INFINITY).contains(&bound[s].nearest()) {
                return None;
            }
            for choice in self.choices(side, s, policy[s - nodes.start]) {
                let slack = N::slack(self.model, s, choice, bound);
                let (value, error) = (sign * slack.value, self.care * slack.error);
                if value * N::SURE >= error {
                    continue;
                }
                holds = false;
                let lacks = (error - value) / self.model.leaving[choice];
                if lacks.is_nan() {
                    return None;
                }
                if lacks > worst {
                    (worst, policy[s - nodes.start]) = (lacks, choice as u32);
                }
            }
        }
        Some(holds)
    }

    /// Bounds (1 -+ epsilon) x on some nodes, if epsilon need not exceed `most`; whether they hold.
    pub(super) fn by_scaling<N: Number>(
        &self,
        side: Side,
        most: f64,
        values: &mut Values<N>,
        nodes: Range<usize>,
    ) -> bool {
        let Some(epsilon) = self.scale(side, most, values, nodes.clone()) else { return false };
        let Values { x, lower, upper, .. } = values;
        match side.is_above(self.sense) {
            true => nodes.clone().for_each(|s| upper[s] = x[s].raised(epsilon)),
            false => nodes.clone().for_each(|s| lower[s] = x[s].raised(-epsilon)),
        }
        let mut policy = values.policy[nodes.clone()].to_vec();
        self.holds(side, values, nodes, &mut policy) == Some(true)
    }

    fn scale<N: Number>(
        &self,
        side: Side,
        most: f64,
        values: &Values<N>,
        nodes: Range<usize>,
    ) -> Option<f64> {
        let (sign, mut epsilon) = (self.sign(side), 0.0f64);
        for s in nodes.clone() {
            for choice in self.choices(side, s, values.policy[s]) {
                for &(next, _) in self.model.arcs(choice) {
                    let e = next as usize;
                    if !nodes.contains(&e) && values.x[e].nearest() > 0.0 {
                        let off = self.off(side, values, e) / values.x[e].nearest();
                        epsilon = epsilon.max(off + 4.0 * f64::EPSILON);
                    }
                }
                let slack = N::slack(self.model, s, choice, &values.x);
                let missing = self.care * (slack.error + slack.grain) - sign * slack.value;
                if missing > 0.0 {
                    // a charge of zero makes this infinite
                    let share = 2.0 * missing / self.model.charge(choice);
                    if share.is_nan() || share > most {
                        return None;
                    }
                    epsilon = epsilon.max(share);
                }
            }
        }
        if epsilon.is_nan() || epsilon > most { None } else { Some(epsilon) }
    }

    /// How far the bound of a node is from its value.
    fn off<N: Number>(&self, side: Side, values: &Values<N>, e: usize) -> f64 {
        match side.is_above(self.sense) {
            true => values.upper[e].nearest() - values.x[e].nearest(),
            false => values.x[e].nearest() - values.lower[e].nearest(),
        }
    }

    /// Bounds on some nodes by a margin; `margin` solves a policy's equations for other costs.
    pub(super) fn by_margin<N: Number>(
        &self,
        side: Side,
        values: &mut Values<N>,
        nodes: Range<usize>,
        mut margin: impl FnMut(&[u32], Vec<f64>) -> Option<Vec<f64>>,
    ) -> bool {
        let mut policy = values.policy[nodes.clone()].to_vec();
        for _ in 0..if side == Side::All { ROUNDS } else { 1 } {
            let missing = |(s, &choice): (usize, &u32)| {
                SPARE * self.missing(side, values, nodes.clone(), s, choice as Choice).max(0.0)
            };
            let Some(margin) = margin(&policy, nodes.clone().zip(&policy).map(missing).collect()) else {
                return false;
            };
            let Values { x, lower, upper, .. } = values;
            for (s, m) in nodes.clone().zip(margin) {
                match side.is_above(self.sense) {
                    true => upper[s] = x[s].plus(m),
                    false if x[s].nearest() > m => lower[s] = x[s].plus(-m),
                    false => lower[s] = N::from(0.0),
                }
            }
            match self.holds(side, values, nodes.clone(), &mut policy) {
                Some(false) => {}
                known => return known.is_some(),
            }
        }
        false
    }

    /// What a choice lacks if a margin is taken off x: the residual, roundings, and how far the
    /// bounds of earlier nodes are from their values. That distance is known and paid for exactly
    /// once: otherwise it would grow from block to block.
    fn missing<N: Number>(
        &self,
        side: Side,
        values: &Values<N>,
        block: Range<usize>,
        node: usize,
        choice: Choice,
    ) -> f64 {
        let slack = N::slack(self.model, node, choice, &values.x);
        let outside = self.model.arcs(choice).iter().filter(|arc| !block.contains(&(arc.0 as usize)));
        let width: f64 = outside.map(|&(next, w)| w * self.off(side, values, next as usize)).sum();
        let residual = -self.sign(side) * slack.value;
        // what a choice has too much is not to be counted more than once either
        residual.max(residual / SPARE)
            + 2.0 * self.care * (slack.error + slack.grain)
            + width * (1.0 + 1e-9) / SPARE
    }
}
