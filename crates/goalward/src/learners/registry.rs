//! The registry: what there is to say of every learner, once.

use super::core::{Algorithm, Brief, Learner, Told};
use super::shared::{B, T_STAR};
use super::{baselines, linear_mixture};
use crate::problem::memory;
use crate::parameters::{Parameter, Reader, Settings};
use crate::problem::Problem;
use crate::{Error, Result};
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

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
/// ```
/// # use goalward::learners::{Algorithm, Brief, LearnerEntry};
/// # fn build(_: &Brief) -> goalward::Result<Box<dyn Algorithm>> { unimplemented!() }
/// const ENTRY: LearnerEntry =
///     LearnerEntry::new("mine", "my learner", build).setting("any SSP").guarantee("none");
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
    /// Settings with which a survey shows it, `key=value@key=value`; empty text is the defaults.
    pub variants: &'static [&'static str],
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
            variants: &[""],
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

    /// Of a family.
    pub const fn family(self, family: Family) -> Self {
        LearnerEntry { family, ..self }
    }

    /// It claims that no plan's values exceed V*.
    pub const fn optimistic(self) -> Self {
        LearnerEntry { optimistic: true, ..self }
    }

    /// With settings for surveys.
    pub const fn variants(self, variants: &'static [&'static str]) -> Self {
        LearnerEntry { variants, ..self }
    }

    /// With an estimate of what its tables take, in bytes, from above.
    pub const fn memory(self, bytes: fn(&Problem) -> u64) -> Self {
        LearnerEntry { bytes, ..self }
    }

    /// What its tables take, in bytes: an estimate from above. What it keeps of the data comes on top.
    pub fn bytes(&self, problem: &Problem) -> u64 {
        (self.bytes)(problem)
    }

    /// Whether it needs something.
    pub fn wants(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// The settings that ask the oracle for all that must be given: a simulation can answer.
    pub fn oracle(&self) -> Settings {
        let asked = [B.name(), T_STAR.name()];
        let keys = self.parameters.iter().map(|p| p.name).filter(|name| asked.contains(name));
        keys.fold(Settings::new(), |settings, key| settings.set(key, "oracle"))
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
        Ok(Learner::new(self.id, &brief, algorithm))
    }
}

/// All built-in learners.
pub const LEARNERS: &[LearnerEntry] = &[
    linear_mixture::levis_plus_plus::ENTRY,
    linear_mixture::rho_levis_plus_plus::ENTRY,
    linear_mixture::levis::ENTRY,
    linear_mixture::levis_plus_plus_lr::ENTRY,
    linear_mixture::lr::ENTRY,
    baselines::random::ENTRY,
    baselines::fixed_policy::OPTIMAL,
];

/// Learners that the program's user has added.
static REGISTERED: RwLock<Vec<LearnerEntry>> = RwLock::new(Vec::new());

/// Adds a learner of the caller's own: from now on every command and study knows its id.
///
/// An id that is taken is refused.
pub fn register(entry: LearnerEntry) -> Result<()> {
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    if LEARNERS.iter().chain(registered.iter()).any(|known| known.id == entry.id) {
        let fault = "a learner of this id is registered already".into();
        return Err(Error::Field { field: entry.id.into(), fault });
    }
    registered.push(entry);
    Ok(())
}

/// All learners: those built in, then those [registered](register).
pub fn all() -> Vec<LearnerEntry> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    LEARNERS.iter().chain(registered.iter()).copied().collect()
}

/// The entry of a learner.
pub fn entry(id: &str) -> Result<LearnerEntry> {
    let all = all();
    let known = || all.iter().map(|l| l.id.to_string()).collect();
    let entry = all.iter().find(|l| l.id == id).copied();
    entry.ok_or_else(|| Error::UnknownId { kind: "learner", id: id.into(), known: known() })
}

/// The learner that goalward recommends to someone who has given these settings. `lr` needs to know
/// nothing; whoever knows a bound on B* gets the paper's guarantee with `levis++lr`.
pub fn recommended(settings: &Settings) -> LearnerEntry {
    match settings.get(B.name()) {
        Some(_) => linear_mixture::levis_plus_plus_lr::ENTRY,
        None => linear_mixture::lr::ENTRY,
    }
}
