//! A study: worlds, learners, seeds, lengths, records, questions and figures. It is read from a file
//! or made by a short command.

mod changed;
mod figures;
mod file;
mod forms;
mod grids;
mod learners;
mod read;
mod seeds;
mod shipped;
mod spot;
mod truths;
mod worlds;
mod write;

pub use figures::{AxisSpec, Band, FigureKind, FigureSpec};
pub use read::{StudyFile, read, read_file};
pub use seeds::parse_seeds;
pub use shipped::{SHIPPED, STARTER, Shipped, default_folder, read_named, read_shipped};
pub use truths::TruthsAsk;
pub use write::write;

pub(crate) use read::reread;

use crate::figure::{Colour, Dash};
use crate::{Contender, Error, Place, Result};
use serde::{Deserialize, Serialize};

/// A study, with everything that its file may leave out.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The file's stem, and the folder of the results.
    pub name: String,
    /// The headline of its report.
    pub title: String,
    /// What it is about, in a paragraph; may be empty.
    pub about: String,
    /// The worlds in order: every point of every grid.
    pub worlds: Vec<WorldPoint>,
    /// The learners in order: every point of every grid.
    pub learners: Vec<LearnerPoint>,
    /// The seeds, in order.
    pub seeds: Vec<u64>,
    /// What is recorded of every run.
    pub record: Record,
    /// The questions.
    pub analysis: Analyses,
    /// The figures.
    pub figures: Vec<FigureSpec>,
}

impl Study {
    /// Contenders in one world, with the figures that suit it: `goalward compare`.
    pub fn comparison(
        place: Place,
        length: Length,
        contenders: Vec<Contender>,
        seeds: Vec<u64>,
        against: Option<String>,
    ) -> Result<Study> {
        for (i, contender) in contenders.iter().enumerate() {
            if contenders[..i].iter().any(|other| other.label == contender.label) {
                let fault = format!("two contenders are called {:?}", contender.label);
                return Err(Error::Option { option: "contenders", fault });
            }
        }
        let label = place.label.clone();
        let mut study = Study {
            name: "compare".into(),
            title: format!("Learners on {label}"),
            about: String::new(),
            worlds: vec![WorldPoint { base: label.clone(), label, point: Vec::new(), place, length }],
            learners: contenders.into_iter().map(LearnerPoint::alone).collect(),
            seeds,
            record: Record::default(),
            analysis: Analyses {
                comparison: Some(ComparisonAsk { against, ..ComparisonAsk::default() }),
                ..Analyses::default()
            },
            figures: Vec::new(),
        };
        study.figures = figures::default_figures(&study);
        Ok(study)
    }
}

/// A world with its parameters, and how long runs are there.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldPoint {
    /// Its label in tables and figures, which ends with its point of the grid.
    pub label: String,
    /// The label without the grid, which the points of one grid have in common.
    pub base: String,
    /// Its point of the grid: parameters and values, as text.
    pub point: Vec<(String, String)>,
    /// The world itself.
    pub place: Place,
    /// The length of each run.
    pub length: Length,
}

/// The length of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Length {
    /// The number of episodes K.
    pub episodes: u64,
    /// The cap on steps: a run that meets it is truncated.
    pub max_steps: Option<u64>,
    /// Whether the cap is the planned end of the run: `steps` in the file.
    pub by_steps: bool,
}

/// A learner with its settings, and the look of its curves.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerPoint {
    /// The learner, whose label ends with its point of the grid.
    pub contender: Contender,
    /// The label without the grid.
    pub base: String,
    /// Its point of the grid: parameters and values, as text.
    pub point: Vec<(String, String)>,
    /// The look of its curves.
    pub look: Look,
}

impl LearnerPoint {
    /// A learner of no grid.
    fn alone(contender: Contender) -> LearnerPoint {
        let base = contender.label.clone();
        LearnerPoint { base, contender, point: Vec::new(), look: Look::default() }
    }
}

/// What a file says of a curve's look; the rest is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// Its colour.
    pub colour: Option<Colour>,
    /// Its dashes.
    pub dash: Option<Dash>,
    /// Its width in pixels.
    pub width: Option<f64>,
}

/// What is recorded of every run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// Which episodes.
    pub episodes: Thinning,
    /// Which planning calls.
    pub plans: Thinning,
    /// The planning calls at which the learner is asked for its estimate, intervals and sets.
    pub probes: Thinning,
    /// Whether every step checks that the confidence sets contain theta*.
    pub sets: bool,
    /// The two coordinates of theta in whose plane a probe outlines the confidence set.
    pub outline: Option<[usize; 2]>,
}

impl Default for Record {
    fn default() -> Self {
        Record {
            episodes: Thinning::PerDoubling(32),
            plans: Thinning::PerDoubling(8),
            // asking for sets and intervals can take longer than the run itself
            probes: Thinning::None,
            sets: false,
            outline: None,
        }
    }
}

/// Which of a series of events are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "serde_json::Value")]
pub enum Thinning {
    /// None.
    None,
    /// This many per doubling of their number, with all powers of two and ten, and the last.
    PerDoubling(u32),
    /// All.
    All,
}

/// The questions of a study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analyses {
    /// Contenders side by side on every world.
    pub comparison: Option<ComparisonAsk>,
    /// How often theta* left the confidence sets, and their widths.
    pub coverage: Option<CoverageAsk>,
    /// The smallest factor on a radius that kept theta*.
    pub scale: Option<ScaleAsk>,
    /// Exponents of the growth of the gap regret, for each of these families of worlds.
    pub growth: Vec<GrowthFamily>,
    /// The value of a setting with which a learner pays least.
    pub tuning: Option<TuningAsk>,
    /// What learners pay on average over drawn truths.
    pub truths: Option<TruthsAsk>,
}

/// Contenders side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ComparisonAsk {
    /// The contender that all others are measured against, by its label.
    pub against: Option<String>,
    /// The contenders that are shown and not judged, by their labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// Whether the answer is "no" where the reference pays more than a rival with a guarantee.
    pub judge: bool,
    /// Whether steps a second and memory are shown.
    pub times: bool,
}

/// How often theta* left the sets. The failure probability is the setting `delta` in force.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoverageAsk {}

/// The smallest factor that kept theta*: the learners' grid has `radius = scaled:F` for several F.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScaleAsk {
    /// At most this share of the runs may lose theta*.
    pub delta: f64,
}

impl Default for ScaleAsk {
    fn default() -> Self {
        ScaleAsk { delta: 0.1 }
    }
}

/// The best value of a setting over all worlds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningAsk {
    /// The setting: an axis of the learners' grid.
    pub over: String,
}

/// The worlds of one base label, and what grows from one to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrowthFamily {
    /// The base label of its worlds.
    pub world: String,
    /// What grows.
    pub over: Grows,
    /// The least and the largest exponent of the theory.
    pub expect: Option<(f64, f64)>,
}

/// What grows from world to world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grows {
    /// The number of episodes K.
    Episodes,
    /// T*, the expected steps of the best policy.
    TStar,
    /// B*.
    BStar,
    /// The dimension d.
    Dim,
    /// The number of states.
    States,
}
