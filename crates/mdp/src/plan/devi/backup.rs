//! Lines 5 and 6 of Algorithm 2 on some consecutive states.

use super::{Halt, Task, warm};
use crate::numeric::support::{SupportMin, Survey, Warm};
use crate::problem::{Pair, State};
use std::ops::Range;

#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// The pair; `None` where the clamp at B is the minimum, and at the goal.
    pub(super) pair: Vec<Option<u32>>,
    /// Its minimising theta: states x d.
    pub(super) theta: Vec<f64>,
}

impl Chosen {
    pub(super) fn new(states: usize, dim: usize) -> Self {
        Chosen { pair: vec![None; states], theta: vec![0.0; states * dim] }
    }
}

pub(super) struct Chunk<'a> {
    pub(super) states: Range<State>,
    pub(super) q: &'a mut [f64],
    pub(super) v: &'a mut [f64],
    /// As [`warm::WarmStarts`] has them.
    pub(super) warm: &'a mut [u16],
    pub(super) warm_width: usize,
    /// As [`Chosen`] has them, if they are wanted.
    pub(super) chosen: Option<(&'a mut [Option<u32>], &'a mut [f64])>,
    pub(super) fallbacks: u64,
}

#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    pub(super) task: &'a Task<'a>,
    /// V^(i).
    pub(super) before: &'a [f64],
    /// Where a pair starts of which nothing is known.
    pub(super) survey: &'a Survey,
    pub(super) halt: &'a Halt,
}

impl Chunk<'_> {
    pub(super) fn run(&mut self, sweep: Sweep, set: &mut impl SupportMin, phi: &mut [f64]) {
        let Task { problem, b, .. } = *sweep.task;
        let fallbacks = set.fallbacks();
        let (d, mut rows) = (problem.dim(), Warm::default());
        let first_pair = problem.pairs_of(self.states.start).start;
        for (i, s) in self.states.clone().enumerate() {
            // a backup over a set by a conic solver takes milliseconds
            if sweep.halt.asked() {
                return;
            }
            if let Some((pair, _)) = &mut self.chosen {
                pair[i] = None;
            }
            if s == problem.goal() {
                self.v[i] = 0.0;
                continue;
            }
            // line 6: V^(i+1) <- min over a of Q^(i+1), clamped at B
            let mut least = b;
            for p in problem.pairs_of(s) {
                let lower = self.back_up(p, p - first_pair, sweep, set, phi, &mut rows);
                if lower < least {
                    least = lower;
                    if let Some((pair, theta)) = &mut self.chosen {
                        pair[i] = Some(p as u32);
                        set.minimiser(&mut theta[i * d..(i + 1) * d]);
                    }
                }
            }
            self.v[i] = least;
        }
        self.fallbacks += set.fallbacks() - fallbacks;
    }

    /// Line 5: Q^(i+1) <- c + (1 - q) min over theta of <theta, phi_V^(i)>, from the primal value.
    /// Gives the same from the certified bound.
    #[inline(always)]
    fn back_up(
        &mut self,
        p: Pair,
        at: usize,
        sweep: Sweep,
        set: &mut impl SupportMin,
        phi: &mut [f64],
        rows: &mut Warm,
    ) -> f64 {
        let Task { problem, costs, q: bonus, .. } = *sweep.task;
        problem.phi_v(p, sweep.before, phi);
        let entry = &mut self.warm[at * self.warm_width..(at + 1) * self.warm_width];
        let known = warm::read(entry, rows);
        if rows.is_empty() && !sweep.survey.is_empty() {
            sweep.survey.start(phi, rows);
        }
        let (support, known) = set.min_again(phi, rows, known);
        warm::write(entry, rows, known);
        // for all theta in B the expectation lies between the least and the largest successor's value
        let values = problem.successors(p).iter().map(|&n| sweep.before[n as usize]);
        let (floor, ceiling) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        // a bound above that comes from broken arithmetic
        let sound = support.bound <= ceiling + 1e-6 * ceiling.abs();
        let bound = if sound { support.bound.max(floor) } else { floor };
        self.q[at] = costs[p] + (1.0 - bonus) * support.value.min(ceiling).max(bound);
        costs[p] + (1.0 - bonus) * bound
    }
}
