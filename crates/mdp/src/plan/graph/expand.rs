//! From policies on nodes to policies on states.

use super::partition::Partition;
use super::possible;
use crate::problem::{Pair, Problem, State, Truth};

/// A policy on nodes as one on states. In a component of several states the state of the chosen
/// pair is the exit, and the others move towards it by `inner` pairs, layer by layer.
pub(crate) fn expand(
    problem: &Problem,
    truth: &Truth,
    inner: Option<&[bool]>,
    partition: &Partition,
    exit: impl Fn(usize) -> Pair,
) -> Vec<Option<Pair>> {
    let mut pairs = vec![None; problem.states()];
    for node in 0..partition.nodes() {
        let exit = exit(node);
        let Some(inner) = inner.filter(|_| partition.members(node).nth(1).is_some()) else {
            partition.members(node).for_each(|s| pairs[s] = Some(exit));
            continue;
        };
        let mut away: Vec<State> = partition.members(node).collect();
        let mut layer = Vec::new();
        away.retain(|&s| {
            let here = problem.pairs_of(s).contains(&exit);
            if here {
                layer.push((s, exit));
            }
            !here
        });
        // arcs into each member of the component, as (target, state, pair)
        let mut arcs: Vec<(State, State, Pair)> = Vec::new();
        for &s in &away {
            for p in problem.pairs_of(s).filter(|&p| inner[p]) {
                arcs.extend(possible(problem, truth, p).map(|(next, _)| (next, s, p)));
            }
        }
        arcs.sort_unstable();
        while !layer.is_empty() {
            layer.iter().for_each(|&(s, p)| pairs[s] = Some(p));
            let mut closer: Vec<(State, Pair)> = Vec::new();
            for &(target, _) in &layer {
                let from = arcs.partition_point(|arc| arc.0 < target);
                let into = arcs[from..].iter().take_while(|arc| arc.0 == target);
                closer.extend(into.filter(|arc| pairs[arc.1].is_none()).map(|arc| (arc.1, arc.2)));
            }
            closer.sort_unstable();
            closer.dedup_by_key(|entry| entry.0);
            layer = closer;
        }
    }
    pairs
}
