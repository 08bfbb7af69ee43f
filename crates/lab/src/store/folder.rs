//! The folder of a study's results.
//!
//! ```text
//! study.toml          the question, as it was understood
//! plan.json           every job with its hash, the version and the commit
//! runs/JOB.parquet    one row for each run        manifests/JOB.json   finished, or failed and why
//! episodes/ plans/ probes/                        work/JOB.checkpoint  under way
//! ```
//!
//! A job is finished when its manifest is there: it is written last, synced, and put in place in one
//! step. It has the hashes of the job's tables. So after a power cut either all of a job is there,
//! or it is run again.

use super::columns::{Row, SCHEMA};
use super::manifest::{Manifest, Saved};
use super::table_file::{Identity, encode};
use crate::grid::{Grid, Job, Shard};
use crate::measure::Rows;
use crate::results::{Build, RunRow};
use crate::study::{self, Study};
use crate::{Error, Result};
use goalward::output::replace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

pub(super) const STUDY: &str = "study.toml";
pub(super) const PLAN: &str = "plan.json";
/// A world that came through a pipe, kept by `goalward compare`.
const COPY: &str = "world.json";
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
    /// What is there of another study, or of another version, is an error; a study that has more
    /// jobs than before, and all of those, is the same one. With `force` jobs of others are removed.
    pub fn claim(dir: &Path, grid: &Grid, shard: Shard, force: bool) -> Result<StudyFolder> {
        if dir.exists() && !dir.is_dir() {
            return Err(Error::Output { path: dir.into(), fault: "it is not a folder".into() });
        }
        spare_worlds(dir, grid)?;
        refuse_strangers(dir, force)?;
        fs::create_dir_all(dir).map_err(Error::io(dir))?;
        for name in FOLDERS {
            let folder = dir.join(name);
            fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        }
        let folder = StudyFolder { dir: dir.into(), _locks: lock(dir, shard)? };
        let plan = PlanFile {
            schema: SCHEMA,
            study: grid.study.name.clone(),
            build: crate::grid::build(),
            jobs: grid.jobs.clone(),
        };
        folder.is_mine(&plan, force)?;
        if shard == Shard::WHOLE {
            // nobody else is at work here
            folder.clear_up();
        }
        let text = serde_json::to_string(&plan).unwrap_or_default() + "\n";
        folder.put_if_new(PLAN, text.as_bytes())?;
        folder.put_if_new(STUDY, study::write(&grid.study).as_bytes())?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Jobs of others are an error, or go.
    fn is_mine(&self, plan: &PlanFile, force: bool) -> Result<()> {
        let mine: BTreeSet<&str> = plan.jobs.iter().map(|job| job.hash.as_str()).collect();
        let others: Vec<String> =
            finished(&self.dir)?.into_iter().filter(|hash| !mine.contains(hash.as_str())).collect();
        let Some(first) = others.first() else { return Ok(()) };
        if force {
            others.iter().try_for_each(|hash| self.remove(hash))?;
            return Ok(());
        }
        let what = match self.manifest(first) {
            Ok(Some(theirs)) if theirs.build != plan.build => format!(
                "results of goalward {} (commit {}); this is {} (commit {})",
                theirs.build.version, theirs.build.commit, plan.build.version, plan.build.commit
            ),
            Ok(Some(theirs)) if theirs.study != plan.study => {
                format!("results of the study {:?}", theirs.study)
            }
            Ok(Some(theirs)) => format!(
                "{} results that do not belong to this question, such as {} on {} with seed {}",
                others.len(),
                theirs.learner,
                theirs.world,
                theirs.seed
            ),
            _ => "results of unknown origin".into(),
        };
        Err(Error::Taken { dir: self.dir.clone(), what })
    }

    /// What a killed process was about to write is nobody's any more.
    fn clear_up(&self) {
        let parts = FOLDERS.iter().map(|name| self.dir.join(name)).chain([self.dir.clone()]);
        for entry in parts.flat_map(|dir| fs::read_dir(dir).into_iter().flatten().flatten()) {
            let name = entry.file_name();
            if name.to_str().is_some_and(|name| name.starts_with(".goalward-") && name.ends_with(".part")) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn put_if_new(&self, name: &str, content: &[u8]) -> Result<()> {
        let path = self.dir.join(name);
        if fs::read(&path).ok().as_deref() != Some(content) {
            replace(&path, content)?;
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
            let bytes = fs::read(self.dir.join(table).join(format!("{}.parquet", manifest.job)));
            bytes.is_ok_and(|bytes| content_hash(&bytes) == *hash)
        };
        Ok(!manifest.files.is_empty() && manifest.files.iter().all(same))
    }

    /// A job under way, if it was saved. What cannot be read is run again from the beginning.
    pub(crate) fn saved(&self, hash: &str) -> Option<Saved> {
        let bytes = fs::read(self.work(hash)).ok()?;
        let (body, seal) = bytes.split_at_checked(bytes.len().checked_sub(64)?)?;
        if content_hash(body).as_bytes() != seal {
            return None;
        }
        serde_json::from_slice(body).ok()
    }

    /// Saves a job under way.
    pub(crate) fn save(&self, hash: &str, saved: &Saved) -> Result<()> {
        let path = self.work(hash);
        let mut bytes = serde_json::to_vec(saved)
            .map_err(|e| Error::Output { path: path.clone(), fault: e.to_string() })?;
        let seal = content_hash(&bytes);
        bytes.extend_from_slice(seal.as_bytes());
        Ok(replace(&path, &bytes)?)
    }

    /// Removes what was saved of a job.
    pub(crate) fn forget(&self, hash: &str) {
        let _ = fs::remove_file(self.work(hash));
    }

    fn work(&self, hash: &str) -> PathBuf {
        self.dir.join("work").join(format!("{hash}.checkpoint"))
    }

    pub(super) fn remove(&self, hash: &str) -> Result<()> {
        // the manifest first: without it the rest is nobody's
        let manifest = self.dir.join("manifests").join(format!("{hash}.json"));
        fs::remove_file(&manifest).map_err(Error::io(&manifest))?;
        for table in &FOLDERS[..4] {
            let _ = fs::remove_file(self.dir.join(table).join(format!("{hash}.parquet")));
        }
        self.forget(hash);
        Ok(())
    }

    /// Keeps the records of a finished job: its tables, and then its manifest.
    pub(crate) fn keep(&self, mut manifest: Manifest, row: &RunRow, rows: &Rows) -> Result<()> {
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
    fn table<R: Row>(&self, manifest: &mut Manifest, identity: &Identity, rows: &[R]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let path = self.dir.join(R::TABLE).join(format!("{}.parquet", manifest.job));
        let bytes =
            encode(identity, rows).map_err(|e| Error::Output { path: path.clone(), fault: e.to_string() })?;
        manifest.files.insert(R::TABLE.into(), content_hash(&bytes));
        place(&path, &bytes)
    }

    pub(crate) fn write_manifest(&self, manifest: &Manifest) -> Result<()> {
        let path = self.dir.join("manifests").join(format!("{}.json", manifest.job));
        let bytes =
            manifest.sealed().map_err(|e| Error::Output { path: path.clone(), fault: e.to_string() })?;
        Ok(replace(&path, &bytes)?)
    }

    /// Writes something that is made from the records, such as a figure.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf> {
        let path = self.dir.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(Error::io(folder))?;
        }
        replace(&path, content)?;
        Ok(path)
    }

    /// A folder whose jobs are done: to merge into, or to make figures and reports from its records.
    pub fn open(dir: &Path) -> Result<StudyFolder> {
        opened(dir)?;
        StudyFolder::bare(dir)
    }

    pub(super) fn bare(dir: &Path) -> Result<StudyFolder> {
        Ok(StudyFolder { dir: dir.into(), _locks: lock(dir, Shard::WHOLE)? })
    }
}

pub(super) fn content_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

pub(super) fn read_manifest(dir: &Path, hash: &str) -> Result<Option<Manifest>> {
    let path = dir.join("manifests").join(format!("{hash}.json"));
    match fs::read(&path) {
        Ok(bytes) => match Manifest::read(&bytes) {
            Ok(manifest) if manifest.job == hash => Ok(Some(manifest)),
            Ok(other) => {
                let fault = format!("it is the manifest of another job, {}", other.job);
                Err(Error::Damaged { path, fault })
            }
            Err(fault) => Err(Error::Damaged { path, fault }),
        },
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Io { path, source }),
    }
}

