//! A question: worlds, learners, seeds, how long, what is recorded, what is asked of the records,
//! and which figures are wanted.
//!
//! A study is written as a file (`read`) or made by a short command. What follows from it is
//! fixed: `jobs` are its runs, `store` keeps their records,
//! [`analysis`](crate::analysis) answers the question, and `report` shows it.

mod asks;
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
mod worlds;
mod write;

pub use figures::{AxisSpec, Band, FigureKind, FigureSpec};
pub use read::{StudyFile, read, read_file};
pub use seeds::parse_seeds;
pub use shipped::{SHIPPED, STARTER, Shipped, default_folder, read_named, read_shipped};
pub use write::write;

pub(crate) use read::reread;

use crate::figure::{Colour, Dash};
use crate::{Contender, Error, Place, Result};
use serde::{Deserialize, Serialize};

/// A question, with everything that its file may leave out filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// In a word: the file's stem, and the folder of the results.
    pub name: String,
    /// The headline of its report.
    pub title: String,
    /// What it is about, in a paragraph; may be empty.
    pub about: String,
    /// Where learners run, in order: every point of every grid.
    pub worlds: Vec<WorldPoint>,
    /// Who runs, in order: every point of every grid.
    pub learners: Vec<LearnerPoint>,
    /// The seeds, in order.
    pub seeds: Vec<u64>,
    /// What is taken down of every run.
    pub record: Record,
    /// What is asked of the records.
    pub analysis: Analyses,
    /// The figures that are wanted.
    pub figures: Vec<FigureSpec>,
}

impl Study {
    /// Contenders side by side in one world, with the figures that suit it: `goalward compare`.
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
        let point = |contender: Contender| LearnerPoint {
            base: contender.label.clone(),
            contender,
            point: Vec::new(),
            look: Look::default(),
        };
        let label = place.label.clone();
        let mut study = Study {
            name: "compare".into(),
            title: format!("Learners on {label}"),
            about: String::new(),
            worlds: vec![WorldPoint { base: label.clone(), label, point: Vec::new(), place, length }],
            learners: contenders.into_iter().map(point).collect(),
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
    /// What tables and figures call it: its own label, and where it lies in its grid.
    pub label: String,
    /// The label without the grid: what the points of one grid have in common.
    pub base: String,
    /// Where it lies in its grid: parameter and value, as text.
    pub point: Vec<(String, String)>,
    /// The world itself.
    pub place: Place,
    /// How long each run is.
    pub length: Length,
}

/// How long a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Length {
    /// The number of episodes K.
    pub episodes: u64,
    /// The cap on steps: a run that meets it is truncated.
    pub max_steps: Option<u64>,
    /// Whether the run is so many steps long, and the cap is its planned end: `steps` in the file.
    pub by_steps: bool,
}

/// A learner with its settings, and how its curves look.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerPoint {
    /// Who it is. Its label is its own, and where it lies in its grid.
    pub contender: Contender,
    /// The label without the grid.
    pub base: String,
    /// Where it lies in its grid: parameter and value, as text.
    pub point: Vec<(String, String)>,
    /// How its curves look, as far as the file says.
    pub look: Look,
}

/// What a file says of a curve's look; what it leaves out is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// Its colour.
    pub colour: Option<Colour>,
    /// How it is broken.
    pub dash: Option<Dash>,
    /// Its width in pixels.
    pub width: Option<f64>,
}

/// What is taken down of every run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// Which episodes.
    pub episodes: Thinning,
    /// Which planning calls.
    pub plans: Thinning,
    /// At which planning calls the estimate, its intervals and the width of the confidence sets.
    pub probes: Thinning,
    /// Whether every step asks the confidence sets if they still have theta*.
    pub sets: bool,
    /// Two coordinates of theta whose plane shows the confidence set, at every probe.
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

/// Which of a row of events are kept: rows grow with the logarithm of their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "serde_json::Value")]
pub enum Thinning {
    /// None.
    None,
    /// So many to each doubling of their number, with all powers of two and ten, and the last.
    PerDoubling(u32),
    /// All.
    All,
}

/// What is asked of the records. Several may be asked at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analyses {
    /// Contenders side by side on every world.
    pub comparison: Option<ComparisonAsk>,
    /// How often theta* left the confidence sets, and how wide they are.
    pub coverage: Option<CoverageAsk>,
    /// The smallest factor on a radius that kept theta*.
    pub scale: Option<ScaleAsk>,
    /// Exponents of the growth of the gap regret, for each of these families of worlds.
    pub growth: Vec<GrowthFamily>,
    /// The value of a setting with which a learner pays least.
    pub tuning: Option<TuningAsk>,
}

/// Contenders side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ComparisonAsk {
    /// The contender that all others are measured against, by its label.
    pub against: Option<String>,
    /// Contenders that are shown and not judged, by their labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// Whether the answer is "no" (exit code 1) where the reference pays more than a rival with a
    /// guarantee.
    pub judge: bool,
    /// Whether steps a second and memory are shown: times differ from run to run.
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

/// The value of a setting with which a learner pays least over all worlds.
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
    /// What the theory says of the exponent: at least and at most.
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
