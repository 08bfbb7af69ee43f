//! The folder of a study's results.
//!
//! ```text
//! .goalward-study     that it is one, and which files and jobs are goalward's
//! study.toml          the question, as it was understood
//! plan.json           every job with its hash, the version and the commit
//! runs/JOB.parquet    one row for each run        manifests/JOB.json   finished, or failed and why
//! episodes/ plans/ probes/                        work/JOB.checkpoint  under way
//! ```
//!
//! A job is finished when its manifest is there: it is written last, synced, and put in place in one
//! step, with the hashes of the job's tables. After a power cut a job is whole, or run again.

use super::manifest::{Manifest, Saved};
use super::mark::{
    list_jobs, listed_jobs, make_folder, mark, read_file, refuse_strangers, remove_file, require,
    write_listed,
};
use super::owned::{self, spare};
use super::table_write::{Identity, encode};
use crate::grid::{Grid, Job, Shard};
use crate::measure::RunRows;
use crate::results::{Build, RunRow, SCHEMA, TableRow};
use crate::study::{self, Study};
use crate::{Error, Result};
use goalward::output::{clear_up, replace_own};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

pub(super) const STUDY: &str = "study.toml";
pub(super) const PLAN: &str = "plan.json";
const FIGURES: &str = "figures";
const MANIFESTS: &str = "manifests";
const FOLDERS: [&str; 6] = ["runs", "episodes", "plans", "probes", "manifests", "work"];

/// What a folder was made for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PlanFile {
    pub(super) schema: u32,
    pub(super) study: String,
    pub(super) build: Build,
    pub(super) jobs: Vec<Job>,
}

/// A folder of results, held against other processes as long as the value lives.
#[derive(Debug)]
pub struct StudyFolder {
    dir: PathBuf,
    _locks: Vec<File>,
}

impl StudyFolder {
    /// Makes the folder of a study, or goes on with it.
    ///
    /// Results of another study or version are an error; a study with the same jobs and more is the
    /// same one. With `force` other jobs are removed. A folder that is not marked as a study's is an
    /// error in any case.
    pub fn claim(dir: &Path, grid: &Grid, shard: Shard, force: bool) -> Result<StudyFolder> {
        spare_worlds(dir, grid)?;
        let folder = StudyFolder::begin(dir, shard)?;
        let plan = PlanFile {
            schema: SCHEMA,
            study: grid.study.name.clone(),
            build: crate::grid::build(),
            jobs: grid.jobs.clone(),
        };
        let known = folder.known_jobs(&plan)?;
        folder.is_mine(&plan, &known, force)?;
        folder.list(&plan)?;
        let text = serde_json::to_string(&plan).unwrap_or_default() + "\n";
        folder.put_if_new(PLAN, text.as_bytes())?;
        folder.put_if_new(STUDY, study::write(&grid.study).as_bytes())?;
        Ok(folder)
    }

    /// The folder of a whole study whose parts are in other folders, of which this is the first.
    pub(super) fn gather(dir: &Path, first: &Path) -> Result<StudyFolder> {
        let (_, plan) = opened(first)?;
        let folder = StudyFolder::begin(dir, Shard::WHOLE)?;
        if dir.join(PLAN).exists() && opened(dir)?.1 != plan {
            let what = "results of another study or version".into();
            return Err(Error::Taken { dir: dir.into(), what });
        }
        folder.known_jobs(&plan)?;
        folder.list(&plan)?;
        for name in [STUDY, PLAN] {
            let path = first.join(name);
            folder.put_if_new(name, &read_file(&path).map_err(Error::io(&path))?)?;
        }
        Ok(folder)
    }

