//! Signals that end a process which may be waiting for input: a thread waits for them, saves, and
//! ends it.
//!
//! They are held back in every thread but for that one's waiting: so nothing is interrupted in the
//! middle, and it is known which signal it was.

#[cfg(unix)]
use nix::sys::signal::{SigSet, Signal};

/// Ctrl-C and SIGTERM.
#[cfg(unix)]
fn both() -> SigSet {
    [Signal::SIGINT, Signal::SIGTERM].into_iter().collect()
}

/// Holds them back in this thread and in those that it starts: to be called before there are any,
/// and before [`watch`].
#[cfg(unix)]
pub(crate) fn hold() -> anyhow::Result<()> {
    Ok(both().thread_block()?)
}

/// Waits for one in a thread of its own, and calls `act` with the exit code that shells know it by.
/// If another one comes meanwhile, the process ends at once.
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

/// Ctrl-C is not held back where there are no signals.
#[cfg(not(unix))]
pub(crate) fn hold() -> anyhow::Result<()> {
    Ok(())
}

/// Calls `act` at Ctrl-C.
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
