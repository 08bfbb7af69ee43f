//! Blocks too large for elimination: policy iteration with inexact evaluations by Krylov's method.
//! [`nearest`](super::nearest) has the policy that it starts from.

use super::flat::Swept;
use super::{Failed, First, Method, ROUNDS, Solver};
use crate::numeric::linear::krylov::{Goal, Solved};
use crate::plan::solve::model::Choice;

/// Iterations of Krylov's method for one policy.
pub(super) const ITERATIONS: usize = 3000;
/// An improvement counts if it exceeds this part of the value.
const NOISE: f64 = 1e-12;

/// How many iterations of Krylov's method are worthwhile.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// For one policy.
    each: usize,
    /// For all together.
    all: usize,
}

/// At first: where it takes more, several levels do better.
const LITTLE: Patience = Patience { each: 100, all: 400 };
/// Where they do not: iterations for all policies together, times the nodes.
const MUCH: usize = 2_000_000_000;

impl Solver<'_> {
    /// Values and a policy for a block, and how they were found.
    ///
    /// Policy iteration starts from a policy whose costs f64 can hold, if that is easily found: one
    /// that takes the cheapest way out it sees. A policy that just *may* leave can cost 6^500 (a
    /// grid against the wind), which no solver evaluates.
    pub(super) fn as_it_is(&mut self, start: usize, end: usize) -> Result<Method, Failed> {
        let mut near = self.nearest_exit(start, end);
        self.arrange(start, &near.order);
        if let Some(guess) = self.guess.get(start..end) {
            near.rough.copy_from_slice(guess);
        }
        if self.begin <= First::Settling && self.settle_as_it_is(start, end, &near) == Swept::Settled {
            return Ok(Method::Swept);
        }
        let first = |guess: &[f64]| guess.get(start..end).map_or(vec![0.0; end - start], <[f64]>::to_vec);
        let from = (near.policy.clone(), first(&self.guess));
        if self.begin <= First::Krylov && self.iterate_krylov(start, end, from, LITTLE).is_ok() {
            return Ok(Method::Large);
        }
        // on a thread of the pool: its many short parallel sections would wake it up each time
        if self.begin <= First::Levels && rayon::scope(|_| self.by_levels(start, &near)).is_ok() {
            return Ok(Method::Levels);
        }
        if self.begin > First::Krylov {
            return Err(Failed);
        }
        let much = Patience { each: ITERATIONS, all: (MUCH / (end - start)).max(ITERATIONS) };
        let from = (near.policy.clone(), vec![0.0; end - start]);
        if self.iterate_krylov(start, end, from, much).is_ok() {
            return Ok(Method::Large);
        }
        let from = self.swept(start, end, near);
        self.iterate_krylov(start, end, from, much).map(|()| Method::Large)
    }

    /// Takes an order of the nodes of the block that begins with a node.
    pub(super) fn arrange(&mut self, start: usize, order: &[u32]) {
        self.arranged = Some(start);
        self.place.clear();
        self.place.resize(order.len(), 0);
        order.iter().enumerate().for_each(|(at, &k)| self.place[k as usize] = at as u32);
        self.order.clear();
        self.order.extend_from_slice(order);
    }

    /// Policy iteration with inexact evaluations, from a policy that leaves and a guess at its
    /// values.
    fn iterate_krylov(
        &mut self,
        start: usize,
        end: usize,
        (mut policy, mut x): (Vec<Choice>, Vec<f64>),
        patience: Patience,
    ) -> Result<(), Failed> {
        let n = end - start;
        let (mut tolerance, mut noise) = (1e-4, NOISE);
        let before = self.krylov.spent();
        let mut kept: Option<Vec<Choice>> = None;
        for _ in 0..ROUNDS {
            let b: Vec<f64> = policy.iter().map(|&choice| self.inflow(start, end, choice)).collect();
            self.load_krylov(start, &policy);
            let most = (patience.all + before).saturating_sub(self.krylov.spent()).min(patience.each);
            let solved = self.solve_krylov(&b, &mut x, Goal::Relative(tolerance), most);
            if solved == Solved::Short && most < patience.each.max(ITERATIONS) {
                return Err(Failed);
            }
            if solved == Solved::Short || x.iter().any(|&x| x < 0.0) {
                if tolerance > 1e-12 && !x.iter().any(|x| !x.is_finite()) && self.leaves(start, &policy) {
                    tolerance *= 1e-3;
                    continue;
                }
                match kept.take() {
                    // an improvement by values that were not accurate enough
                    Some(before) if before != policy => {
                        (policy, tolerance, noise) = (before, 1e-13, noise * 10.0);
                        x.fill(0.0);
                        continue;
                    }
                    _ => return Err(Failed),
                }
            }
            (0..n).for_each(|k| self.values.x[start + k] = x[k]);
            kept = Some(policy.clone());
            let floor = noise.max(tolerance * 1e-2);
            let (largest, changes) = self.improve(start, &mut policy, floor);
            if changes == 0 && tolerance <= 1e-12 {
                (0..n).for_each(|k| {
                    self.values.x[start + k] = x[k];
                    self.values.policy[start + k] = policy[k] as u32;
                });
                return if self.leaves(start, &policy) { Ok(()) } else { Err(Failed) };
            }
            (0..n).for_each(|k| x[k] = self.values.x[start + k]);
            let next = if changes == 0 { tolerance * 1e-5 } else { tolerance.min(1e-3 * largest) };
            tolerance = next.max(1e-13);
        }
        Err(Failed)
    }

    /// One Gauss-Seidel sweep of value iteration in place; the largest relative gain, and how many
    /// choices changed.
    fn improve(&mut self, start: usize, policy: &mut [Choice], noise: f64) -> (f64, usize) {
        let (model, sigma) = (self.model, self.sense.sigma());
        let x = &mut self.values.x;
        let (mut largest, mut changes) = (0.0f64, 0);
        for s in self.order.iter().map(|&k| start + k as usize) {
            let own = x[s];
            let mut best = -noise * own.abs();
            let mut to = policy[s - start];
            for choice in model.choices(s) {
                let fall: f64 = model.arcs(choice).iter().map(|&(j, w)| w * (own - x[j as usize])).sum();
                let gain = sigma * (model.charge(choice) - fall) / model.leaving[choice];
                if gain < best {
                    (best, to) = (gain, choice);
                }
            }
            if to != policy[s - start] {
                policy[s - start] = to;
                x[s] = own + sigma * best;
                largest = largest.max(best.abs() / own.abs().max(f64::MIN_POSITIVE));
                changes += 1;
            }
        }
        (largest, changes)
    }

    /// Makes Krylov's method ready for a policy on the nodes from `start` on. Its nodes come in the
    /// order of the ways out, which its preconditioner wants.
    pub(super) fn load_krylov(&mut self, start: usize, policy: &[Choice]) {
        let (model, n) = (self.model, policy.len());
        let (order, place) = (&self.order, &self.place);
        let choice = |at: usize| policy[order[at] as usize];
        self.krylov.load(
            n,
            |at| model.arcs(choice(at)).len(),
            |at, row| {
                let mut outside = 0.0;
                for &(j, w) in model.arcs(choice(at)) {
                    match (j as usize).wrapping_sub(start) {
                        j if j < n => row.arc(place[j] as usize, w),
                        _ => outside += w,
                    }
                }
                outside
            },
        );
    }

    /// Solves the equations loaded last: right-hand sides and values per node of the block.
    pub(super) fn solve_krylov(&mut self, b: &[f64], x: &mut [f64], goal: Goal, most: usize) -> Solved {
        let ordered = |list: &[f64]| -> Vec<f64> { self.order.iter().map(|&k| list[k as usize]).collect() };
        let (b, mut y) = (ordered(b), ordered(x));
        let solved = self.krylov.solve(&b, &mut y, goal, most);
        self.order.iter().zip(&y).for_each(|(&k, &y)| x[k as usize] = y);
        solved
    }
}
