//! What there is to say of a learner, once.

use super::core::{Algorithm, Brief, Learner, Told, Vigilance};
use crate::Result;
use crate::memory;
use crate::parameters::{Kind, Parameter, Reader, Settings};
use crate::problem::Problem;
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// What it takes to watch whether the models explain the data, in bytes for each pair.
const WATCH: u64 = 32;

/// What kind of algorithm a learner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Family {
    /// It learns theta of a linear mixture.
    LinearMixture,
    /// It counts transitions of every pair.
    Tabular,
    /// It is made for linear MDPs.
    LinearMdp,
    /// It runs another kind of learner on a reduction of the problem.
    Reduction,
    /// It does not learn.
    Baseline,
    /// A user's own.
    Own,
}

/// What a learner must be told beyond the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// A bound on B*.
    B,
    /// A bound on the costs from below, which the problem has.
    CMin,
    /// A bound on T*.
    TStar,
    /// The number of episodes.
    Episodes,
    /// An optimal policy, which takes the truth.
    Policy,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Need::B => "B >= B*",
            Need::CMin => "c_min",
            Need::TStar => "T*",
            Need::Episodes => "K",
            Need::Policy => "the truth",
        })
    }
}

impl Serialize for Need {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What the registry says of a learner.
///
/// A learner whose build says why it cannot be built:
///
/// ```
/// use goalward::learners::{Algorithm, Brief, LearnerEntry};
/// use goalward::{Error, Result};
///
/// fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
///     let fault = format!("{} has {} states", brief.problem.name(), brief.problem.states());
///     Err(Error::Field { field: "mine".into(), fault })
/// }
/// const ENTRY: LearnerEntry =
///     LearnerEntry::new("mine", "my learner", build).setting("any SSP").guarantee("none");
/// assert_eq!(ENTRY.flaw(), None);
/// ```
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct LearnerEntry {
    /// Its name on the command line.
    pub id: &'static str,
    /// One line.
    pub title: &'static str,
    /// The paper and the algorithm in it.
    pub reference: &'static str,
    /// The setting it is made for.
    pub setting: &'static str,
    /// What it must be told.
    pub needs: &'static [Need],
    /// What is proved of it.
    pub guarantee: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// What kind of algorithm it is.
    pub family: Family,
    /// Whether it claims that no plan's values exceed V*.
    pub optimistic: bool,
    /// What a step costs, and plans in all.
    pub cost: &'static str,
    /// What it keeps.
    pub keeps: &'static str,
    /// Settings with which a survey shows it, `key=value@key=value`; empty text is the defaults.
    pub variants: &'static [&'static str],
    /// The settings with which others go on with it when the data reject their models, if it is
    /// made for that.
    #[serde(skip)]
    pub fallback: Option<&'static str>,
    #[serde(skip)]
    relies_on_models: bool,
    #[serde(skip)]
    bytes: fn(&Problem) -> u64,
    #[serde(skip)]
    build: fn(&Brief) -> Result<Box<dyn Algorithm>>,
}

impl LearnerEntry {
    /// A learner of which nothing else is said yet.
    pub const fn new(
        id: &'static str,
        title: &'static str,
        build: fn(&Brief) -> Result<Box<dyn Algorithm>>,
    ) -> Self {
        LearnerEntry {
            id,
            title,
            reference: "",
            setting: "",
            needs: &[],
            guarantee: "none",
            parameters: &[],
            family: Family::Own,
            optimistic: false,
            cost: "O(1)",
            keeps: "O(1)",
            variants: &[""],
            fallback: None,
            relies_on_models: false,
            bytes: |problem| 8 * problem.states() as u64, // a policy at most
            build,
        }
    }

    /// With the paper and the algorithm in it.
    pub const fn reference(self, reference: &'static str) -> Self {
        LearnerEntry { reference, ..self }
    }

    /// With the setting it is made for.
    pub const fn setting(self, setting: &'static str) -> Self {
        LearnerEntry { setting, ..self }
    }

    /// With what it must be told.
    pub const fn needs(self, needs: &'static [Need]) -> Self {
        LearnerEntry { needs, ..self }
    }

    /// With what is proved of it.
    pub const fn guarantee(self, guarantee: &'static str) -> Self {
        LearnerEntry { guarantee, ..self }
    }

