//! Pictures: where the states of a grid lie, and the replay of a run as a page.

use crate::arguments::named;
use crate::errors::Told;
use crate::problem::PyProblem;
use crate::watch::{Tally, watched};
use goalward::episode::{Ending, Episode, Flow, Observer, RunSpec, Runner, Stop};
use goalward_lab::layout::Layout;
use goalward_lab::report::{self, Recorder};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Rows, columns, and for each state its cell or None; None for a problem that is no grid.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn grid_layout(problem: &Bound<PyProblem>) -> Option<(usize, usize, Vec<Option<(usize, usize)>>)> {
    let layout = Layout::of(problem.get().problem())?;
    Some((layout.rows, layout.columns, layout.places))
}

/// Counts episodes, and stops the run when it is asked to.
struct Counted<'a>(&'a Tally);

impl Observer for Counted<'_> {
    fn episode(&mut self, _ended: &Episode) -> Flow {
        self.0.advance(1);
        match self.0.stopped() {
            true => Flow::Break(Stop),
            false => Flow::Continue(()),
        }
    }
}

/// Runs a learner of the registry and gives the replay as one HTML page.
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
    let arena = problem.get().arena(py)?;
    let (learner, settings) = named(learner, None)?;
    let tally = Tally::new();
    let outcome = watched(py, &tally, progress.as_ref(), || -> goalward_lab::Result<Option<String>> {
        let spec = RunSpec { learner, settings, seed, episodes, max_steps };
        let mut runner = Runner::new(&arena, spec)?;
        runner.heed(tally.halt());
        let mut recorder = Recorder::new(&runner);
        let ending = runner.run(&mut [&mut recorder, &mut Counted(&tally)])?;
        match ending {
            Ending::Paused => Ok(None),
            _ => report::replay(recorder, &runner).map(Some),
        }
    })?;
    // only Ctrl-C pauses it, and that is raised before this
    outcome.map_err(Told::told)?.ok_or_else(|| PyKeyboardInterrupt::new_err("the run was stopped"))
}
