//! The numbers that bounds are proven with: f64 for speed, [`Double`] for digits.

use super::model::{Choice, Model};
use crate::numeric::linear::double::{Double, UNIT};

/// More than what underflow takes from one term.
pub(super) const UNDERFLOW: f64 = 1e-300;

/// The slack of one choice under some V: S c - sum of w (V(s) - V(s')).
#[derive(Clone, Copy)]
pub(super) struct Slack<N> {
    /// The computed value.
    pub(super) value: N,
    /// A bound on its rounding error.
    pub(super) error: f64,
}

/// A number that slacks can be computed with. Vectors end with the goal's 0.
pub(super) trait Number: Copy + From<f64> {
    /// What is sure of a slack that is rounded to f64.
    const SURE: f64;

    /// The nearest f64.
    fn nearest(self) -> f64;

    /// The slack of a choice.
    fn slack(model: &Model, node: usize, choice: Choice, v: &[Self]) -> Slack<Self>;

    /// The slack, and what rounding the values themselves can change in it.
    fn slack_and_grain(model: &Model, node: usize, choice: Choice, v: &[Self]) -> (Slack<Self>, f64);
}

impl Number for f64 {
    const SURE: f64 = 1.0;

    fn nearest(self) -> f64 {
        self
    }

    #[inline]
    fn slack(model: &Model, node: usize, choice: Choice, v: &[f64]) -> Slack<f64> {
        f64::slack_and_grain(model, node, choice, v).0
    }

    #[inline(always)]
    fn slack_and_grain(model: &Model, node: usize, choice: Choice, v: &[f64]) -> (Slack<f64>, f64) {
        let arcs = model.arcs(choice);
        let own = v[node];
        let charge = model.charge(choice);
        let (mut value, mut size, mut grain) = (charge, charge, 0.0);
        let mut moved = charge > 0.0;
        for &(next, w) in arcs {
            let other = v[next as usize];
            let fall = own - other;
            moved |= fall != 0.0;
            value -= w * fall;
            size += (w * fall).abs();
            grain += w * (own.abs() + other.abs());
        }
        // k + 3 roundings of 2^-53 each, relative to sums that `size` bounds; twice that covers its
        // own roundings
        let tiny = if moved { UNDERFLOW * (arcs.len() + 1) as f64 } else { 0.0 };
        let error = (arcs.len() + 4) as f64 * f64::EPSILON * size + tiny;
        (Slack { value, error }, 2.0 * f64::EPSILON * grain)
    }
}

impl Number for Double {
    const SURE: f64 = 1.0 - f64::EPSILON;

    fn nearest(self) -> f64 {
        Double::nearest(self)
    }

    /// For m successors there are at most m + 1 roundings in the charge, two in each term and m in
    /// the sum, all relative to quantities that `size` bounds. Underflow adds at most a few of the
    /// smallest numbers per term, unless all is exactly zero; what it makes of a term may be zero.
    fn slack(model: &Model, node: usize, choice: Choice, v: &[Double]) -> Slack<Double> {
        let arcs = model.arcs(choice);
        let mut value = model.whole_charge(choice);
        let mut size = value.nearest();
        let mut moved = size > 0.0;
        for &(next, w) in arcs {
            let fall = v[node] - v[next as usize];
            moved |= fall.nearest() != 0.0;
            let fall = fall.times(w);
            size += fall.nearest().abs();
            value = value - fall;
        }
        let underflow = if moved { UNDERFLOW * (arcs.len() + 1) as f64 } else { 0.0 };
        Slack { value, error: 2.0 * f64::from(model.successors(choice) + 8) * UNIT * size + underflow }
    }

    /// The grain a few times larger than it is, to be safe.
    fn slack_and_grain(model: &Model, node: usize, choice: Choice, v: &[Double]) -> (Slack<Double>, f64) {
        let slack = Double::slack(model, node, choice, v);
        let size: f64 =
            model.arcs(choice).iter().map(|&(next, w)| w * v[next as usize].nearest().abs()).sum();
        (slack, 16.0 * UNIT * (size + model.leaving[choice] * v[node].nearest().abs()))
    }
}