    /// With parameters.
    pub const fn parameters(self, parameters: &'static [Parameter]) -> Self {
        LearnerEntry { parameters, ..self }
    }

    /// Of a family. Those that learn theta rely on the models.
    pub const fn family(self, family: Family) -> Self {
        let relies_on_models = self.relies_on_models || matches!(family, Family::LinearMixture);
        LearnerEntry { family, relies_on_models, ..self }
    }

    /// It relies on the models though its family need not: it watches whether they explain the data.
    pub const fn relies_on_models(self) -> Self {
        LearnerEntry { relies_on_models: true, ..self }
    }

    /// Others go on with it, with these settings (`key=value@key=value`), when the data reject
    /// their models.
    pub const fn fallback(self, settings: &'static str) -> Self {
        LearnerEntry { fallback: Some(settings), ..self }
    }

    /// It claims that no plan's values exceed V*.
    pub const fn optimistic(self) -> Self {
        LearnerEntry { optimistic: true, ..self }
    }

    /// With what a step costs, and plans in all.
    pub const fn cost(self, cost: &'static str) -> Self {
        LearnerEntry { cost, ..self }
    }

    /// With what it keeps.
    pub const fn keeps(self, keeps: &'static str) -> Self {
        LearnerEntry { keeps, ..self }
    }

    /// With settings for surveys.
    pub const fn variants(self, variants: &'static [&'static str]) -> Self {
        LearnerEntry { variants, ..self }
    }

    /// With an estimate of what its tables take, in bytes, from above.
    pub const fn memory(self, bytes: fn(&Problem) -> u64) -> Self {
        LearnerEntry { bytes, ..self }
    }

    /// What its tables take, in bytes: an estimate from above. What it keeps of the data comes on
    /// top.
    pub fn bytes(&self, problem: &Problem) -> u64 {
        let watch = if self.relies_on_models { WATCH * problem.pairs() as u64 } else { 0 };
        (self.bytes)(problem) + watch
    }

    /// What is wrong with the entry itself, if anything: an id or a name that could not be typed, a
    /// parameter that is declared twice, a default that its own declaration refuses.
    pub fn flaw(&self) -> Option<String> {
        let is_word =
            |text: &str| !text.is_empty() && !text.chars().any(|c| c.is_whitespace() || "@=,".contains(c));
        if !is_word(self.id) {
            return Some("an id is a word without spaces, @, = and commas".into());
        }
        for (i, p) in self.parameters.iter().enumerate() {
            if !is_word(p.name) || self.parameters[..i].iter().any(|other| other.name == p.name) {
                return Some(format!("parameter {:?} is no word, or is declared twice", p.name));
            }
            if let Some(fault) = p.flaw() {
                return Some(format!("parameter {}: {fault}", p.name));
            }
        }
        None
    }

    /// Whether it needs something.
    pub fn wants(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// Whether it learns from the candidate models: from what they say of each pair, or from which
    /// pairs they hold to be alike.
    pub fn uses_models(&self) -> bool {
        self.relies_on_models || self.family == Family::LinearMdp
    }

    /// The settings that ask the oracle for all that must be given: a simulation can answer.
    pub fn oracle(&self) -> Settings {
        let can_be_asked = |kind| matches!(kind, Kind::NumberOrOracle | Kind::NumberOracleOrDoubling);
        let asked = self.parameters.iter().filter(|p| can_be_asked(p.kind));
        asked.fold(Settings::new(), |settings, p| settings.set(p.name, "oracle"))
    }

    /// Builds the learner for a problem.
    pub fn build(
        &self,
        problem: &Arc<Problem>,
        settings: &Settings,
        seed: u64,
        episodes: u64,
        told: Told,
    ) -> Result<Learner> {
        let settings = Reader::new(self.id, self.parameters, settings)?;
        problem.require_goal_in_reach()?;
        memory::require("this learner", self.bytes(problem))?;
        let brief = Brief::new(problem, settings, seed, episodes, told);
        let algorithm = (self.build)(&brief)?;
        let learner = Learner::new(self.id, &brief, algorithm, self.optimistic);
        Ok(if self.relies_on_models { learner.watched(Vigilance::default().level) } else { learner })
    }
}
