//! One application of L to all states, in fixed chunks.

use super::{Cut, Devi, Halt, Task, warm};
use crate::numeric::support::{SupportMin, Warm};
use crate::problem::State;
use rayon::prelude::*;
use std::ops::Range;

/// States per chunk. The chunks never depend on the number of threads.
const CHUNK: usize = 64;
/// Below so many pairs a sweep is too short to be shared.
const PARALLEL_PAIRS: usize = 1024;

/// A sweep may be off by a part of eps,
const PART: f64 = 1.0 / 8.0;
/// or by a part of what the sweep before it changed.
const LITTLE: f64 = 1.0 / 32.0;

/// What attains the minimum in each state.
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

/// The tables of some consecutive states.
struct Chunk<'a> {
    states: Range<State>,
    q: &'a mut [f64],
    v: &'a mut [f64],
    /// As [`Devi`] has it.
    leeway: Option<f64>,
    /// As [`warm::WarmStarts`] has them.
    warm: &'a mut [u16],
    warm_width: usize,
    chosen: Option<(&'a mut [Option<u32>], &'a mut [f64])>,
    fallbacks: u64,
}

impl Devi {
    /// `before` to `v` and `q`, and with `choose` to `chosen` too. When it is cut off some chunks are left as they were.
    pub(super) fn sweep<S>(&mut self, task: &Task, set: &mut S, choose: bool) -> Result<(), Cut>
    where
        S: SupportMin + Clone + Send + Sync,
    {
        let problem = task.problem;
        let (n, d) = (problem.states(), problem.dim());
        let before = &self.before;
        let leeway = self.leeway(task, set);
        self.leeway = leeway;
        if choose && self.chosen.is_none() {
            self.chosen = Some(Chosen::new(n, d));
        }
        let mut chosen = self.chosen.as_mut().filter(|_| choose);
        let mut chosen = chosen.as_mut().map(|c| (c.pair.as_mut_slice(), c.theta.as_mut_slice()));
        let (mut q, mut v, mut warm) =
            (self.q.as_mut_slice(), self.v.as_mut_slice(), self.warm.rows.as_mut_slice());
        let (warm_width, halt) = (self.warm.width, &self.halt);
        let mut chunks = Vec::with_capacity(n.div_ceil(CHUNK));
        for first in (0..n).step_by(CHUNK) {
            let states = first..(first + CHUNK).min(n);
            let pairs = problem.pairs_of(states.end - 1).end - problem.pairs_of(first).start;
            chunks.push(Chunk {
                q: q.split_off_mut(..pairs).unwrap_or_default(),
                v: v.split_off_mut(..states.len()).unwrap_or_default(),
                warm: warm.split_off_mut(..pairs * warm_width).unwrap_or_default(),
                warm_width,
                leeway,
                chosen: chosen.as_mut().map(|(pair, theta)| {
                    (
                        pair.split_off_mut(..states.len()).unwrap_or_default(),
                        theta.split_off_mut(..states.len() * d).unwrap_or_default(),
                    )
                }),
                fallbacks: 0,
                states,
            });
        }
        if problem.pairs() < PARALLEL_PAIRS || rayon::current_num_threads() == 1 {
            let mut room = Room::new(d);
            chunks.iter_mut().for_each(|chunk| chunk.run(task, before, set, &mut room, halt));
        } else {
            // an answer depends on the objective and its warm start alone, so a copy of the solver gives the same
            let copy = &*set;
            chunks.par_iter_mut().for_each_init(
                || (copy.clone(), Room::new(d)),
                |(set, room), chunk| chunk.run(task, before, set, room, halt),
            );
            let fallbacks = chunks.iter().map(|chunk| chunk.fallbacks).sum();
            set.count_fallbacks(fallbacks);
        }
        self.halt.check()?;
        let changes = self.v.iter().zip(&self.before).map(|(x, y)| (x - y).abs());
        self.change = changes.fold(0.0, f64::max);
        Ok(())
    }

    /// Where features are split: |theta|_1 max V, if the first halves are enough for a sweep of `before`.
    ///
    /// What they leave out is taken off every bound, so that V stays below L's fixed point; it is no more than a small part of
    /// eps, which the residual has room for, or of what the sweep before changed, when the end is far.
    fn leeway(&self, task: &Task, set: &impl SupportMin) -> Option<f64> {
        if !task.problem.has_split_features() {
            return None;
        }
        let leeway = set.one_norm() * self.before.iter().copied().fold(0.0, f64::max);
        let slack = leeway * task.problem.largest_off();
        (slack.is_finite() && slack <= f64::max(PART * task.eps, LITTLE * self.change)).then_some(leeway)
    }
}

/// What a chunk needs to work.
struct Room {
    phi: Vec<f64>,
    warm: Warm,
}

impl Room {
    fn new(dim: usize) -> Self {
        Room { phi: vec![0.0; dim], warm: Warm::default() }
    }
}

impl Chunk<'_> {
    fn run(&mut self, task: &Task, before: &[f64], set: &mut impl SupportMin, room: &mut Room, halt: &Halt) {
        let Room { phi, warm: rows } = room;
        let Task { problem, costs, b, q: bonus, .. } = *task;
        let fallbacks = set.fallbacks();
        let d = problem.dim();
        let first_pair = problem.pairs_of(self.states.start).start;
        for (i, s) in self.states.clone().enumerate() {
            // a backup over a set by a conic solver takes milliseconds
            if halt.asked() {
                return;
            }
            if let Some((pair, _)) = &mut self.chosen {
                pair[i] = None;
            }
            if s == problem.goal() {
                self.v[i] = 0.0;
                continue;
            }
            let mut least = b;
            for p in problem.pairs_of(s) {
                let at = p - first_pair;
                let mut off = 0.0;
                match self.leeway {
                    None => problem.phi_v(p, before, phi),
                    Some(leeway) => {
                        problem.phi_v_nearly(p, before, phi);
                        off = leeway * problem.off_by(p);
                    }
                }
                let entry = &mut self.warm[at * self.warm_width..(at + 1) * self.warm_width];
                warm::read(entry, rows);
                let support = set.min(phi, rows);
                warm::write(entry, rows);
                // whatever theta in B, the expectation lies between the smallest and the largest successor's value
                let values = problem.successors(p).iter().map(|&n| before[n as usize]);
                let (floor, ceiling) = values
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
                // a bound above that is an answer that arithmetic broke: it says nothing
                let sound = support.bound - off <= ceiling + 1e-6 * ceiling.abs();
                let bound = if sound { (support.bound - off).max(floor) } else { floor };
                self.q[at] = costs[p] + (1.0 - bonus) * support.value.min(ceiling).max(bound);
                let lower = costs[p] + (1.0 - bonus) * bound;
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
}
