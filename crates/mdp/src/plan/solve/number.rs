//! The numbers that bounds are proven with: f64 for speed, [`Double`] for digits.

use super::model::{Choice, Model};
use crate::numeric::linear::double::{Double, UNIT};

/// More than what underflow takes from one term.
const UNDERFLOW: f64 = 1e-300;

/// The slack of one choice under some V: S c - sum of w (V(s) - V(s')).
#[derive(Clone, Copy)]
pub(super) struct Slack {
    pub(super) value: f64,
    pub(super) error: f64,
    /// What rounding the values themselves can change in it.
    pub(super) grain: f64,
}

/// A number that slacks can be computed with. Vectors end with the goal's 0.
pub(super) trait Number: Copy + From<f64> {
    /// What is sure of a slack that is rounded to f64.
    const SURE: f64;

    fn nearest(self) -> f64;

    fn plus(self, y: f64) -> Self;

    /// More by a part of itself.
    fn raised(self, part: f64) -> Self;

    fn slack(model: &Model, node: usize, choice: Choice, v: &[Self]) -> Slack;
}

impl Number for f64 {
    const SURE: f64 = 1.0;

    fn nearest(self) -> f64 {
        self
    }

    fn plus(self, y: f64) -> f64 {
        self + y
    }

    fn raised(self, part: f64) -> f64 {
        self * (1.0 + part)
    }

    #[inline(always)]
    fn slack(model: &Model, node: usize, choice: Choice, v: &[f64]) -> Slack {
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
        Slack { value, error, grain: 2.0 * f64::EPSILON * grain }
    }
}

impl Number for Double {
    const SURE: f64 = 1.0 - f64::EPSILON;

    fn nearest(self) -> f64 {
        Double::nearest(self)
    }

    fn plus(self, y: f64) -> Double {
        Double::plus(self, y)
    }

    fn raised(self, part: f64) -> Double {
        self + self.times(part)
    }

    /// For m successors there are at most m + 1 roundings in the charge, two in each term and m in
    /// the sum, all relative to quantities that `size` bounds. Underflow adds at most a few of the
    /// smallest numbers per term, unless all is exactly zero; what it makes of a term may be zero.
    /// The grain is a few times larger than it is, to be safe.
    fn slack(model: &Model, node: usize, choice: Choice, v: &[Double]) -> Slack {
        let arcs = model.arcs(choice);
        let mut value = model.whole_charge(choice);
        let (mut size, mut grain) = (value.nearest(), model.leaving[choice] * v[node].nearest().abs());
        let mut moved = size > 0.0;
        for &(next, w) in arcs {
            let other = v[next as usize];
            let fall = v[node] - other;
            moved |= fall.nearest() != 0.0;
            let fall = fall.times(w);
            size += fall.nearest().abs();
            grain += w * other.nearest().abs();
            value = value - fall;
        }
        let underflow = if moved { UNDERFLOW * (arcs.len() + 1) as f64 } else { 0.0 };
        let error = 2.0 * f64::from(model.successors(choice) + 8) * UNIT * size + underflow;
        Slack { value: value.nearest(), error, grain: 16.0 * UNIT * grain }
    }
}
