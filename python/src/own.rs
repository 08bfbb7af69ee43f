//! A learner that is written in Python.

use crate::gate::inside;
use goalward::learners::{Algorithm, Clock, Probe, Seen, Snapshot};
use goalward::problem::{Action, Pair, State};
use goalward::{Error, Result, Transition};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The first exception of learners in Python that was not taken yet: the loop itself cannot return it.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn held(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_some(&self) -> bool {
        self.held().is_some()
    }

    pub(crate) fn keep(&self, error: PyErr) {
        self.held().get_or_insert(error);
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.held().take()
    }
}

/// A learner around a Python object with `act`, `observe` and perhaps `end_episode`.
pub(crate) struct Own {
    pub(crate) object: Py<PyAny>,
    pub(crate) raised: Raised,
}

impl Own {
    /// Calls the object, unless it has raised something; an exception is kept.
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
        // an action that no state has stops the loop
        self.call(|object| object.call_method1("act", (s,))?.extract()).unwrap_or(Action::MAX)
    }

    fn takes_any_step(&self) -> bool {
        true
    }

    fn observe(&mut self, step: &Transition, _pair: Pair, _now: &Clock) -> Seen {
        let Transition { state, action, cost, next } = *step;
        self.call(|object| object.call_method1("observe", (state, action, cost, next)).map(drop));
        Seen::Counted
    }

    fn end_episode(&mut self) {
        self.call(|object| match object.hasattr("end_episode")? {
            true => object.call_method0("end_episode").map(drop),
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
