//! How far a study is.

use super::folder::{opened, read_manifest};
use crate::study::Study;
use crate::{Error, Result};
use serde::Serialize;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// How far a study is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The study.
    pub study: String,
    /// All jobs.
    pub jobs: usize,
    /// Finished ones.
    pub finished: usize,
    /// Failed ones.
    pub failed: usize,
    /// Jobs that are saved half-way.
    pub under_way: usize,
    /// CPU time of the finished jobs in seconds.
    pub cpu_seconds: f64,
    /// Jobs finished in an hour, over the last ones.
    pub rate: Option<f64>,
    /// Seconds until the rest is done at that rate.
    pub eta: Option<f64>,
    /// Seconds since the last job was finished.
    pub last: Option<u64>,
    /// What the study's file says otherwise than when its jobs were made.
    pub changes: Vec<String>,
}

/// Jobs that the rate is taken over.
const RECENT: usize = 50;

/// Reads how far the study in a folder is, also while a process works on it. `look` is its file as
/// it is now.
pub fn status(dir: &Path, look: Option<&Study>) -> Result<Status> {
    let (study, plan) = opened(dir)?;
    let (mut done, mut failed, mut cpu) = (Vec::new(), 0, 0.0);
    for job in &plan.jobs {
        // one that is damaged is run again
        let manifest = match read_manifest(dir, &job.hash) {
            Err(Error::Damaged { .. }) | Ok(None) => continue,
            Ok(Some(manifest)) => manifest,
            Err(error) => return Err(error),
        };
        failed += usize::from(manifest.error.is_some());
        if manifest.error.is_none() {
            // times are in whole seconds: how long it took tells the beginning
            done.push((manifest.finished as f64, manifest.times.wall));
            cpu += manifest.times.cpu;
        }
    }
    done.sort_by(|a, b| a.0.total_cmp(&b.0));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs());
    let recent = &done[done.len().saturating_sub(RECENT)..];
    let began = recent.iter().map(|(end, took)| end - took).fold(f64::INFINITY, f64::min);
    let rate = recent.last().map(|(end, _)| recent.len() as f64 * 3600.0 / (end - began).max(1e-3));
    let left = plan.jobs.len() - done.len() - failed;
    let work = dir.join("work");
    let saved = fs::read_dir(&work).map_err(Error::io(&work))?.flatten();
    let is_saved = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.ends_with(".checkpoint"));
    Ok(Status {
        study: plan.study,
        jobs: plan.jobs.len(),
        finished: done.len(),
        failed,
        under_way: saved.filter(|entry| is_saved(&entry.file_name())).count(),
        cpu_seconds: cpu,
        eta: rate.map(|rate| left as f64 * 3600.0 / rate),
        rate,
        last: done.last().map(|(end, _)| now.saturating_sub(*end as u64)),
        changes: look.map_or(Vec::new(), |look| look.changes_since(&study)),
    })
}
