//! The records of one job on their way from one folder to another, whether by a disk or through a
//! network. They are checked where they arrive.

use super::columns::TABLES;
use super::folder::{StudyFolder, content_hash, read_manifest};
use super::manifest::Manifest;
use super::mark::read_file;
use crate::grid::{Grid, build};
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
        let bytes = |name: String| {
            let path = dir.join(name);
            read_file(&path).map_err(Error::io(&path))
        };
        let tables = manifest.files.keys().filter(|table| is_table(table));
        let tables = tables.map(|table| Ok((table.clone(), bytes(format!("{table}/{job}.parquet"))?)));
        Ok(Some(Carried {
            from: dir.into(),
            job: job.into(),
            manifest: bytes(format!("manifests/{job}.json"))?,
            tables: tables.collect::<Result<_>>()?,
        }))
    }

    /// The manifest, if the tables are what it says.
    fn checked(&self) -> Result<Manifest> {
        let manifest: Manifest = serde_json::from_slice(&self.manifest)
            .map_err(|e| self.refused(format!("what came is no manifest: {e}")))?;
        if manifest.job != self.job {
            return Err(self.refused(format!("the manifest of another job came, {}", manifest.job)));
        }
        let came = self.tables.iter().map(|(table, bytes)| (table.clone(), content_hash(bytes)));
        if manifest.files != came.collect::<BTreeMap<_, _>>() || !manifest.files.keys().all(|t| is_table(t)) {
            return Err(self.refused("its tables are not what its manifest says: they were changed"));
        }
        Ok(manifest)
    }

    /// Whether these are records of a job of this grid, made by this program.
    pub fn check(&self, grid: &Grid) -> Result<()> {
        let (theirs, ours) = (self.checked()?.build, build());
        if !grid.jobs.iter().any(|job| job.hash == self.job) {
            return Err(self.refused(format!("it is no job of the study {:?}", grid.study.name)));
        }
        if theirs != ours {
            return Err(self.refused(format!("it was run by {theirs}; this is {ours}")));
        }
        Ok(())
    }

    fn refused(&self, fault: impl Into<String>) -> Error {
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
            self.put(table, &format!("{}.parquet", carried.job), bytes)?;
        }
        self.put("manifests", &format!("{}.json", carried.job), &carried.manifest)?;
        self.forget(&carried.job);
        Ok(true)
    }

    /// Takes a finished or failed job out of the folder.
    pub fn release(&self, job: &str) -> Result<Option<Carried>> {
        let carried = Carried::of(self.path(), job)?;
        if carried.is_some() {
            self.remove(job)?;
        }
        Ok(carried)
    }
}
