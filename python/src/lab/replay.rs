//! The replay of a run as one HTML page.

use crate::arguments::named;
use crate::errors::told;
use crate::problem::PyProblem;
use crate::run::Watch;
use crate::watch::{Tally, watched};
use goalward::episode::{RunSpec, Runner};
use goalward_lab::report::{self, Recorder};
use pyo3::prelude::*;
use pyo3::types::PyDict;

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
        report::replay(recorder, &runner)
    })?;
    page.map_err(told)
}
