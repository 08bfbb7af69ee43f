//! What planning on a known model finds, and what it claims: data that a solver writes and a
//! checker reads.

use crate::problem::{Action, Problem, State};
use crate::{Error, Result};

/// What is optimised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// V* of the paper: the least expected cost to the goal, over policies that reach it with
    /// probability one. Infinite where there is none.
    #[default]
    Min,
    /// The greatest expected cost to the goal. As usual in probabilistic model checking
    /// (`Rmax=? [F goal]`), it is infinite where *some* policy misses the goal with positive
    /// probability, even if it would do so for free.
    Max,
    /// The greatest probability of ever reaching the goal; costs play no part.
    Reach,
}

/// Digits beyond f64 of lower and of upper bounds: any number of lists, per state or per node each,
/// that are added to the bounds.
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
    /// `Min`: the states without a policy that reaches the goal with probability one. `Max`: the
    /// states in which some policy may miss it. `Reach`: the states from which it cannot be reached
    /// at all.
    pub lost: Vec<State>,
    /// Those of them that can be reached from the start, by whatever actions.
    pub lost_ahead: Vec<State>,
    /// The largest value of a state that is not lost, B* for [`Objective::Min`]. Infinite if
    /// nothing is known of some state, and for [`Objective::Max`] if some state is lost; not a number
    /// for probabilities.
    pub b_star: f64,
    /// The expected number of steps of the policy, per state; infinite in lost states. Empty if it
    /// was not asked for, and for probabilities: their policy may go on for ever.
    pub steps: Vec<f64>,
    /// The largest of `steps` in states that are not lost, T* for [`Objective::Min`]; the fast way
    /// counts those that it could bound. Infinite where `b_star` is for [`Objective::Max`]; not a
    /// number if `steps` is empty.
    pub t_star: f64,
    /// c + P V, per pair, where V is finite. Empty if it was not asked for, and for probabilities.
    pub q: Vec<f64>,
    /// The greatest probability of reaching the goal from the start; not a number if it was not
    /// asked for, or if nothing is known of it.
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

    /// Whether nothing useful is known of a state: a cost without an upper bound, though the graph
    /// says that it is finite; a probability that may be anything.
    pub fn is_vacuous(&self, s: State) -> bool {
        match self.objective {
            Objective::Reach => self.lower[s] <= 0.0 && self.upper[s] >= 1.0,
            Objective::Min | Objective::Max => self.lower[s].is_finite() && self.upper[s].is_infinite(),
        }
    }

    /// An error that names the lost states ahead of the start, if there are any: a learner that
    /// tries every action would end in one of them, and no regret could be defined.
    pub fn require_proper(&self, problem: &Problem) -> Result<()> {
        if self.lost_ahead.is_empty() {
            return Ok(());
        }
        let states = self.lost_ahead.iter().map(|&s| problem.state_name(s).into_owned()).collect();
        Err(Error::NoProperPolicy { states })
    }

    /// An error that names the states of which nothing could be proven, if there are any: no regret
    /// can be measured against a cost that is not known, and no bound on B* be told.
    pub fn require_bounds(&self, problem: &Problem) -> Result<()> {
        let open = |&s: &State| self.lower[s].is_finite() && self.upper[s].is_infinite();
        let states: Vec<String> =
            (0..problem.states()).filter(open).map(|s| problem.state_name(s).into_owned()).collect();
        if states.is_empty() { Ok(()) } else { Err(Error::NoBound { states }) }
    }
}
