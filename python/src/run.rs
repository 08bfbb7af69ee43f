//! Runs: one, or many on several threads, without Python's lock.

use crate::arguments::named;
use crate::errors::{refused, to_python, told};
use crate::gate::{closing, ended, inside, pooled};
use crate::learner::{self, PyLearner};
use crate::own::{Own, Raised};
use crate::problem::PyProblem;
use crate::watch::{Tally, watched};
use goalward::episode::{
    Agent, Arena, Ending, Episode, Flow, Observer, RunResult, RunSpec, Runner, Step, Stop,
};
use goalward::{Learner, Settings};
use goalward_lab::report::{Recorder, replay};
use goalward_lab::stats::Mean;
use goalward_lab::{Progress, Queue};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Steps between two questions whether to stop.
const LISTEN: u64 = 64;

#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

enum Who {
    Built(String, Settings),
    Own(Py<PyAny>),
    /// A learner of the user's, given back afterwards, and what an inner one in Python raises.
    Taken(Py<PyLearner>, Box<Mutex<Option<Agent>>>, Option<Raised>),
}

struct Job {
    label: String,
    who: Who,
    seed: u64,
    arena: Arc<Arena>,
}

struct Ran {
    result: RunResult,
    episodes: Vec<Episode>,
    interrupted: bool,
    seconds: f64,
}

/// Runs jobs, each a tuple of label, problem, learner and seed, on `threads` threads. A learner is
/// an id, a `Learner`, or an object with `act` and `observe`. `settings` and `vigilance` (what to
/// do on misfit, and its level) are for learners that are built here. For each job a dictionary
/// with the result and the columns.
#[pyfunction]
#[pyo3(signature = (jobs, episodes, max_steps, threads, progress, vigilance=(None, None), settings=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn run_jobs<'py>(
    py: Python<'py>,
    jobs: Vec<(String, Bound<'py, PyProblem>, Bound<'py, PyAny>, u64)>,
    episodes: u64,
    max_steps: Option<u64>,
    threads: usize,
    progress: Option<Py<PyAny>>,
    vigilance: (Option<String>, Option<f64>),
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let vigilance = learner::vigilance(vigilance.0.as_deref(), vigilance.1).map_err(told)?;
    let spec = RunSpec { max_steps, vigilance, ..RunSpec::new("", episodes) };
    let mut all: Vec<Job> = Vec::new();
    for (label, problem, learner, seed) in jobs {
        match job(py, label, &problem, &learner, settings, seed) {
            Ok(job) => all.push(job),
            Err(error) => {
                give_back(py, &all)?;
                return Err(error);
            }
        }
    }
    let (tally, raised) = (Tally::new(), Raised::default());
    let threads = threads.clamp(1, 1024);
    let outcome = watched(py, &tally, progress.as_ref(), || run_all(&all, &spec, threads, &tally, &raised));
    give_back(py, &all)?;
    let outcome = outcome?;
    if let Some(error) = raised.take() {
        return Err(error);
    }
    let ran = outcome.map_err(told)?;
    ran.into_iter().zip(&all).map(|(ran, job)| shown(py, ran, job)).collect()
}

