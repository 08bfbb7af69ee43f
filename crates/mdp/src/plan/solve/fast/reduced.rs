//! Blocks of moderate size: nodes without a decision are eliminated once, the others are settled by
//! value iteration from the ways out inwards, and by policy iteration where that is too slow.

use super::flat::{Flat, Source, Swept};
use super::rest::Rest;
use super::{Evaluation, Failed, Method, Solver};
use crate::numeric::linear::elimination::Outcome;
use std::ops::Range;

/// Nodes with a single choice are put into other rows up to this many new entries; beyond, they
/// stay.
const PRICE: usize = 64;
/// Value iteration first if so many nodes have a decision.
const SWEEP_NODES: usize = 400;

/// The rest of a block that begins with the choice `base`.
struct Reduced<'s, 'a> {
    solver: &'s Solver<'a>,
    base: usize,
    rest: &'s Rest<'s>,
}

impl Source for Reduced<'_, '_> {
    fn choices(&self, node: usize) -> Range<usize> {
        self.solver.first.choices(node)
    }
    fn arcs(&self, choice: usize) -> impl Iterator<Item = (u32, f64)> {
        self.solver.first.row(choice).iter().copied()
    }
    fn inflow(&self, choice: usize) -> f64 {
        self.rest.b[choice]
    }
    fn leaving(&self, choice: usize) -> f64 {
        self.rest.leaving[choice]
    }
    fn charge(&self, choice: usize) -> f64 {
        self.solver.model.charge(self.base + choice)
    }
}

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

    /// Value iteration until its values are proven. Where it is too slow, the policy is one that
    /// leaves.
    fn settle(
        &mut self,
        start: usize,
        end: usize,
        rest: &Rest,
        policy: &mut Vec<u32>,
        x: &mut [f64],
    ) -> Swept {
        let (base, from) = (self.model.choices(start).start, policy.clone());
        let source = Reduced { solver: self, base, rest };
        let mut flat = Flat::new(&source, self.sense.sigma(), rest.order, policy, x);
        let swept = self.prove_swept(start, end, &mut flat, |solver, flat| {
            flat.tell(rest.order, policy, x);
            solver.first.backward(rest.b, x);
            solver.keep(start, x, policy);
        });
        if swept == Swept::Slow && !self.proper(policy) {
            *policy = from;
        }
        swept
    }

    /// Values and policy of the block as they stand.
    pub(super) fn keep(&mut self, start: usize, x: &[f64], policy: &[u32]) {
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
