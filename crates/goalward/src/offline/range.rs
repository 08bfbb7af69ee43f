//! What a policy may cost if every pair has a theta of its own in a set: the least and the
//! greatest.
//!
//! With L V(s) = c + min over theta of <theta, phi_V(s, policy)>, every W <= L W is a lower
//! bound: it is at most the cost to the goal under every choice of thetas that reaches it surely,
//! and one that does not costs infinitely much. With U, which takes the maximum, and W >= U W + e
//! for some e > 0, W is an upper bound, and so is W/e on the steps: under every choice the goal is
//! reached surely.
//!
//! Such W are found by policy iteration: solve for the chain of the thetas chosen, and choose anew.
//! They are accepted by certified bounds of the set alone. To leave room for these, every step is
//! made e cheaper for the least, and e dearer for the greatest.

use super::chain::{self, Ends, Paid};
use crate::numeric::dot;
use crate::numeric::support::{SupportMin, Warm};
use crate::problem::{Action, Pair, Problem, State};
use crate::{Error, Result};
use std::collections::VecDeque;

/// A probability below this counts as none where a way out is looked for.
const NOTHING: f64 = 1e-9;
const ROUNDS: usize = 60;
/// The values of e that are tried, in units of the largest value.
const ROOM: [f64; 9] = [1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3];
/// Sweeps where no chain of the policy reaches the goal.
const CLIMBS: usize = 100;
/// A choice changes if it is better by this, relative to the largest value.
const BETTER: f64 = 1e-12;

/// What a policy costs from the start to the goal, in the user's units.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Range {
    /// With the weights of greatest likelihood; infinite if these may miss the goal.
    pub fitted: f64,
    /// A certified lower bound.
    pub lower: f64,
    /// A certified upper bound; infinite where the goal may be missed, or where that could not be
    /// ruled out.
    pub upper: f64,
    /// States that the policy may never leave, as far as is known.
    pub trapped: Vec<State>,
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Least,
    Greatest,
}

/// The states that a policy meets from the start, the goal left out.
pub(super) struct Walk<'a> {
    problem: &'a Problem,
    states: Vec<State>,
    pairs: Vec<Pair>,
    costs: Vec<f64>,
    /// The place of every state; the goal's is behind all others, and so is that of states that
    /// are never met.
    place: Vec<u32>,
}

