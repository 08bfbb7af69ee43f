//! A run between two steps, as a file.

use super::{Arena, Progress, RunSpec, Runner};
use crate::learners::Snapshot;
use crate::problem::Problem;
use crate::registry::Settings;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;

/// Everything that is needed to go on, bit for bit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    version: u32,
    /// The world's id or the problem file.
    pub world: String,
    /// The world's parameters, as given.
    pub params: Settings,
    /// A hash of the problem's costs and features.
    problem: String,
    /// What is run.
    pub spec: RunSpec,
    /// The number of episodes that the learner was built for; `spec.episodes` may have been raised since.
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
}

impl Checkpoint {
    /// Takes a run down between two steps.
    pub fn of(runner: &Runner) -> Checkpoint {
        let arena = runner.arena();
        Checkpoint {
            version: VERSION,
            world: arena.world.clone(),
            params: arena.params.clone(),
            problem: fingerprint(arena.problem()),
            spec: runner.spec().clone(),
            built_for: runner.built_for(),
            progress: runner.progress().clone(),
            learner: runner.learner().snapshot(),
            trace: None,
        }
    }

    /// Writes it so that the file is at all times either the old checkpoint or the new one.
    pub fn write(&self, path: &Path) -> Result<()> {
        let io = |source| Error::Io { path: path.into(), source };
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(".part");
        let part = path.with_file_name(name);
        let mut file = File::create(&part).map_err(io)?;
        serde_json::to_writer(&mut file, self).map_err(|e| io(e.into()))?;
        file.write_all(b"\n").and_then(|()| file.sync_all()).map_err(io)?;
        std::fs::rename(&part, path).map_err(io)
    }

    /// Reads one back.
    pub fn read(path: &Path) -> Result<Checkpoint> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Io { path: path.into(), source })?;
        let checkpoint: Checkpoint = serde_json::from_str(&text).map_err(|e| Error::File {
            path: path.into(),
            line: e.line(),
            column: e.column(),
            fault: format!("not a checkpoint: {e}"),
        })?;
        if checkpoint.version != VERSION {
            let reason =
                format!("it has version {}, this program reads version {VERSION}", checkpoint.version);
            return Err(Error::Checkpoint { reason });
        }
        Ok(checkpoint)
    }

    /// The spec that the learner was built with.
    pub(super) fn built_as(&self) -> RunSpec {
        RunSpec { episodes: self.built_for, ..self.spec.clone() }
    }

    pub(super) fn check(&self, arena: &Arena) -> Result<()> {
        let refuse = |reason: String| Err(Error::Checkpoint { reason });
        if self.problem != fingerprint(arena.problem()) {
            return refuse(format!("it belongs to another problem than {} is now", arena.world));
        }
        let now = &self.progress;
        if now.state >= arena.problem().states() {
            return refuse(format!("state {} does not exist", now.state));
        }
        Ok(())
    }
}

/// FNV-1a over all numbers of the problem: a file that was edited since gives another one.
fn fingerprint(problem: &Problem) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut feed = |word: u64| {
        for byte in word.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for count in [problem.dim(), problem.states(), problem.start(), problem.goal()] {
        feed(count as u64);
    }
    for s in 0..problem.states() {
        feed(problem.actions(s) as u64);
        for p in problem.pairs_of(s) {
            feed(problem.cost(p).to_bits());
            problem.successors(p).iter().for_each(|&next| feed(u64::from(next)));
            problem.phi(p).iter().for_each(|x| feed(x.to_bits()));
        }
    }
    for fact in problem.extra() {
        fact.a.iter().for_each(|x| feed(x.to_bits()));
        feed(fact.b.to_bits());
    }
    format!("{hash:016x}")
}
