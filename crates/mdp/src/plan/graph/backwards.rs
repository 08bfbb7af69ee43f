//! The arcs of a known model, backwards.

use super::{Incoming, possible};
use crate::problem::{Pair, Problem, State, Truth};

/// The arcs backwards: which pairs may lead to a state. The goal's own pairs are left out.
pub struct Backwards {
    pairs: Incoming<u32>,
    /// The state of each pair.
    pub(crate) home: Vec<u32>,
}

impl Backwards {
    /// The pairs that lead to each state, by the truth.
    pub fn new(problem: &Problem, truth: &Truth) -> Backwards {
        let goal = problem.goal();
        let mut home = vec![goal as u32; problem.pairs()];
        let off_goal = || (0..problem.states()).filter(|&s| s != goal);
        off_goal().for_each(|s| problem.pairs_of(s).for_each(|p| home[p] = s as u32));
        let pairs = Incoming::new(problem.states(), || {
            let pairs = off_goal().flat_map(|s| problem.pairs_of(s));
            pairs.flat_map(|p| possible(problem, truth, p).map(move |(next, _)| (next, p as u32)))
        });
        Backwards { pairs, home }
    }

    /// The pairs that may lead to a state.
    pub(crate) fn into(&self, s: State) -> impl Iterator<Item = Pair> + '_ {
        self.pairs.of(s).iter().map(|&p| p as Pair)
    }

    /// The states that have a path of usable pairs to a marked state, the marked ones included.
    pub(crate) fn closure(&self, marked: Vec<bool>, usable: impl Fn(Pair) -> bool) -> Vec<bool> {
        self.pairs.closure(marked, |p| usable(p as Pair).then(|| self.home[p as usize] as usize))
    }
}
