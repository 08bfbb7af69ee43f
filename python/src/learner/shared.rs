//! What one thread at a time may use.

use crate::gate::{process, without_lock};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// How soon it is looked whether the other thread is done, and how often it is looked later.
const LOOKS: [Duration; 2] = [Duration::from_micros(30), Duration::from_millis(1)];

/// Something that a thread uses without Python's lock, while others wait for it.
pub(super) struct Shared<T> {
    held: Mutex<T>,
    /// The process and the thread that used it last.
    by: Mutex<Option<(usize, ThreadId)>>,
    /// How many wait for it.
    waiting: AtomicUsize,
}

impl<T: Send> Shared<T> {
    pub(super) fn new(value: T) -> Shared<T> {
        Shared { held: Mutex::new(value), by: Mutex::new(None), waiting: AtomicUsize::new(0) }
    }

    /// Waits for it without Python's lock. An error if that would be for ever: in a signal handler
    /// above the very call that uses it, and in a child that was forked while another thread did.
    pub(super) fn lock(&self, py: Python) -> PyResult<MutexGuard<'_, T>> {
        let me = (process(), thread::current().id());
        let last = *self.by();
        // its last user lets others go first: a loop that observes would have it all the time
        if (last != Some(me) || self.waiting.load(Relaxed) == 0)
            && let Some(held) = self.try_lock(me)?
        {
            return Ok(held);
        }
        self.waiting.fetch_add(1, Relaxed);
        let [mut look, longest] = LOOKS;
        let held = loop {
            let waited = without_lock(py, || thread::sleep(look)).and_then(|()| py.check_signals());
            if let Some(held) = waited.and_then(|()| self.try_lock(me)).transpose() {
                break held;
            }
            look = longest.min(2 * look);
        };
        self.waiting.fetch_sub(1, Relaxed);
        held
    }

    fn by(&self) -> MutexGuard<'_, Option<(usize, ThreadId)>> {
        self.by.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_lock(&self, me: (usize, ThreadId)) -> PyResult<Option<MutexGuard<'_, T>>> {
        let held = match self.held.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(held)) => held.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let (forks, thread) = self.by().unwrap_or(me);
                refuse(forks != me.0, "was at work in another thread when this process was forked")?;
                refuse(thread == me.1, "is at work in this very thread")?;
                return Ok(None);
            }
        };
        if self.by().replace(me).is_some_and(|(forks, _)| forks != me.0) {
            // waiting threads stayed with the parent
            self.waiting.store(0, Relaxed);
        }
        Ok(Some(held))
    }
}

fn refuse(is_so: bool, why: &str) -> PyResult<()> {
    match is_so {
        true => Err(PyRuntimeError::new_err(format!("this learner {why}"))),
        false => Ok(()),
    }
}
