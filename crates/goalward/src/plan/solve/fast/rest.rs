//! The rest of a reduced block, the nodes with a decision: what a policy on it is worth.

use super::{Evaluation, FINEST, Failed, Solver};
use crate::numeric::linear::elimination::{Limits, Outcome};
use crate::numeric::linear::krylov::{Goal, Solved};

/// Elimination of one policy may take so many multiplications, and so many more for each arc,
/// before the block is left to Krylov's method.
const WORK: f64 = 3e5;
const WORK_PER_ARC: f64 = 40.0;
/// Iterations of Krylov's method.
const KRYLOV_ITERATIONS: usize = 1000;
/// With more nodes a block that value iteration does not settle is left to several levels.
const MANY: usize = 4_000;
/// Multiplications where that fails too.
const LAST_WORK: f64 = 6e9;
/// Once the rest of a policy is this small and mostly filled in, it is eliminated as a dense
/// matrix.
const DENSE_NODES: usize = 1500;

/// The equations of the rest.
pub(super) struct Rest<'a> {
    /// Its nodes from the ways out inwards.
    pub(super) order: &'a [u32],
    /// Right-hand sides, per choice of the block.
    pub(super) b: &'a [f64],
    /// The weight that leaves a choice's node, per choice.
    pub(super) leaving: &'a [f64],
}

impl Solver<'_> {
    /// What a node would gain by a choice, relative to nothing: the change of its value.
    #[inline]
    pub(super) fn gain(&self, s: usize, choice: usize, rest: &Rest, x: &[f64]) -> f64 {
        let own = x[s];
        let fall: f64 = self.first.row(choice).iter().map(|&(j, w)| w * (own - x[j as usize])).sum();
        (rest.b[choice] - fall - self.first.out(choice) * own) / rest.leaving[choice]
    }

    /// Whether a policy on the rest leaves the block from everywhere.
    pub(super) fn proper(&self, policy: &[u32]) -> bool {
        let rest = self.first.rest();
        let mut reached = vec![false; policy.len()];
        let mut queue = Vec::with_capacity(rest.len());
        for &s in rest {
            if self.first.out(policy[s as usize] as usize) > 0.0 {
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

    /// The values of a policy on the rest. It fails if the policy is not proper, or cannot be
    /// evaluated.
    pub(super) fn evaluate(&mut self, b: &[f64], policy: &[u32], x: &mut [f64]) -> Result<(), Failed> {
        let arcs: usize =
            self.first.rest().iter().map(|&s| self.first.row(policy[s as usize] as usize).len()).sum();
        loop {
            let work = match self.evaluation {
                Evaluation::Elimination => WORK + WORK_PER_ARC * arcs as f64,
                Evaluation::Patience => LAST_WORK,
                Evaluation::Krylov => {
                    if !self.proper(policy) {
                        return Err(Failed);
                    }
                    self.load_rest(policy);
                    if self.solve_rest(b, policy, x).is_ok() {
                        return Ok(());
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
            let limits = Limits { price: usize::MAX, dense: DENSE_NODES, dearest: usize::MAX, work };
            match self.second.eliminate_all(limits) {
                Outcome::Done => return self.solve_rest(b, policy, x),
                Outcome::Improper | Outcome::Cut => return Err(Failed),
                Outcome::TooMuch
                    if self.evaluation == Evaluation::Patience || self.first.rest().len() > MANY =>
                {
                    return Err(Failed);
                }
                Outcome::TooMuch => self.evaluation = Evaluation::Krylov,
            }
        }
    }

    fn load_rest(&mut self, policy: &[u32]) {
        let first = &self.first;
        let mut place = vec![0u32; policy.len()];
        first.rest().iter().enumerate().for_each(|(k, &s)| place[s as usize] = k as u32);
        let place = &place;
        let choice = |k: usize| policy[first.rest()[k] as usize] as usize;
        self.krylov.load(
            first.rest().len(),
            |k| first.row(choice(k)).len(),
            |k, row| {
                first.row(choice(k)).iter().for_each(|&(j, w)| row.arc(place[j as usize] as usize, w));
                first.out(choice(k))
            },
        );
    }

    /// Solves the equations of the policy evaluated last, for right-hand sides per choice.
    pub(super) fn solve_rest(&mut self, b: &[f64], policy: &[u32], x: &mut [f64]) -> Result<(), Failed> {
        let rest = self.first.rest();
        let mut own: Vec<f64> = rest.iter().map(|&s| b[policy[s as usize] as usize]).collect();
        let mut y: Vec<f64> = rest.iter().map(|&s| x[s as usize]).collect();
        match self.evaluation {
            Evaluation::Krylov => {
                let goal = Goal::Relative(self.tolerance);
                let solved = self.krylov.solve(&own, &mut y, goal, KRYLOV_ITERATIONS);
                if solved == Solved::Short || !y.iter().all(|&y| y >= 0.0) {
                    return Err(Failed);
                }
            }
            Evaluation::Elimination | Evaluation::Patience => self.second.solve(&mut own, &mut y),
        }
        rest.iter().zip(&y).for_each(|(&s, &y)| x[s as usize] = y);
        Ok(())
    }
}
