//! What is said as soon as no mixture of the models explains the data.

use crate::errors::warned;
use goalward::episode::Agent;
use goalward::learners::OnMisfit;
use pyo3::prelude::*;

/// Warns, unless the user said what else to do. A filter may make an error of it: the step counts.
pub(super) fn warn(py: Python, agent: &Agent) -> PyResult<()> {
    if agent.spec().vigilance.on_misfit != OnMisfit::Warn {
        return Ok(());
    }
    let text = agent.learner.misfit().map(|misfit| misfit.text).unwrap_or_default();
    warned(py, &format!("no mixture of the models explains the data: {text}"))
}
