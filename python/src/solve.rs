//! Planning on a known model, with certified bounds.

use crate::errors::{Told, refused};
use crate::problem::{PyProblem, read_only};
use crate::watch::{Tally, watched};
use goalward::plan::{self, Answer, Objective, Options, Way, verify};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Solves a problem whose theta is known; all that it finds, by name.
#[pyfunction]
#[pyo3(signature = (problem, objective, precision, way))]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    problem: &Bound<'py, PyProblem>,
    objective: &str,
    precision: Option<f64>,
    way: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let options = Options {
        objective: match objective {
            "min" => Objective::Min,
            "max" => Objective::Max,
            "reach" => Objective::Reach,
            other => return Err(choice("objective", other, "min, max or reach")),
        },
        way: match way {
            "auto" => Way::Auto,
            "exact" => Way::Exact,
            "fast" => Way::Fast,
            other => return Err(choice("way", other, "auto, exact or fast")),
        },
        precision,
        ..Options::default()
    };
    if let Some(bad) = precision.filter(|x| !(*x > 0.0 && *x < 1.0)) {
        return Err(refused(
            "SettingError",
            format!("precision={bad}: expected a number between 0 and 1"),
            None,
        ));
    }
    let this = problem.get();
    let truth = this.instance.truth().map_err(Told::told)?;
    let solved = watched(py, &Tally::new(), None, || {
        let answer = plan::solve(this.problem(), truth, &options)?;
        let flaw = verify(this.problem(), truth, &answer).err().map(|flaw| flaw.to_string());
        Ok((answer, flaw))
    })?;
    let (answer, flaw) = solved.map_err(|error: goalward::Error| error.told())?;
    told(py, this, answer, flaw)
}

fn choice(key: &str, value: &str, choices: &str) -> PyErr {
    refused("SettingError", format!("{key}={value:?}: expected {choices}"), None)
}

fn told<'py>(
    py: Python<'py>,
    problem: &PyProblem,
    answer: Answer,
    flaw: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let (start, goal) = (answer.start, problem.problem().goal());
    dict.set_item("value", answer.value())?;
    dict.set_item("lower", answer.lower[start])?;
    dict.set_item("upper", answer.upper[start])?;
    dict.set_item("width", answer.width())?;
    dict.set_item("b_star", answer.b_star)?;
    dict.set_item("t_star", answer.t_star)?;
    dict.set_item("reach_probability", answer.reach_probability)?;
    dict.set_item("flaw", flaw)?;
    let lost = |s: usize| answer.is_lost(s) || s == goal;
    let policy =
        answer.policy.iter().enumerate().map(|(s, &a)| if lost(s) { -1 } else { a as i64 }).collect();
    dict.set_item("policy", read_only(PyArray1::<i64>::from_vec(py, policy))?)?;
    let q = if answer.q.is_empty() { None } else { Some(problem.by_state(py, &answer.q)?) };
    dict.set_item("q", q)?;
    dict.set_item("lost", read_only(PyArray1::from_vec(py, answer.lost))?)?;
    // the arrays of the answer become those of Python
    for (name, numbers) in [
        ("values", answer.v),
        ("lower_values", answer.lower),
        ("upper_values", answer.upper),
        ("steps", answer.steps),
    ] {
        dict.set_item(name, read_only(PyArray1::from_vec(py, numbers))?)?;
    }
    Ok(dict)
}
