//! The way out of Python's lock and back. Nobody comes back to an interpreter that is ending, and
//! nobody in a forked child waits for threads that stayed with its parent.
//!
//! Locks of this crate are taken under Python's lock and given up before it is, or only tried:
//! whoever forks holds Python's lock, so a child finds none of them taken for ever.

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

/// The end of the interpreter waits so long for threads that are out.
const PATIENCE: Duration = Duration::from_secs(5);
/// And so long for those in a call of Python's own, such as `act` of a user's learner. Before Python
/// 3.14 a thread that comes back later is torn down, and the process with it.
const CALLS: Duration = Duration::from_secs(60);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(1);

/// How many threads are out, and mean to come back.
static OUT: AtomicUsize = AtomicUsize::new(0);
/// How many of them are in a call of Python's own.
static CALLED: AtomicUsize = AtomicUsize::new(0);
/// How many are about to take Python's lock.
static COMING: AtomicUsize = AtomicUsize::new(0);
/// The thread that ends the interpreter, as soon as it does.
static ENDER: OnceLock<ThreadId> = OnceLock::new();
/// Nobody else may come back any more.
static SHUT: AtomicBool = AtomicBool::new(false);
/// How many forks lie between the process that loaded this crate and this one.
static FORKS: AtomicUsize = AtomicUsize::new(0);
/// Pools of a forked child that nobody works in.
static IDLE: Mutex<Vec<ThreadPool>> = Mutex::new(Vec::new());

/// Hears of the end of the interpreter, and of forks.
pub(crate) fn watch(module: &Bound<PyModule>) -> PyResult<()> {
    let py = module.py();
    // Ctrl-C while numpy is looked for would be a panic: that is done here, and not in the first call
    numpy::PyArray1::<f64>::zeros(py, 0, false).try_readonly()?;
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(end, py)?,))?;
    // there is no fork on Windows
    if let Ok(register) = py.import("os")?.getattr("register_at_fork") {
        let heard = [("after_in_child", wrap_pyfunction!(forked, py)?)];
        register.call((), Some(&pyo3::types::IntoPyDict::into_py_dict(heard, py)?))?;
    }
    Ok(())
}

/// Sends everybody back who is out, and shuts the gate. A thread that came to an interpreter that is
/// ending would be torn down in the middle of its work, and the process with it.
///
/// An interpreter within another may end after the outer one has begun to: a thread that gives the
/// lock up then never has it again.
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

/// Which process this is among those that were forked.
pub(crate) fn process() -> usize {
    FORKS.load(SeqCst)
}

/// Whether the interpreter is ending, and not for the thread that ends it.
pub(crate) fn ending() -> bool {
    ENDER.get().is_some_and(|ender| *ender != thread::current().id())
}

/// Whether the interpreter is ending, for whomever.
pub(crate) fn closing() -> bool {
    ENDER.get().is_some()
}

/// What a thread is told that calls while the interpreter is ending: threads end quietly with it.
pub(crate) fn ended() -> PyErr {
    PySystemExit::new_err("Python is ending")
}

/// A thread that is out, or in work that Python does for us: the end of the interpreter waits for
/// it.
pub(crate) struct Out;

impl Out {
    pub(crate) fn new() -> PyResult<Out> {
        if ending() {
            return Err(ended());
        }
        OUT.fetch_add(1, SeqCst);
        Ok(Out)
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        one_less(&OUT);
    }
}

/// A fork may have set the count to 0 meanwhile.
fn one_less(count: &AtomicUsize) {
    let _ = count.fetch_update(SeqCst, SeqCst, |n| n.checked_sub(1));
}

/// Before Python's lock is taken; does not return once the gate is shut. `come` must follow.
fn come_back() {
    COMING.fetch_add(1, SeqCst);
    if SHUT.load(SeqCst) && ending() {
        come();
        loop {
            thread::park();
        }
    }
}

/// Python's lock was taken.
fn come() {
    one_less(&COMING);
}

/// Gives Python's lock up while something is done. A panic becomes an error.
pub(crate) fn without_lock<T: Send>(py: Python, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let _out = Out::new()?;
    let done = py.detach(|| {
        let done = catch_unwind(AssertUnwindSafe(work));
        come_back();
        done
    });
    come();
    done.map_err(panicked)
}

/// Does work of the library without Python's lock: work that is short.
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

/// Does work of the library where its threads are. In a forked child that is a pool of its own:
/// those of the library's own pool stayed with the parent.
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
