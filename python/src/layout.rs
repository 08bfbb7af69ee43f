//! Where the states of a grid lie.

use crate::problem::PyProblem;
use goalward_lab::layout::{self, Layout};
use pyo3::prelude::*;

/// Rows, columns, and for each state its cell or None; None for a problem that is no grid.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn grid_layout(problem: &Bound<PyProblem>) -> Option<(usize, usize, Vec<Option<(usize, usize)>>)> {
    let layout = Layout::of(problem.get().problem())?;
    Some((layout.rows, layout.columns, layout.places))
}

/// The way that the name of an action points: rows down and columns to the right; None if it does
/// not say.
#[pyfunction]
pub(crate) fn direction(name: &str) -> Option<(f64, f64)> {
    layout::direction(name)
}
