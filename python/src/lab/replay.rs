//! The replay of a run as one HTML page.

use crate::arguments::named;
use crate::errors::Told;
use crate::problem::PyProblem;
use crate::watch::{Tally, watched};
use goalward::episode::{Episode, Flow, Observer, RunSpec, Runner, Step, Stop};
use goalward_lab::report::{self, Recorder};
use pyo3::prelude::*;

/// Steps between two questions whether to stop.
const LISTEN: u64 = 64;

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
        runner.run(&mut [&mut Listen(&tally), &mut recorder])?;
        report::replay(recorder, &runner)
    })?;
    page.map_err(Told::told)
}

/// Counts episodes, and hears that it should stop.
struct Listen<'a>(&'a Tally);

impl Observer for Listen<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        match step.t.is_multiple_of(LISTEN) && self.0.stopped() {
            true => Flow::Break(Stop),
            false => Flow::Continue(()),
        }
    }

    fn episode(&mut self, _: &Episode) -> Flow {
        self.0.advance(1);
        Flow::Continue(())
    }
}
