//! The mixture from logged transitions.

use crate::errors::{refused, to_python};
use crate::problem::PyProblem;
use crate::watch::leaving;
use goalward::offline::Fitter;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use serde_json::json;

/// Fits transitions, in the order of time; the result, by name. `policy` has an action for
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
) -> PyResult<Bound<'py, PyAny>> {
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
        let message = format!("states, actions and nexts have lengths {lengths}");
        return Err(refused("MisuseError", message, None));
    }
    let (found, policy, range) = leaving(py, move || -> goalward::Result<_> {
        let mut fitter = Fitter::new(&known, delta)?;
        for ((&state, &action), &next) in states.iter().zip(&actions).zip(&nexts) {
            fitter.step(state, action, next)?;
        }
        let mut fit = fitter.finish();
        let policy = policy.or_else(|| fit.policy()).filter(|_| !fit.contradiction);
        let range = policy.as_ref().map(|policy| fit.range(policy)).transpose()?;
        let range = range.map(|range| (range.fitted, range.lower, range.upper, range.trapped));
        let found = json!({
            "rows": fit.rows, "contradiction": fit.contradiction, "weights": fit.weights,
            "impossible_rows": fit.impossible_rows, "impossible": fit.impossible, "misfit": fit.misfit,
        });
        Ok((found, policy.filter(|_| !given), range))
    })?;
    let found = to_python(py, &found)?;
    found.set_item("policy", policy)?;
    found.set_item("value", range)?;
    Ok(found)
}
