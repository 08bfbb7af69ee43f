//! What the graph of a known model alone decides: which states are lost, and where one can loop for free.

use crate::problem::{Pair, Problem, State, Truth};

/// The states from which some policy reaches the goal with probability one, and what such policies may use.
pub(crate) struct Region {
    /// Per state: does some policy reach the goal from here with probability one?
    pub(crate) inside: Vec<bool>,
    /// Per pair: it starts and surely stays inside. Proper policies use no other pair; false at the goal.
    pub(crate) usable: Vec<bool>,
    /// Per state: can it be reached from the start, by any actions?
    pub(crate) ahead: Vec<bool>,
    /// States outside that can be reached from the start, by any actions.
    pub(crate) lost_ahead: Vec<State>,
}

/// The successors that have positive probability.
pub(crate) fn possible<'a>(
    problem: &'a Problem,
    truth: &'a Truth,
    p: Pair,
) -> impl Iterator<Item = (State, f64)> + 'a {
    let weights = truth.row(problem, p).iter();
    problem.successors(p).iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(&next, &w)| (next as State, w))
}

impl Region {
    /// Almost-sure reachability, the nested fixpoint: the largest X such that from all of X the goal can be reached
    /// with positive probability by pairs that surely stay in X.
    pub(crate) fn new(problem: &Problem, truth: &Truth) -> Region {
        let (states, goal) = (problem.states(), problem.goal());
        // into[s]: the pairs that may lead to s
        let mut into = vec![Vec::new(); states];
        let mut home = vec![goal; problem.pairs()];
        for s in (0..states).filter(|&s| s != goal) {
            for p in problem.pairs_of(s) {
                home[p] = s;
                possible(problem, truth, p).for_each(|(next, _)| into[next].push(p));
            }
        }
        let mut usable: Vec<bool> = home.iter().map(|&s| s != goal).collect();
        let mut inside = vec![true; states];
        loop {
            let mut reaches = vec![false; states];
            reaches[goal] = true;
            let mut queue = vec![goal];
            while let Some(next) = queue.pop() {
                for &p in into[next].iter().filter(|&&p| usable[p]) {
                    if !reaches[home[p]] {
                        reaches[home[p]] = true;
                        queue.push(home[p]);
                    }
                }
            }
            let mut changed = false;
            for s in (0..states).filter(|&s| inside[s] && !reaches[s]) {
                changed = true;
                into[s].iter().for_each(|&p| usable[p] = false);
                problem.pairs_of(s).for_each(|p| usable[p] = false);
            }
            inside = reaches;
            if !changed {
                break;
            }
        }
        let mut seen = vec![false; states];
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
        let lost_ahead = (0..states).filter(|&s| seen[s] && !inside[s]).collect();
        Region { inside, usable, ahead: seen, lost_ahead }
    }
}

/// A partition of the states inside a region, the goal apart, into nodes.
pub(crate) struct Partition {
    /// The states of each node, in ascending order; nodes are in the order of their first state.
    pub(crate) members: Vec<Vec<State>>,
    /// The node of each state; `members.len()` for the goal, `usize::MAX` for lost states.
    pub(crate) node_of: Vec<usize>,
}

impl Partition {
    /// Every state on its own.
    pub(super) fn finest(problem: &Problem, region: &Region) -> Partition {
        Self::new(problem, region, &(0..problem.states()).collect::<Vec<_>>())
    }

    /// Each maximal end component of usable pairs that cost nothing is one node. Its states have the same V*, since
    /// any of them reaches any other surely and for free; and once it is one node, looping for free forever is no
    /// longer a policy.
    pub(crate) fn free_components(problem: &Problem, truth: &Truth, region: &Region) -> Partition {
        let states = problem.states();
        let mut free: Vec<Vec<Pair>> = (0..states)
            .map(|s| problem.pairs_of(s).filter(|&p| region.usable[p] && problem.cost(p) == 0.0).collect())
            .collect();
        loop {
            let edges: Vec<Vec<State>> = free
                .iter()
                .map(|pairs| {
                    pairs.iter().flat_map(|&p| possible(problem, truth, p).map(|(next, _)| next)).collect()
                })
                .collect();
            let class = strong_components(&edges);
            let mut changed = false;
            for s in 0..states {
                let before = free[s].len();
                free[s].retain(|&p| possible(problem, truth, p).all(|(next, _)| class[next] == class[s]));
                changed |= free[s].len() < before;
            }
            if !changed {
                return Self::new(problem, region, &class);
            }
        }
    }

