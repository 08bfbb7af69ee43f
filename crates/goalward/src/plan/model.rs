//! A known model in the form that planning works on: nodes, and for each pair the arcs that *leave* its node.
//!
//! With raw weights w(s'|s,a) and their sum S, the kernel is P = w/S (exact planning reads the truth as its rows divided
//! by their sums, so that a row that sums to 1 - 1e-16 neither leaks nor creates probability). V(s) <= c + PV is then the
//! same as: the *slack* S c - sum over s' != s of w(s') (V(s) - V(s')) is not negative. Self-loops cancel, nothing is
//! subtracted from one, and all data are non-negative: that is what makes small relative errors possible.

use super::double::{Double, UNIT};
use super::graph::{Partition, possible};
use crate::problem::{Pair, Problem, Truth};
use std::ops::Range;

/// A pair's number within a [`Model`].
pub(super) type Choice = usize;

/// A known model over the nodes of a partition; node `nodes` is the goal. Pairs that cannot leave their node are left
/// out: no proper policy is made of them, and they never make a value smaller.
pub(super) struct Model {
    pub(super) nodes: usize,
    first_choice: Vec<usize>,
    /// The problem's number of each choice.
    pub(super) pair: Vec<Pair>,
    /// S c, per choice.
    charge: Vec<Double>,
    /// S, per choice.
    pub(super) total: Vec<f64>,
    /// The weight that leaves the node, per choice.
    pub(super) leaving: Vec<f64>,
    /// The number of successors of each choice, those inside the node included.
    successors: Vec<u32>,
    first_arc: Vec<usize>,
    arcs: Vec<(u32, f64)>,
}

/// The slack of one choice under some V.
#[derive(Clone, Copy)]
pub(super) struct Slack {
    /// The computed value.
    pub(super) value: Double,
    /// A bound on its rounding error.
    pub(super) error: f64,
}

impl Model {
    /// The usable pairs of a partition's states, with their costs.
    pub(super) fn new(problem: &Problem, truth: &Truth, usable: &[bool], partition: &Partition) -> Model {
        Model::build(problem, truth, usable, partition, |p, total| total.times(problem.cost(p)))
    }

    /// The same with other charges: what a pair adds, from its number and its S. Successors that are in no node count as
    /// the goal does.
    pub(super) fn build(
        problem: &Problem,
        truth: &Truth,
        usable: &[bool],
        partition: &Partition,
        charge: impl Fn(Pair, Double) -> Double,
    ) -> Model {
        let nodes = partition.nodes();
        let chosen =
            |node: usize| partition.members(node).flat_map(|s| problem.pairs_of(s)).filter(|&p| usable[p]);
        let (mut pairs, mut rows) = (0, 0);
        for p in (0..nodes).flat_map(chosen) {
            (pairs, rows) = (pairs + 1, rows + problem.successors(p).len());
        }
        let mut model = Model {
            nodes,
            first_choice: Vec::with_capacity(nodes + 1),
            pair: Vec::with_capacity(pairs),
            charge: Vec::with_capacity(pairs),
            total: Vec::with_capacity(pairs),
            leaving: Vec::with_capacity(pairs),
            successors: Vec::with_capacity(pairs),
            first_arc: Vec::with_capacity(pairs + 1),
            arcs: Vec::with_capacity(rows),
        };
        model.first_choice.push(0);
        model.first_arc.push(0);
        for node in 0..nodes {
            for p in chosen(node) {
                let (mut total, mut leaving) = (Double::ZERO, Double::ZERO);
                for (next, w) in possible(problem, truth, p) {
                    let next = partition.node_of[next].min(nodes as u32);
                    total = total + w.into();
                    if next as usize != node {
                        leaving = leaving + w.into();
                        model.arcs.push((next, w));
                    }
                }
                if model.arcs.len() > model.first_arc[model.pair.len()] {
                    model.pair.push(p);
                    model.charge.push(charge(p, total));
                    model.total.push(total.nearest());
                    model.leaving.push(leaving.nearest());
                    model.successors.push(problem.successors(p).len() as u32);
                    model.first_arc.push(model.arcs.len());
                }
            }
            model.first_choice.push(model.pair.len());
        }
        model
    }

    /// The choices of a node, in the order of states and actions.
    pub(super) fn choices(&self, node: usize) -> Range<Choice> {
        self.first_choice[node]..self.first_choice[node + 1]
    }

    /// The arcs of a choice that leave its node; two of them may lead to the same node.
    pub(super) fn arcs(&self, choice: Choice) -> &[(u32, f64)] {
        &self.arcs[self.first_arc[choice]..self.first_arc[choice + 1]]
    }

    /// S c of a choice.
    pub(super) fn charge(&self, choice: Choice) -> f64 {
        self.charge[choice].nearest()
    }

    /// What S c has beyond f64.
    pub(super) fn charge_tail(&self, choice: Choice) -> f64 {
        (self.charge[choice] - self.charge[choice].nearest().into()).nearest()
    }

    /// S c - sum of w (V(s) - V(s')), with a bound on its rounding error; `v` ends with the goal's 0.
    ///
    /// For m successors there are at most m + 1 roundings in `charge`, two in each term and m in the sum, all relative
    /// to quantities that `size` bounds. Underflow adds at most a few of the smallest numbers per term, unless all is exactly zero.
    pub(super) fn slack(&self, node: usize, choice: Choice, v: &[Double]) -> Slack {
        let arcs = self.arcs(choice);
        let mut value = self.charge[choice];
        let mut size = value.nearest();
        for &(next, w) in arcs {
            let fall = (v[node] - v[next as usize]).times(w);
            size += fall.nearest().abs();
            value = value - fall;
        }
        let underflow = if size > 0.0 { 1e-300 * (arcs.len() + 1) as f64 } else { 0.0 };
        Slack { value, error: 2.0 * f64::from(self.successors[choice] + 8) * UNIT * size + underflow }
    }

    /// What the roundings of V itself, kept as [`Double`]s, can change in a slack; a few times more, to be safe.
    pub(super) fn grain(&self, node: usize, choice: Choice, v: &[Double]) -> f64 {
        let size: f64 = self.arcs(choice).iter().map(|&(next, w)| w * v[next as usize].nearest().abs()).sum();
        16.0 * UNIT * (size + self.leaving[choice] * v[node].nearest().abs())
    }

    /// From which nodes does the policy reach the goal with positive probability? From all: the policy is proper.
    pub(super) fn reaches_goal(&self, policy: &[Choice]) -> Vec<bool> {
        let mut into = vec![Vec::new(); self.nodes + 1];
        for (node, &choice) in policy.iter().enumerate() {
            self.arcs(choice).iter().for_each(|&(next, _)| into[next as usize].push(node));
        }
        let mut reaches = vec![false; self.nodes + 1];
        reaches[self.nodes] = true;
        let mut queue = vec![self.nodes];
        while let Some(next) = queue.pop() {
            for &node in &into[next] {
                if !reaches[node] {
                    reaches[node] = true;
                    queue.push(node);
                }
            }
        }
        reaches.truncate(self.nodes);
        reaches
    }
}
