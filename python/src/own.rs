//! A learner that is written in Python.

use crate::gate::inside;
use goalward::learners::{Algorithm, Clock, Probe, Seen, Snapshot};
use goalward::problem::{Action, Pair, State};
use goalward::{Error, Learner, Problem, Result, Transition};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// What a learner in Python has raised: the loop cannot hand it on itself.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// What was raised, if anything was.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether anything was raised.
    pub(crate) fn is_some(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// A learner around a Python object with `act`, `observe` and perhaps `end_episode`.
pub(crate) fn learner(
    label: &str,
    object: Py<PyAny>,
    problem: &Arc<Problem>,
    raised: &Raised,
) -> Result<Learner> {
    Learner::of(label, problem, Box::new(Own { object, raised: raised.clone() }))
}

struct Own {
    object: Py<PyAny>,
    raised: Raised,
}

impl Own {
    /// Calls something; what it raises is kept.
    fn call<T>(&self, work: impl FnOnce(&Bound<PyAny>) -> PyResult<T>) -> Option<T> {
        if self.raised.is_some() {
            return None;
        }
        let called = inside(|py| work(self.object.bind(py)));
        called.map_err(|error| self.raised.keep(error)).ok()
    }
}

impl Algorithm for Own {
    fn act(&mut self, s: State) -> Action {
        // no state has so many: the loop stops, and what was raised is told
        self.call(|object| object.call_method1("act", (s,))?.extract()).unwrap_or(Action::MAX)
    }

    fn takes_any_step(&self) -> bool {
        true
    }

    fn observe(&mut self, step: &Transition, _pair: Pair, _now: &Clock) -> Seen {
        let Transition { state, action, cost, next } = *step;
        self.call(|object| object.call_method1("observe", (state, action, cost, next)).map(|_| ()));
        Seen::Counted
    }

    fn end_episode(&mut self) {
        self.call(|object| match object.hasattr("end_episode")? {
            true => object.call_method0("end_episode").map(|_| ()),
            false => Ok(()),
        });
    }

    fn probe(&self, sink: &mut dyn Probe, _now: &Clock) {
        let theta = self.call(|object| match object.hasattr("theta")? {
            true => object.getattr("theta")?.extract::<Option<Vec<f64>>>(),
            false => Ok(None),
        });
        if let Some(Some(theta)) = theta {
            sink.estimate(&theta);
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&())
    }

    fn restore(&mut self, _state: &Snapshot, _now: &Clock) -> Result<()> {
        Err(Error::Checkpoint { reason: "a learner in Python is saved by pickle, not here".into() })
    }
}
