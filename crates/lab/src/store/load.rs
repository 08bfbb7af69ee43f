//! The records of a folder, read back: run by run for analyses and figures, or column by column.

use super::folder::{content_hash, manifest_path, opened, read_manifest, table_path};
use super::manifest::Manifest;
use super::mark::read_file;
use super::table_read::{Values, add_columns, belongs, decode};
use crate::grid::Job;
use crate::results::{Cell, Column, IDENTITY, Results, Run, RunRow, Share, TABLES, TableRow};
use crate::study::Study;
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// All that is recorded in a folder.
pub fn load(dir: &Path) -> Result<Results> {
    let (study, plan) = opened(dir)?;
    let learners = study.learners.len();
    let planned = study.seeds.len();
    let cell = |n: usize| Cell { world: n / learners, learner: n % learners, planned, ..Cell::default() };
    let mut cells: Vec<Cell> = (0..study.worlds.len() * learners).map(cell).collect();
    let mut machines: Vec<Share> = Vec::new();
    for job in &plan.jobs {
        let Some(manifest) = manifest_of(dir, &study, job)? else { continue };
        count(&mut machines, &manifest);
        // the plan was checked when it was opened
        let cell = &mut cells[job.world * learners + job.learner];
        match &manifest.error {
            Some(reason) => cell.failed.push((job.seed, reason.clone())),
            None => cell.runs.push(run(dir, job, manifest)?),
        }
    }
    Ok(Results { study, build: plan.build, machines, cells, changes: Vec::new() })
}

/// The manifest of a job, if it is finished or failed, and of no other run.
fn manifest_of(dir: &Path, study: &Study, job: &Job) -> Result<Option<Manifest>> {
    let manifest = read_manifest(dir, &job.hash)?;
    match manifest.as_ref().and_then(|manifest| manifest.not_of(study, job)) {
        Some(fault) => Err(Error::Damaged { path: manifest_path(dir, &job.hash), fault }),
        None => Ok(manifest),
    }
}

/// Adds a run to the share of its machine.
fn count(machines: &mut Vec<Share>, manifest: &Manifest) {
    if machines.iter().all(|share| share.machine != manifest.machine) {
        machines.push(Share { machine: manifest.machine.clone(), ..Share::default() });
    }
    for share in machines.iter_mut().filter(|share| share.machine == manifest.machine) {
        share.runs += 1;
        share.seconds += manifest.times.wall;
    }
}

fn run(dir: &Path, job: &Job, manifest: Manifest) -> Result<Run> {
    let missing =
        || Error::Damaged { path: table_path(dir, RunRow::TABLE, &job.hash), fault: "it has no row".into() };
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
fn table<R: TableRow>(dir: &Path, manifest: &Manifest) -> Result<Vec<R>> {
    let Some((path, bytes)) = table_file(dir, manifest, R::TABLE)? else { return Ok(Vec::new()) };
    decode(bytes, &manifest.identity()).map_err(|fault| Error::Damaged { path, fault })
}

/// The file of one table of a job, as its manifest says; none if it has no row.
fn table_file(dir: &Path, manifest: &Manifest, table: &str) -> Result<Option<(PathBuf, Vec<u8>)>> {
    let Some(hash) = manifest.files.get(table) else { return Ok(None) };
    let path = table_path(dir, table, &manifest.job);
    let bytes = read_file(&path).map_err(Error::io(&path))?;
    if content_hash(&bytes) != *hash {
        let fault = "it is not what its manifest says: it was changed, or never reached the disk";
        return Err(Error::Damaged { path, fault: fault.into() });
    }
    Ok(Some((path, bytes)))
}

/// The columns of a table over all finished jobs of a folder: those of [`IDENTITY`], and then the
/// table's own.
pub fn read_columns(dir: &Path, table: &str) -> Result<Vec<(&'static Column, Values)>> {
    let own = columns_of(table)?;
    let mut all: Vec<Values> = IDENTITY.iter().chain(own).map(Values::of).collect();
    each_file(dir, table, |manifest, path, bytes| {
        let run = manifest.identity();
        add_columns(bytes, table, &run, own, &mut all).map_err(|fault| Error::Damaged { path, fault })
    })?;
    Ok(IDENTITY.iter().chain(own).zip(all).collect())
}

/// The files of a table over all finished jobs of a folder. A file without a manifest, such as one of
/// a killed process, is not among them.
pub fn table_paths(dir: &Path, table: &str) -> Result<Vec<PathBuf>> {
    columns_of(table)?;
    let mut all = Vec::new();
    each_file(dir, table, |manifest, path, bytes| {
        let belongs = belongs(&bytes, table, &manifest.identity());
        all.push(path.clone());
        belongs.map_err(|fault| Error::Damaged { path, fault })
    })?;
    Ok(all)
}

fn columns_of(table: &str) -> Result<&'static [Column]> {
    let names: Vec<&str> = TABLES.iter().map(|(name, _)| *name).collect();
    let known = TABLES.iter().find(|(name, _)| *name == table).map(|(_, columns)| *columns);
    known.ok_or_else(|| Error::Option {
        option: "table",
        fault: format!("there is no table {table:?}; the tables are {}", names.join(", ")),
    })
}

fn each_file(
    dir: &Path,
    table: &str,
    mut act: impl FnMut(&Manifest, PathBuf, Vec<u8>) -> Result<()>,
) -> Result<()> {
    let (study, plan) = opened(dir)?;
    for job in &plan.jobs {
        let manifest = manifest_of(dir, &study, job)?.filter(|manifest| manifest.error.is_none());
        let Some(manifest) = manifest else { continue };
        if let Some((path, bytes)) = table_file(dir, &manifest, table)? {
            act(&manifest, path, bytes)?;
        }
    }
    Ok(())
}
