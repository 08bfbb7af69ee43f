//! The mixture from logged transitions.

use crate::errors::{Told, refused};
use crate::problem::PyProblem;
use crate::watch::leaving;
use goalward::offline::{Fit, Fitter};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Fits transitions, in the order of time; all that they say, by name. `policy` has an action for
/// every state, -1 for none; without one the best policy of the fit is taken.
#[pyfunction]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    problem: &Bound<'py, PyProblem>,
    states: PyReadonlyArray1<'py, i64>,
    actions: PyReadonlyArray1<'py, i64>,
    nexts: PyReadonlyArray1<'py, i64>,
    delta: f64,
    policy: Option<PyReadonlyArray1<'py, i64>>,
) -> PyResult<Bound<'py, PyDict>> {
    let known = problem.get().problem().clone();
    let whole = |array: &PyReadonlyArray1<i64>| -> PyResult<Vec<usize>> {
        // a negative number is one that does not exist
        Ok(array.as_slice()?.iter().map(|&x| usize::try_from(x).unwrap_or(usize::MAX)).collect())
    };
    let (states, actions, nexts) = (whole(&states)?, whole(&actions)?, whole(&nexts)?);
    let policy = policy.as_ref().map(whole).transpose()?;
    let given = policy.is_some();
    if states.len() != actions.len() || states.len() != nexts.len() {
        let lengths = format!("{}, {} and {}", states.len(), actions.len(), nexts.len());
        return Err(refused(
            "MisuseError",
            format!("states, actions and nexts have lengths {lengths}"),
            None,
        ));
    }
    let done = leaving(py, move || {
        let mut fitter = Fitter::new(&known, delta)?;
        for ((&state, &action), &next) in states.iter().zip(&actions).zip(&nexts) {
            fitter.step(state, action, next)?;
        }
        let mut fit = fitter.finish();
        let policy = policy.or_else(|| fit.policy()).filter(|_| !fit.contradiction);
        let range = policy.as_ref().map(|policy| fit.range(policy)).transpose()?;
        let range = range.map(|range| (range.fitted, range.lower, range.upper, range.trapped));
        let misfit = serde_json::to_string(&fit.misfit).unwrap_or_default();
        let impossible = serde_json::to_string(&fit.impossible).unwrap_or_default();
        Ok((Plain::of(&fit), policy.filter(|_| !given), range, misfit, impossible))
    })?;
    let (plain, policy, range, misfit, impossible) = done.map_err(|error: goalward::Error| error.told())?;
    let told = PyDict::new(py);
    told.set_item("rows", plain.rows)?;
    told.set_item("contradiction", plain.contradiction)?;
    told.set_item("weights", plain.weights)?;
    told.set_item("intervals", plain.intervals)?;
    told.set_item("hidden", plain.hidden)?;
    told.set_item("impossible_rows", plain.impossible_rows)?;
    let json = py.import("json")?;
    told.set_item("misfit", json.call_method1("loads", (misfit,))?)?;
    told.set_item("impossible", json.call_method1("loads", (impossible,))?)?;
    told.set_item("policy", policy)?;
    told.set_item("value", range)?;
    Ok(told)
}

/// What of a fit is numbers.
struct Plain {
    rows: u64,
    contradiction: bool,
    weights: Vec<f64>,
    intervals: Vec<(f64, f64)>,
    hidden: Vec<bool>,
    impossible_rows: u64,
}

impl Plain {
    fn of(fit: &Fit) -> Plain {
        let end = |x: Option<f64>, none: f64| x.unwrap_or(none);
        Plain {
            rows: fit.rows,
            contradiction: fit.contradiction,
            weights: fit.weights.iter().map(|w| w.weight).collect(),
            intervals: fit
                .weights
                .iter()
                .map(|w| (end(w.low, f64::NEG_INFINITY), end(w.high, f64::INFINITY)))
                .collect(),
            hidden: fit.weights.iter().map(|w| w.hidden).collect(),
            impossible_rows: fit.impossible_rows,
        }
    }
}