    /// Locks and marks a folder that is empty, or a study's.
    fn begin(dir: &Path, shard: Shard) -> Result<StudyFolder> {
        refuse_strangers(dir)?;
        fs::create_dir_all(dir).map_err(Error::io(dir))?;
        let folder = StudyFolder { dir: dir.into(), _locks: lock(dir, shard)? };
        mark(dir, &[PLAN, STUDY])?;
        FOLDERS.iter().try_for_each(|name| make_folder(&dir.join(name)))?;
        folder.clear_up();
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// The jobs whose files are goalward's: those that the mark lists, and those of the plan that is
    /// there. An error if a file has the name of another job of `plan`.
    fn known_jobs(&self, plan: &PlanFile) -> Result<BTreeSet<String>> {
        let mine: BTreeSet<&str> = plan.jobs.iter().map(|job| job.hash.as_str()).collect();
        // read before the list: another part of the study lists its jobs before it writes
        let there = owned::files_of(&self.dir, &FOLDERS, &mine)?;
        let mut known = listed_jobs(&self.dir)?;
        let before = read_file(&self.dir.join(PLAN)).ok();
        let before = before.and_then(|bytes| serde_json::from_slice::<PlanFile>(&bytes).ok());
        known.extend(before.into_iter().flat_map(|plan| plan.jobs).map(|job| job.hash));
        owned::refuse_others(&self.dir, &there, &known)?;
        Ok(known)
    }

    /// Lists the jobs of a plan: from now on files of their names are goalward's.
    fn list(&self, plan: &PlanFile) -> Result<()> {
        let listed = listed_jobs(&self.dir)?;
        match plan.jobs.iter().all(|job| listed.contains(&job.hash)) {
            true => Ok(()),
            false => list_jobs(&self.dir, plan.jobs.iter().map(|job| &*job.hash)),
        }
    }

    /// Jobs of others are an error, or go. Only those that are `known` are goalward's.
    fn is_mine(&self, plan: &PlanFile, known: &BTreeSet<String>, force: bool) -> Result<()> {
        let mine: BTreeSet<&str> = plan.jobs.iter().map(|job| job.hash.as_str()).collect();
        let others = finished(&self.dir)?.into_iter().filter(|hash| !mine.contains(hash.as_str()));
        let others = others.map(|hash| self.manifest(&hash)).filter_map(Result::transpose);
        let others: Vec<Manifest> = others.collect::<Result<_>>()?;
        let Some(theirs) = others.first() else { return Ok(()) };
        if force {
            if let Some(strange) = others.iter().find(|theirs| !known.contains(&theirs.job)) {
                return Err(owned::foreign(&self.dir, &manifest_path(&self.dir, &strange.job)));
            }
            return others.iter().try_for_each(|theirs| self.remove(&theirs.job));
        }
        let (build, ours) = (&theirs.build, &plan.build);
        let what = if build != ours {
            let this = format!("this is {} (commit {})", ours.version, ours.commit);
            format!("results of {build}; {this}")
        } else if theirs.study != plan.study {
            format!("results of the study {:?}", theirs.study)
        } else {
            format!(
                "{} results that do not belong to this question, such as {} on {} with seed {}",
                others.len(),
                theirs.learner,
                theirs.world,
                theirs.seed
            )
        };
        Err(Error::Taken { dir: self.dir.clone(), what })
    }

    /// Removes the temporary files of killed processes.
    fn clear_up(&self) {
        let folders = FOLDERS.iter().chain([&FIGURES]).map(|name| self.dir.join(name));
        folders.filter(|dir| !dir.is_symlink()).for_each(|dir| clear_up(&dir));
        clear_up(&self.dir);
    }

    fn put_if_new(&self, name: &str, content: &[u8]) -> Result<()> {
        let path = self.dir.join(name);
        if read_file(&path).ok().as_deref() != Some(content) {
            self.write(name, content)?;
        }
        Ok(())
    }

    /// A job's manifest, if it is finished or failed. One that is damaged is none: the job is run
    /// again.
    pub(crate) fn manifest(&self, hash: &str) -> Result<Option<Manifest>> {
        match read_manifest(&self.dir, hash) {
            Err(Error::Damaged { .. }) => Ok(None),
            read => read,
        }
    }

    /// Whether the files of a finished job are what its manifest says.
    pub(crate) fn is_whole(&self, manifest: &Manifest) -> Result<bool> {
        let same = |(table, hash): (&String, &String)| {
            let bytes = read_file(&table_path(&self.dir, table, &manifest.job));
            bytes.is_ok_and(|bytes| content_hash(&bytes) == *hash)
        };
        Ok(!manifest.files.is_empty() && manifest.files.iter().all(same))
    }

    /// A job under way, if it was saved. One that cannot be read begins anew.
    pub(crate) fn saved(&self, hash: &str) -> Option<Saved> {
        let bytes = read_file(&self.work(hash)).ok()?;
        let (body, seal) = bytes.split_at_checked(bytes.len().checked_sub(64)?)?;
        let whole = content_hash(body).as_bytes() == seal;
        serde_json::from_slice(body).ok().filter(|_| whole)
    }

    pub(crate) fn save(&self, hash: &str, saved: &Saved) -> Result<()> {
        let path = self.work(hash);
        let mut bytes = serde_json::to_vec(saved).map_err(unwritable(&path))?;
        let seal = content_hash(&bytes);
        bytes.extend_from_slice(seal.as_bytes());
        self.put(&path, &bytes, true)
    }

    pub(crate) fn forget(&self, hash: &str) {
        self.discard(&self.work(hash));
    }

    /// Removes a file of a job, unless it is a foreign one.
    pub(super) fn discard(&self, path: &Path) {
        if spare(&self.dir, path).is_ok() {
            let _ = remove_file(path);
        }
    }

    fn work(&self, hash: &str) -> PathBuf {
        self.dir.join("work").join(format!("{hash}.checkpoint"))
    }

    pub(super) fn remove(&self, hash: &str) -> Result<()> {
        let Some(manifest) = self.manifest(hash)? else { return Ok(()) };
        // the manifest first: without it the job is not finished
        let path = manifest_path(&self.dir, hash);
        remove_file(&path).map_err(Error::io(&path))?;
        for (table, content) in &manifest.files {
            let path = table_path(&self.dir, table, hash);
            let ours = FOLDERS.contains(&table.as_str())
                && read_file(&path).is_ok_and(|bytes| content_hash(&bytes) == *content);
            if ours {
                let _ = remove_file(&path);
            }
        }
        self.forget(hash);
        Ok(())
    }

    /// Puts a file of a job in place. Tables need not be synced: their hashes are in the manifest,
    /// which is.
    pub(super) fn put(&self, path: &Path, bytes: &[u8], synced: bool) -> Result<()> {
        spare(&self.dir, path)?;
        Ok(replace_own(path, bytes, synced)?)
    }

    /// Keeps the records of a finished job: its tables, and then its manifest.
    pub(crate) fn keep(&self, mut manifest: Manifest, row: &RunRow, rows: &RunRows) -> Result<()> {
        let identity = manifest.identity();
        self.table(&mut manifest, &identity, std::slice::from_ref(row))?;
        self.table(&mut manifest, &identity, &rows.episodes)?;
        self.table(&mut manifest, &identity, &rows.plans)?;
        self.table(&mut manifest, &identity, &rows.probes)?;
        self.write_manifest(&manifest)?;
        self.forget(&manifest.job);
        Ok(())
    }

    /// A table without rows has no file.
    fn table<R: TableRow>(&self, manifest: &mut Manifest, identity: &Identity, rows: &[R]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let path = table_path(&self.dir, R::TABLE, &manifest.job);
        let bytes = encode(identity, rows).map_err(unwritable(&path))?;
        manifest.files.insert(R::TABLE.into(), content_hash(&bytes));
        self.put(&path, &bytes, false)
    }

    pub(crate) fn write_manifest(&self, manifest: &Manifest) -> Result<()> {
        let path = manifest_path(&self.dir, &manifest.job);
        self.put(&path, &manifest.sealed().map_err(unwritable(&path))?, true)
    }

    /// Writes a file beside the records, such as a figure; an error if a foreign one is there.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf> {
        if let Some((folder, _)) = name.split_once('/') {
            make_folder(&self.dir.join(folder))?;
        }
        write_listed(&self.dir, name, content)
    }

