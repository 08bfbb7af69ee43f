//! Regret and gap regret over the episodes.

use super::{Measure, RunRows, saved};
use crate::results::{EpisodeRow, RunRow};
use crate::study::Thinning;
use goalward::episode::{Episode, Runner};

/// Records the kept episodes, and the last.
pub(super) struct EpisodeCurve {
    kept: Thinning,
    /// The last episode, unless it was recorded.
    last: Option<EpisodeRow>,
}

impl EpisodeCurve {
    pub(super) fn new(kept: Thinning) -> EpisodeCurve {
        EpisodeCurve { kept, last: None }
    }
}

impl Measure for EpisodeCurve {
    fn episode(&mut self, ended: &Episode, t: u64, rows: &mut RunRows) {
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
            self.last = None;
        } else {
            self.last = Some(row);
        }
    }

    fn finish(&mut self, _: &Runner, _: &mut RunRow, rows: &mut RunRows) {
        if self.kept != Thinning::None {
            rows.episodes.extend(self.last.take());
        }
    }

    saved!(last);
}