fn give_back(py: Python, jobs: &[Job]) -> PyResult<()> {
    for job in jobs {
        if let Who::Taken(learner, agent, _) = &job.who
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
    settings: Option<&Bound<PyDict>>,
    seed: u64,
) -> PyResult<Job> {
    let arena = problem.get().arena(py)?;
    let who = if let Ok(text) = learner.cast::<PyString>() {
        let (id, settings) = named(&text.to_string_lossy(), settings)?;
        Who::Built(id, settings)
    } else if let Ok(given) = learner.cast::<PyLearner>() {
        if !given.get().problem().bind(py).is(problem) {
            let message = "this learner was made for another problem";
            return Err(refused("MisuseError", message, Some("make it for the problem that it runs on")));
        }
        let (agent, raised) = given.get().take(py)?;
        if raised.is_some() && closing() {
            return Err(ended());
        }
        Who::Taken(given.clone().unbind(), Box::new(Mutex::new(Some(agent))), raised)
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

/// All runs, each taken by the first free thread.
fn run_all(
    jobs: &[Job],
    spec: &RunSpec,
    threads: usize,
    tally: &Tally,
    raised: &Raised,
) -> goalward::Result<Vec<Ran>> {
    let queue = Queue::new(jobs.len());
    let done: Vec<OnceLock<goalward::Result<Ran>>> = jobs.iter().map(|_| OnceLock::new()).collect();
    let one = |n: usize| {
        let ran = jobs[n].run(spec, tally, raised);
        let failed = ran.is_err() || raised.is_some();
        let _ = done[n].set(ran);
        if failed { Err(()) } else { Ok(()) }
    };
    // errors are among the results
    let work = || queue.work(|| tally.stopped(), one).unwrap_or_default();
    std::thread::scope(|scope| {
        for _ in 1..threads.min(jobs.len()) {
            scope.spawn(|| pooled(work));
        }
        work();
    });
    done.into_iter().filter_map(OnceLock::into_inner).collect()
}

impl Job {
    fn run(&self, spec: &RunSpec, tally: &Tally, raised: &Raised) -> goalward::Result<Ran> {
        let began = Instant::now();
        let mut spec = RunSpec { learner: self.label.clone(), seed: self.seed, ..spec.clone() };
        let (mut taken, mut heard) = (None, None);
        let mut runner = match &self.who {
            Who::Built(id, settings) => {
                (spec.learner, spec.settings) = (id.clone(), settings.clone());
                Runner::new(&self.arena, spec)?
            }
            Who::Own(object) => {
                let object = inside(|py| object.clone_ref(py));
                let own = Own { object, raised: raised.clone() };
                heard = Some(raised);
                let learner = Learner::of(&self.label, self.arena.problem(), Box::new(own))?;
                Runner::with_learner(&self.arena, spec, learner)?
            }
            Who::Taken(_, slot, inner) => {
                heard = inner.as_ref();
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
                Runner::with_learner(&self.arena, spec, learner)?
            }
        };
        runner.heed(tally.halt());
        let mut watch = Watch { episodes: Vec::new(), tally, raised: heard.map(|heard| [heard, raised]) };
        let ending = runner.run(&mut [&mut watch]);
        if let Some(error) = heard.and_then(Raised::take) {
            raised.keep(error);
        }
        let result = runner.result();
        if let Some((slot, built, kept)) = taken {
            let mut learner = runner.into_learner();
            learner.heed(&goalward::plan::Halt::never());
            let agent = Agent::from_parts(learner, built, kept);
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(agent);
        }
        let interrupted = ending? == Ending::Paused;
        Ok(Ran { result, episodes: watch.episodes, interrupted, seconds: began.elapsed().as_secs_f64() })
    }
}

/// Keeps and counts episodes; stops a run on request, or when its learner has raised something.
struct Watch<'a> {
    episodes: Vec<Episode>,
    tally: &'a Tally,
    /// What its own learner raised, and what any other did.
    raised: Option<[&'a Raised; 2]>,
}

impl Watch<'_> {
    fn go_on(&self) -> Flow {
        match self.tally.stopped()
            || self.raised.is_some_and(|both| both.iter().any(|raised| raised.is_some()))
        {
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
        self.episodes.push(*ended);
        self.tally.advance(1);
        self.go_on()
    }
}

fn shown<'py>(py: Python<'py>, ran: Ran, job: &Job) -> PyResult<Bound<'py, PyDict>> {
    let column = |of: fn(&Episode) -> f64| PyArray1::from_iter(py, ran.episodes.iter().map(of));
    let dict = PyDict::new(py);
    dict.set_item("label", &job.label)?;
    dict.set_item("result", to_python(py, &ran.result)?)?;
    dict.set_item("cost", column(|episode| episode.cost))?;
    dict.set_item("steps", PyArray1::from_iter(py, ran.episodes.iter().map(|episode| episode.steps as i64)))?;
    dict.set_item("regret", column(|episode| episode.regret))?;
    dict.set_item("gap_regret", column(|episode| episode.gap_regret))?;
    dict.set_item("interrupted", ran.interrupted)?;
    dict.set_item("seconds", ran.seconds)?;
    Ok(dict)
}

/// Runs a learner of the registry, and shows the run episode by episode.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub(crate) fn replay_page(
    py: Python,
    problem: &Bound<PyProblem>,
    learner: &str,
    episodes: u64,
    seed: u64,
    max_steps: Option<u64>,
    progress: Option<Py<PyAny>>,
    settings: Option<&Bound<PyDict>>,
) -> PyResult<String> {
    let (learner, settings) = named(learner, settings)?;
    let arena = problem.get().arena(py)?;
    let tally = Tally::new();
    let page = watched(py, &tally, progress.as_ref(), || -> goalward_lab::Result<String> {
        let spec = RunSpec { max_steps, ..RunSpec::new(&learner, episodes).settings(settings).seed(seed) };
        let mut runner = Runner::new(&arena, spec)?;
        runner.heed(tally.halt());
        let mut recorder = Recorder::new(&runner);
        let mut watch = Watch { episodes: Vec::new(), tally: &tally, raised: None };
        runner.run(&mut [&mut watch, &mut recorder])?;
        replay(recorder, &runner)
    })?;
    page.map_err(told)
}

/// Student's 95 % interval of the mean; None for fewer than two numbers.
#[pyfunction]
pub(crate) fn mean_interval(numbers: Vec<f64>) -> Option<(f64, f64)> {
    let mean = Mean::of(&numbers)?;
    Some((mean.low?, mean.high?))
}