    /// Opens the folder of a study that was run, to write figures and a report.
    pub fn open(dir: &Path) -> Result<StudyFolder> {
        opened(dir)?;
        require(dir)?;
        let folder = StudyFolder { dir: dir.into(), _locks: lock(dir, Shard::WHOLE)? };
        folder.clear_up();
        Ok(folder)
    }
}

pub(super) fn content_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

pub(super) fn manifest_path(dir: &Path, job: &str) -> PathBuf {
    dir.join(MANIFESTS).join(format!("{job}.json"))
}

pub(super) fn table_path(dir: &Path, table: &str, job: &str) -> PathBuf {
    dir.join(table).join(format!("{job}.parquet"))
}

fn unwritable<E: std::fmt::Display>(path: &Path) -> impl FnOnce(E) -> Error {
    move |error| Error::Output { path: path.into(), fault: error.to_string() }
}

pub(super) fn read_manifest(dir: &Path, hash: &str) -> Result<Option<Manifest>> {
    let path = manifest_path(dir, hash);
    let bytes = match read_file(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(Error::io(&path))?,
    };
    let fault = match Manifest::read(&bytes) {
        Ok(manifest) if manifest.job == hash => return Ok(Some(manifest)),
        Ok(other) => format!("it is the manifest of another job, {}", other.job),
        Err(fault) => fault,
    };
    Err(Error::Damaged { path, fault })
}

