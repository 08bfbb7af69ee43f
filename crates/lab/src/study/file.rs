//! A study file as it stands: its keys.

use super::figures::FigureSpec;
use super::forms::{Count, Kept, OneOrMore, Seeds};
use super::{ComparisonAsk, CoverageAsk, GrowthAsk, Look, Record, ScaleAsk, TuningAsk};
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
    pub(super) seeds: Seeds,
    pub(super) set: Option<Table>,
    pub(super) grid: Option<Table>,
    pub(super) worlds: OneOrMore<WorldEntry>,
    pub(super) learners: OneOrMore<LearnerEntry>,
    #[serde(default, serialize_with = "as_written")]
    pub(super) record: Record,
    pub(super) comparison: Option<ComparisonAsk>,
    pub(super) coverage: Option<CoverageAsk>,
    pub(super) scale: Option<ScaleAsk>,
    pub(super) growth: Option<GrowthAsk>,
    pub(super) tuning: Option<TuningAsk>,
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
#[derive(Default, Serialize, Deserialize)]
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
    /// Whether it is a text and no table.
    #[serde(skip)]
    pub(super) alone: bool,
}

impl LearnerEntry {
    pub(super) fn look(&self) -> Look {
        Look { colour: self.colour, dash: self.dash, width: self.width }
    }
}

impl From<String> for WorldEntry {
    fn from(name: String) -> Self {
        WorldEntry { name, ..WorldEntry::default() }
    }
}

impl From<String> for LearnerEntry {
    fn from(name: String) -> Self {
        LearnerEntry { name, alone: true, ..LearnerEntry::default() }
    }
}

/// The small version of a study, to try it out: fewer seeds and shorter runs, the same question.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Quick {
    pub(super) seeds: Option<Count>,
    pub(super) episodes: Option<Count>,
    pub(super) steps: Option<Count>,
    pub(super) max_steps: Option<Count>,
    pub(super) worlds: Option<Count>,
}

/// The form of a file, which is not that of manifests.
fn as_written<S: Serializer>(record: &Record, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Written {
        episodes: Kept,
        plans: Kept,
        probes: Kept,
        sets: bool,
        outline: Option<[usize; 2]>,
    }
    let Record { episodes, plans, probes, sets, outline } = *record;
    let (episodes, plans, probes) = (episodes.into(), plans.into(), probes.into());
    Written { episodes, plans, probes, sets, outline }.serialize(serializer)
}
