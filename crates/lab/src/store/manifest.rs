//! A job's manifest: that it is finished or failed, and everything about it that is no record. The
//! only place where times stand.

use super::table_write::Identity;
use crate::grid::{Grid, Job, build};
use crate::measure::RunRows;
use crate::results::{Build, Machine, SCHEMA};
use crate::study::Study;
use goalward::Settings;
use goalward::episode::{Checkpoint, seal};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// What is known of a finished or failed job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the tables.
    pub schema: u32,
    /// The job.
    pub job: String,
    /// The study that ran it.
    pub study: String,
    /// The command that ran it.
    pub command: String,
    /// The world's id or file.
    pub world: String,
    /// Its parameters, as given.
    pub world_parameters: Settings,
    /// The learner's id.
    pub learner: String,
    /// Its settings, as given.
    pub settings: Settings,
    /// All its parameters in force.
    pub parameters: Map<String, Value>,
    /// What is proved of the learner here, with every condition.
    pub guarantee: Option<Value>,
    /// The seed.
    pub seed: u64,
    /// How long the run is.
    pub length: Value,
    /// What was recorded.
    pub record: Value,
    /// The program.
    pub build: Build,
    /// The machine.
    pub machine: Machine,
    /// When it was finished, in seconds since 1970.
    pub finished: u64,
    /// How long it took.
    pub times: Times,
    /// The tables with the hash of each file.
    pub files: BTreeMap<String, String>,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

/// How long a job took, over all parts of an interrupted run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Wall-clock time in seconds.
    pub wall: f64,
    /// CPU time in seconds.
    pub cpu: f64,
    /// How often it was saved on the way.
    pub pauses: u64,
}

impl Manifest {
    /// The bytes of its file, which end with their checksum.
    pub(crate) fn sealed(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec_pretty(self).map(seal::seal)
    }

    /// What a file says, if no byte of it was changed; else what is wrong.
    pub(crate) fn read(file: &[u8]) -> Result<Manifest, String> {
        let object = seal::open(file).map_err(|broken| broken.to_string())?;
        serde_json::from_slice(&object).map_err(|e| format!("it is no manifest: {e}"))
    }

    /// Whose records these are, as they say themselves.
    pub(crate) fn identity(&self) -> Identity {
        let (world, learner) = ((&*self.world, &self.world_parameters), (&*self.learner, &self.settings));
        Identity::new(&self.job, world, learner, self.seed)
    }

    /// Of a job that ends now.
    pub(crate) fn new(grid: &Grid, job: &Job) -> Manifest {
        let (world, learner) = (&grid.study.worlds[job.world], &grid.study.learners[job.learner]);
        Manifest {
            schema: SCHEMA,
            job: job.hash.clone(),
            study: grid.study.name.clone(),
            command: std::env::args().collect::<Vec<_>>().join(" "),
            world: world.place.world.clone(),
            world_parameters: world.place.params.clone(),
            learner: learner.contender.learner.clone(),
            settings: learner.contender.settings.clone(),
            parameters: Map::new(),
            guarantee: None,
            seed: job.seed,
            length: serde_json::to_value(world.length).unwrap_or_default(),
            record: serde_json::to_value(&grid.study.record).unwrap_or_default(),
            build: build(),
            machine: Machine::here(),
            finished: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs()),
            times: Times::default(),
            files: BTreeMap::new(),
            error: None,
        }
    }
}

/// A job under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Saved {
    pub(crate) run: Checkpoint,
    pub(crate) rows: RunRows,
    pub(crate) measures: Vec<Value>,
    pub(crate) times: Times,
}
impl Job {
    /// Whose records those of this job of a study are.
    pub(crate) fn identity(&self, study: &Study) -> Option<Identity> {
        let place = &study.worlds.get(self.world)?.place;
        let who = &study.learners.get(self.learner)?.contender;
        let (world, learner) = ((&*place.world, &place.params), (&*who.learner, &who.settings));
        Some(Identity::new(&self.hash, world, learner, self.seed))
    }
}
