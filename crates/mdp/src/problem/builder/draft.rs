//! The actions and feature rows of a problem that is being built, in its own arrays.

use crate::numeric::halt::Halt;
use crate::problem::{Action, State};
use std::collections::BTreeMap;
use std::ops::Range;

const COUNTED: usize = 4096;

/// Flat arrays that become the problem's. In order everything is appended where it will stay. A row
/// of an earlier pair is kept aside and merged in place at the end; actions that go back to an
/// earlier state cost a copy of all rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    dim: usize,
    costs: Vec<f64>,
    /// `first_pair[s]..first_pair[s + 1]` are the pairs of state s; the last state is open.
    first_pair: Vec<usize>,
    states: usize,
    /// The pairs of every state, once an action came for a state that was left behind.
    scattered: Option<Vec<Vec<usize>>>,
    /// Where the rows of each pair begin; the newest pair's rows are the last.
    first_row: Vec<usize>,
    successors: Vec<u32>,
    phi: Vec<f64>,
    /// Rows that came after rows of a later pair, by pair and successor.
    late: BTreeMap<(usize, u32), Vec<f64>>,
    pub(super) halt: Halt,
}

pub(crate) struct Arrays {
    pub(crate) first_pair: Vec<usize>,
    pub(crate) costs: Vec<f64>,
    pub(crate) first_row: Vec<usize>,
    pub(crate) successors: Vec<u32>,
    pub(crate) phi: Vec<f64>,
}

impl Draft {
    pub(super) fn new(states: usize, dim: usize) -> Self {
        Draft { dim, states, ..Draft::default() }
    }

    pub(super) fn of(dim: usize, arrays: Arrays) -> Self {
        let Arrays { first_pair, costs, first_row, successors, phi } = arrays;
        let states = first_pair.len().saturating_sub(1);
        Draft { dim, states, costs, first_pair, first_row, successors, phi, ..Draft::default() }
    }

    pub(super) fn states(&self) -> usize {
        self.states
    }

    pub(super) fn actions(&self, s: State) -> usize {
        if let Some(scattered) = &self.scattered {
            return scattered[s].len();
        }
        let Some(&first) = self.first_pair.get(s) else { return 0 };
        self.first_pair.get(s + 1).copied().unwrap_or(self.costs.len()) - first
    }

    pub(super) fn pair(&self, s: State, a: Action) -> usize {
        match &self.scattered {
            Some(scattered) => scattered[s][a],
            None => self.first_pair[s] + a,
        }
    }

    pub(super) fn cost(&self, p: usize) -> f64 {
        self.costs[p]
    }

    pub(super) fn action(&mut self, s: State, cost: f64) -> Action {
        let a = self.actions(s);
        if self.scattered.is_none() && s + 1 < self.first_pair.len() {
            let all = (0..self.states).map(|s| {
                let first = self.first_pair.get(s).copied().unwrap_or(0);
                (first..first + self.actions(s)).collect()
            });
            self.scattered = Some(all.collect());
        }
        match &mut self.scattered {
            Some(scattered) => scattered[s].push(self.costs.len()),
            None => self.first_pair.resize(s + 1, self.costs.len()),
        }
        self.costs.push(cost);
        a
    }

    /// The successors of a pair in the arrays.
    fn settled(&self, p: usize) -> Range<usize> {
        let Some(&first) = self.first_row.get(p) else { return 0..0 };
        first..self.first_row.get(p + 1).copied().unwrap_or(self.successors.len())
    }

    pub(super) fn successors(&self, p: usize) -> impl Iterator<Item = u32> {
        let late = self.late.range((p, 0)..=(p, u32::MAX)).map(|((_, next), _)| *next);
        self.successors[self.settled(p)].iter().copied().chain(late)
    }

    pub(super) fn has(&self, p: usize, next: u32) -> bool {
        self.successors[self.settled(p)].binary_search(&next).is_ok() || self.late.contains_key(&(p, next))
    }

    pub(super) fn row(&mut self, p: usize, next: u32, phi: &[f64]) {
        if p + 1 < self.first_row.len() {
            self.late.insert((p, next), phi.to_vec());
            return;
        }
        if self.successors.len() % COUNTED == COUNTED - 1 {
            self.halt.built(COUNTED as u64);
        }
        self.first_row.resize(p + 1, self.successors.len());
        let first = self.first_row[p];
        let at = first + self.successors[first..].partition_point(|&other| other < next);
        self.successors.insert(at, next);
        self.phi.extend_from_slice(phi);
        // to its place among the newest pair's rows
        self.phi[at * self.dim..].rotate_right(self.dim);
    }

    pub(super) fn finish(mut self) -> Arrays {
        let pairs = self.costs.len();
        self.first_row.resize(pairs + 1, self.successors.len());
        self.merge_late();
        let Draft { states, dim, mut costs, mut first_pair, mut first_row, mut successors, mut phi, .. } =
            self;
        match self.scattered {
            None => first_pair.resize(states + 1, pairs),
            Some(scattered) => {
                let order: Vec<usize> = scattered.iter().flatten().copied().collect();
                first_pair = vec![0];
                scattered
                    .iter()
                    .for_each(|pairs| first_pair.push(first_pair[first_pair.len() - 1] + pairs.len()));
                costs = order.iter().map(|&p| costs[p]).collect();
                let rows = |p: usize| first_row[p]..first_row[p + 1];
                let moved: Vec<u32> = order.iter().flat_map(|&p| &successors[rows(p)]).copied().collect();
                let features: Vec<f64> = order
                    .iter()
                    .flat_map(|&p| &phi[rows(p).start * dim..rows(p).end * dim])
                    .copied()
                    .collect();
                let mut first = vec![0];
                order.iter().for_each(|&p| first.push(first[first.len() - 1] + rows(p).len()));
                (first_row, successors, phi) = (first, moved, features);
            }
        }
        first_pair.shrink_to_fit();
        costs.shrink_to_fit();
        first_row.shrink_to_fit();
        successors.shrink_to_fit();
        phi.shrink_to_fit();
        Arrays { first_pair, costs, first_row, successors, phi }
    }

    /// Merges the late rows from the back, so that nothing is overwritten before it has moved.
    fn merge_late(&mut self) {
        let late = std::mem::take(&mut self.late);
        if late.is_empty() {
            return;
        }
        let d = self.dim;
        let (mut from, mut to) = (self.successors.len(), self.successors.len() + late.len());
        self.successors.resize(to, 0);
        self.phi.resize(to * d, 0.0);
        let mut late = late.into_iter().rev().peekable();
        for p in (0..self.costs.len()).rev() {
            let first = self.first_row[p];
            self.first_row[p + 1] = to;
            loop {
                let newest = late.peek().filter(|((pair, _), _)| *pair == p).map(|((_, next), _)| *next);
                let settled = (from > first).then(|| self.successors[from - 1]);
                if newest.is_none() && settled.is_none() {
                    break;
                }
                to -= 1;
                if newest > settled {
                    let ((_, next), phi) = late.next().expect("it was peeked at");
                    self.successors[to] = next;
                    self.phi[to * d..(to + 1) * d].copy_from_slice(&phi);
                } else {
                    from -= 1;
                    self.successors[to] = self.successors[from];
                    self.phi.copy_within(from * d..(from + 1) * d, to * d);
                }
            }
        }
    }
}