impl<'a> Walk<'a> {
    /// Follows every step that some model allows.
    pub(super) fn new(problem: &'a Problem, policy: &[Action]) -> Result<Walk<'a>> {
        const UNMET: u32 = u32::MAX;
        if policy.len() != problem.states() {
            let fault = format!("it has {} entries for {} states", policy.len(), problem.states());
            return Err(Error::Field { field: "policy".into(), fault });
        }
        let (mut states, mut pairs, mut costs) = (Vec::new(), Vec::new(), Vec::new());
        let mut place = vec![UNMET; problem.states()];
        let mut queue = VecDeque::new();
        if problem.start() != problem.goal() {
            queue.push_back(problem.start());
            place[problem.start()] = 0;
        }
        while let Some(s) = queue.pop_front() {
            let Some(a) = Some(policy[s]).filter(|a| *a < problem.actions(s)) else {
                let fault =
                    format!("it has no action for state {}, which it may meet", problem.state_name(s));
                return Err(Error::Field { field: "policy".into(), fault });
            };
            let pair = problem.pair(s, a);
            states.push(s);
            pairs.push(pair);
            costs.push(problem.cost(pair));
            for &next in problem.successors(pair) {
                let next = next as State;
                if next != problem.goal() && place[next] == UNMET && problem.allows(pair, next) {
                    place[next] = (states.len() + queue.len()) as u32;
                    queue.push_back(next);
                }
            }
        }
        let goal = states.len() as u32;
        place.iter_mut().filter(|place| **place == UNMET).for_each(|place| *place = goal);
        Ok(Walk { problem, states, pairs, costs, place })
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The range over a set; none is empty, and bounds nothing. `fitted` is the theta of greatest
    /// likelihood, `inside` one that makes every possible step possible.
    pub(super) fn range(&self, set: Option<&mut dyn SupportMin>, fitted: &[f64], inside: &[f64]) -> Range {
        if self.states.is_empty() {
            return Range { fitted: 0.0, lower: 0.0, upper: 0.0, trapped: Vec::new() };
        }
        let paid = chain::solve(&self.costs, &self.rows(fitted));
        let fitted = paid.map_or(f64::INFINITY, |paid| paid.costs[0]);
        let Some(set) = set else {
            return Range { fitted, lower: 0.0, upper: f64::INFINITY, trapped: Vec::new() };
        };
        let d = self.problem.dim();
        let mut asked = Asked { walk: self, set, phi: vec![0.0; d], theta: vec![0.0; d] };
        let begin = self.rows(inside);
        let first = chain::solve(&self.costs, &begin);
        let lower = first.as_ref().and_then(|first| asked.extreme(Side::Least, &begin, first));
        let lower = lower.unwrap_or_else(|| asked.climb());
        let trapped = asked.traps();
        let upper = first.filter(|_| trapped.is_empty());
        let upper = upper.and_then(|first| asked.extreme(Side::Greatest, &begin, &first));
        Range { fitted, lower, upper: upper.unwrap_or(f64::INFINITY), trapped }
    }

    fn rows(&self, theta: &[f64]) -> Vec<Ends> {
        (0..self.len()).map(|i| self.row(i, theta)).collect()
    }

    fn row(&self, i: usize, theta: &[f64]) -> Ends {
        let pair = self.pairs[i];
        let phi = self.problem.phi(pair);
        let ends = self.problem.successors(pair).iter().zip(phi.chunks_exact(self.problem.dim()));
        let ends = ends.map(|(&next, phi)| (self.place[next as State], dot(phi, theta).max(0.0)));
        let mut ends: Ends = ends.filter(|(_, p)| *p > 0.0).collect();
        ends.sort_unstable_by_key(|(place, _)| *place);
        // only what no theta in B makes positive can share the place of the goal
        ends.dedup_by(|b, a| {
            a.0 == b.0 && {
                a.1 += b.1;
                true
            }
        });
        ends
    }

    fn mean(&self, row: &Ends, v: &[f64]) -> f64 {
        let sum: f64 = row.iter().map(|(_, p)| p).sum();
        row.iter().map(|&(next, p)| p * v.get(next as usize).copied().unwrap_or(0.0)).sum::<f64>() / sum
    }
}

struct Asked<'a> {
    walk: &'a Walk<'a>,
    set: &'a mut dyn SupportMin,
    phi: Vec<f64>,
    theta: Vec<f64>,
}

impl Asked<'_> {
    /// A certified bound of <theta, phi_v> over the set for a state of the walk, from below for the
    /// least and from above for the greatest; theta is where it is attained.
    fn bound(&mut self, side: Side, i: usize, v: &[f64]) -> f64 {
        let (problem, pair) = (self.walk.problem, self.walk.pairs[i]);
        let of = |s: State| v.get(self.walk.place[s] as usize).copied().unwrap_or(0.0);
        let sign = if side == Side::Least { 1.0 } else { -1.0 };
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &next in problem.successors(pair).iter().filter(|&&next| problem.allows(pair, next as State)) {
            (low, high) = (low.min(sign * of(next as State)), high.max(sign * of(next as State)));
        }
        problem.phi_of(pair, |s| sign * of(s), &mut self.phi);
        let found = self.set.min(&self.phi, &mut Warm::default()).bound;
        self.set.minimiser(&mut self.theta);
        // the mean lies between the extremes for every theta; a bound beyond them says nothing
        let sound = found <= high + 1e-6 * high.abs();
        sign * if sound { found.max(low) } else { low }
    }

