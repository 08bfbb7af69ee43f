//! Values, bounds and policy of a model's nodes.

use crate::numeric::linear::double::Double;
use crate::plan::answer::{Objective, Tails};

/// Whether small or large values are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    Least,
    Greatest,
}

impl Sense {
    pub(super) fn of(objective: Objective) -> Sense {
        if objective == Objective::Min { Sense::Least } else { Sense::Greatest }
    }

    /// +1 where small values are wanted, else -1.
    pub(super) fn sigma(self) -> f64 {
        if self == Sense::Least { 1.0 } else { -1.0 }
    }
}

/// Values, bounds and policy of a model's nodes; the goal's 0 at the end.
#[derive(Clone)]
pub(super) struct Values<N = f64> {
    pub(super) x: Vec<N>,
    pub(super) lower: Vec<N>,
    pub(super) upper: Vec<N>,
    pub(super) policy: Vec<u32>,
}

impl Values<Double> {
    /// Values with bounds rounded outwards, at most `most`, and the tails of their proofs.
    pub(super) fn rounded(mut self, most: f64) -> (Values, Tails) {
        // the smaller of two upper bounds is one, too
        self.upper.iter_mut().filter(|u| u.nearest() >= most).for_each(|u| *u = Double::from(most));
        let lower: Vec<f64> = self.lower.iter().map(|&l| Double::floor(l)).collect();
        let upper: Vec<f64> = self.upper.iter().map(|&u| Double::ceil(u)).collect();
        let x = self.x.iter().zip(&lower).zip(&upper);
        let x = x.map(|((x, &lower), &upper)| x.nearest().max(lower).min(upper)).collect();
        let tails = (vec![tails(&self.lower, &lower)], vec![tails(&self.upper, &upper)]);
        (Values { x, lower, upper, policy: self.policy }, tails)
    }
}

fn tails(proof: &[Double], bound: &[f64]) -> Vec<f64> {
    let tail = |(x, bound): (&Double, &f64)| match bound.is_finite() {
        true => (*x - Double::from(*bound)).nearest(),
        false => 0.0,
    };
    proof.iter().zip(bound).map(tail).collect()
}
