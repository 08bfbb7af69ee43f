//! Long work: on threads of its own and without Python's lock, while this one tells how far it is
//! and listens for Ctrl-C, and for the end of the interpreter.

use crate::errors::{Told, panicked};
use crate::gate::{ended, ending, inside, pooled, without_lock};
use goalward::plan::Halt;
use goalward_lab::Progress;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How often signals are looked for.
const LISTEN: Duration = Duration::from_millis(50);

/// How far some work is, and whether it should stop.
pub(crate) struct Tally {
    done: AtomicU64,
    halt: Halt,
}

impl Tally {
    pub(crate) fn new() -> Tally {
        Tally { done: AtomicU64::new(0), halt: Halt::new() }
    }

    pub(crate) fn halt(&self) -> &Halt {
        &self.halt
    }

    /// Whether the work should stop.
    pub(crate) fn stopped(&self) -> bool {
        self.halt.asked()
    }
}

impl Progress for Tally {
    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn halt(&self) -> Halt {
        self.halt.clone()
    }
}

/// Looks for signals and calls back: an error is raised in the thread that called.
fn listen(progress: impl FnOnce(Python) -> PyResult<()>) -> PyResult<()> {
    if ending() {
        return Err(ended());
    }
    inside(|py| py.check_signals().and_then(|()| progress(py)))
}

/// Does some work on another thread. `progress(done)` is called now and then; what it raises, and
/// Ctrl-C, stops the work and is raised here.
pub(crate) fn watched<T: Send>(
    py: Python,
    tally: &Tally,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (outcome, stopped) = without_lock(py, || {
        std::thread::scope(|scope| {
            let (tell, told) = channel();
            scope.spawn(move || {
                let outcome = catch_unwind(AssertUnwindSafe(|| pooled(work)));
                let _ = tell.send(outcome);
            });
            let mut stopped = None;
            loop {
                match told.recv_timeout(LISTEN) {
                    Ok(outcome) => return (Some(outcome), stopped),
                    Err(RecvTimeoutError::Disconnected) => return (None, stopped),
                    Err(RecvTimeoutError::Timeout) if stopped.is_some() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        let done = tally.done.load(Ordering::Relaxed);
                        let heard =
                            listen(|py| progress.map_or(Ok(()), |tell| tell.call1(py, (done,)).map(|_| ())));
                        if let Err(error) = heard {
                            tally.halt.ask();
                            stopped = Some(error);
                        }
                    }
                }
            }
        })
    })?;
    match (stopped, outcome) {
        (Some(error), _) => Err(error),
        (None, Some(Ok(value))) => {
            if let Some(tell) = progress {
                tell.call1(py, (tally.done.load(Ordering::Relaxed),))?;
            }
            Ok(value)
        }
        (None, Some(Err(panic))) => Err(panicked(panic)),
        (None, None) => Err(panicked(Box::new("a thread is gone"))),
    }
}

/// Does some work on another thread that cannot be stopped. Ctrl-C is raised here at once, and the
/// result of the work is dropped.
pub(crate) fn leaving<T: Send + 'static, E: Told + Send + 'static>(
    py: Python,
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> PyResult<T> {
    let heard = without_lock(py, move || -> PyResult<Option<_>> {
        let (tell, told) = channel();
        std::thread::spawn(move || {
            // after Ctrl-C the receiver is gone
            let _ = tell.send(catch_unwind(AssertUnwindSafe(|| pooled(work))));
        });
        loop {
            match told.recv_timeout(LISTEN) {
                Ok(outcome) => return Ok(Some(outcome)),
                Err(RecvTimeoutError::Timeout) => listen(|_| Ok(()))?,
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    })?;
    match heard? {
        Some(outcome) => outcome.map_err(panicked)?.map_err(Told::told),
        None => Err(panicked(Box::new("a thread is gone"))),
    }
}
