//! Arcs backwards, and the states from the goal outwards.

use super::possible;
use crate::numeric::Grouped;
use crate::problem::{Pair, Problem, State, Truth};

/// The arcs backwards: which pairs may lead to a state. The goal's own pairs are left out.
pub struct Backwards {
    pairs: Grouped<u32>,
    pub(crate) home: Vec<u32>,
}

impl Backwards {
    /// The pairs that lead to each state, by the truth.
    pub fn new(problem: &Problem, truth: &Truth) -> Backwards {
        let goal = problem.goal();
        let mut home = vec![goal as u32; problem.pairs()];
        let off_goal = || (0..problem.states()).filter(|&s| s != goal);
        off_goal().for_each(|s| problem.pairs_of(s).for_each(|p| home[p] = s as u32));
        let pairs = Grouped::new(problem.states(), || {
            let pairs = off_goal().flat_map(|s| problem.pairs_of(s));
            pairs.flat_map(|p| possible(problem, truth, p).map(move |(next, _)| (next, p as u32)))
        });
        Backwards { pairs, home }
    }

    pub(crate) fn into(&self, s: State) -> impl Iterator<Item = Pair> + '_ {
        self.pairs.of(s).iter().map(|&p| p as Pair)
    }

    /// The states that have a path of usable pairs to a marked state, the marked ones included.
    pub(crate) fn closure(&self, marked: Vec<bool>, usable: impl Fn(Pair) -> bool) -> Vec<bool> {
        self.pairs.reaching(marked, |p| usable(p as Pair).then(|| self.home[p as usize] as usize))
    }
}

/// All states by the fewest steps in which any model may get from them to the goal; unreachable
/// ones last. Every other state has a successor before it.
pub(crate) fn outwards(problem: &Problem) -> Vec<u32> {
    let n = problem.states();
    let before = Grouped::new(n, || {
        let arcs = |s: State| problem.pairs_of(s).flat_map(|p| problem.successors(p).iter().copied());
        (0..n).flat_map(move |s| arcs(s).map(move |next| (next as usize, s as u32)))
    });
    let mut seen = vec![false; n];
    let mut order = Vec::with_capacity(n);
    seen[problem.goal()] = true;
    order.push(problem.goal() as u32);
    let mut at = 0;
    while at < order.len() {
        let s = order[at] as usize;
        for &previous in before.of(s) {
            if !std::mem::replace(&mut seen[previous as usize], true) {
                order.push(previous);
            }
        }
        at += 1;
    }
    order.extend((0..n as u32).filter(|&s| !seen[s as usize]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::tests::{grid, mixture};

    /// Against the definition: the fewest steps, by passes over all states until nothing changes.
    #[test]
    fn states_come_in_the_order_of_the_fewest_steps() {
        for instance in [grid(7), mixture(40, 2, 3, 2)] {
            let problem = &*instance.problem;
            let mut steps = vec![usize::MAX; problem.states()];
            steps[problem.goal()] = 0;
            for _ in 0..problem.states() {
                for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
                    let next = problem.pairs_of(s).flat_map(|p| problem.successors(p));
                    let least = next.map(|&next| steps[next as usize]).min().unwrap_or(usize::MAX);
                    steps[s] = steps[s].min(least.saturating_add(1));
                }
            }
            let order = outwards(problem);
            assert_eq!(order[0] as usize, problem.goal());
            let mut all = order.clone();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..problem.states() as u32));
            assert!(order.is_sorted_by_key(|&s| steps[s as usize]));
        }
    }
}
