//! Long work: on threads of its own and without Python's lock, while the calling thread reports
//! progress and listens for Ctrl-C and for the end of the interpreter.

use crate::errors::{panicked, told};
use crate::gate::{ended, ending, inside, pooled, without_lock};
use goalward::plan::Halt;
use goalward_lab::Progress;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How often signals are looked for.
const LISTEN: Duration = Duration::from_millis(50);

/// The progress of some work, and whether it should stop.
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

/// Looks for signals and calls back: an error is raised in the calling thread.
fn listen(progress: impl FnOnce(Python) -> PyResult<()>) -> PyResult<()> {
    if ending() {
        return Err(ended());
    }
    inside(|py| py.check_signals().and_then(|()| progress(py)))
}

/// Whether a thread still works after a while: it drops the sender at its end.
fn works(working: &Receiver<()>) -> bool {
    working.recv_timeout(LISTEN) == Err(RecvTimeoutError::Timeout)
}

/// Does some work on another thread. `progress(done)` is called now and then; what it raises, and
/// Ctrl-C, stops the work and is raised here.
pub(crate) fn watched<T: Send>(
    py: Python,
    tally: &Tally,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let tell = |py: Python| match progress {
        Some(tell) => tell.call1(py, (tally.done.load(Ordering::Relaxed),)).map(drop),
        None => Ok(()),
    };
    let (outcome, stopped) = without_lock(py, || {
        std::thread::scope(|scope| {
            let (end, working) = channel();
            let worker = scope.spawn(move || {
                let _end = end;
                pooled(work)
            });
            let mut stopped = None;
            while works(&working) {
                if stopped.is_none()
                    && let Err(error) = listen(tell)
                {
                    tally.halt.ask();
                    stopped = Some(error);
                }
            }
            (worker.join(), stopped)
        })
    })?;
    if let Some(error) = stopped {
        return Err(error);
    }
    let value = outcome.map_err(panicked)?;
    tell(py)?;
    Ok(value)
}

/// Does some work on another thread that cannot be stopped. Ctrl-C is raised here at once, and the
/// result of the work is dropped.
pub(crate) fn leaving<T: Send + 'static, E: Into<goalward_lab::Error> + Send + 'static>(
    py: Python,
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> PyResult<T> {
    let outcome = without_lock(py, move || -> PyResult<_> {
        let (end, working) = channel();
        let worker = std::thread::spawn(move || {
            let _end = end;
            pooled(work)
        });
        while works(&working) {
            listen(|_| Ok(()))?;
        }
        Ok(worker.join())
    })??;
    outcome.map_err(panicked)?.map_err(told)
}