    fn new(problem: &Problem, region: &Region, class: &[usize]) -> Partition {
        let mut members: Vec<Vec<State>> = Vec::new();
        let mut node_of = vec![usize::MAX; class.len()];
        let mut node_of_class = vec![usize::MAX; class.len()];
        for s in (0..class.len()).filter(|&s| region.inside[s] && s != problem.goal()) {
            let node = &mut node_of_class[class[s]];
            if *node == usize::MAX {
                *node = members.len();
                members.push(Vec::new());
            }
            members[*node].push(s);
            node_of[s] = *node;
        }
        node_of[problem.goal()] = members.len();
        Partition { members, node_of }
    }
}

/// The strongly connected component of each vertex, numbered below the number of vertices: Tarjan's algorithm with
/// its own stack, since a problem may be a line of a million states.
fn strong_components(edges: &[Vec<State>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let n = edges.len();
    let (mut index, mut low, mut class) = (vec![NEW; n], vec![0; n], vec![NEW; n]);
    let (mut clock, mut classes) = (0, 0);
    let (mut open, mut calls): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    for root in 0..n {
        if index[root] != NEW {
            continue;
        }
        calls.push((root, 0));
        while let Some((s, at)) = calls.pop() {
            if at == 0 {
                (index[s], low[s]) = (clock, clock);
                clock += 1;
                open.push(s);
            } else {
                // back from a call on the edge before `at`; harmless if that edge led to an old vertex
                let child = edges[s][at - 1];
                if class[child] == NEW {
                    low[s] = low[s].min(low[child]);
                }
            }
            let mut at = at;
            let mut called = false;
            while at < edges[s].len() && !called {
                let next = edges[s][at];
                at += 1;
                if index[next] == NEW {
                    calls.extend([(s, at), (next, 0)]);
                    called = true;
                } else if class[next] == NEW {
                    low[s] = low[s].min(index[next]);
                }
            }
            if !called && low[s] == index[s] {
                while let Some(member) = open.pop() {
                    class[member] = classes;
                    if member == s {
                        break;
                    }
                }
                classes += 1;
            }
        }
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn components_of_two_cycles_and_a_bridge() {
        let class = strong_components(&[vec![1], vec![0, 2], vec![3], vec![4], vec![2], vec![5]]);
        assert_eq!(class[0], class[1]);
        assert!(class[2] == class[3] && class[3] == class[4]);
        assert!(class[0] != class[2] && class[5] != class[0] && class[5] != class[2]);
    }

    #[test]
    fn a_long_line_and_a_long_cycle_need_no_recursion() {
        let n = 200_000;
        let line: Vec<Vec<usize>> = (0..n).map(|s| if s + 1 < n { vec![s + 1] } else { vec![] }).collect();
        let mut class = strong_components(&line);
        class.sort_unstable();
        assert!(class.iter().enumerate().all(|(i, &c)| i == c));
        let cycle: Vec<Vec<usize>> = (0..n).map(|s| vec![(s + 1) % n]).collect();
        assert!(strong_components(&cycle).iter().all(|&c| c == 0));
    }

    proptest! {
        /// Against the definition: mutual reachability by Warshall's closure.
        #[test]
        fn components_are_mutual_reachability(edges in prop::collection::vec(prop::collection::vec(0usize..8, 0..4), 8)) {
            let mut reach = [[false; 8]; 8];
            (0..8).for_each(|s| { reach[s][s] = true; edges[s].iter().for_each(|&t| reach[s][t] = true) });
            for k in 0..8 { for i in 0..8 { for j in 0..8 { reach[i][j] |= reach[i][k] && reach[k][j]; } } }
            let class = strong_components(&edges);
            for i in 0..8 { for j in 0..8 {
                prop_assert_eq!(class[i] == class[j], reach[i][j] && reach[j][i]);
            } }
        }
    }
}
