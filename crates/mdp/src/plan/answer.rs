//! What a solver finds and claims, and a checker reads.

use crate::problem::{Action, Problem, State};
use crate::{Error, Result};

/// What is optimised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// V* of the paper: the least expected cost over proper policies; infinite without one.
    #[default]
    Min,
    /// The greatest expected cost to the goal. As usual in probabilistic model checking
    /// (`Rmax=? [F goal]`), it is infinite where *some* policy misses the goal with positive
    /// probability, even if it would do so for free.
    Max,
    /// The greatest probability of ever reaching the goal; costs play no part.
    Reach,
}

/// Digits beyond f64 of lower and of upper bounds: lists that are added to the bounds.
pub(super) type Tails = (Vec<Vec<f64>>, Vec<Vec<f64>>);

/// Optimal values with a proof: `lower <= V <= upper` in every state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// What was optimised.
    pub objective: Objective,
    /// The start state.
    pub start: State,
    /// Certified lower bound, per state.
    pub lower: Vec<f64>,
    /// Certified upper bound, per state.
    pub upper: Vec<f64>,
    /// The value, per state: between the bounds.
    pub v: Vec<f64>,
    /// A policy that attains the values up to the bounds (0 in the goal and in lost states).
    pub policy: Vec<Action>,
    /// `Min`: states without a proper policy. `Max`: states from which some policy may miss the
    /// goal. `Reach`: states from which it cannot be reached.
    pub lost: Vec<State>,
    /// Those of them that can be reached from the start, by whatever actions.
    pub lost_ahead: Vec<State>,
    /// The largest value of a state that is not lost, B* for [`Objective::Min`]; infinite if some
    /// value is unknown or, for [`Objective::Max`], lost; NaN for probabilities.
    pub b_star: f64,
    /// The policy's expected steps per state, infinite in lost states. Empty if not asked for, and
    /// for probabilities.
    pub steps: Vec<f64>,
    /// The largest of `steps` in states that are not lost, T* for [`Objective::Min`]; of the fast
    /// way, in those it could bound. Infinite where `b_star` is for [`Objective::Max`]; NaN without
    /// `steps`.
    pub t_star: f64,
    /// c + P V, per pair; P V for probabilities. NaN where it depends on a state of which nothing is
    /// known. Empty if it was not asked for.
    pub q: Vec<f64>,
    /// The greatest probability of reaching the goal from the start; NaN if unknown.
    pub reach_probability: f64,
    /// Digits beyond f64 that belong to the lower and upper bounds when they are checked.
    pub(super) tails: Option<Tails>,
}

impl Answer {
    /// The value of the start; not a number if nothing is known of it.
    pub fn value(&self) -> f64 {
        if self.is_vacuous(self.start) { f64::NAN } else { self.v[self.start] }
    }

    /// The largest relative width (upper - lower)/upper of the certified intervals.
    pub fn width(&self) -> f64 {
        let widths = self.lower.iter().zip(&self.upper).filter(|(lower, _)| lower.is_finite());
        widths.map(|(lower, upper)| if upper > lower { 1.0 - lower / upper } else { 0.0 }).fold(0.0, f64::max)
    }

    /// Whether a state is lost.
    pub fn is_lost(&self, s: State) -> bool {
        self.lost.binary_search(&s).is_ok()
    }

    /// Whether nothing useful is known of a state: no upper bound on a finite cost, or a
    /// probability that may be anything.
    pub fn is_vacuous(&self, s: State) -> bool {
        match self.objective {
            Objective::Reach => self.lower[s] <= 0.0 && self.upper[s] >= 1.0,
            Objective::Min | Objective::Max => self.lower[s].is_finite() && self.upper[s].is_infinite(),
        }
    }

    /// An error that names the lost states ahead of the start: no regret is defined there.
    pub fn require_proper(&self, problem: &Problem) -> Result<()> {
        if self.lost_ahead.is_empty() {
            return Ok(());
        }
        let states = self.lost_ahead.iter().map(|&s| problem.state_name(s).into_owned()).collect();
        Err(Error::NoProperPolicy { states })
    }

    /// An error that names the states of which nothing could be proven.
    pub fn require_bounds(&self, problem: &Problem) -> Result<()> {
        let open = |&s: &State| self.lower[s].is_finite() && self.upper[s].is_infinite();
        let states: Vec<String> =
            (0..problem.states()).filter(open).map(|s| problem.state_name(s).into_owned()).collect();
        if states.is_empty() { Ok(()) } else { Err(Error::NoBound { states }) }
    }
}
