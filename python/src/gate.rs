//! The way out of Python's lock and back. No thread returns to an interpreter that is ending, and a
//! forked child waits for no thread of its parent.
//!
//! Locks of this crate are taken under Python's lock and released before it is, or only tried. A
//! fork happens under Python's lock, so a child finds none of them locked for ever.

use crate::errors::panicked;
use numpy::PyArrayMethods;
use pyo3::exceptions::PySystemExit;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// How long the end of the interpreter waits for threads without the lock.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it waits for threads in Python code, such as `act` of a user's learner. Before Python
/// 3.14 a thread that takes the lock later is torn down, and the process with it.
const CALLS: Duration = Duration::from_secs(60);
/// The time between two looks.
const LOOK: Duration = Duration::from_millis(1);

/// The threads without the lock that will take it again.
static OUT: AtomicUsize = AtomicUsize::new(0);
/// Those of them that run Python code meanwhile.
static CALLED: AtomicUsize = AtomicUsize::new(0);
/// The threads that are about to take the lock.
static COMING: AtomicUsize = AtomicUsize::new(0);
/// The thread that ends the interpreter.
static ENDER: OnceLock<ThreadId> = OnceLock::new();
/// Whether no other thread may take the lock any more.
static SHUT: AtomicBool = AtomicBool::new(false);
/// The number of forks between the process that loaded this crate and this one.
static FORKS: AtomicUsize = AtomicUsize::new(0);
/// Idle pools of a forked child.
static IDLE: Mutex<Vec<ThreadPool>> = Mutex::new(Vec::new());

/// Registers for the end of the interpreter, and for forks.
pub(crate) fn watch(module: &Bound<PyModule>) -> PyResult<()> {
    let py = module.py();
    // numpy is imported here: Ctrl-C during its import in the first call would be a panic
    numpy::PyArray1::<f64>::zeros(py, 0, false).try_readonly()?;
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(end, py)?,))?;
    // there is no fork on Windows
    if let Ok(register) = py.import("os")?.getattr("register_at_fork") {
        let heard = [("after_in_child", wrap_pyfunction!(forked, py)?)];
        register.call((), Some(&pyo3::types::IntoPyDict::into_py_dict(heard, py)?))?;
    }
    Ok(())
}

/// Waits for the threads without the lock, and shuts the gate. A thread that took the lock of an
/// ending interpreter would be torn down in the middle of its work, and the process with it.
///
/// A nested interpreter may end after the outer one has begun to. A thread that releases the lock
/// then never gets it again.
#[pyfunction]
fn end(py: Python) -> PyResult<()> {
    ENDER.get_or_init(|| thread::current().id());
    if py.import("sys")?.call_method0("is_finalizing")?.is_truthy()? {
        SHUT.store(true, SeqCst);
        return Ok(());
    }
    let (began, mut waits) = (Instant::now(), Instant::now());
    let mut heard = Ok(());
    while heard.is_ok() && OUT.load(SeqCst) > 0 && waits.elapsed() < PATIENCE {
        py.detach(|| thread::sleep(LOOK));
        if CALLED.load(SeqCst) > 0 && began.elapsed() < CALLS {
            waits = Instant::now();
        }
        // Ctrl-C ends the waiting
        heard = py.check_signals();
    }
    SHUT.store(true, SeqCst);
    py.detach(|| {
        while COMING.load(SeqCst) > 0 {
            thread::sleep(LOOK);
        }
    });
    heard
}

/// Forgets the threads that stayed with the parent.
#[pyfunction]
fn forked() {
    FORKS.fetch_add(1, SeqCst);
    OUT.store(0, SeqCst);
    CALLED.store(0, SeqCst);
    COMING.store(0, SeqCst);
    if let Ok(mut idle) = IDLE.try_lock() {
        std::mem::take(&mut *idle).into_iter().for_each(std::mem::forget);
    }
}

/// The number of this process among those that were forked.
pub(crate) fn process() -> usize {
    FORKS.load(SeqCst)
}

/// Whether another thread is ending the interpreter.
pub(crate) fn ending() -> bool {
    ENDER.get().is_some_and(|ender| *ender != thread::current().id())
}

/// Whether any thread is ending the interpreter.
pub(crate) fn closing() -> bool {
    ENDER.get().is_some()
}

/// The exception for a call while the interpreter is ending: it ends a thread quietly.
pub(crate) fn ended() -> PyErr {
    PySystemExit::new_err("Python is ending")
}

/// A fork may have set the count to 0 meanwhile.
fn one_less(count: &AtomicUsize) {
    let _ = count.fetch_update(SeqCst, SeqCst, |n| n.checked_sub(1));
}

/// Comes before Python's lock is taken; does not return once the gate is shut. `come` must follow.
fn come_back() {
    COMING.fetch_add(1, SeqCst);
    if SHUT.load(SeqCst) && ending() {
        come();
        loop {
            thread::park();
        }
    }
}

/// Comes after Python's lock was taken.
fn come() {
    one_less(&COMING);
}

/// Releases Python's lock during some work. A panic becomes an error.
pub(crate) fn without_lock<T: Send>(py: Python, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    if ending() {
        return Err(ended());
    }
    OUT.fetch_add(1, SeqCst);
    let done = py.detach(|| {
        let done = catch_unwind(AssertUnwindSafe(work));
        come_back();
        done
    });
    come();
    one_less(&OUT);
    done.map_err(panicked)
}

/// Does short work of the library without Python's lock.
pub(crate) fn outside<T: Send>(py: Python, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    without_lock(py, || pooled(work))
}

/// Takes Python's lock again for a moment.
pub(crate) fn inside<T>(work: impl FnOnce(Python) -> T) -> T {
    come_back();
    CALLED.fetch_add(1, SeqCst);
    let done = Python::attach(|py| {
        come();
        work(py)
    });
    one_less(&CALLED);
    done
}

/// Does work of the library on its threads. A forked child has pools of its own: the threads of the
/// library's pool stayed with the parent.
pub(crate) fn pooled<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if process() == 0 || rayon::current_thread_index().is_some() {
        return work();
    }
    let idle = IDLE.try_lock().ok().and_then(|mut idle| idle.pop());
    let pool = idle.unwrap_or_else(|| ThreadPoolBuilder::new().build().expect("threads for a forked child"));
    let done = pool.install(work);
    if let Ok(mut idle) = IDLE.try_lock() {
        idle.push(pool);
    }
    done
}
