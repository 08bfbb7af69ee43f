//! Regret and gap regret over the episodes.

use super::{Measure, Rows, saved_as_it_is};
use crate::results::{EpisodeRow, RunRow};
use crate::study::Thinning;
use goalward::episode::{Episode, Runner};
use serde::{Deserialize, Serialize};

/// Takes down the episodes that are kept, and the last.
pub(super) struct Curve {
    kept: Thinning,
    state: State,
}

#[derive(Default, Serialize, Deserialize)]
struct State {
    /// The last episode, unless it was taken down.
    last: Option<EpisodeRow>,
}

impl Curve {
    pub(super) fn new(kept: Thinning) -> Curve {
        Curve { kept, state: State::default() }
    }
}

impl Measure for Curve {
    fn episode(&mut self, ended: &Episode, t: u64, rows: &mut Rows) {
        let row = EpisodeRow {
            episode: ended.episode,
            t,
            steps: ended.steps,
            cost: ended.cost,
            regret: ended.regret,
            gap_regret: ended.gap_regret,
        };
        if self.kept.keeps(ended.episode) {
            rows.episodes.push(row);
            self.state.last = None;
        } else {
            self.state.last = Some(row);
        }
    }

    fn finish(&mut self, _: &Runner, _: &mut RunRow, rows: &mut Rows) {
        if self.kept != Thinning::None {
            rows.episodes.extend(self.state.last.take());
        }
    }

    saved_as_it_is!();
}
