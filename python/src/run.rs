//! Runs: one, or many on several threads, without Python's lock.

use crate::arguments::named;
use crate::errors::{Told, refused, to_python};
use crate::gate::{closing, ended, inside, pooled};
use crate::learner::{self, PyLearner};
use crate::own::{self, Raised};
use crate::problem::PyProblem;
use crate::watch::{Tally, watched};
use goalward::Settings;
use goalward::episode::{
    Agent, Arena, Ending, Episode, Flow, Observer, RunResult, RunSpec, Runner, Step, Stop,
};
use goalward::learners::Vigilance;
use goalward_lab::stats::Mean;
use goalward_lab::{Progress, Queue};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Steps between two questions whether to stop.
const LISTEN: u64 = 64;

/// The version of the package.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Who runs.
enum Who {
    /// A learner of the registry.
    Built(String, Settings),
    /// An object in Python.
    Own(Py<PyAny>),
    /// A learner of the user's, given back afterwards.
    Taken(Py<PyLearner>, Box<Mutex<Option<Agent>>>),
}

/// One run.
struct Job {
    label: String,
    who: Who,
    seed: u64,
    arena: Arc<Arena>,
}

/// The episodes of a run.
#[derive(Default)]
struct Columns {
    cost: Vec<f64>,
    steps: Vec<i64>,
    regret: Vec<f64>,
    gap_regret: Vec<f64>,
}

/// How a run went.
struct Ran {
    result: RunResult,
    columns: Columns,
    interrupted: bool,
    seconds: f64,
}

/// Runs jobs, each a tuple of label, problem, learner and seed, on so many threads. A learner is an
/// id with settings, a `Learner`, or an object with `act` and `observe`. For each job a dictionary
/// with the result and the columns. `vigilance` is what to do on misfit, and its level, for learners
/// that are built here.
#[pyfunction]
#[pyo3(signature = (jobs, episodes, max_steps, threads, progress, vigilance=(None, None)))]
pub(crate) fn run_jobs<'py>(
    py: Python<'py>,
    jobs: Vec<(String, Bound<'py, PyProblem>, Bound<'py, PyAny>, u64)>,
    episodes: u64,
    max_steps: Option<u64>,
    threads: usize,
    progress: Option<Py<PyAny>>,
    vigilance: (Option<String>, Option<f64>),
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let vigilance = learner::vigilance(vigilance.0.as_deref(), vigilance.1).map_err(Told::told)?;
    let mut all: Vec<Job> = Vec::new();
    for (label, problem, learner, seed) in jobs {
        match job(py, label, &problem, &learner, seed) {
            Ok(job) => all.push(job),
            Err(error) => {
                give_back(py, &all)?;
                return Err(error);
            }
        }
    }
    let (tally, raised) = (Tally::new(), Raised::default());
    let outcome = watched(py, &tally, progress.as_ref(), || {
        let runs = Runs { jobs: &all, episodes, max_steps, vigilance, tally: &tally, raised: &raised };
        runs.all(threads.clamp(1, 1024))
    });
    give_back(py, &all)?;
    let outcome = outcome?;
    if let Some(error) = raised.take() {
        return Err(error);
    }
    let ran = outcome.map_err(Told::told)?;
    ran.into_iter().zip(&all).map(|(ran, job)| told(py, ran, job)).collect()
}

fn give_back(py: Python, jobs: &[Job]) -> PyResult<()> {
    for job in jobs {
        if let Who::Taken(learner, agent) = &job.who
            && let Some(agent) = agent.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            learner.get().give_back(py, agent)?;
        }
    }
    Ok(())
}

fn job(
    py: Python,
    label: String,
    problem: &Bound<PyProblem>,
    learner: &Bound<PyAny>,
    seed: u64,
) -> PyResult<Job> {
    let arena = problem.get().arena(py)?;
    let who = if let Ok(text) = learner.cast::<PyString>() {
        let (id, settings) = named(&text.to_string_lossy(), None)?;
        Who::Built(id, settings)
    } else if let Ok(given) = learner.cast::<PyLearner>() {
        if !given.get().problem().bind(py).is(problem) {
            let message = "this learner was made for another problem";
            return Err(refused("MisuseError", message, Some("make it for the problem that it runs on")));
        }
        let agent = given.get().take(py)?;
        Who::Taken(given.clone().unbind(), Box::new(Mutex::new(Some(agent))))
    } else if learner.hasattr("act")? && learner.hasattr("observe")? {
        // its thread could not return to Python
        if closing() {
            return Err(ended());
        }
        Who::Own(learner.clone().unbind())
    } else {
        let kind = learner.get_type().name()?;
        let message = format!("{kind} is no learner: it has no methods act and observe");
        return Err(refused("MisuseError", message, Some("goalward.learners.ids() lists the built-in ones")));
    };
    Ok(Job { label, who, seed, arena })
}

struct Runs<'a> {
    jobs: &'a [Job],
    episodes: u64,
    max_steps: Option<u64>,
    vigilance: Vigilance,
    tally: &'a Tally,
    raised: &'a Raised,
}

