//! A learner for an external loop, and its file.

use super::checkpoint::{bytes_of, other_version, unsealed};
use super::{Arena, RunSpec, seal};
use crate::learners::{self, Learner, Need, Snapshot, Told};
use crate::parameters::Settings;
use crate::problem::{Fingerprint, Instance};
use crate::{Error, Result, output};
use serde::{Deserialize, Serialize};
use std::path::Path;

const VERSION: u32 = 2;
const KIND: &str = "learner";

/// A learner that an external loop drives, with what it was built from: it can be saved and
/// resumed bit for bit.
///
/// ```
/// use goalward::episode::{Agent, RunSpec};
/// use goalward::{Settings, Transition, worlds};
/// let world = worlds::open("hard-instance", &Settings::new().set("dim", 2))?;
/// let mut agent = Agent::new(&world, RunSpec::new("lr", 100).seed(1))?;
/// let action = agent.learner.act(0)?;
/// let cost = world.problem.cost(world.problem.pair(0, action));
/// agent.learner.observe(&Transition { state: 0, action, cost, next: 0 })?;
/// let saved = agent.to_bytes()?;
/// let again = Agent::from_bytes(&saved, "run.learner".as_ref(), &world)?;
/// assert_eq!(again.learner.clock().t, 1);
/// # Ok::<(), goalward::Error>(())
/// ```
#[derive(Debug)]
pub struct Agent {
    /// The learner.
    pub learner: Learner,
    /// What the loop keeps beside the learner, to be found again with it: where it stood, say.
    /// Written and read back as it is.
    pub kept: Option<Snapshot>,
    spec: RunSpec,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    version: u32,
    kind: String,
    problem: String,
    /// The problem's name, for readers of the file.
    name: String,
    spec: RunSpec,
    state: Snapshot,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept: Option<Snapshot>,
}

impl Agent {
    /// Builds a learner for a problem; the number of episodes is what it is told that the loop will
    /// run. What the learner must be told of the truth (`B=oracle`, an optimal policy) is computed
    /// if the truth is known, else that is an error.
    pub fn new(world: &Instance, spec: RunSpec) -> Result<Agent> {
        let entry = learners::entry(&spec.learner)?;
        let asks = spec.settings.iter().any(|(_, value)| value.contains("oracle"));
        let told = match world.truth.is_some() && (asks || entry.wants(Need::Policy)) {
            true => Arena::new(world.problem.name(), &Settings::new(), world.clone())?
                .tell(&entry, &spec.settings),
            false => Told::default(),
        };
        let learner = entry.build(&world.problem, &spec.settings, spec.seed, spec.episodes, told)?;
        let learner = learners::vigilant(learner, &spec.vigilance, spec.seed, spec.episodes)?;
        Ok(Agent { learner, kept: None, spec })
    }

    /// What it was built from.
    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// The learner, what it was built from, and what is kept beside it.
    pub fn into_parts(self) -> (Learner, RunSpec, Option<Snapshot>) {
        (self.learner, self.spec, self.kept)
    }

    /// The other way round.
    pub fn from_parts(learner: Learner, spec: RunSpec, kept: Option<Snapshot>) -> Agent {
        Agent { learner, kept, spec }
    }

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let problem = self.learner.problem();
        let saved = Saved {
            version: VERSION,
            kind: KIND.into(),
            problem: Fingerprint::default().problem(problem).finish(),
            name: problem.name().into(),
            spec: self.spec.clone(),
            state: self.learner.snapshot(),
            kept: self.kept.clone(),
        };
        let body = serde_json::to_vec(&saved).map_err(|e| Error::Checkpoint { reason: e.to_string() })?;
        Ok(seal::seal(body))
    }

    /// Writes it so that the file is at all times either the old one or the new one.
    pub fn write(&self, path: &Path) -> Result<()> {
        output::replace(path, &self.to_bytes()?)
    }

    /// Reads one back, for the problem that it was built for.
    pub fn read(path: &Path, world: &Instance) -> Result<Agent> {
        Agent::from_bytes(&bytes_of(path)?, path, world)
    }

    /// Reads one from the bytes of a file; `path` is what errors call it.
    pub fn from_bytes(bytes: &[u8], path: &Path, world: &Instance) -> Result<Agent> {
        let saved: Saved = unsealed(bytes, path, "saved learner")?;
        let within = |error| Error::InFile { path: path.into(), source: Box::new(error) };
        let refuse = |reason: String| Err(within(Error::Checkpoint { reason }));
        if saved.version != VERSION {
            return Err(other_version(path, saved.version, VERSION));
        }
        if saved.kind != KIND {
            return refuse(format!("it holds a {:?}, not a learner", saved.kind));
        }
        if saved.problem != Fingerprint::default().problem(&world.problem).finish() {
            return refuse(format!(
                "it belongs to another problem than {} is now: costs, features, names, start or goal \
                 differ (its own was called {})",
                world.problem.name(),
                saved.name
            ));
        }
        let mut agent = Agent::new(world, saved.spec).map_err(within)?;
        agent.learner.restore(&saved.state).map_err(within)?;
        agent.kept = saved.kept;
        Ok(agent)
    }
}
