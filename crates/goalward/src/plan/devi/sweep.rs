//! One application of L to all states, in fixed chunks.

use super::backup::{Chosen, Chunk, Room, Sweep};
use super::{Cut, Devi, Task};
use crate::numeric::support::SupportMin;
use rayon::prelude::*;

/// States per chunk. The chunks never depend on the number of threads.
const CHUNK: usize = 64;
/// Below so many pairs a sweep is too short to be shared.
const PARALLEL_PAIRS: usize = 1024;

/// What a sweep leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// Q and V.
    Values,
    /// And what attains the minima.
    Choices,
}

impl Devi {
    /// `before` to `v` and `q`, and to `chosen` too if that is to be kept. When it is cut off some
    /// chunks are left as they were.
    pub(super) fn sweep<S>(&mut self, task: &Task, set: &mut S, keep: Keep) -> Result<(), Cut>
    where
        S: SupportMin + Clone + Send + Sync,
    {
        self.leeway = self.leeway(task, set);
        let before = std::mem::take(&mut self.before);
        let halt = self.halt.clone();
        let sweep = Sweep { task, before: &before, halt: &halt };
        let d = task.problem.dim();
        let mut chunks = self.chunks(task, keep);
        if task.problem.pairs() < PARALLEL_PAIRS || rayon::current_num_threads() == 1 {
            let mut room = Room::new(d);
            chunks.iter_mut().for_each(|chunk| chunk.run(sweep, set, &mut room));
        } else {
            // an answer depends on the objective and its warm start alone, so a copy of the solver
            // gives the same
            let copy = &*set;
            chunks.par_iter_mut().for_each_init(
                || (copy.clone(), Room::new(d)),
                |(set, room), chunk| chunk.run(sweep, set, room),
            );
            let fallbacks = chunks.iter().map(|chunk| chunk.fallbacks).sum();
            set.count_fallbacks(fallbacks);
        }
        self.before = before;
        self.halt.check()?;
        let changes = self.v.iter().zip(&self.before).map(|(x, y)| (x - y).abs());
        self.change = changes.fold(0.0, f64::max);
        Ok(())
    }

    /// The tables, cut into chunks of states.
    fn chunks(&mut self, task: &Task, keep: Keep) -> Vec<Chunk<'_>> {
        let problem = task.problem;
        let (n, d) = (problem.states(), problem.dim());
        if keep == Keep::Choices && self.chosen.is_none() {
            self.chosen = Some(Chosen::new(n, d));
        }
        let chosen = self.chosen.as_mut().filter(|_| keep == Keep::Choices);
        let mut chosen = chosen.map(|c| (c.pair.as_mut_slice(), c.theta.as_mut_slice()));
        let (mut q, mut v, mut warm) =
            (self.q.as_mut_slice(), self.v.as_mut_slice(), self.warm.rows.as_mut_slice());
        let (warm_width, leeway) = (self.warm.width, self.leeway);
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
        chunks
    }
}
