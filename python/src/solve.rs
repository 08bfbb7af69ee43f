//! Planning on a known model, with certified bounds.

use crate::errors::{refused, told};
use crate::problem::{PyProblem, read_only};
use crate::watch::leaving;
use goalward::Problem;
use goalward::plan::{self, Answer, Objective, Options, Way, verify};
use goalward::problem::Truth;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Solves a problem whose theta is known; all that it finds, by name.
#[pyfunction]
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
        let message = format!("precision={bad}: expected a number between 0 and 1");
        return Err(refused("SettingError", message, None));
    }
    let this = problem.get();
    let (known, truth) = (this.problem().clone(), this.instance.truth().map_err(told)?.clone());
    let (answer, checked) = leaving(py, move || -> goalward::Result<_> {
        let answer = plan::solve(&known, &truth, &options)?;
        let checked = check(&known, &truth, &answer)?;
        Ok((answer, checked))
    })?;
    found(py, this, answer, checked)
}

/// How the bounds were checked, or what is wrong with them. Those of the fast way are checked one
/// inequality at a time. Those of the exact way are too close together for that: they must agree
/// with bounds of the fast way that pass.
fn check(
    problem: &Problem,
    truth: &Truth,
    answer: &Answer,
) -> goalward::Result<Result<&'static str, String>> {
    let flaw = match verify(problem, truth, answer) {
        Ok(()) => return Ok(Ok("inequalities")),
        Err(flaw) => flaw.to_string(),
    };
    if answer.objective != Objective::Min {
        return Ok(Err(flaw));
    }
    let other = plan::solve(problem, truth, &Options::fast(Objective::Min, 1e-8))?;
    if let Err(flaw) = verify(problem, truth, &other) {
        return Ok(Err(flaw.to_string()));
    }
    let apart = |&s: &usize| other.lower[s] > answer.upper[s] || answer.lower[s] > other.upper[s];
    Ok(match (0..problem.states()).find(apart) {
        None => Ok("bounds that passed their inequalities"),
        Some(s) => Err(format!("state {s}: two ways to solve it disagree")),
    })
}

fn choice(key: &str, value: &str, choices: &str) -> PyErr {
    refused("SettingError", format!("{key}={value:?}: expected {choices}"), None)
}

fn found<'py>(
    py: Python<'py>,
    problem: &PyProblem,
    answer: Answer,
    checked: Result<&str, String>,
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
    dict.set_item("checked_by", checked.as_ref().ok())?;
    dict.set_item("flaw", checked.err())?;
    let lost = |s: usize| answer.is_lost(s) || s == goal;
    let policy =
        answer.policy.iter().enumerate().map(|(s, &a)| if lost(s) { -1 } else { a as i64 }).collect();
    dict.set_item("policy", read_only(PyArray1::<i64>::from_vec(py, policy))?)?;
    let q = if answer.q.is_empty() { None } else { Some(problem.by_state(py, &answer.q)?) };
    dict.set_item("q", q)?;
    dict.set_item(
        "lost",
        read_only(PyArray1::from_vec(py, answer.lost.iter().map(|&s| s as i64).collect()))?,
    )?;
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
