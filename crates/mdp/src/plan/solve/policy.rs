//! Policy iteration on a [`Model`], however policies are evaluated, and a policy to start from.
//!
//! Since a free end component is one node ([`Partition`](crate::plan::graph::Partition)), a policy
//! that is not proper costs infinitely much somewhere, and policy iteration started from a proper
//! policy stays among them; it is checked all the same, since arithmetic is finite.

use super::model::{Choice, Model};
use super::sense::Sense;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A policy with its values.
pub(super) trait Evaluation<'a>: Sized {
    /// Improvements at most; it needs a dozen, and no certificate depends on it.
    const ROUNDS: usize;
    /// Evaluates a policy; none if it is not proper, or its values are beyond arithmetic.
    fn of(model: &'a Model, policy: Vec<Choice>) -> Option<Self>;
    /// The choice of each node.
    fn policy(&self) -> &[Choice];
    /// The choice of a node that gains most, if one gains more than noise.
    fn better(&self, model: &Model, sense: Sense, node: usize) -> Option<Choice>;
}

/// Policy iteration from a policy that is proper, as long as it gains and stays among such
/// policies.
pub(super) fn improved<'a, E: Evaluation<'a>>(model: &'a Model, sense: Sense, mut current: E) -> E {
    for _ in 0..E::ROUNDS {
        let mut policy = current.policy().to_vec();
        for s in 0..model.nodes {
            if let Some(choice) = current.better(model, sense, s) {
                policy[s] = choice;
            }
        }
        if policy == current.policy() {
            break;
        }
        let Some(next) = E::of(model, policy) else { break };
        current = next;
    }
    current
}

/// Dijkstra's algorithm backwards from the goal, where an arc costs what it takes on average if one
/// stays put until it is taken. Every choice may lead to a node that was settled before, so the
/// policy is proper.
pub(super) fn nearest_goal(model: &Model) -> Vec<Choice> {
    let mut into: Vec<Vec<(usize, Choice, f64)>> = vec![Vec::new(); model.nodes + 1];
    for s in 0..model.nodes {
        for choice in model.choices(s) {
            for &(next, w) in model.arcs(choice) {
                into[next as usize].push((s, choice, model.charge(choice) / w));
            }
        }
    }
    let mut policy = vec![0; model.nodes];
    let mut settled = vec![false; model.nodes + 1];
    // non-negative f64 are ordered as their bits are
    let mut heap = BinaryHeap::from([Reverse((0u64, model.nodes, 0))]);
    while let Some(Reverse((bits, node, choice))) = heap.pop() {
        if std::mem::replace(&mut settled[node], true) {
            continue;
        }
        if node < model.nodes {
            policy[node] = choice;
        }
        for &(s, choice, price) in into[node].iter().filter(|arc| !settled[arc.0]) {
            heap.push(Reverse(((f64::from_bits(bits) + price).to_bits(), s, choice)));
        }
    }
    policy
}