    /// The states that may never be left: from which no certificate shows a way out, whatever the
    /// thetas are.
    fn traps(&mut self) -> Vec<State> {
        let walk = self.walk;
        let n = walk.len();
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (i, &pair) in walk.pairs.iter().enumerate() {
            for &next in walk.problem.successors(pair) {
                if let Some(into) = sources.get_mut(walk.place[next as State] as usize) {
                    into.push(i as u32);
                }
            }
        }
        // 1 where it is over for sure, with positive probability: the goal, and states that left
        let mut out = vec![0.0; n + 1];
        out[n] = 1.0;
        let mut queue: VecDeque<usize> = (0..n).collect();
        let mut waits = vec![true; n];
        while let Some(i) = queue.pop_front() {
            waits[i] = false;
            if out[i] == 1.0 || self.bound(Side::Least, i, &out) <= NOTHING {
                continue;
            }
            out[i] = 1.0;
            for &source in &sources[i] {
                let source = source as usize;
                if out[source] == 0.0 && !std::mem::replace(&mut waits[source], true) {
                    queue.push_back(source);
                }
            }
        }
        (0..n).filter(|&i| out[i] == 0.0).map(|i| walk.states[i]).collect()
    }

    /// A certified bound on what the walk costs from its first state; none if none was found.
    fn extreme(&mut self, side: Side, begin: &[Ends], first: &Paid) -> Option<f64> {
        let mut rows = begin.to_vec();
        let mut paid = Paid { costs: first.costs.clone(), steps: first.steps.clone() };
        for room in ROOM {
            let largest = paid.costs.iter().copied().fold(0.0, f64::max);
            let unit = if largest > 0.0 { largest } else { 1.0 };
            let e = room * unit;
            for _ in 0..ROUNDS {
                let v = shifted(side, &paid, e);
                if !self.improve(side, &mut rows, &v, BETTER * unit) {
                    break;
                }
                paid = chain::solve(&self.walk.costs, &rows)?;
            }
            let v = shifted(side, &paid, e);
            if self.certifies(side, &v, e) {
                return Some(v[0]);
            }
        }
        None
    }

    /// A lower bound without a chain: L^n 0 is one for every n.
    fn climb(&mut self) -> f64 {
        let n = self.walk.len();
        let mut v = vec![0.0; n];
        for _ in 0..CLIMBS {
            v = (0..n).map(|i| self.walk.costs[i] + self.bound(Side::Least, i, &v)).collect();
        }
        v[0]
    }

    /// Chooses thetas anew where that is better; whether any was.
    fn improve(&mut self, side: Side, rows: &mut [Ends], v: &[f64], better: f64) -> bool {
        let mut changed = false;
        for (i, row) in rows.iter_mut().enumerate() {
            self.bound(side, i, v);
            let other = self.walk.row(i, &self.theta);
            let gain = self.walk.mean(&other, v) - self.walk.mean(row, v);
            let gain = if side == Side::Greatest { gain } else { -gain };
            if gain > better {
                *row = other;
                changed = true;
            }
        }
        changed
    }

    /// Whether W is below L W, or above U W by half of e, in every state.
    fn certifies(&mut self, side: Side, w: &[f64], e: f64) -> bool {
        (0..self.walk.len()).all(|i| {
            let backup = self.walk.costs[i] + self.bound(side, i, w);
            let rounding = 1e-14 * (w[i].abs() + backup.abs());
            match side {
                Side::Least => w[i] + rounding <= backup || w[i] == 0.0,
                Side::Greatest => w[i] >= backup + 0.5 * e + rounding,
            }
        })
    }
}

/// Values with e less or more for every step; no cost is negative.
fn shifted(side: Side, paid: &Paid, e: f64) -> Vec<f64> {
    let values = paid.costs.iter().zip(&paid.steps);
    match side {
        Side::Least => values.map(|(v, t)| (v - e * t).max(0.0)).collect(),
        Side::Greatest => values.map(|(v, t)| v + e * t).collect(),
    }
}
