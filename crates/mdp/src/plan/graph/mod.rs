//! What the graph of a known model decides: lost states, free loops and the order of solving.

mod backwards;
mod ends;
mod expand;
mod partition;
mod region;
mod strong;

use crate::problem::{Pair, Problem, State, Truth};
pub use backwards::Backwards;
pub(crate) use backwards::outwards;
pub use ends::{end_components_within, free_components};
pub(crate) use expand::expand;
pub use partition::{NOWHERE, Partition, blocks};
pub use region::{Region, avoidable};
pub use strong::Components;
pub(crate) use strong::strong_components;

/// The successors that have positive probability.
pub fn possible<'a>(
    problem: &'a Problem,
    truth: &'a Truth,
    p: Pair,
) -> impl Iterator<Item = (State, f64)> + 'a {
    let weights = truth.row(problem, p).iter();
    problem.successors(p).iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(&next, &w)| (next as State, w))
}

/// The states that can be reached from the start, by any actions.
pub fn ahead(problem: &Problem, truth: &Truth) -> Vec<bool> {
    let mut seen = vec![false; problem.states()];
    seen[problem.start()] = true;
    let mut queue = vec![problem.start()];
    while let Some(s) = queue.pop() {
        for (next, _) in problem.pairs_of(s).flat_map(|p| possible(problem, truth, p)) {
            if !seen[next] {
                seen[next] = true;
                queue.push(next);
            }
        }
    }
    seen
}
