//! A study file as it stands: its keys.

use super::figures::FigureSpec;
use super::forms::Count;
use super::{ComparisonAsk, CoverageAsk, GrowthFamily, Look, Record, ScaleAsk, Study, TruthsAsk, TuningAsk};
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};
use toml::Table;

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) title: Option<String>,
    pub(super) about: Option<String>,
    pub(super) episodes: Option<Count>,
    pub(super) steps: Option<Count>,
    pub(super) max_steps: Option<Count>,
    /// `20`, `"0..20"`, `"3,5,7"` or `[3, 5, 7]`.
    pub(super) seeds: serde_json::Value,
    pub(super) set: Option<Table>,
    pub(super) grid: Option<Table>,
    pub(super) worlds: Vec<WorldEntry>,
    pub(super) learners: Vec<LearnerEntry>,
    #[serde(default, serialize_with = "as_written")]
    pub(super) record: Record,
    pub(super) comparison: Option<ComparisonAsk>,
    pub(super) coverage: Option<CoverageAsk>,
    pub(super) scale: Option<ScaleAsk>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) growth: Vec<GrowthFamily>,
    pub(super) tuning: Option<TuningAsk>,
    pub(super) truths: Option<TruthsAsk>,
    pub(super) figures: Option<Vec<FigureSpec>>,
    pub(super) quick: Option<Quick>,
}

/// A world, or a grid of worlds.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldEntry {
    pub(super) name: String,
    pub(super) label: Option<String>,
    pub(super) set: Option<Table>,
    pub(super) episodes: Option<Count>,
    pub(super) steps: Option<Count>,
    pub(super) max_steps: Option<Count>,
    pub(super) grid: Option<Table>,
    pub(super) zip: Option<Table>,
    /// In a file that the program wrote: the label without the grid, and the place in it.
    pub(super) base: Option<String>,
    pub(super) point: Option<Table>,
}

/// A learner, a grid of learners, or all of them.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LearnerEntry {
    pub(super) name: String,
    pub(super) label: Option<String>,
    pub(super) set: Option<Table>,
    pub(super) colour: Option<crate::figure::Colour>,
    pub(super) dash: Option<crate::figure::Dash>,
    pub(super) width: Option<f64>,
    pub(super) grid: Option<Table>,
    pub(super) base: Option<String>,
    pub(super) point: Option<Table>,
}

impl LearnerEntry {
    pub(super) fn look(&self) -> Look {
        Look { colour: self.colour, dash: self.dash, width: self.width }
    }
}

/// The small version of a study, to try it out: fewer seeds and shorter runs, the same question.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Quick {
    seeds: Option<Count>,
    episodes: Option<Count>,
    steps: Option<Count>,
    max_steps: Option<Count>,
    worlds: Option<Count>,
}

impl Quick {
    pub(super) fn shorten(&self, study: &mut Study) {
        let or = |given: Option<Count>, usual: u64| given.map_or(usual, |Count(n)| n);
        study.seeds.truncate(or(self.seeds, 2).min(1 << 20) as usize);
        study.worlds.truncate(or(self.worlds, u64::MAX).min(1 << 20) as usize);
        for world in &mut study.worlds {
            let length = &mut world.length;
            let most = if length.by_steps { or(self.steps, 100) } else { or(self.episodes, 20) };
            length.episodes = length.episodes.min(most);
            length.max_steps = match (length.by_steps, length.max_steps, self.max_steps) {
                (true, ..) => Some(length.episodes),
                (_, Some(own), Some(Count(quick))) => Some(own.min(quick)),
                (_, own, quick) => own.or(quick.map(|Count(n)| n)),
            };
        }
    }
}

/// A file says how many of each doubling are kept by the number alone.
fn as_written<S: Serializer>(record: &Record, serializer: S) -> Result<S::Ok, S::Error> {
    let mut table = Table::try_from(record).map_err(S::Error::custom)?;
    for (_, kept) in table.iter_mut() {
        if let Some(number) = kept.get("perdoubling").cloned() {
            *kept = number;
        }
    }
    table.serialize(serializer)
}
