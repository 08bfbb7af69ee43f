//! The grid of a study: its jobs, in order, each with the hash of all that determines its result.

use crate::results::Build;
use crate::store::columns::SCHEMA;
use crate::study::{Study, StudyFile};
use crate::{Error, Result};
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::{closest, learners};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;

/// One run of a study.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The hash of all that determines its result, in hexadecimal digits.
    pub hash: String,
    /// The world's number in the study.
    pub world: usize,
    /// The learner's number in the study.
    pub learner: usize,
    /// The seed.
    pub seed: u64,
}

/// The program that computes.
pub fn build() -> Build {
    Build { version: env!("CARGO_PKG_VERSION").into(), commit: env!("GOALWARD_COMMIT").into() }
}

/// A study whose worlds are open.
#[derive(Debug)]
pub struct Grid {
    /// The question.
    pub study: Study,
    /// Its worlds, solved.
    pub arenas: Vec<Arena>,
    /// Its jobs: seed by seed, world by world, so that an interruption leaves the same seeds of
    /// everybody.
    pub jobs: Vec<Job>,
}

impl Grid {
    /// Opens the worlds and tries every learner. A learner that can be built nowhere is an error;
    /// one that cannot be built in some world fails there, and the study goes on.
    pub fn open(file: &StudyFile) -> Result<Grid> {
        Grid::open_with(file, |world, params| Arena::open(world, params).map_err(Into::into))
    }

    /// The same with a caller's own way of opening a world.
    pub fn open_with<E: From<Error>>(
        file: &StudyFile,
        open: impl Fn(&str, &goalward::Settings) -> std::result::Result<Arena, E>,
    ) -> std::result::Result<Grid, E>
    where
        E: Into<Opening>,
    {
        let study = file.study.clone();
        let mut arenas = Vec::new();
        for (at, world) in study.worlds.iter().enumerate() {
            match open(&world.place.world, &world.place.params).map_err(Into::into) {
                Ok(arena) => arenas.push(arena),
                Err(Opening::Library(error)) => return Err(file.about_world(at, error).into()),
                Err(Opening::Other(error)) => return Err((*error).into()),
            }
        }
        let grid = Grid { jobs: jobs(&study, &arenas), study, arenas };
        grid.try_learners(file)?;
        Ok(grid)
    }

    fn try_learners(&self, file: &StudyFile) -> Result<()> {
        for learner in 0..self.study.learners.len() {
            let mut first = None;
            let fails = |world: usize| match Runner::new(&self.arenas[world], self.spec(world, learner, self.study.seeds[0])) {
                Ok(_) => None,
                Err(error) => Some(error),
            };
            let nowhere = (0..self.arenas.len()).all(|world| match fails(world) {
                None => false,
                Some(error) => {
                    first.get_or_insert(error);
                    true
                }
            });
            if let (true, Some(error)) = (nowhere, first) {
                return Err(file.about_learner(learner, error));
            }
        }
        Ok(())
    }

    /// What a job runs.
    pub(crate) fn spec(&self, world: usize, learner: usize, seed: u64) -> RunSpec {
        let (length, contender) = (self.study.worlds[world].length, &self.study.learners[learner].contender);
        RunSpec {
            learner: contender.learner.clone(),
            settings: contender.settings.clone(),
            seed,
            episodes: length.episodes,
            max_steps: length.max_steps,
        }
    }
}
