//! Extended value iteration over sets of kernels that are known by counts.

use crate::confidence::{Spread, least_in_l1, mean};
use crate::estimate::Visits;
use crate::learners::counted::Support;
use crate::plan::{Cut, Halt, Stop, Swept, value_iteration};
use crate::problem::{Pair, Problem, State};

/// The most sweeps of value iteration. Values rise from zero, so they are optimistic wherever it
/// stops.
const MOST_SWEEPS: u64 = 100_000;

/// A kernel for each pair, of which it is known that |P - Pbar|_1 is at most a radius.
pub(super) struct L1<'a> {
    pub(super) problem: &'a Problem,
    pub(super) visits: &'a Visits,
    pub(super) support: Support,
    pub(super) radius: Vec<f64>,
}

impl L1<'_> {
    /// The state of least value that a pair may lead to.
    fn low(&self, p: Pair, v: &[f64]) -> State {
        let listed = || self.problem.successors(p).iter().map(|&s| s as State);
        match self.support {
            Support::Unknown => self.problem.goal(),
            // values are never negative: the goal's is least
            Support::Known => {
                listed().min_by(|&a, &b| v[a].total_cmp(&v[b])).unwrap_or_else(|| self.problem.goal())
            }
        }
    }

    /// The kernel of a pair in the set that leads to the least value.
    pub(super) fn spread(&self, p: Pair, v: &[f64], out: &mut Spread) {
        least_in_l1(self.visits.row(p), self.radius[p], self.low(p, v), v, out);
    }

    pub(super) fn iterate(&self, costs: &[f64], eps: f64, halt: &Halt) -> Result<Swept, Cut> {
        let mut spread = Spread::new();
        let backup = |p: Pair, v: &[f64]| {
            if self.radius[p] >= 2.0 {
                return costs[p] + v[self.low(p, v)]; // every kernel is in the set
            }
            self.spread(p, v, &mut spread);
            costs[p] + mean(&spread, v)
        };
        value_iteration(self.problem, backup, Stop { eps, limit: f64::INFINITY, sweeps: MOST_SWEEPS }, halt)
    }
}

/// Value iteration from zero on sub-kernels, whose rest goes to the state of least value.
pub(super) fn with_rest(
    problem: &Problem,
    (costs, kept): (&[f64], &[(Spread, f64)]),
    support: Support,
    eps: f64,
    halt: &Halt,
) -> Result<Swept, Cut> {
    let backup = |p: Pair, v: &[f64]| {
        let (kept, rest) = &kept[p];
        let lost = if *rest > 0.0 { rest * support.least(problem, p, v) } else { 0.0 };
        costs[p] + mean(kept, v) + lost
    };
    value_iteration(problem, backup, Stop { eps, limit: f64::INFINITY, sweeps: MOST_SWEEPS }, halt)
}
