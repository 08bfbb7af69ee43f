//! What is found of a model's nodes, before it is told of states.

use crate::numeric::linear::double::Double;
use crate::plan::answer::Tails;

/// Values, bounds and policy of a model's nodes; the goal's 0 at the end.
pub(super) struct Values {
    pub(super) x: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) policy: Vec<u32>,
    /// Some interval is wider than asked for.
    pub(super) wide: bool,
}

/// Values whose bounds have more digits than f64.
pub(super) struct Fine {
    pub(super) values: Values,
    /// What the lower and the upper bounds lack of the numbers that prove them, per node.
    pub(super) tails: Tails,
}

/// What bounds lack of the numbers that prove them.
pub(super) fn tails(proof: &[Double], bound: &[f64]) -> Vec<f64> {
    let tail = |(x, bound): (&Double, &f64)| match bound.is_finite() {
        true => (*x - Double::from(*bound)).nearest(),
        false => 0.0,
    };
    proof.iter().zip(bound).map(tail).collect()
}