/// The hashes of all finished and failed jobs.
pub(super) fn finished(dir: &Path) -> Result<Vec<String>> {
    let manifests = dir.join(MANIFESTS);
    let entries = fs::read_dir(&manifests).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let names = entries.map_err(Error::io(&manifests))?.into_iter().map(|entry| entry.file_name());
    let job = |name: std::ffi::OsString| Some(name.to_str()?.strip_suffix(".json")?.to_string());
    let mut all: Vec<String> = names.filter_map(job).collect();
    all.sort_unstable();
    Ok(all)
}

/// No file that a world is read from would be overwritten.
fn spare_worlds(dir: &Path, grid: &Grid) -> Result<()> {
    let Ok(dir) = fs::canonicalize(dir) else { return Ok(()) };
    let ours = |name: &str| {
        [STUDY, PLAN, "summary.md", "report.html", FIGURES].contains(&name) || FOLDERS.contains(&name)
    };
    for world in &grid.study.worlds {
        let inside = Path::new(&world.place.world).strip_prefix(&dir).ok();
        let first = inside.and_then(|inside| inside.components().next());
        if first.is_some_and(|first| ours(&first.as_os_str().to_string_lossy())) {
            let fault = "this is the world that is read: it would be overwritten".into();
            return Err(Error::Output { path: world.place.world.clone().into(), fault });
        }
    }
    Ok(())
}

/// The whole study is for one process; its parts are for one process each, side by side.
fn lock(dir: &Path, shard: Shard) -> Result<Vec<File>> {
    let whole = shard == Shard::WHOLE;
    let mut held = vec![take(&dir.join(".lock"), !whole)?];
    if !whole {
        held.push(take(&dir.join(format!(".lock-{}-of-{}", shard.part, shard.of)), false)?);
    }
    Ok(held)
}

fn take(path: &Path, shared: bool) -> Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|other| !other.is_file()) {
        let fault = "it stands in the way of a lock, and is no regular file".into();
        return Err(Error::Output { path: path.into(), fault });
    }
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(Error::io(path))?;
    let taken = if shared { file.try_lock_shared() } else { file.try_lock() };
    match taken {
        Ok(()) => Ok(file),
        // a file system without locks
        Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Busy { dir: path.parent().unwrap_or(path).into() }),
        Err(TryLockError::Error(source)) => Err(Error::io(path)(source)),
    }
}

/// The question and the plan of a folder.
pub(super) fn opened(dir: &Path) -> Result<(Study, PlanFile)> {
    let read = |name: &str| {
        read_file(&dir.join(name)).map_err(|e| match e.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                let fault = format!("it is no folder of a study: it has no {name}");
                Error::Output { path: dir.into(), fault }
            }
            _ => Error::io(&dir.join(name))(e),
        })
    };
    let (question, path) = (dir.join(STUDY), dir.join(PLAN));
    let text = String::from_utf8(read(STUDY)?).map_err(unwritable(&question))?;
    let plan: PlanFile = serde_json::from_slice(&read(PLAN)?)
        .map_err(|e| Error::Damaged { path: path.clone(), fault: format!("not a plan: {e}") })?;
    if plan.schema != SCHEMA {
        let fault = format!("its tables have version {}, this program reads {SCHEMA}", plan.schema);
        return Err(Error::Output { path, fault });
    }
    let mut study = study::reread(&text, &question)?;
    study.name = plan.study.clone();
    if !crate::grid::are_jobs_of(&study, &plan.jobs) {
        let fault = "its jobs are not those of the study beside it".into();
        return Err(Error::Damaged { path, fault });
    }
    Ok((study, plan))
}
