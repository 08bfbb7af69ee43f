//! Lines 5 and 6 of Algorithm 2 on some consecutive states.

use super::{Halt, Task, warm};
use crate::numeric::support::{SupportMin, Survey, Warm};
use crate::problem::{Pair, Problem, State};
use std::ops::Range;

/// What rounding may take from a bound, as a part of what it is made of.
const ROUNDING: f64 = 1e-10;

#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// The pair; `None` where the clamp at B is the minimum, and at the goal.
    pub(super) pair: Vec<Option<u32>>,
    /// Its minimising theta: states x d.
    pub(super) theta: Vec<f64>,
}

/// What large problems keep from sweep to sweep of a policy iteration: most actions are known to be
/// no better without their support problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    /// Lower bounds on Q, per pair.
    pub(super) low: Vec<f64>,
    /// The V that they are for, if there is one.
    pub(super) prior: Option<Vec<f64>>,
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
    /// Lower bounds on Q, if they are kept.
    pub(super) low: Option<&'a mut [f64]>,
    pub(super) fallbacks: u64,
}

#[derive(Clone, Copy)]
pub(super) struct Sweep<'a> {
    pub(super) task: &'a Task<'a>,
    /// V^(i).
    pub(super) before: &'a [f64],
    /// Where a pair starts of which nothing is known.
    pub(super) survey: &'a Survey,
    /// The V that the lower bounds on Q were for.
    pub(super) prior: Option<&'a [f64]>,
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
            for p in self.likeliest_first(problem, s, first_pair, sweep) {
                if self.low.as_ref().is_some_and(|low| low[p - first_pair] >= least) {
                    continue;
                }
                let lower = self.back_up(p, p - first_pair, sweep, set, phi, &mut rows);
                if let Some(low) = &mut self.low {
                    low[p - first_pair] = lower;
                }
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

    /// The pairs of a state. Where lower bounds on Q are kept, these become bounds for the values of
    /// now, and the pair with the least comes first: others are then mostly known to be no better.
    ///
    /// An expectation changes by no less than the value of some successor does.
    fn likeliest_first(
        &mut self,
        problem: &Problem,
        s: State,
        first_pair: Pair,
        Sweep { task, before, prior, .. }: Sweep,
    ) -> impl Iterator<Item = Pair> + use<> {
        let pairs = problem.pairs_of(s);
        let mut first = pairs.start;
        if let Some(low) = &mut self.low {
            for p in pairs.clone() {
                let low_p = &mut low[p - first_pair];
                *low_p = prior.map_or(f64::NEG_INFINITY, |prior| {
                    let changes =
                        problem.successors(p).iter().map(|&n| before[n as usize] - prior[n as usize]);
                    let (least, most) = changes
                        .fold((f64::INFINITY, 0f64), |(least, most), x| (least.min(x), most.max(x.abs())));
                    *low_p + (1.0 - task.q) * least - ROUNDING * (most + low_p.abs())
                });
                if low[p - first_pair] < low[first - first_pair] {
                    first = p;
                }
            }
        }
        pairs.clone().filter(move |&p| p == first).chain(pairs.filter(move |&p| p != first))
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

#[cfg(test)]
mod tests {
    use crate::numeric::support::{ConvexSet, Ellipsoid};
    use crate::plan::{Devi, Planner, Task};
    use crate::problem::tests::grid;

    /// Whatever was passed over in a large problem, the values are below the fixed point and near it.
    #[test]
    fn actions_that_are_passed_over_are_no_better() {
        let instance = grid(70);
        let problem = &*instance.problem;
        let d = problem.dim();
        let shape: Vec<f64> = (0..d * d).map(|k| f64::from(u8::from(k % (d + 1) == 0))).collect();
        let center = instance.truth().unwrap().theta().unwrap();
        for (radius, eps) in [(100.0, 1e-3), (0.05, 1e-6)] {
            let mut set =
                ConvexSet::new(problem.constraints(), Ellipsoid { center, shape: &shape, radius }).unwrap();
            let task = Task { problem, costs: problem.costs(), b: 1e6, eps, q: 1e-4 };
            let mut devi = Devi::new(problem);
            let done = devi.plan(&task, &mut set, Planner::Fast, &vec![1.0; problem.states()]);
            assert!(done.residual <= eps && devi.bounds.prior.is_some(), "{done:?}");
            let v = devi.v.clone();
            devi.apply(&task, &mut set, &v);
            for (v, lv) in v.iter().zip(&devi.v) {
                assert!(*v <= lv + 1e-9 && *lv <= v + eps + 1e-9, "{v} {lv}");
            }
        }
    }
}
