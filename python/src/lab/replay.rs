//! The replay of a run as one HTML page.

use crate::arguments::named;
use crate::errors::Told;
use crate::problem::PyProblem;
use crate::run::Watch;
use crate::watch::{Tally, watched};
use goalward::episode::{RunSpec, Runner};
use goalward_lab::report::{self, Recorder};
use pyo3::prelude::*;

/// Runs a learner of the registry, and shows the run episode by episode.
#[pyfunction]
#[pyo3(signature = (problem, learner, episodes, seed, max_steps, progress))]
pub(crate) fn replay_page(
    py: Python,
    problem: &Bound<PyProblem>,
    learner: &str,
    episodes: u64,
    seed: u64,
    max_steps: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (learner, settings) = named(learner, None)?;
    let arena = problem.get().arena(py)?;
    let tally = Tally::new();
    let page = watched(py, &tally, progress.as_ref(), || -> goalward_lab::Result<String> {
        let spec = RunSpec { max_steps, ..RunSpec::new(&learner, episodes).settings(settings).seed(seed) };
        let mut runner = Runner::new(&arena, spec)?;
        runner.heed(tally.halt());
        let mut recorder = Recorder::new(&runner);
        runner.run(&mut [&mut Watch::new(&tally, None), &mut recorder])?;
        report::replay(recorder, &runner)
    })?;
    page.map_err(Told::told)
}
