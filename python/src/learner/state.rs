//! What a learner in the user's own loop holds.

use crate::errors::{refused, told};
use crate::own::Raised;
use crate::problem::{PyProblem, read_only};
use crate::watch::{Tally, watched};
use goalward::Learner;
use goalward::episode::Agent;
use goalward::learners::{Observed, Probe, Violation};
use numpy::PyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

pub(super) struct State {
    /// Nothing while a run has it.
    pub(super) agent: Option<Agent>,
    /// The arrays of the last plan, and its number.
    shown: Option<(u64, Py<PyTuple>)>,
    /// What an inner learner in Python raised, if there is one.
    pub(super) raised: Option<Raised>,
}

/// How often the models were contradicted, and by which steps.
#[derive(Default)]
pub(super) struct Report {
    pub(super) violations: u64,
    pub(super) impossible: Vec<Violation>,
}

impl Probe for Report {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn counts(&mut self, _plans: u64, violations: u64) {
        self.violations = violations;
    }
    fn violation(&mut self, violation: &Violation) {
        self.impossible.push(violation.clone());
    }
}

pub(super) fn running() -> PyErr {
    PyRuntimeError::new_err("this learner is running in another thread")
}

impl State {
    pub(super) fn of(agent: Agent) -> State {
        State { agent: Some(agent), shown: None, raised: None }
    }

    pub(super) fn agent(&self) -> PyResult<&Agent> {
        self.agent.as_ref().ok_or_else(running)
    }

    /// The agent, to be saved.
    pub(super) fn saved(&self) -> PyResult<&Agent> {
        match &self.raised {
            None => self.agent(),
            Some(_) => {
                let message = "a learner that guards one in Python is not saved";
                let hint = "guarded@inner=proposals is: give it the actions of your learner";
                Err(refused("FileError", message, Some(hint)))
            }
        }
    }

    pub(super) fn learner(&mut self) -> PyResult<&mut Learner> {
        self.agent.as_mut().map(|agent| &mut agent.learner).ok_or_else(running)
    }

    /// What a call came to: what an inner learner in Python raised goes first.
    pub(super) fn heard<T>(&self, outcome: PyResult<T>) -> PyResult<T> {
        self.raised.as_ref().and_then(Raised::take).map_or(outcome, Err)
    }

    pub(super) fn report(&mut self) -> PyResult<Report> {
        let mut report = Report::default();
        self.learner()?.probe(&mut report);
        Ok(report)
    }

    /// The arrays of the last plan, made once for each plan.
    pub(super) fn shown<'py>(
        &mut self,
        py: Python<'py>,
        problem: &PyProblem,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let learner = self.learner()?;
        caught_up(py, learner)?;
        let (plans, steps) = (learner.clock().j, learner.clock().t);
        // the values of a learner without plans change with every step
        let planned = plans > 0 && learner.last_plan().is_some();
        let now = if planned { plans } else { u64::MAX - steps };
        if let Some((then, shown)) = &self.shown
            && *then == now
        {
            return Ok(shown.bind(py).clone());
        }
        let shown = arrays(py, problem, self.learner()?)?;
        self.shown = Some((now, shown.clone().unbind()));
        Ok(shown)
    }
}

/// Makes the plan that is owed; Ctrl-C cuts it off, and it stays owed.
pub(super) fn caught_up(py: Python, learner: &mut Learner) -> PyResult<Observed> {
    if !learner.owes() {
        return Ok(Observed::Updated);
    }
    let tally = Tally::new();
    learner.heed(tally.halt());
    watched(py, &tally, None, || learner.catch_up())
}

/// Values, Q and policy of the last plan, as far as there are any.
fn arrays<'py>(py: Python<'py>, problem: &PyProblem, learner: &Learner) -> PyResult<Bound<'py, PyTuple>> {
    let known = problem.problem();
    let value = |s| learner.value(s).map_err(told);
    let values: Option<Vec<f64>> = (0..known.states()).map(value).collect::<PyResult<_>>()?;
    let values = values.map(|values| read_only(PyArray1::from_vec(py, values))).transpose()?;
    let mut q = Vec::with_capacity(known.pairs());
    let mut policy = Vec::with_capacity(known.states());
    for s in 0..known.states() {
        let mut best: Option<(usize, f64)> = None;
        for a in 0..known.actions(s) {
            let Some(cost) = learner.q(s, a).map_err(told)? else { continue };
            q.push(cost);
            if best.is_none_or(|(_, least)| cost < least) {
                best = Some((a, cost));
            }
        }
        policy.push(best.filter(|_| s != known.goal()).map_or(-1, |(a, _)| a as i64));
    }
    if q.len() < known.pairs() {
        return (values, py.None(), py.None()).into_pyobject(py);
    }
    (values, problem.by_state(py, &q)?, read_only(PyArray1::from_vec(py, policy))?).into_pyobject(py)
}
