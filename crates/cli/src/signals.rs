//! Ctrl-C and SIGTERM.
//!
//! A run listens for Ctrl-C: the first asks the work to stop at the next safe place, the second
//! stops at once. A session that may be waiting for input has a thread that waits for signals,
//! saves, and ends the process. They are blocked in all other threads, so that nothing is
//! interrupted.

use crate::exit::{self, Outcome};
use goalward::episode::{Episode, Flow, Observer, Step, Stop};
use goalward::plan::Halt;
#[cfg(unix)]
use nix::sys::signal::{SigSet, Signal};

/// Listens from now on. Before that Ctrl-C ends the process: there is nothing yet to keep.
pub(crate) fn listen(halt: &Halt) -> anyhow::Result<()> {
    let halt = halt.clone();
    Ok(ctrlc::set_handler(move || {
        if halt.asked() {
            std::process::exit(Outcome::Interrupted as i32);
        }
        halt.ask();
        exit::note("stopping at the next safe place; Ctrl-C again stops at once");
    })?)
}

/// Pauses a run at Ctrl-C, and at regular numbers of steps.
pub(crate) struct Pause<'a> {
    pub(crate) every: Option<u64>,
    pub(crate) halt: &'a Halt,
}

impl Observer for Pause<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        let due = self.every.is_some_and(|every| step.t.is_multiple_of(every));
        if due || self.halt.asked() { Flow::Break(Stop) } else { Flow::Continue(()) }
    }

    // a world whose start is its goal has episodes without a step
    fn episode(&mut self, _: &Episode) -> Flow {
        if self.halt.asked() { Flow::Break(Stop) } else { Flow::Continue(()) }
    }
}

#[cfg(unix)]
fn both() -> SigSet {
    [Signal::SIGINT, Signal::SIGTERM].into_iter().collect()
}

/// Blocks them in this thread and in those that it starts; to be called before there are any.
#[cfg(unix)]
pub(crate) fn hold() -> anyhow::Result<()> {
    Ok(both().thread_block()?)
}

/// Calls `act` at a signal, with the exit code of shells; a second one ends the process at once.
#[cfg(unix)]
pub(crate) fn watch(act: impl FnOnce(i32) + Send + 'static) {
    let next = || both().wait().map(|signal| 128 + signal as i32);
    std::thread::spawn(move || {
        let Ok(code) = next() else { return };
        std::thread::spawn(move || {
            if let Ok(code) = next() {
                std::process::exit(code);
            }
        });
        act(code);
    });
}

/// Ctrl-C is not blocked where there are no signals.
#[cfg(not(unix))]
pub(crate) fn hold() -> anyhow::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn watch(act: impl FnOnce(i32) + Send + 'static) {
    let mut act = Some(act);
    // without a handler Ctrl-C ends the process at once
    let _ = ctrlc::set_handler(move || {
        if let Some(act) = act.take() {
            act(130);
        }
    });
}
