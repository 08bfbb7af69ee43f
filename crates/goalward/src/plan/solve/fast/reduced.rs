//! Blocks of moderate size: nodes without a decision are eliminated once, the others are settled by
//! value iteration from the ways out inwards, and by policy iteration where that is too slow.

use super::flat::{Flat, Swept};
use super::rest::Rest;
use super::{Evaluation, Failed, Method, Solver};
use crate::numeric::linear::elimination::Outcome;
use crate::plan::solve::bounds::Turn;
use crate::plan::solve::sense::Sense;

/// Nodes with a single choice are put into other rows up to this many new entries; beyond, they
/// stay.
const PRICE: usize = 64;
/// Value iteration first if so many nodes have a decision.
const SWEEP_NODES: usize = 400;

impl Solver<'_> {
    /// Values and a policy for a block.
    pub(super) fn by_elimination(&mut self, start: usize, end: usize) -> Result<Method, Failed> {
        let n = end - start;
        let (model, base) = (self.model, self.model.choices(start).start);
        self.evaluation = Evaluation::Elimination;
        self.first.load(start..end, |node| model.choices(node), |choice| model.arcs(choice));
        if self.first.eliminate_forced(PRICE) != Outcome::Done {
            return Err(Failed);
        }
        let choices = self.first.choices(n - 1).end;
        let mut b: Vec<f64> = (0..choices).map(|c| self.inflow(start, end, base + c)).collect();
        self.first.forward(&mut b);
        let leaving: Vec<f64> = (0..choices).map(|c| self.first.leaving(c)).collect();
        let mut x = vec![0.0; n];
        let mut policy: Vec<u32> = (0..n).map(|k| self.first.choices(k).start as u32).collect();
        if !self.first.rest().is_empty() {
            let mut rest = Rest { order: &[], b: &b, leaving: &leaving };
            let order = self.first_policy(&rest, &mut policy, &mut x);
            rest.order = &order;
            if order.len() >= SWEEP_NODES
                && self.settle(start, end, &rest, &mut policy, &mut x) == Swept::Settled
            {
                return Ok(Method::Swept);
            }
            self.iterate(&rest, &mut policy, &mut x)?;
        }
        self.first.backward(&b, &mut x);
        self.keep(start, &x, &policy);
        Ok(Method::Reduced)
    }

    /// Value iteration until scaling proves its values. Where it is too slow, the policy is one
    /// that leaves.
    fn settle(
        &mut self,
        start: usize,
        end: usize,
        rest: &Rest,
        policy: &mut Vec<u32>,
        x: &mut [f64],
    ) -> Swept {
        let base = self.model.choices(start).start;
        let (from, mut goal) = (policy.clone(), 0.05 * self.precision.max(1e-12));
        let mut flat = Flat::new(self, base, rest, policy, x);
        for _ in 0..2 {
            let swept = flat.sweep(goal);
            flat.tell(rest, policy, x);
            if swept == Swept::Slow {
                break;
            }
            self.first.backward(rest.b, x);
            self.keep(start, x, policy);
            let local: Vec<usize> = policy.iter().map(|&c| base + c as usize).collect();
            let proper = self.sense == Sense::Greatest || self.leaves(start, &local);
            if proper && (self.scaled(start, end, 0.5) || self.margin_of_swept(start, end)) {
                return Swept::Settled;
            }
            goal *= 1e-3;
        }
        if !self.proper(policy) {
            *policy = from;
        }
        Swept::Slow
    }

    /// Bounds by a margin where steps cost nothing, if they are as close as was asked for.
    fn margin_of_swept(&mut self, start: usize, end: usize) -> bool {
        let model = self.model;
        if (start..end).all(|s| model.charge(self.values.policy[s] as usize) > 0.0) {
            return false;
        }
        let order = self.nearest_exit(start, end).order;
        self.arrange(&order);
        self.by_margin(Method::Swept, Turn::New, start, end) && self.is_narrow(start, end)
    }

    /// Values and policy of the block as they stand.
    fn keep(&mut self, start: usize, x: &[f64], policy: &[u32]) {
        let base = self.model.choices(start).start as u32;
        for (k, (&x, &choice)) in x.iter().zip(policy).enumerate() {
            self.values.x[start + k] = x;
            self.values.policy[start + k] = base + choice;
        }
    }

    /// A policy that leaves, and rough values: the nodes that can leave at once, then those that
    /// lead to them, and so on. That order is returned: in it, values spread inwards in one sweep.
    fn first_policy(&self, rest: &Rest, policy: &mut [u32], x: &mut [f64]) -> Vec<u32> {
        let mut settled = vec![false; policy.len()];
        let mut queue = Vec::with_capacity(self.first.rest().len());
        for &node in self.first.rest() {
            if self.first.choices(node as usize).any(|choice| self.first.out(choice) > 0.0) {
                settled[node as usize] = true;
                queue.push(node);
            }
        }
        let mut at = 0;
        while at < queue.len() {
            for (_, home) in self.first.leading_to(queue[at] as usize) {
                if !std::mem::replace(&mut settled[home], true) {
                    queue.push(home as u32);
                }
            }
            at += 1;
        }
        settled.fill(false);
        for &node in &queue {
            let node = node as usize;
            let mut best = f64::INFINITY;
            for choice in self.first.choices(node) {
                // as if one stayed until a node comes that is settled
                let (mut flow, mut weight) = (rest.b[choice], self.first.out(choice));
                for &(j, w) in self.first.row(choice).iter().filter(|e| settled[e.0 as usize]) {
                    (flow, weight) = (flow + w * x[j as usize], weight + w);
                }
                if weight > 0.0 && flow / weight < best {
                    (best, policy[node]) = (flow / weight, choice as u32);
                }
            }
            settled[node] = true;
            x[node] = best;
        }
        queue
    }
}
