//! The records of one job on their way from one folder to another, whether by a disk or through a
//! network. They are checked where they arrive.

use super::folder::{StudyFolder, content_hash, manifest_path, read_manifest, table_path};
use super::manifest::Manifest;
use super::mark::read_file;
use super::table_read::belongs;
use crate::grid::{Grid, Job, build};
use crate::results::{Build, TABLES};
use crate::study::Study;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A finished or failed job: its manifest and its tables, as files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Where it comes from, for errors: a folder, or the address of a machine.
    pub from: PathBuf,
    /// The job.
    pub job: String,
    /// The file of its manifest.
    pub manifest: Vec<u8>,
    /// The files of its tables, by the table's name.
    pub tables: BTreeMap<String, Vec<u8>>,
}

impl Carried {
    /// A job of a folder; nothing if it is neither finished nor failed.
    pub fn of(dir: &Path, job: &str) -> Result<Option<Carried>> {
        let Some(manifest) = read_manifest(dir, job)? else { return Ok(None) };
        let bytes = |path: PathBuf| read_file(&path).map_err(Error::io(&path));
        let tables = manifest.files.keys().filter(|table| is_table(table));
        let tables = tables.map(|table| Ok((table.clone(), bytes(table_path(dir, table, job))?)));
        Ok(Some(Carried {
            from: dir.into(),
            job: job.into(),
            manifest: bytes(manifest_path(dir, job))?,
            tables: tables.collect::<Result<_>>()?,
        }))
    }

    /// The manifest, if no byte of it was changed and the tables are what it says.
    pub(super) fn checked(&self) -> Result<Manifest> {
        let manifest = Manifest::read(&self.manifest)
            .map_err(|fault| self.refused(format!("manifests/{}.json: {fault}", self.job)))?;
        if manifest.job != self.job {
            return Err(self.refused(format!("the manifest of another job came, {}", manifest.job)));
        }
        let came = self.tables.iter().map(|(table, bytes)| (table.clone(), content_hash(bytes)));
        if manifest.files != came.collect::<BTreeMap<_, _>>() || !manifest.files.keys().all(|t| is_table(t)) {
            return Err(self.refused("its tables are not what its manifest says: they were changed"));
        }
        let run = manifest.identity();
        for (table, bytes) in &self.tables {
            let fault = |fault: String| self.refused(format!("{table}/{}.parquet: {fault}", self.job));
            belongs(bytes, table, &run).map_err(fault)?;
        }
        Ok(manifest)
    }

    /// Whether these are records of a job of this grid, made by this program.
    pub fn check(&self, grid: &Grid) -> Result<()> {
        let job = grid.jobs.iter().find(|job| job.hash == self.job);
        self.check_for(&grid.study, job, &build()).map(drop)
    }

    /// Whether these are records of this job of a study, made by this build; their manifest.
    pub(super) fn check_for(&self, study: &Study, job: Option<&Job>, ours: &Build) -> Result<Manifest> {
        let manifest = self.checked()?;
        let Some(job) = job else {
            return Err(self.refused(format!("it is no job of the study {:?}", study.name)));
        };
        if let Some(fault) = manifest.not_of(study, job) {
            return Err(self.refused(format!("manifests/{}.json: {fault}", self.job)));
        }
        if manifest.build != *ours {
            return Err(self.refused(format!("it was run by {}; this is {ours}", manifest.build)));
        }
        Ok(manifest)
    }

    pub(super) fn refused(&self, fault: impl Into<String>) -> Error {
        Error::Records { from: self.from.clone(), job: self.job.clone(), fault: fault.into() }
    }
}

fn is_table(name: &str) -> bool {
    TABLES.iter().any(|(table, _)| *table == name)
}

impl StudyFolder {
    /// Keeps the records of a job that was run elsewhere, its manifest last; whether they were not
    /// there yet. A result takes the place of a failure. Another result of the same job is an error.
    pub fn adopt(&self, carried: &Carried) -> Result<bool> {
        let manifest = carried.checked()?;
        if let Some(there) = self.manifest(&carried.job)?
            && (there.error.is_some() || self.is_whole(&there)?)
        {
            if there.error.is_none() && manifest.error.is_none() && there.files != manifest.files {
                let fault = format!("it has another result than in {}", self.path().display());
                return Err(carried.refused(fault));
            }
            if there.error.is_none() || manifest.error.is_some() {
                return Ok(false);
            }
        }
        for (table, bytes) in &carried.tables {
            self.put(&table_path(self.path(), table, &carried.job), bytes, false)?;
        }
        self.put(&manifest_path(self.path(), &carried.job), &carried.manifest, true)?;
        self.forget(&carried.job);
        Ok(true)
    }

    /// Removes a manifest that is damaged or lacks its tables, so that the job is run again.
    pub(crate) fn disown(&self, job: &str) {
        self.discard(&manifest_path(self.path(), job));
    }

    /// Removes a finished or failed job from the folder, and returns it.
    pub fn release(&self, job: &str) -> Result<Option<Carried>> {
        let carried = Carried::of(self.path(), job)?;
        if carried.is_some() {
            self.remove(job)?;
        }
        Ok(carried)
    }
}
