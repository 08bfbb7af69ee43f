//! Signals that end a process which may be waiting for input: one thread waits for them, saves, and
//! ends the process. They are blocked in all others, so that nothing is interrupted.

#[cfg(unix)]
use nix::sys::signal::{SigSet, Signal};

#[cfg(unix)]
fn both() -> SigSet {
    [Signal::SIGINT, Signal::SIGTERM].into_iter().collect()
}

/// Blocks them in this thread and in those that it starts; to be called before there are any.
#[cfg(unix)]
pub(crate) fn hold() -> anyhow::Result<()> {
    Ok(both().thread_block()?)
}

/// Waits for one in a thread, and calls `act` with the exit code by which shells know it. A second
/// one ends the process at once.
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
