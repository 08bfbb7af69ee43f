//! Blocks of moderate size: nodes without a decision are eliminated once, the others are settled by value iteration from the
//! ways out inwards, and by policy iteration where that is too slow.

use super::super::krylov::Goal;
use super::Sense;
use super::block::{ROUNDS, Solver};
use super::reduce::Elimination;

/// Elimination of one policy may take so many multiplications, and so many more for each arc, before the block is left to
/// Krylov's method.
const WORK: f64 = 3e5;
const WORK_PER_ARC: f64 = 40.0;
/// Iterations of Krylov's method.
const KRYLOV_ITERATIONS: usize = 1000;
/// What it leaves of the equations in the end, and while choices still change.
pub(super) const FINEST: f64 = 1e-13;
const COARSEST: f64 = 1e-4;
/// Multiplications where that fails too.
const LAST_WORK: f64 = 6e9;
/// Value iteration first if so many nodes have a decision.
const SWEEP_NODES: usize = 400;
/// So many sweeps at most, as long as they promise to end by then.
const SWEEPS: usize = 200;
/// Sweeps in one improvement of a policy.
const IMPROVING: usize = 6;
/// An improvement counts if it exceeds this part of the value.
const NOISE: f64 = 1e-14;
/// The same where the values come from Krylov's method.
const KRYLOV_NOISE: f64 = 1e-12;

/// How the policies of the block at hand are evaluated.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Evaluation {
    /// By elimination.
    #[default]
    Elimination,
    /// By Krylov's method.
    Krylov,
    /// By elimination at any price.
    Patience,
}

/// How value iteration ended.
enum Swept {
    /// Nothing moves by more than was asked for.
    Settled,
    /// It would take too long.
    Slow,
}

