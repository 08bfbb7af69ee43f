//! The records of a folder, read back: what analyses and figures are made from.

use super::columns::Row;
use super::folder::{content_hash, opened, read_manifest};
use super::manifest::Manifest;
use super::table_file::decode;
use crate::grid::Job;
use crate::results::{Cell, Results, Run, RunRow};
use crate::{Error, Result};
use std::fs;
use std::path::Path;

/// All that is recorded in a folder.
pub fn load(dir: &Path) -> Result<Results> {
    let (study, plan) = opened(dir)?;
    let learners = study.learners.len();
    let planned = study.seeds.len();
    let cell = |n: usize| Cell { world: n / learners, learner: n % learners, planned, ..Cell::default() };
    let mut cells: Vec<Cell> = (0..study.worlds.len() * learners).map(cell).collect();
    for job in &plan.jobs {
        let Some(manifest) = read_manifest(dir, &job.hash)? else { continue };
        let Some(cell) = cells.get_mut(job.world * learners + job.learner) else {
            let fault = "its jobs are not those of the study beside it".into();
            return Err(Error::Output { path: dir.join(super::folder::PLAN), fault });
        };
        match &manifest.error {
            Some(reason) => cell.failed.push((job.seed, reason.clone())),
            None => cell.runs.push(run(dir, job, manifest)?),
        }
    }
    Ok(Results { study, build: plan.build, cells })
}

fn run(dir: &Path, job: &Job, manifest: Manifest) -> Result<Run> {
    let missing = || Error::Output {
        path: dir.join(RunRow::TABLE).join(format!("{}.parquet", job.hash)),
        fault: "it has no row".into(),
    };
    Ok(Run {
        seed: job.seed,
        row: table::<RunRow>(dir, &manifest)?.into_iter().next().ok_or_else(missing)?,
        episodes: table(dir, &manifest)?,
        plans: table(dir, &manifest)?,
        probes: table(dir, &manifest)?,
        seconds: manifest.times.wall,
        cpu_seconds: manifest.times.cpu,
        parameters: manifest.parameters,
    })
}

/// The rows of one table of a job; none if it has no file.
fn table<R: Row>(dir: &Path, manifest: &Manifest) -> Result<Vec<R>> {
    let Some(hash) = manifest.files.get(R::TABLE) else { return Ok(Vec::new()) };
    let path = dir.join(R::TABLE).join(format!("{}.parquet", manifest.job));
    let bytes = fs::read(&path).map_err(Error::io(&path))?;
    if content_hash(&bytes) != *hash {
        let fault = "it is not what its manifest says: it was changed, or never reached the disk";
        return Err(Error::Output { path, fault: fault.into() });
    }
    decode(bytes).map_err(|fault| Error::Output { path, fault })
}
