//! End components: where one can stay for ever.

use super::possible;
use super::strong::{PairGraph, strong_components};
use crate::problem::{Problem, Truth};

/// Maximal end components.
pub(crate) struct EndComponents {
    /// The component of each state; a state that is in none is on its own.
    pub(crate) class: Vec<u32>,
    /// Per pair: does it surely stay in its component?
    pub(crate) inner: Vec<bool>,
}

/// The maximal end components of the allowed pairs: sets of states in which these pairs can stay
/// for ever and lead from anywhere to anywhere. States in none are on their own. On return
/// `allowed` has the pairs that stay in their component.
pub(crate) fn end_components(problem: &Problem, truth: &Truth, allowed: &mut [bool]) -> Vec<u32> {
    loop {
        let components = strong_components(&PairGraph { problem, truth, allowed });
        let class = components.class;
        let mut changed = false;
        for s in 0..problem.states() {
            for p in problem.pairs_of(s).filter(|&p| allowed[p]).collect::<Vec<_>>() {
                if possible(problem, truth, p).any(|(next, _)| class[next] != class[s]) {
                    allowed[p] = false;
                    changed = true;
                }
            }
        }
        if !changed || components.count == class.len() {
            return class;
        }
    }
}

/// The class of each state when every maximal end component of usable pairs that cost nothing is
/// one. Its states have the same V*, since any of them reaches any other surely and for free; and
/// once it is one node, looping for free forever is no longer a policy. `None` if nothing is free.
pub(crate) fn free_components(problem: &Problem, truth: &Truth, usable: &[bool]) -> Option<EndComponents> {
    let mut free: Vec<bool> =
        usable.iter().zip(problem.costs()).map(|(usable, cost)| *usable && *cost == 0.0).collect();
    if !free.iter().any(|&f| f) {
        return None;
    }
    let class = end_components(problem, truth, &mut free);
    Some(EndComponents { class, inner: free })
}
