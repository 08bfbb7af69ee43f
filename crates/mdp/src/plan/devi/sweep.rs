//! One application of L to all states, in fixed chunks.

use super::backup::{Chosen, Chunk, Sweep};
use super::{Cut, Devi, Task, warm};
use crate::numeric::support::{SupportMin, Survey, Warm};
use crate::problem::Problem;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// States per chunk. The chunks never depend on the number of threads.
const CHUNK: usize = 64;
/// With fewer pairs a sweep is too short to be shared.
const PARALLEL_PAIRS: usize = 1024;

/// From this number of pairs on a sweep begins with a sample, for which the set prepares.
const LARGE: usize = 1 << 14;
const SAMPLE: usize = 256;
/// The same from this product of pairs and binding rows on, after a few trials.
const LABORIOUS: usize = 1 << 20;
const FEW: usize = 12;
/// An eager set gets one pair in `PART`, at most `MORE`.
const PART: usize = 64;
const MORE: usize = 1024;

pub(super) fn is_large(problem: &Problem) -> bool {
    problem.pairs() >= LARGE
}

fn run(chunk: &mut Chunk, sweep: Sweep, set: &mut impl SupportMin, phi: &mut [f64]) {
    set.hold(true);
    chunk.run(sweep, set, phi);
    set.hold(false);
}

impl Devi {
    /// `before` to `v`, `q` and perhaps `chosen`. If cut off, some chunks stay as they were.
    pub(super) fn sweep(
        &mut self,
        task: &Task,
        set: &mut (impl SupportMin + Clone),
        choices: bool,
    ) -> Result<(), Cut> {
        let before = std::mem::take(&mut self.before);
        let mut bounds = std::mem::take(&mut self.bounds);
        let bounded = choices && is_large(task.problem) && !set.is_relaxed() && !set.is_model();
        bounds.low.resize(if bounded { task.problem.pairs() } else { 0 }, 0.0);
        let halt = self.halt.clone();
        self.warm.turn_to(set.identity());
        let (survey, mut copy) = self.survey(task, &before, set);
        let prior = bounds.prior.as_deref();
        let sweep = Sweep { task, before: &before, survey: &survey, prior, halt: &halt };
        let d = task.problem.dim();
        let alone = task.problem.pairs() < PARALLEL_PAIRS || rayon::current_num_threads() == 1;
        let counts_itself = alone && copy.is_none();
        let mut chunks = self.chunks(task, choices, bounded.then_some(&mut bounds.low[..]));
        if alone {
            let mut phi = vec![0.0; d];
            let set = copy.as_mut().unwrap_or(set);
            chunks.iter_mut().for_each(|chunk| run(chunk, sweep, set, &mut phi));
        } else {
            // an answer depends on the objective and its warm start alone, so a copy of the solver
            // gives the same; there is one for each thread, as it learns
            let first = copy.as_ref().unwrap_or(set);
            let idle = Mutex::new(Vec::new());
            chunks.par_iter_mut().for_each(|chunk| {
                let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let (mut set, mut phi) = taken.unwrap_or_else(|| (first.clone(), vec![0.0; d]));
                run(chunk, sweep, &mut set, &mut phi);
                idle.lock().unwrap_or_else(PoisonError::into_inner).push((set, phi));
            });
        }
        let fallbacks: u64 = chunks.iter().map(|chunk| chunk.fallbacks).sum();
        if !counts_itself {
            set.count_fallbacks(fallbacks);
        }
        if bounded {
            bounds.prior.get_or_insert_default().clone_from(&before);
        }
        (self.before, self.bounds) = (before, bounds);
        self.halt.check()
    }

    /// A survey of a sample of pairs and a copy of the set made ready by it; none for few pairs.
    fn survey<S: SupportMin + Clone>(&self, task: &Task, before: &[f64], set: &S) -> (Survey, Option<S>) {
        let problem = task.problem;
        let (pairs, d) = (problem.pairs(), problem.dim());
        let mut survey = Survey::new(d, SAMPLE);
        let laborious = pairs >= SAMPLE && pairs.saturating_mul(set.binding_rows()) >= LABORIOUS;
        if !laborious && !is_large(problem) {
            return (survey, None);
        }
        let (mut copy, mut phi, mut theta) = (set.clone(), vec![0.0; d], vec![0.0; d]);
        let (mut rows, width) = (Warm::default(), self.warm.width);
        let goal = problem.pairs_of(problem.goal());
        let mut note = |survey: &mut Survey, copy: &mut S, p: usize| {
            problem.phi_v(p, before, &mut phi);
            let known = warm::read(&self.warm.rows[p * width..(p + 1) * width], &mut rows);
            copy.min_again(&phi, &mut rows, known);
            copy.minimiser(&mut theta);
            survey.note(&theta, &rows);
        };
        let every = |count: usize| (0..pairs).step_by(pairs / count).filter(|p| !goal.contains(p));
        every(if is_large(problem) { SAMPLE } else { FEW }).for_each(|p| note(&mut survey, &mut copy, p));
        copy.ready(&survey);
        if copy.is_eager() {
            every((pairs / PART).clamp(SAMPLE, MORE)).for_each(|p| note(&mut survey, &mut copy, p));
            copy.ready(&survey);
            // the set finds starts by itself now
            survey = Survey::new(d, 0);
        } else if !is_large(problem) {
            return (Survey::new(d, 0), None);
        }
        (survey, Some(copy))
    }

    fn chunks<'a>(
        &'a mut self,
        task: &Task,
        choices: bool,
        mut low: Option<&'a mut [f64]>,
    ) -> Vec<Chunk<'a>> {
        let problem = task.problem;
        let (n, d) = (problem.states(), problem.dim());
        if choices && self.chosen.is_none() {
            self.chosen = Some(Chosen::new(n, d));
        }
        let chosen = self.chosen.as_mut().filter(|_| choices);
        let mut chosen = chosen.map(|c| (c.pair.as_mut_slice(), c.theta.as_mut_slice()));
        let (mut q, mut v, mut warm) =
            (self.q.as_mut_slice(), self.v.as_mut_slice(), self.warm.rows.as_mut_slice());
        let warm_width = self.warm.width;
        let mut chunks = Vec::with_capacity(n.div_ceil(CHUNK));
        for first in (0..n).step_by(CHUNK) {
            let states = first..(first + CHUNK).min(n);
            let pairs = problem.pairs_of(states.end - 1).end - problem.pairs_of(first).start;
            chunks.push(Chunk {
                q: q.split_off_mut(..pairs).unwrap_or_default(),
                v: v.split_off_mut(..states.len()).unwrap_or_default(),
                warm: warm.split_off_mut(..pairs * warm_width).unwrap_or_default(),
                warm_width,
                chosen: chosen.as_mut().map(|(pair, theta)| {
                    (
                        pair.split_off_mut(..states.len()).unwrap_or_default(),
                        theta.split_off_mut(..states.len() * d).unwrap_or_default(),
                    )
                }),
                low: low.as_mut().map(|low| low.split_off_mut(..pairs).unwrap_or_default()),
                fallbacks: 0,
                states,
            });
        }
        chunks
    }
}
