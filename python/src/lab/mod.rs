//! Studies: opened, run, packed for other machines, and put together again. What a cluster is, and
//! how jobs get there, is written in Python.

mod records;

pub(crate) use records::{
    studies, study_columns, study_merge, study_paths, study_read, study_report, study_starter, study_status,
};

use crate::errors::{refused, told};
use crate::gate::outside;
use crate::watch::{Tally, leaving, watched};
use goalward_lab::engine::{self, RunOptions};
use goalward_lab::grid::{self, Grid, Job, Shard};
use goalward_lab::store::{Carried, StudyFolder};
use goalward_lab::{Parcel, present, study};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Version and commit: records of one study come from one build.
#[pyfunction]
pub(crate) fn build() -> (String, String) {
    let build = grid::build();
    (build.version, build.commit)
}

/// A study whose worlds are open.
#[pyclass(name = "Study", module = "goalward._goalward", frozen)]
pub(crate) struct PyStudy {
    grid: Arc<Grid>,
}

/// Opens a study file, or a study that comes with goalward by its name.
#[pyfunction]
pub(crate) fn open_study(
    py: Python,
    name: String,
    is_file: bool,
    quick: bool,
    seeds: Option<Vec<u64>>,
    threads: usize,
) -> PyResult<PyStudy> {
    let read = match is_file {
        true => study::read_file(Path::new(&name), quick),
        false => study::read_named(&name, quick),
    };
    let mut file = read.map_err(told)?;
    if let Some(seeds) = seeds {
        file.study.seeds = seeds;
    }
    let pool = pool(threads)?;
    let grid = leaving(py, move || pool.install(|| Grid::open(&file)))?;
    Ok(PyStudy { grid: Arc::new(grid) })
}

/// A study that was packed, as text and files by their paths; files are put into a folder.
#[pyfunction]
pub(crate) fn unpack_study(
    py: Python,
    head: String,
    files: HashMap<String, Vec<u8>>,
    folder: PathBuf,
) -> PyResult<PyStudy> {
    let parcel = Parcel { head, files: files.into_iter().collect() };
    let pool = pool(1)?;
    let grid = leaving(py, move || pool.install(|| parcel.open(&folder)))?;
    Ok(PyStudy { grid: Arc::new(grid) })
}

#[pymethods]
impl PyStudy {
    /// In a word.
    #[getter]
    fn name(&self) -> &str {
        &self.grid.study.name
    }

    /// Where its results go unless the user says.
    fn default_folder(&self, quick: bool) -> PathBuf {
        study::default_folder(&self.grid.study.name, quick)
    }

    /// All that another machine needs to run its jobs: a text, and files by their paths.
    fn pack<'py>(&self, py: Python<'py>) -> PyResult<(String, HashMap<String, Bound<'py, PyBytes>>)> {
        let grid = self.grid.clone();
        let Parcel { head, files } = leaving(py, move || Parcel::pack(&grid))?;
        let files = files.iter().map(|(path, content)| (path.clone(), PyBytes::new(py, content)));
        Ok((head, files.collect()))
    }

    /// Makes or takes up the folder of its results, and locks it.
    fn claim(&self, folder: PathBuf, force: bool) -> PyResult<PyStudyFolder> {
        let folder = StudyFolder::claim(&folder, &self.grid, Shard::WHOLE, force).map_err(told)?;
        Ok(PyStudyFolder { grid: self.grid.clone(), folder: Mutex::new(Some(Arc::new(folder))) })
    }
}

/// The folder of a study's results, held against other processes until it is closed.
#[pyclass(name = "StudyFolder", module = "goalward._goalward", frozen)]
pub(crate) struct PyStudyFolder {
    grid: Arc<Grid>,
    folder: Mutex<Option<Arc<StudyFolder>>>,
}

/// A job's files: its manifest, and its tables by name.
type Files<'py> = (Bound<'py, PyBytes>, HashMap<String, Bound<'py, PyBytes>>);

impl PyStudyFolder {
    fn held(&self) -> PyResult<Arc<StudyFolder>> {
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        folder.ok_or_else(|| refused("MisuseError", "this folder is closed", None))
    }

