//! A known model in the form that planning works on: nodes, and for each pair the arcs that *leave*
//! its node.
//!
//! With raw weights w(s'|s,a) and their sum S, the kernel is P = w/S. V(s) <= c + PV is then the
//! same as: the *slack* S c - sum over s' != s of w(s') (V(s) - V(s')) is not negative. Self-loops
//! cancel and all data are non-negative, which makes small relative errors possible.

use crate::numeric::linear::double::Double;
use crate::numeric::linear::elimination::Elimination;
use crate::plan::graph::{Partition, possible};
use crate::problem::{Pair, Problem, Truth};
use std::ops::Range;

pub(super) type Choice = usize;

/// S c of a pair, from its S. What costs anything is no free choice, however little that is.
pub(super) fn price(problem: &Problem, p: Pair, total: Double) -> Double {
    let cost = problem.cost(p);
    let charge = total.times(cost);
    let lost = cost > 0.0 && charge.nearest() <= 0.0;
    if lost { f64::from_bits(1).into() } else { charge }
}

/// A known model over the nodes of a partition; node `nodes` is the goal. Pairs that cannot leave
/// their node are left out: no proper policy uses them.
pub(super) struct Model {
    pub(super) nodes: usize,
    first_choice: Vec<usize>,
    pub(super) pair: Vec<Pair>,
    /// S c, per choice.
    charge: Vec<Double>,
    pub(super) total: Vec<f64>,
    /// The weight that leaves the node, per choice.
    pub(super) leaving: Vec<f64>,
    /// The number of successors of each choice, those inside the node included.
    successors: Vec<u32>,
    first_arc: Vec<usize>,
    arcs: Vec<(u32, f64)>,
}

impl Model {
    /// The usable pairs of a partition, with the charge of a pair by its number and S. Successors
    /// in no node count as the goal.
    pub(super) fn new(
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
                let (mut total, mut stays) = (Double::ZERO, false);
                for (next, w) in possible(problem, truth, p) {
                    let next = partition.node_of[next].min(nodes as u32);
                    total = total.plus(w);
                    match next as usize == node {
                        true => stays = true,
                        false => model.arcs.push((next, w)),
                    }
                }
                let leave = &model.arcs[model.first_arc[model.pair.len()]..];
                if !leave.is_empty() {
                    let sum = |sum: Double, arc: &(u32, f64)| sum.plus(arc.1);
                    let leaving = if stays { leave.iter().fold(Double::ZERO, sum) } else { total };
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

    pub(super) fn choices(&self, node: usize) -> Range<Choice> {
        self.first_choice[node]..self.first_choice[node + 1]
    }

    /// The arcs of a choice that leave its node; two of them may lead to the same node.
    pub(super) fn arcs(&self, choice: Choice) -> &[(u32, f64)] {
        &self.arcs[self.first_arc[choice]..self.first_arc[choice + 1]]
    }

    pub(super) fn charge(&self, choice: Choice) -> f64 {
        self.charge[choice].nearest()
    }

    pub(super) fn whole_charge(&self, choice: Choice) -> Double {
        self.charge[choice]
    }

    /// The number of successors of a choice, those inside its node included.
    pub(super) fn successors(&self, choice: Choice) -> u32 {
        self.successors[choice]
    }

    /// Whether the equations of a policy are eliminated in at most `work` multiplications.
    pub(super) fn is_cheap(&self, policy: &[u32], work: f64) -> bool {
        Elimination::default().eliminate(self.nodes, work, |node, row| {
            let arcs = self.arcs(policy[node] as Choice).iter().copied();
            let (inside, out): (Vec<_>, Vec<_>) = arcs.partition(|arc| (arc.0 as usize) < self.nodes);
            row.extend(inside);
            out.iter().map(|arc| arc.1).sum()
        })
    }
}
