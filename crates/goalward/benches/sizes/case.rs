//! One case: a world, a process that measures it, and a record of what that found.

use serde_json::{Map, Value, json};
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

pub(crate) const ACTIONS: usize = 4;
pub(crate) const SUCCESSORS: usize = 10;
/// The parts of a case, in the order in which they are measured.
pub(crate) const PARTS: [&str; 3] = ["build", "solve", "plan"];

/// What learners know of the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// That none is negative.
    Simplex,
    /// Nothing beyond the features.
    General,
}

impl Kind {
    pub(crate) const ALL: [Kind; 2] = [Kind::Simplex, Kind::General];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Simplex => "simplex",
            Kind::General => "general",
        }
    }

    pub(crate) fn named(text: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == text)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) kind: Kind,
    pub(crate) pairs: usize,
    pub(crate) dim: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {:e} pairs, d = {}", self.kind.name(), self.pairs as f64, self.dim)
    }
}

pub(crate) enum Outcome {
    Measured,
    Failed,
    TooLarge { free: f64 },
}

impl Case {
    /// What the features take, in bytes: a row for each successor and one for the goal.
    pub(crate) fn features(&self) -> f64 {
        8.0 * (self.pairs * (SUCCESSORS + 1) * self.dim) as f64
    }

    /// What working on it takes at most, in bytes: `solve` holds 39 bytes for each row beside the
    /// features, their next states and probabilities.
    pub(crate) fn needs(&self) -> f64 {
        ((8 * self.dim + 51) * self.pairs * (SUCCESSORS + 1)) as f64
    }

    fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}-{}-{}.json", self.kind.name(), self.pairs, self.dim))
    }

    /// What was measured, if it was.
    pub(crate) fn record(&self, folder: &Path) -> Option<Map<String, Value>> {
        let text = std::fs::read_to_string(self.file(folder)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Whether nothing is left to be measured: what failed or did not fit may do so the next time.
    pub(crate) fn is_measured(&self, folder: &Path) -> bool {
        self.record(folder)
            .is_some_and(|record| !["failed", "free"].iter().any(|key| record.contains_key(*key)))
    }

    fn keep(&self, folder: &Path, record: &Map<String, Value>) -> Result<(), String> {
        let text = serde_json::to_string_pretty(record).map_err(|error| error.to_string())?;
        std::fs::write(self.file(folder), text).map_err(|error| error.to_string())
    }

    /// Measures it in a process of its own, which is ended when a part takes longer than the limit:
    /// what it found until then counts.
    pub(crate) fn run(&self, folder: &Path, limit: Duration) -> Result<Outcome, String> {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let free = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
        let free = free.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
        let free = 1024.0 * free.unwrap_or(f64::INFINITY);
        if self.needs() > 0.95 * free {
            if self.record(folder).is_none() {
                self.keep(folder, &Map::from_iter([("free".to_string(), json!(free))]))?;
            }
            return Ok(Outcome::TooLarge { free });
        }
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut child = Command::new(own)
            .args(["--child", self.kind.name(), &self.pairs.to_string(), &self.dim.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let (tell, told) = channel();
        let out = child.stdout.take().ok_or("the case has no output")?;
        let listener = std::thread::spawn(move || {
            BufReader::new(out).lines().map_while(Result::ok).all(|line| tell.send(line).is_ok())
        });
        let mut record = Map::new();
        loop {
            match told.recv_timeout(limit) {
                Ok(line) => {
                    let part: Map<String, Value> = serde_json::from_str(&line).unwrap_or_default();
                    record.extend(part);
                }
                Err(RecvTimeoutError::Timeout) => {
                    child.kill().map_err(|error| error.to_string())?;
                    record.insert("given up after".into(), json!(limit.as_secs_f64()));
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = child.wait().map_err(|error| error.to_string())?;
        let _ = listener.join();
        let ended = record.contains_key("given up after");
        if !status.success() && !ended {
            record.insert("failed".into(), json!(status.to_string()));
        }
        self.keep(folder, &record)?;
        Ok(if record.contains_key("failed") { Outcome::Failed } else { Outcome::Measured })
    }
}
