//! How often the learner does the right thing once it has had time to learn.

use super::{Measure, Rows, saved_as_it_is};
use crate::results::RunRow;
use goalward::episode::{Runner, Step};
use serde::{Deserialize, Serialize};

/// Counts optimal actions in the second half of the planned episodes.
pub(super) struct Behaviour {
    half: u64,
    state: State,
}

#[derive(Default, Serialize, Deserialize)]
struct State {
    steps: u64,
    optimal: u64,
}

impl Behaviour {
    pub(super) fn new(episodes: u64) -> Behaviour {
        Behaviour { half: episodes / 2, state: State::default() }
    }
}

impl Measure for Behaviour {
    fn wants_steps(&self) -> bool {
        true
    }

    fn step(&mut self, step: &Step) {
        if step.episode > self.half {
            self.state.steps += 1;
            self.state.optimal += u64::from(step.gap <= 1e-9 * step.cost.max(1.0));
        }
    }

    fn finish(&mut self, _: &Runner, row: &mut RunRow, _: &mut Rows) {
        let State { steps, optimal } = self.state;
        row.late_optimal_share = (steps > 0).then(|| optimal as f64 / steps as f64);
    }

    saved_as_it_is!();
}
