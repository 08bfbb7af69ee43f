//! Blocks of moderate size: nodes without a decision are eliminated once, the others are settled by
//! value iteration from the ways out inwards, and by policy iteration where that is too slow.

use super::rest::Rest;
use super::{Evaluation, Failed, Solver};
use crate::numeric::linear::elimination::Outcome;
use crate::plan::solve::sense::Sense;

/// Nodes with a single choice are put into other rows up to this many new entries; beyond, they
/// stay.
const PRICE: usize = 64;
/// Value iteration first if so many nodes have a decision.
const SWEEP_NODES: usize = 400;
/// So many sweeps at most, as long as they promise to end by then.
const SWEEPS: usize = 200;

/// How value iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Swept {
    /// Nothing moves by more than was asked for.
    Settled,
    /// It would take too long.
    Slow,
}

impl Solver<'_> {
    /// Values and a policy for a block.
    pub(super) fn by_elimination(&mut self, start: usize, end: usize) -> Result<(), Failed> {
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
            let order = self.first_policy(&b, &mut policy, &mut x);
            let rest = Rest { order: &order, b: &b, leaving: &leaving };
            if order.len() >= SWEEP_NODES
                && self.settle(start, end, &rest, &mut policy, &mut x) == Swept::Settled
            {
                return Ok(());
            }
            self.iterate(&rest, &mut policy, &mut x)?;
        }
        self.first.backward(&b, &mut x);
        self.keep(start, &x, &policy);
        Ok(())
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
        for _ in 0..2 {
            if self.sweep(base, rest, policy, x, goal) == Swept::Slow {
                break;
            }
            self.first.backward(rest.b, x);
            self.keep(start, x, policy);
            let local: Vec<usize> = policy.iter().map(|&c| base + c as usize).collect();
            if self.scaled(start, end, 0.5) && (self.sense == Sense::Greatest || self.leaves(start, &local)) {
                return Swept::Settled;
            }
            goal *= 1e-3;
        }
        if !self.proper(policy) {
            *policy = from;
        }
        Swept::Slow
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
    fn first_policy(&self, b: &[f64], policy: &mut [u32], x: &mut [f64]) -> Vec<u32> {
        let mut settled = vec![false; policy.len()];
        let mut queue = Vec::with_capacity(self.first.rest().len());
        for &node in self.first.rest() {
            let mut best = f64::INFINITY;
            for choice in self.first.choices(node as usize) {
                let price = b[choice] / self.first.out(choice);
                if self.first.out(choice) > 0.0 && price < best {
                    (best, policy[node as usize]) = (price, choice as u32);
                }
            }
            if best < f64::INFINITY {
                settled[node as usize] = true;
                x[node as usize] = best;
                queue.push(node);
            }
        }
        let mut at = 0;
        while at < queue.len() {
            for (choice, home) in self.first.leading_to(queue[at] as usize) {
                if !settled[home] {
                    settled[home] = true;
                    policy[home] = choice;
                    // as if one stayed until a settled node comes
                    let known = self.first.row(choice as usize).iter().filter(|e| settled[e.0 as usize]);
                    let (mut flow, mut weight) = (b[choice as usize], self.first.out(choice as usize));
                    known.for_each(|&(j, w)| (flow, weight) = (flow + w * x[j as usize], weight + w));
                    x[home] = flow / weight;
                    queue.push(home as u32);
                }
            }
            at += 1;
        }
        queue
    }

    /// Gauss-Seidel value iteration until no equation lacks more than a share of what its step costs,
    /// which is what scaling can prove; where a step costs nothing, until no value moves by more
    /// than a fiftieth of that share of itself.
    fn sweep(&self, base: usize, rest: &Rest, policy: &mut [u32], x: &mut [f64], goal: f64) -> Swept {
        let sigma = self.sense.sigma();
        let mut before = f64::INFINITY;
        for sweep in 1..=SWEEPS {
            let mut change = 0.0f64;
            for &s in rest.order {
                let s = s as usize;
                let (mut best, mut gain) = (f64::INFINITY, 0.0);
                for choice in self.first.choices(s) {
                    let own = self.gain(s, choice, rest, x);
                    if sigma * own < best {
                        (best, gain, policy[s]) = (sigma * own, own, choice as u32);
                    }
                }
                x[s] += gain;
                let choice = policy[s] as usize;
                let unit = match self.model.charge(base + choice) {
                    charge if charge > 0.0 => charge / rest.leaving[choice],
                    _ => 0.02 * x[s].abs().max(f64::MIN_POSITIVE),
                };
                change = change.max(gain.abs() / unit);
            }
            if change <= goal {
                return Swept::Settled;
            }
            if sweep % 5 == 0 {
                // the first sweeps still spread values: they say nothing
                let left = (goal / change).ln() / (change / before).ln() * 5.0;
                if sweep >= 40 && (change >= before || left > (SWEEPS - sweep) as f64) {
                    return Swept::Slow;
                }
                before = change;
            }
        }
        Swept::Slow
    }
}
