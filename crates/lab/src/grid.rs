//! The grid of a study: its jobs, in order, each with the hash of all that determines its result.

use crate::results::{Build, SCHEMA};
use crate::study::{Study, StudyFile};
use crate::{Error, Place, Result};
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::learners::Vigilance;
use goalward::problem::{Instance, Need};
use goalward::{learners, worlds};
use serde::{Deserialize, Serialize};
use serde_json::json;

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

/// Whether these are the jobs of a study, in their order.
pub(crate) fn are_jobs_of(study: &Study, jobs: &[Job]) -> bool {
    let due = all(study).map(|(seed, world, learner)| (world, learner, seed));
    // two points may be one run under two labels, with one hash
    due.eq(jobs.iter().map(|job| (job.world, job.learner, job.seed)))
}

/// Seed, world and learner of every job.
fn all(study: &Study) -> impl Iterator<Item = (u64, usize, usize)> {
    let (worlds, learners) = (study.worlds.len(), study.learners.len());
    study.seeds.iter().flat_map(move |&seed| {
        (0..worlds).flat_map(move |world| (0..learners).map(move |learner| (seed, world, learner)))
    })
}

/// More jobs than a study can mean.
const MOST_JOBS: usize = 1_000_000;

/// Refuses too many jobs before any is made.
fn can_be_run(study: &Study) -> Result<()> {
    let (worlds, learners, seeds) = (study.worlds.len(), study.learners.len(), study.seeds.len());
    if worlds.saturating_mul(learners).saturating_mul(seeds) <= MOST_JOBS {
        return Ok(());
    }
    let fault =
        format!("{worlds} worlds, {learners} learners and {seeds} seeds are more than {MOST_JOBS} runs");
    Err(Error::Option { option: "jobs", fault })
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
    /// Its jobs, seed by seed and world by world: an interruption leaves the same seeds of all
    /// learners.
    pub jobs: Vec<Job>,
}

impl Grid {
    /// Opens the worlds and tries every learner. One that can be built nowhere is an error; one that
    /// cannot be built in some world fails there.
    pub fn open(file: &StudyFile) -> Result<Grid> {
        Grid::open_with(file, &|place| worlds::open(&place.world, &place.params))
    }

    /// The same with the caller's way to open a world.
    pub fn open_with(file: &StudyFile, open: &dyn Fn(&Place) -> goalward::Result<Instance>) -> Result<Grid> {
        let study = file.study.clone();
        can_be_run(&study)?;
        let arenas = (0..study.worlds.len())
            .map(|world| open_world(&study, world, open).map_err(|error| file.about("worlds", world, error)));
        let arenas = arenas.collect::<Result<Vec<_>>>()?;
        let grid = Grid { jobs: jobs(&study, &arenas), study, arenas };
        grid.try_learners(file)?;
        Ok(grid)
    }

    /// The question in a few digits: that of the same jobs, in any order.
    pub fn question(&self) -> String {
        let mut jobs: Vec<&str> = self.jobs.iter().map(|job| job.hash.as_str()).collect();
        jobs.sort_unstable();
        blake3::hash(jobs.join("\n").as_bytes()).to_hex()[..12].to_string()
    }

    fn try_learners(&self, file: &StudyFile) -> Result<()> {
        let seed = self.study.seeds[0];
        for learner in 0..self.study.learners.len() {
            let tried = |(world, arena)| Runner::new(arena, self.spec(world, learner, seed)).map(|_| ());
            let outcomes: Vec<goalward::Result<()>> = self.arenas.iter().enumerate().map(tried).collect();
            if outcomes.iter().all(goalward::Result::is_err)
                && let Some(Err(error)) = outcomes.into_iter().next()
            {
                return Err(file.about("learners", learner, error));
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
            vigilance: Vigilance::default(),
        }
    }
}

/// Opens a world and solves it, if there is memory for its runs.
fn open_world(
    study: &Study,
    world: usize,
    open: &dyn Fn(&Place) -> goalward::Result<Instance>,
) -> goalward::Result<Arena> {
    let place = &study.worlds[world].place;
    let instance = open(place)?;
    let entries = study.learners.iter().filter_map(|l| learners::entry(&l.contender.learner).ok());
    let most = entries.map(|entry| entry.bytes(&instance.problem)).max().unwrap_or(0);
    let runs = (study.learners.len() * study.seeds.len()).clamp(1, rayon::current_num_threads());
    Need::runs(&instance, most, runs as u64).require()?;
    Arena::new(&place.world, &place.params, instance)
}

fn jobs(study: &Study, arenas: &[Arena]) -> Vec<Job> {
    let build = build();
    let worlds: Vec<String> = arenas.iter().map(fingerprint).collect();
    let job = |(seed, world, learner): (u64, usize, usize)| {
        let (length, contender) = (study.worlds[world].length, &study.learners[learner].contender);
        let all = json!({
            "schema": SCHEMA,
            "version": build.version,
            "commit": build.commit,
            "world": worlds[world],
            "learner": contender.learner,
            "settings": contender.settings,
            "seed": seed,
            "episodes": length.episodes,
            "max_steps": length.max_steps,
            "record": study.record,
        });
        let hash = blake3::hash(all.to_string().as_bytes()).to_hex()[..24].to_string();
        Job { hash, world, learner, seed }
    };
    all(study).map(job).collect()
}

/// What a world's runs depend on: the content of a file, and not its folder.
fn fingerprint(arena: &Arena) -> String {
    let mut arena = arena.clone();
    if let Ok(worlds::Place::File(path)) = worlds::locate(&arena.world) {
        arena.world = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    }
    arena.fingerprint()
}

/// A part of the jobs, for one of several machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub part: u64,
    /// Of how many.
    pub of: u64,
}

impl Shard {
    /// All jobs.
    pub const WHOLE: Shard = Shard { part: 1, of: 1 };

    /// Whether the n-th job, from 0, belongs to it.
    pub fn has(self, n: usize) -> bool {
        n as u64 % self.of == self.part - 1
    }
}

/// `2/3`.
impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Shard, String> {
        let fault = || format!("{text:?}: expected I/N with 1 <= I <= N, such as 2/3");
        let (part, of) = text.split_once('/').ok_or_else(fault)?;
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| fault());
        let shard = Shard { part: number(part)?, of: number(of)? };
        if (1..=shard.of).contains(&shard.part) { Ok(shard) } else { Err(fault()) }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}