/// The hashes of all finished and failed jobs.
pub(super) fn finished(dir: &Path) -> Result<Vec<String>> {
    let manifests = dir.join("manifests");
    let mut all = Vec::new();
    for entry in fs::read_dir(&manifests).map_err(Error::io(&manifests))? {
        let name = entry.map_err(Error::io(&manifests))?.file_name();
        if let Some(hash) = name.to_str().and_then(|name| name.strip_suffix(".json")) {
            all.push(hash.to_string());
        }
    }
    all.sort_unstable();
    Ok(all)
}

/// Puts a file in place in one step. Whether it reached the disk is told by the manifest's hash.
fn place(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let part = path.with_file_name(format!(".goalward-{}-{name}.part", std::process::id()));
    fs::write(&part, bytes).map_err(Error::io(path))?;
    fs::rename(&part, path).map_err(Error::io(path))
}

/// No file that a world is read from would be overwritten.
fn spare_worlds(dir: &Path, grid: &Grid) -> Result<()> {
    let Ok(dir) = fs::canonicalize(dir) else { return Ok(()) };
    let ours = |name: &str| {
        [STUDY, PLAN, "summary.md", "report.html", "figures"].contains(&name) || FOLDERS.contains(&name)
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

/// A folder that has files and is no study's: nothing is put among them.
fn refuse_strangers(dir: &Path, force: bool) -> Result<()> {
    let ours =
        |name: &str| name.starts_with('.') || FOLDERS.contains(&name) || [STUDY, PLAN, COPY].contains(&name);
    if force || !dir.exists() || dir.join(PLAN).exists() {
        return Ok(());
    }
    for entry in fs::read_dir(dir).map_err(Error::io(dir))? {
        let name = entry.map_err(Error::io(dir))?.file_name().to_string_lossy().into_owned();
        if !ours(&name) {
            return Err(Error::Taken { dir: dir.into(), what: format!("{name}, and is no study's folder") });
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
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(Error::io(path))?;
    let taken = if shared { file.try_lock_shared() } else { file.try_lock() };
    match taken {
        Ok(()) => Ok(file),
        // a file system without locks
        Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Busy { dir: path.parent().unwrap_or(path).into() }),
        Err(TryLockError::Error(source)) => Err(Error::Io { path: path.into(), source }),
    }
}

/// The question and the plan of a folder.
pub(super) fn opened(dir: &Path) -> Result<(Study, PlanFile)> {
    let missing = |name: &str| Error::Output {
        path: dir.into(),
        fault: format!("it is no folder of a study: it has no {name}"),
    };
    let text = fs::read_to_string(dir.join(STUDY)).map_err(|_| missing(STUDY))?;
    let plan = fs::read(dir.join(PLAN)).map_err(|_| missing(PLAN))?;
    let plan: PlanFile = serde_json::from_slice(&plan)
        .map_err(|e| Error::Damaged { path: dir.join(PLAN), fault: format!("not a plan: {e}") })?;
    if plan.schema != SCHEMA {
        let fault = format!("its tables have version {}, this program reads {SCHEMA}", plan.schema);
        return Err(Error::Output { path: dir.join(PLAN), fault });
    }
    let mut study = study::reread(&text, &dir.join(STUDY))?;
    study.name = plan.study.clone();
    if !crate::grid::are_jobs_of(&study, &plan.jobs) {
        let fault = "its jobs are not those of the study beside it".into();
        return Err(Error::Damaged { path: dir.join(PLAN), fault });
    }
    Ok((study, plan))
}
