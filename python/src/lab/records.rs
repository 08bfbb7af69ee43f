//! The records of a study, and what they say.

use crate::errors::{to_python, told};
use crate::watch::leaving;
use goalward_lab::analysis::analyse;
use goalward_lab::results::Column;
use goalward_lab::store::{StudyFolder, Values, load, merge, read_columns, status, table_paths};
use goalward_lab::study::{self, SHIPPED, STARTER};
use goalward_lab::{Result, present};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;

#[pyfunction]
pub(crate) fn studies(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let about = |name: &str| -> Result<Value> {
        let study = study::read_shipped(name, false)?.study;
        let (worlds, learners, seeds) = (study.worlds.len(), study.learners.len(), study.seeds.len());
        Ok(json!({
            "name": name, "title": study.title, "runs": worlds * learners * seeds,
            "worlds": worlds, "learners": learners, "seeds": seeds,
        }))
    };
    let all = SHIPPED.iter().map(|shipped| about(shipped.name)).collect::<Result<Vec<_>>>();
    to_python(py, &all.map_err(told)?)
}

#[pyfunction]
pub(crate) fn study_starter() -> &'static str {
    STARTER
}

#[pyfunction]
pub(crate) fn study_status(py: Python<'_>, folder: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    let status = leaving(py, move || status(&folder, None))?;
    to_python(py, &status)
}

/// Makes summary, figures and report of a folder again; with a study file, with its labels, figures
/// and questions.
#[pyfunction]
pub(crate) fn study_report(py: Python, folder: PathBuf, look: Option<String>) -> PyResult<Vec<PathBuf>> {
    let made = leaving(py, move || {
        let look = look.map(|look| study::read_named(&look, false)).transpose()?.map(|file| file.study);
        present(&StudyFolder::open(&folder)?, look.as_ref())
    })?;
    Ok(made.files)
}

/// Puts parts of a study together; how many jobs were copied.
#[pyfunction]
pub(crate) fn study_merge(py: Python, parts: Vec<PathBuf>, folder: PathBuf) -> PyResult<usize> {
    leaving(py, move || merge(&parts, &folder))
}

/// The summary, findings and failed jobs of a folder.
#[pyfunction]
pub(crate) fn study_read(py: Python<'_>, folder: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    let read = leaving(py, move || -> Result<Value> {
        let results = load(&folder)?;
        let findings = analyse(&results);
        let mut failed = Vec::new();
        for cell in &results.cells {
            let (world, learner) = (&results.study.worlds[cell.world], &results.study.learners[cell.learner]);
            failed.extend(cell.failed.iter().map(|(seed, reason)| {
                json!({
                    "world": world.label, "learner": learner.contender.label,
                    "seed": seed, "reason": reason,
                })
            }));
        }
        Ok(json!({
            "name": results.study.name,
            "title": results.study.title,
            "summary": findings.summary(&results),
            "text": findings.text(),
            "findings": findings.json(&results),
            "failed": failed,
            "complete": results.complete(),
        }))
    })?;
    to_python(py, &read)
}

/// The files of a table, job by job.
#[pyfunction]
pub(crate) fn study_paths(py: Python, folder: PathBuf, table: String) -> PyResult<Vec<PathBuf>> {
    leaving(py, move || table_paths(&folder, &table))
}

/// A table as arrays, job by job.
#[pyfunction]
pub(crate) fn study_columns<'py>(
    py: Python<'py>,
    folder: PathBuf,
    table: String,
) -> PyResult<Bound<'py, PyDict>> {
    let columns = leaving(py, move || read_columns(&folder, &table))?;
    let all = PyDict::new(py);
    for (column, values) in columns {
        all.set_item(column.name, array(py, column, values)?)?;
    }
    Ok(all)
}

/// Text is an array of objects; so are flags where some are missing.
fn array<'py>(py: Python<'py>, column: &Column, values: Values) -> PyResult<Bound<'py, PyAny>> {
    Ok(match values {
        Values::Count(numbers) => PyArray1::from_vec(py, numbers).into_any(),
        Values::Real(numbers) => PyArray1::from_vec(py, numbers).into_any(),
        Values::Text(texts) => {
            // a file's rows have the same texts over and over
            let mut made: HashMap<String, Py<PyAny>> = HashMap::new();
            let mut object = |text: Option<String>| match text {
                None => py.None(),
                Some(text) => {
                    let new = || PyString::new(py, &text).into_any().unbind();
                    made.entry(text.clone()).or_insert_with(new).clone_ref(py)
                }
            };
            PyArray1::from_vec(py, texts.into_iter().map(&mut object).collect()).into_any()
        }
        Values::Flag(flags) if column.optional => {
            let object = |flag: Option<bool>| match flag {
                None => py.None(),
                Some(flag) => PyBool::new(py, flag).to_owned().into_any().unbind(),
            };
            PyArray1::from_vec(py, flags.into_iter().map(object).collect()).into_any()
        }
        Values::Flag(flags) => {
            PyArray1::from_vec(py, flags.into_iter().map(Option::unwrap_or_default).collect()).into_any()
        }
    })
}
