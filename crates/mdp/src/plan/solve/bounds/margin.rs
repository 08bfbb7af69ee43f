//! The margin of the side that all choices must satisfy, by policy iteration.

use crate::plan::solve::model::Choice;

/// Rounds of policy iteration for a margin; one or two is what it takes.
const ROUNDS: usize = 30;

/// Whether a policy's equations are at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan::solve) enum Turn {
    /// It is the one whose values the margin is for.
    Same,
    /// Its equations are new.
    New,
}

/// What became of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan::solve) enum Verdict {
    /// All choices satisfy it.
    Holds,
    /// Some do not.
    Violated,
    /// Arithmetic failed.
    Broken,
}

/// Bounds from the margin of a policy.
pub(in crate::plan::solve) trait Margin {
    /// A bound for every node.
    type Bound;
    /// The bound by a policy's margin; none where its equations cannot be solved.
    fn bound(&mut self, policy: &[Choice], turn: Turn) -> Option<Self::Bound>;
    /// Whether it holds; if not, the policy turns to the choices that lack most.
    fn verdict(&self, bound: &Self::Bound, policy: &mut [Choice]) -> Verdict;
}

/// A bound that holds: V of the problem whose costs are changed by a little more than what is
/// missing, found by policy iteration from the policy given. Works without positive costs, since no
/// policy loops for free.
pub(in crate::plan::solve) fn by_rounds<M: Margin>(
    margin: &mut M,
    mut policy: Vec<Choice>,
) -> Option<M::Bound> {
    let mut turn = Turn::Same;
    for _ in 0..ROUNDS {
        let bound = margin.bound(&policy, turn)?;
        match margin.verdict(&bound, &mut policy) {
            Verdict::Holds => return Some(bound),
            Verdict::Violated => turn = Turn::New,
            Verdict::Broken => return None,
        }
    }
    None
}
