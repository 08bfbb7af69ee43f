//! The share of optimal actions once the learner has had time to learn, and who played under a guard.

use super::{Measure, RunRows, saved};
use crate::results::RunRow;
use goalward::episode::{Runner, Step};

/// Counts optimal actions in the second half of the planned episodes.
pub(super) struct Behaviour {
    half: u64,
    steps: u64,
    optimal: u64,
}

impl Behaviour {
    pub(super) fn new(episodes: u64) -> Behaviour {
        Behaviour { half: episodes / 2, steps: 0, optimal: 0 }
    }
}

impl Measure for Behaviour {
    fn wants_steps(&self) -> bool {
        true
    }

    fn step(&mut self, step: &Step) {
        if step.episode > self.half {
            self.steps += 1;
            self.optimal += u64::from(step.gap <= 1e-9 * step.cost.max(1.0));
        }
    }

    fn finish(&mut self, runner: &Runner, row: &mut RunRow, _: &mut RunRows) {
        let guard = runner.learner().guard();
        row.inner_episodes = guard.as_ref().map(|guard| guard.inner_episodes);
        row.handovers = guard.map(|guard| guard.handovers.len() as u64);
        row.late_optimal_share = (self.steps > 0).then(|| self.optimal as f64 / self.steps as f64);
    }

    saved!(steps, optimal);
}