impl Runs<'_> {
    /// All runs, each taken by the first thread that is free.
    fn all(&self, threads: usize) -> goalward::Result<Vec<Ran>> {
        let queue = Queue::new(self.jobs.len());
        let done: Vec<Mutex<Option<goalward::Result<Ran>>>> =
            self.jobs.iter().map(|_| Mutex::new(None)).collect();
        let one = |n: usize| {
            let ran = self.one(&self.jobs[n]);
            let failed = ran.is_err() || self.raised.is_some();
            *done[n].lock().unwrap_or_else(PoisonError::into_inner) = Some(ran);
            if failed { Err(()) } else { Ok(()) }
        };
        // errors are among the results
        let work = || queue.work(|| self.tally.stopped(), one).unwrap_or_default();
        std::thread::scope(|scope| {
            for _ in 1..threads.min(self.jobs.len()) {
                scope.spawn(|| pooled(work));
            }
            work();
        });
        let all = done.into_iter().map(|ran| ran.into_inner().unwrap_or_else(PoisonError::into_inner));
        all.flatten().collect()
    }

    fn one(&self, job: &Job) -> goalward::Result<Ran> {
        let began = Instant::now();
        let mut spec = RunSpec {
            learner: job.label.clone(),
            settings: Settings::new(),
            seed: job.seed,
            episodes: self.episodes,
            max_steps: self.max_steps,
            vigilance: self.vigilance,
        };
        let mut taken = None;
        let mut runner = match &job.who {
            Who::Built(id, settings) => {
                (spec.learner, spec.settings) = (id.clone(), settings.clone());
                Runner::new(&job.arena, spec)?
            }
            Who::Own(object) => {
                let object = inside(|py| object.clone_ref(py));
                let learner = own::learner(&job.label, object, job.arena.problem(), self.raised)?;
                Runner::with_learner(&job.arena, spec, learner)?
            }
            Who::Taken(_, slot) => {
                let agent = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
                // a learner that is given twice has no second run
                let Some(agent) = agent else {
                    let fault = "this learner is running already: give each run a learner of its own".into();
                    return Err(goalward::Error::Misuse { t: 0, fault });
                };
                let (learner, built, kept) = agent.into_parts();
                (spec.learner, spec.settings) = (built.learner.clone(), built.settings.clone());
                spec.vigilance = built.vigilance;
                taken = Some((slot, built, kept));
                Runner::with_learner(&job.arena, spec, learner)?
            }
        };
        runner.heed(self.tally.halt());
        let raises = matches!(job.who, Who::Own(_));
        let mut watch = Watch::new(self.tally, raises.then_some(self.raised));
        let ending = runner.run(&mut [&mut watch]);
        let result = runner.result();
        if let Some((slot, built, kept)) = taken {
            let mut learner = runner.into_learner();
            learner.heed(&goalward::plan::Halt::never());
            let agent = Agent::from_parts(learner, built, kept);
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(agent);
        }
        let interrupted = ending? == Ending::Paused;
        Ok(Ran { result, columns: watch.columns, interrupted, seconds: began.elapsed().as_secs_f64() })
    }
}

/// Counts episodes and keeps their columns; stops a run when that is asked for, or when its learner
/// has raised something.
pub(crate) struct Watch<'a> {
    columns: Columns,
    tally: &'a Tally,
    raised: Option<&'a Raised>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(tally: &'a Tally, raised: Option<&'a Raised>) -> Watch<'a> {
        Watch { columns: Columns::default(), tally, raised }
    }

    fn go_on(&self) -> Flow {
        match self.tally.stopped() || self.raised.is_some_and(Raised::is_some) {
            true => Flow::Break(Stop),
            false => Flow::Continue(()),
        }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        match self.raised.is_some() || step.t.is_multiple_of(LISTEN) {
            true => self.go_on(),
            false => Flow::Continue(()),
        }
    }

    fn episode(&mut self, ended: &Episode) -> Flow {
        self.columns.cost.push(ended.cost);
        self.columns.steps.push(ended.steps as i64);
        self.columns.regret.push(ended.regret);
        self.columns.gap_regret.push(ended.gap_regret);
        self.tally.advance(1);
        self.go_on()
    }
}

fn told<'py>(py: Python<'py>, ran: Ran, job: &Job) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let mut result = serde_json::to_value(&ran.result).unwrap_or_default();
    if let Who::Own(_) = job.who {
        result["learner"] = job.label.clone().into();
    }
    dict.set_item("label", &job.label)?;
    dict.set_item("result", to_python(py, &result)?)?;
    dict.set_item("cost", PyArray1::from_vec(py, ran.columns.cost))?;
    dict.set_item("steps", PyArray1::from_vec(py, ran.columns.steps))?;
    dict.set_item("regret", PyArray1::from_vec(py, ran.columns.regret))?;
    dict.set_item("gap_regret", PyArray1::from_vec(py, ran.columns.gap_regret))?;
    dict.set_item("interrupted", ran.interrupted)?;
    dict.set_item("seconds", ran.seconds)?;
    Ok(dict)
}

/// Student's 95 % interval of the mean; None for fewer than two numbers.
#[pyfunction]
pub(crate) fn mean_interval(numbers: Vec<f64>) -> Option<(f64, f64)> {
    let mean = Mean::of(&numbers)?;
    Some((mean.low?, mean.high?))
}