    fn jobs(&self, hashes: &[String]) -> PyResult<Vec<&Job>> {
        let known: HashMap<&str, &Job> = self.grid.jobs.iter().map(|job| (job.hash.as_str(), job)).collect();
        let job = |hash: &String| {
            known.get(hash.as_str()).copied().ok_or_else(|| {
                let message = format!("job {hash} is none of the study {:?} here", self.grid.study.name);
                let hint = "a world's file has changed meanwhile, or this machine solves a world otherwise";
                refused("StudyError", message, Some(hint))
            })
        };
        hashes.iter().map(job).collect()
    }
}

#[pymethods]
impl PyStudyFolder {
    /// The open jobs with their hash, the number of their world and learner, their
    /// episodes, and what they are called; and how many are finished, and have failed.
    #[allow(clippy::type_complexity)]
    fn left(&self, py: Python, retry: bool) -> PyResult<(Vec<(String, usize, u64, String)>, usize, usize)> {
        let folder = self.held()?;
        let options = RunOptions { retry, ..RunOptions::default() };
        let sorted = outside(py, || engine::sorted(&self.grid, &folder, &options))?.map_err(told)?;
        let study = &self.grid.study;
        let told = |job: &&Job| {
            let (world, learner) = (&study.worlds[job.world], &study.learners[job.learner]);
            let called = format!("{} on {} with seed {}", learner.contender.label, world.label, job.seed);
            let cell = job.world * study.learners.len() + job.learner;
            (job.hash.clone(), cell, world.length.episodes, called)
        };
        Ok((sorted.open.iter().map(told).collect(), sorted.finished, sorted.failed))
    }

    /// Runs jobs by their hashes; how many were finished, and how many failed. Jobs under way are
    /// saved every `save_every` seconds, and at an interruption.
    fn run(
        &self,
        py: Python,
        jobs: Vec<String>,
        threads: usize,
        save_every: f64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(usize, usize)> {
        let (folder, jobs) = (self.held()?, self.jobs(&jobs)?);
        let save_every = Duration::try_from_secs_f64(save_every).unwrap_or(Duration::from_secs(10));
        let options = RunOptions { save_every, ..RunOptions::default() };
        let (pool, tally) = (pool(threads)?, Tally::new());
        let ran = watched(py, &tally, progress.as_ref(), || {
            pool.install(|| engine::run_jobs(&self.grid, &jobs, &folder, &options, &tally))
        })?;
        let ran = ran.map_err(told)?;
        Ok((ran.finished, ran.failed))
    }

    /// Takes a finished or failed job out of the folder.
    fn release<'py>(&self, py: Python<'py>, job: &str) -> PyResult<Option<Files<'py>>> {
        let folder = self.held()?;
        let carried = outside(py, || folder.release(job))?.map_err(told)?;
        Ok(carried.map(|carried| {
            let tables = carried.tables.iter().map(|(name, bytes)| (name.clone(), PyBytes::new(py, bytes)));
            (PyBytes::new(py, &carried.manifest), tables.collect())
        }))
    }

    /// Keeps the files of a job that was run elsewhere, if they are what they should be; whether
    /// they were not there yet.
    fn adopt(
        &self,
        py: Python,
        origin: PathBuf,
        job: String,
        manifest: Vec<u8>,
        tables: BTreeMap<String, Vec<u8>>,
    ) -> PyResult<bool> {
        let folder = self.held()?;
        let carried = Carried { from: origin, job, manifest, tables };
        let adopted = outside(py, || carried.check(&self.grid).and_then(|()| folder.adopt(&carried)));
        adopted?.map_err(told)
    }

    /// Writes summary, figures and report; the files.
    fn present(&self, py: Python) -> PyResult<Vec<PathBuf>> {
        let (folder, grid) = (self.held()?, self.grid.clone());
        Ok(leaving(py, move || present(&folder, Some(&grid.study)))?.files)
    }

    /// Lets others work on it.
    fn close(&self) {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn pool(threads: usize) -> PyResult<ThreadPool> {
    let built = ThreadPoolBuilder::new().num_threads(threads.clamp(1, 1024)).build();
    built.map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(format!("no threads: {error}")))
}
