//! Strongly connected components, in topological order.

use crate::problem::{Pair, Problem, State, Truth};

/// The strongly connected components of a graph.
pub struct Components {
    pub(crate) class: Vec<u32>,
    /// All vertices by component; within one, the last discovered first.
    pub(crate) order: Vec<u32>,
    pub(crate) count: usize,
}

/// Those of the graph of the successors with positive probability of the allowed pairs.
pub(crate) fn strong_components(problem: &Problem, truth: &Truth, allowed: &[bool]) -> Components {
    let first = |s: State| (problem.pairs_of(s).start, 0u32);
    let next = |s: State, (p, k): &mut (Pair, u32)| {
        let end = problem.pairs_of(s).end;
        while *p < end {
            if allowed[*p] {
                let (next, weights) = (problem.successors(*p), truth.row(problem, *p));
                while (*k as usize) < next.len() {
                    let at = *k as usize;
                    *k += 1;
                    if weights[at] > 0.0 {
                        return Some(next[at] as State);
                    }
                }
            }
            (*p, *k) = (*p + 1, 0);
        }
        None
    };
    tarjan(problem.states(), first, next)
}

/// Tarjan's algorithm without recursion: a problem may be a line of a million states. `first` gives
/// a cursor before a vertex's first arc, `next` the end of the next arc.
fn tarjan<C: Copy>(
    n: usize,
    first: impl Fn(usize) -> C,
    next: impl Fn(usize, &mut C) -> Option<usize>,
) -> Components {
    const NEW: u32 = u32::MAX;
    let (mut index, mut low, mut class) = (vec![NEW; n], vec![0u32; n], vec![NEW; n]);
    let (mut clock, mut count) = (0, 0);
    let (mut open, mut order): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::with_capacity(n));
    let mut calls: Vec<(u32, C)> = Vec::new();
    for root in 0..n {
        if index[root] != NEW {
            continue;
        }
        let mut s = root;
        let mut at = first(s);
        (index[s], low[s]) = (clock, clock);
        clock += 1;
        open.push(s as u32);
        loop {
            match next(s, &mut at) {
                Some(next) if index[next] == NEW => {
                    calls.push((s as u32, at));
                    s = next;
                    at = first(s);
                    (index[s], low[s]) = (clock, clock);
                    clock += 1;
                    open.push(s as u32);
                }
                Some(next) if class[next] == NEW => low[s] = low[s].min(index[next]),
                Some(_) => {}
                None => {
                    if low[s] == index[s] {
                        while let Some(member) = open.pop() {
                            class[member as usize] = count;
                            order.push(member);
                            if member as usize == s {
                                break;
                            }
                        }
                        count += 1;
                    }
                    let Some((caller, cursor)) = calls.pop() else { break };
                    let reached = low[s];
                    let finished = class[s] != NEW;
                    (s, at) = (caller as usize, cursor);
                    if !finished {
                        low[s] = low[s].min(reached);
                    }
                }
            }
        }
    }
    Components { class, order, count: count as usize }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn components(lists: &[Vec<usize>]) -> Components {
        let next = |s: usize, at: &mut usize| {
            *at += 1;
            lists[s].get(*at - 1).copied()
        };
        tarjan(lists.len(), |_| 0, next)
    }

    #[test]
    fn components_of_two_cycles_and_a_bridge() {
        let found = components(&[vec![1], vec![0, 2], vec![3], vec![4], vec![2], vec![5]]);
        let class = found.class;
        assert_eq!((class[0], found.count), (class[1], 3));
        assert!(class[2] == class[3] && class[3] == class[4]);
        assert!(class[0] != class[2] && class[5] != class[0] && class[5] != class[2]);
    }

    #[test]
    fn a_long_line_and_a_long_cycle_need_no_recursion() {
        let n = 200_000;
        let line: Vec<_> = (0..n).map(|s| if s + 1 < n { vec![s + 1] } else { vec![] }).collect();
        let found = components(&line);
        assert!(found.order.iter().enumerate().all(|(i, &s)| s as usize == n - 1 - i));
        assert!(found.class.iter().enumerate().all(|(s, &c)| c as usize == n - 1 - s));
        let cycle: Vec<_> = (0..n).map(|s| vec![(s + 1) % n]).collect();
        assert!(components(&cycle).class.iter().all(|&c| c == 0));
    }

    proptest! {
        /// Against the definition: mutual reachability by Warshall's closure; and the order is
        /// topological.
        #[test]
        fn components_are_mutual_reachability(edges in prop::collection::vec(prop::collection::vec(0usize..8, 0..4), 8)) {
            let mut reach = [[false; 8]; 8];
            (0..8).for_each(|s| { reach[s][s] = true; edges[s].iter().for_each(|&t| reach[s][t] = true) });
            for k in 0..8 { for i in 0..8 { for j in 0..8 { reach[i][j] |= reach[i][k] && reach[k][j]; } } }
            let found = components(&edges);
            let class = &found.class;
            for i in 0..8 { for j in 0..8 {
                prop_assert_eq!(class[i] == class[j], reach[i][j] && reach[j][i]);
                prop_assert!(!reach[i][j] || class[i] >= class[j]);
            } }
            let by_order: Vec<u32> = found.order.iter().map(|&s| class[s as usize]).collect();
            prop_assert!(by_order.is_sorted() && found.order.len() == 8);
        }
    }
}