impl Solver<'_> {
    /// Values and a policy for a block. `false` if it went wrong.
    pub(super) fn by_elimination(&mut self, start: usize, end: usize) -> bool {
        let n = end - start;
        let base = self.model.choices(start).start;
        self.evaluation = Evaluation::Elimination;
        self.first.load(self.model, start, end);
        if !self.first.eliminate_forced() {
            return false;
        }
        let choices = self.first.choices(n - 1).end;
        let mut b: Vec<f64> = (0..choices).map(|c| self.inflow(start, end, base + c)).collect();
        self.first.forward(&mut b);
        let leaving: Vec<f64> = (0..choices).map(|c| self.first.leaving(c)).collect();
        let mut x = vec![0.0; n];
        let mut policy: Vec<u32> = (0..n).map(|k| self.first.first[k]).collect();
        let mut settled = false;
        if !self.first.rest.is_empty() {
            let order = self.first_policy(&b, &mut policy, &mut x);
            if order.len() >= SWEEP_NODES {
                let (from, mut goal) = (policy.clone(), 1e-3 * self.precision.max(1e-13));
                for _ in 0..2 {
                    if let Swept::Slow = self.sweep(&order, &b, &leaving, &mut policy, &mut x, goal) {
                        break;
                    }
                    self.first.backward(&b, &mut x);
                    self.keep(start, &x, &policy);
                    let local: Vec<usize> = policy.iter().map(|&c| base + c as usize).collect();
                    if self.scaled(start, end, 0.1)
                        && (self.sense == Sense::Greatest || self.leaves(start, &local))
                    {
                        settled = true;
                        break;
                    }
                    goal *= 1e-3;
                }
                if !settled && !self.proper(&policy) {
                    policy = from;
                }
            }
            if settled {
                return true;
            }
            if !self.iterate(&order, &b, &leaving, &mut policy, &mut x) {
                return false;
            }
        }
        self.first.backward(&b, &mut x);
        self.keep(start, &x, &policy);
        true
    }

    fn keep(&mut self, start: usize, x: &[f64], policy: &[u32]) {
        let base = self.model.choices(start).start as u32;
        for (k, (&x, &choice)) in x.iter().zip(policy).enumerate() {
            self.values.x[start + k] = x;
            self.values.policy[start + k] = base + choice;
        }
    }

    /// A policy that leaves, and rough values: the nodes that can leave at once, then those that lead to them, and so on.
    /// That order is returned: in it, values spread inwards in one sweep.
    fn first_policy(&self, b: &[f64], policy: &mut [u32], x: &mut [f64]) -> Vec<u32> {
        let mut settled = vec![false; policy.len()];
        let mut queue = Vec::with_capacity(self.first.rest.len());
        for &node in &self.first.rest {
            let mut best = f64::INFINITY;
            for choice in self.first.choices(node as usize) {
                let price = b[choice] / self.first.out[choice];
                if self.first.out[choice] > 0.0 && price < best {
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
                    let known = self.first.rows[choice as usize].iter().filter(|e| settled[e.0 as usize]);
                    let (mut flow, mut weight) = (b[choice as usize], self.first.out[choice as usize]);
                    known.for_each(|&(j, w)| (flow, weight) = (flow + w * x[j as usize], weight + w));
                    x[home] = flow / weight;
                    queue.push(home as u32);
                }
            }
            at += 1;
        }
        queue
    }

    /// What a node would gain by a choice, relative to nothing: the change of its value.
    fn gain(&self, s: usize, choice: usize, b: &[f64], leaving: &[f64], x: &[f64]) -> f64 {
        let own = x[s];
        let fall: f64 = self.first.rows[choice].iter().map(|&(j, w)| w * (own - x[j as usize])).sum();
        (b[choice] - fall - self.first.out[choice] * own) / leaving[choice]
    }

    /// Gauss-Seidel value iteration until no value moves by more than a share of itself.
    fn sweep(
        &self,
        order: &[u32],
        b: &[f64],
        leaving: &[f64],
        policy: &mut [u32],
        x: &mut [f64],
        goal: f64,
    ) -> Swept {
        let sigma = self.sense.sigma();
        let mut before = f64::INFINITY;
        for sweep in 1..=SWEEPS {
            let mut change = 0.0f64;
            for &s in order {
                let s = s as usize;
                let (mut best, mut gain) = (f64::INFINITY, 0.0);
                for choice in self.first.choices(s) {
                    let own = self.gain(s, choice, b, leaving, x);
                    if sigma * own < best {
                        (best, gain, policy[s]) = (sigma * own, own, choice as u32);
                    }
                }
                x[s] += gain;
                change = change.max(gain.abs() / x[s].abs().max(f64::MIN_POSITIVE));
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

    /// Whether a policy on the rest leaves the block from everywhere.
    fn proper(&mut self, policy: &[u32]) -> bool {
        let rest = &self.first.rest;
        let mut reached = vec![false; policy.len()];
        let mut queue = Vec::with_capacity(rest.len());
        for &s in rest {
            if self.first.out[policy[s as usize] as usize] > 0.0 {
                reached[s as usize] = true;
                queue.push(s);
            }
        }
        let mut at = 0;
        while at < queue.len() {
            for (choice, home) in self.first.leading_to(queue[at] as usize) {
                if policy[home] == choice && !reached[home] {
                    reached[home] = true;
                    queue.push(home as u32);
                }
            }
            at += 1;
        }
        queue.len() == rest.len()
    }

    /// Policy iteration on the rest of the first reduction. `false` if it went wrong.
    fn iterate(
        &mut self,
        order: &[u32],
        b: &[f64],
        leaving: &[f64],
        policy: &mut Vec<u32>,
        x: &mut [f64],
    ) -> bool {
        // by Krylov's method no more accurate than what is left to gain calls for
        self.tolerance = COARSEST;
        let fine = self.improve_policies(order, b, leaving, policy, x);
        self.tolerance = FINEST;
        fine
    }

    fn improve_policies(
        &mut self,
        order: &[u32],
        b: &[f64],
        leaving: &[f64],
        policy: &mut Vec<u32>,
        x: &mut [f64],
    ) -> bool {
        let (mut kept, mut coarse) = (policy.clone(), 1.0);
        let mut values = Vec::new();
        for round in 0..ROUNDS {
            if !self.evaluate(b, policy, x) {
                // rounding made a policy that never leaves look better
                policy.clone_from(&kept);
                coarse *= 100.0;
                if round == 0 || coarse > 1e8 || !self.evaluate(b, policy, x) {
                    return false;
                }
            }
            kept.clone_from(policy);
            values.clear();
            values.extend(order.iter().map(|&s| x[s as usize]));
            let krylov = self.evaluation == Evaluation::Krylov;
            let noise = coarse * if krylov { KRYLOV_NOISE.max(0.01 * self.tolerance) } else { NOISE };
            let (mut changed, mut largest) = (false, 0.0f64);
            for _ in 0..IMPROVING {
                let mut moved = false;
                for &s in order {
                    let s = s as usize;
                    for choice in self.first.choices(s) {
                        let gain = self.gain(s, choice, b, leaving, x);
                        if self.sense.sigma() * gain < -noise * x[s].abs() {
                            largest = largest.max(gain.abs() / x[s].abs());
                            x[s] += gain;
                            moved = true;
                            changed |= policy[s] != choice as u32;
                            policy[s] = choice as u32;
                        }
                    }
                }
                if !moved {
                    break;
                }
            }
            let settled = !changed || *policy == kept;
            if krylov && self.tolerance > FINEST {
                let next = if settled { 1e-5 * self.tolerance } else { 1e-2 * largest };
                self.tolerance = next.min(self.tolerance).max(FINEST);
                continue;
            }
            if settled {
                order.iter().zip(&values).for_each(|(&s, &value)| x[s as usize] = value);
                return true;
            }
        }
        policy.clone_from(&kept);
        self.tolerance = FINEST;
        self.evaluate(b, policy, x)
    }

    /// The values of a policy on the rest. `false` if it is not proper, or cannot be evaluated.
    pub(super) fn evaluate(&mut self, b: &[f64], policy: &[u32], x: &mut [f64]) -> bool {
        let arcs: usize =
            self.first.rest.iter().map(|&s| self.first.rows[policy[s as usize] as usize].len()).sum();
        loop {
            let work = match self.evaluation {
                Evaluation::Elimination => WORK + WORK_PER_ARC * arcs as f64,
                Evaluation::Patience => LAST_WORK,
                Evaluation::Krylov => {
                    if !self.proper(policy) {
                        return false;
                    }
                    self.load_rest(policy);
                    if self.solve_rest(b, policy, x) {
                        return true;
                    }
                    if self.tolerance > FINEST {
                        self.tolerance = FINEST;
                        continue;
                    }
                    self.evaluation = Evaluation::Patience;
                    continue;
                }
            };
            self.second.load_policy(&self.first, policy);
            match self.second.eliminate_all(work) {
                Elimination::Done => return self.solve_rest(b, policy, x),
                Elimination::Improper => return false,
                Elimination::TooMuch if self.evaluation == Evaluation::Patience => return false,
                Elimination::TooMuch => self.evaluation = Evaluation::Krylov,
            }
        }
    }

    fn load_rest(&mut self, policy: &[u32]) {
        let first = &self.first;
        let mut place = vec![0u32; policy.len()];
        first.rest.iter().enumerate().for_each(|(k, &s)| place[s as usize] = k as u32);
        let place = &place;
        let choice = |k: usize| policy[first.rest[k] as usize] as usize;
        self.krylov.load(
            first.rest.len(),
            |k| first.rows[choice(k)].len(),
            |k, row| {
                first.rows[choice(k)].iter().for_each(|&(j, w)| row.arc(place[j as usize] as usize, w));
                first.out[choice(k)]
            },
        );
    }

    /// Solves the equations of the policy evaluated last, for right-hand sides per choice.
    pub(super) fn solve_rest(&mut self, b: &[f64], policy: &[u32], x: &mut [f64]) -> bool {
        let rest = &self.first.rest;
        let mut own: Vec<f64> = rest.iter().map(|&s| b[policy[s as usize] as usize]).collect();
        let mut y: Vec<f64> = rest.iter().map(|&s| x[s as usize]).collect();
        let fine = match self.evaluation {
            Evaluation::Krylov => {
                self.krylov.solve(&own, &mut y, Goal::Relative(self.tolerance), KRYLOV_ITERATIONS)
                    && y.iter().all(|&y| y >= 0.0)
            }
            _ => {
                self.second.solve(&mut own, &mut y);
                true
            }
        };
        if fine {
            rest.iter().zip(&y).for_each(|(&s, &y)| x[s as usize] = y);
        }
        fine
    }
}
