//! Built-in worlds and files, opened; the registries of worlds and learners; the layout of grids.

use crate::arguments::settings;
use crate::errors::to_python;
use crate::problem::PyProblem;
use crate::watch::leaving;
use goalward::{Settings, learners, worlds};
use goalward_lab::layout::{self, Layout};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Opens a built-in world or a file.
#[pyfunction]
#[pyo3(signature = (world, **params))]
pub(crate) fn open_world(py: Python, world: &str, params: Option<&Bound<PyDict>>) -> PyResult<PyProblem> {
    let given = settings(params)?;
    let world = world.to_string();
    let (instance, world, all) = leaving(py, move || -> goalward::Result<_> {
        let (world, own) = worlds::named(&world)?;
        let all = own.and(&given)?;
        Ok((worlds::open(&world, &all)?, world, all))
    })?;
    Ok(PyProblem::new(&world, all, instance))
}

/// Opens a file.
#[pyfunction]
#[pyo3(signature = (path, **params))]
pub(crate) fn open_path(py: Python, path: PathBuf, params: Option<&Bound<PyDict>>) -> PyResult<PyProblem> {
    let given = settings(params)?;
    let name = path.display().to_string();
    let settings = given.clone();
    let opened = leaving(py, move || worlds::open_file(&path, &settings))?;
    Ok(PyProblem::new(&name, given, opened))
}

/// Opens what a file holds; `name` is what errors call it. With `origin` the problem is called
/// that, and these are its world's parameters.
#[pyfunction]
#[pyo3(signature = (content, name, params, origin=None))]
pub(crate) fn open_bytes(
    py: Python,
    content: &[u8],
    name: &str,
    params: &Bound<PyDict>,
    origin: Option<Vec<(String, String)>>,
) -> PyResult<PyProblem> {
    let given = settings(Some(params))?;
    let (content, called, settings) = (content.to_vec(), name.to_string(), given.clone());
    let instance = leaving(py, move || worlds::open_bytes(content, &called, &settings))?;
    let params = match origin {
        Some(pairs) => pairs.iter().fold(Settings::new(), |all, (key, value)| all.set(key, value)),
        None => given,
    };
    Ok(PyProblem::new(name, params, instance))
}

/// The registry of worlds, as a list of dictionaries.
#[pyfunction]
pub(crate) fn worlds_json(py: Python) -> PyResult<Bound<PyAny>> {
    to_python(py, &worlds::WORLDS)
}

/// The registry of learners, as a list of dictionaries.
#[pyfunction]
pub(crate) fn learners_json(py: Python) -> PyResult<Bound<PyAny>> {
    to_python(py, &learners::all())
}

/// The id of the learner that is recommended for these settings.
#[pyfunction]
#[pyo3(signature = (**given))]
pub(crate) fn recommended(given: Option<&Bound<PyDict>>) -> PyResult<&'static str> {
    Ok(learners::recommended(&settings(given)?).id)
}

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
