//! A run between two steps, as a file.
//!
//! The file is one JSON object whose last field is a checksum of all bytes before it: a file that
//! was cut or changed by accident is refused as it stands. A checksum is no signature:
//! versions, the fingerprint and shapes are checked before anything is used.

use super::seal;
use super::{Arena, Progress, RunSpec, Runner};
use crate::learners::{Learner, Snapshot};
use crate::numeric::stored::ensure;
use crate::parameters::Settings;
use crate::{Error, Result, output};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const VERSION: u32 = 4;

/// Everything that is needed to go on, bit for bit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    version: u32,
    /// The world's id or the problem file.
    pub world: String,
    /// The world's parameters, as given.
    pub params: Settings,
    /// [`Arena::fingerprint`].
    fingerprint: String,
    /// What is run.
    pub spec: RunSpec,
    /// The number of episodes that the learner was built for; `spec.episodes` may have been raised
    /// since.
    built_for: u64,
    /// Where the run stands.
    pub progress: Progress,
    /// The learner's state.
    pub learner: Snapshot,
    /// The trace that goes with it.
    pub trace: Option<TraceMark>,
}

/// A trace file, and how much of it belongs to the checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceMark {
    /// The file.
    pub path: PathBuf,
    /// Its length at the time of the checkpoint.
    pub bytes: u64,
    /// The hash of these bytes.
    pub hash: String,
}

impl Checkpoint {
    /// The checkpoint of a run between two steps.
    pub fn of(runner: &Runner) -> Checkpoint {
        let arena = runner.arena();
        Checkpoint {
            version: VERSION,
            world: arena.world.clone(),
            params: arena.params.clone(),
            fingerprint: arena.fingerprint(),
            spec: runner.spec().clone(),
            built_for: runner.built_for(),
            progress: runner.progress().clone(),
            learner: runner.learner().snapshot(),
            trace: None,
        }
    }

    /// The bytes of the file, checksum and all.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let body = serde_json::to_vec(self).map_err(|e| Error::Checkpoint { reason: e.to_string() })?;
        Ok(seal::seal(body))
    }

    /// Writes it so that the file is at all times either the old checkpoint or the new one.
    pub fn write(&self, path: &Path) -> Result<()> {
        output::replace(path, &self.to_bytes()?)
    }

    /// Reads one back.
    pub fn read(path: &Path) -> Result<Checkpoint> {
        Checkpoint::from_bytes(&bytes_of(path)?, path)
    }

    /// Reads one from the bytes of a file; `path` is what errors call it.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Checkpoint> {
        let checkpoint: Checkpoint = unsealed(bytes, path, "checkpoint")?;
        match checkpoint.version {
            VERSION => Ok(checkpoint),
            version => Err(other_version(path, version, VERSION)),
        }
    }

    fn built_as(&self) -> RunSpec {
        RunSpec { episodes: self.built_for, ..self.spec.clone() }
    }

    /// Whether it belongs to what is there now, and is somewhere that a run can be.
    fn check(&self, arena: &Arena) -> Result<()> {
        if self.fingerprint != arena.fingerprint() {
            let reason = format!(
                "it belongs to another problem than {} is now: costs, features, names, theta or \
                 parameters differ",
                arena.world
            );
            return Err(Error::Checkpoint { reason });
        }
        let state = self.progress.state;
        let exists = state < arena.problem().states();
        Ok(ensure(exists, "progress.state", || format!("state {state} does not exist"))?)
    }
}

pub(super) fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    let io = |source| Error::Io { path: path.into(), source };
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(Error::Output { path: path.into(), fault: "it is not a regular file".into() });
    }
    std::fs::read(path).map_err(io)
}

/// What a sealed file holds; `what` is what it should be.
pub(super) fn unsealed<T: DeserializeOwned>(bytes: &[u8], path: &Path, what: &str) -> Result<T> {
    let refuse = |reason: String| {
        Err(Error::InFile { path: path.into(), source: Box::new(Error::Checkpoint { reason }) })
    };
    let malformed = |e: serde_json::Error| Error::File {
        path: path.into(),
        line: e.line(),
        column: e.column(),
        fault: format!("not a {what}: {e}"),
    };
    let broken = match seal::open(bytes) {
        Ok(body) => return serde_json::from_slice(&body).map_err(malformed),
        Err(broken) => broken,
    };
    // what kind of file is it?
    #[derive(Deserialize)]
    struct Any {
        version: u32,
    }
    match serde_json::from_slice::<Any>(bytes) {
        Ok(Any { version: 1 }) => refuse(
            "it has version 1, which has no checksum, and this program reads no such file: the \
             program that wrote it can still take it up"
                .into(),
        ),
        Err(e) if broken == seal::BadSeal::Missing && bytes.is_empty() => Err(malformed(e)),
        Err(e) if broken == seal::BadSeal::Missing && e.is_data() => Err(malformed(e)),
        _ => refuse(broken.to_string()),
    }
}

pub(super) fn other_version(path: &Path, version: u32, ours: u32) -> Error {
    let reason = format!("it has version {version}, this program reads version {ours}");
    Error::InFile { path: path.into(), source: Box::new(Error::Checkpoint { reason }) }
}

impl<'a> Runner<'a> {
    /// Goes on from a checkpoint, bit for bit; an error if it is not one of this arena, or of no
    /// run at all. `episodes` and `max_steps` may be raised; all else is the checkpoint's.
    pub fn resume(arena: &'a Arena, checkpoint: &Checkpoint) -> Result<Self> {
        checkpoint.check(arena)?;
        Runner::new(arena, checkpoint.built_as())?.taken_up(checkpoint)
    }

    /// The same with a learner that the caller has built, as it was built for the run.
    pub(crate) fn resume_with(arena: &'a Arena, checkpoint: &Checkpoint, learner: Learner) -> Result<Self> {
        checkpoint.check(arena)?;
        Runner::with_learner(arena, checkpoint.built_as(), learner)?.taken_up(checkpoint)
    }

    fn taken_up(mut self, checkpoint: &Checkpoint) -> Result<Self> {
        self.spec = checkpoint.spec.clone();
        self.learner.restore(&checkpoint.learner)?;
        self.progress = checkpoint.progress.clone();
        self.luck = Arena::luck(self.spec.seed, self.progress.episodes + 1);
        self.luck.skip(self.progress.episode_steps);
        Ok(self)
    }
}
