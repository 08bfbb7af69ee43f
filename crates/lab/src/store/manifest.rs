//! A job's manifest: that it is finished or failed, and everything about it that is no record, such
//! as times.

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

/// What is known of a finished or failed job. World and learner are as the study file gives them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) schema: u32,
    pub(crate) job: String,
    pub(crate) study: String,
    pub(crate) command: String,
    pub(crate) world: String,
    pub(crate) world_parameters: Settings,
    pub(crate) learner: String,
    pub(crate) settings: Settings,
    /// All parameters in force.
    pub(crate) parameters: Map<String, Value>,
    pub(crate) guarantee: Option<Value>,
    pub(crate) seed: u64,
    pub(crate) length: Value,
    pub(crate) record: Value,
    pub(crate) build: Build,
    pub(crate) machine: Machine,
    /// In seconds since 1970.
    pub(crate) finished: u64,
    pub(crate) times: Times,
    /// The tables with the hash of each file.
    pub(crate) files: BTreeMap<String, String>,
    /// Why it failed, if it did.
    pub(crate) error: Option<String>,
}

/// How many seconds a job took, over all parts of an interrupted run, and how often it was saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
    pub(crate) pauses: u64,
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

    /// The run whose records these are.
    pub(crate) fn identity(&self) -> Identity {
        let (world, learner) = ((&*self.world, &self.world_parameters), (&*self.learner, &self.settings));
        Identity::new(&self.job, world, learner, self.seed)
    }

    /// Why these cannot be the records of that run of a study.
    pub(super) fn not_of(&self, study: &Study, job: &Job) -> Option<String> {
        let Manifest { learner, world, seed, .. } = self;
        (job.identity(study) != Some(self.identity()))
            .then(|| format!("it is of {learner} on {world} with seed {seed}, and that is another run"))
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
    /// The run that this job of a study is.
    fn identity(&self, study: &Study) -> Option<Identity> {
        let place = &study.worlds.get(self.world)?.place;
        let contender = &study.learners.get(self.learner)?.contender;
        let (world, learner) = ((&*place.world, &place.params), (&*contender.learner, &contender.settings));
        Some(Identity::new(&self.hash, world, learner, self.seed))
    }
}
