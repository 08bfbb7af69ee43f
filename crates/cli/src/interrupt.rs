//! Ctrl-C: the first asks the work to stop at the next safe place, the second stops at once.

use crate::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether Ctrl-C was pressed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on.
    pub(crate) fn listen(quiet: bool) -> anyhow::Result<Interrupt> {
        let interrupt = Interrupt::default();
        let pressed = interrupt.0.clone();
        ctrlc::set_handler(move || {
            if pressed.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            if !quiet {
                exit::note(
                    "stopping at the next safe place, after a planning call if one is under way; Ctrl-C again stops at once",
                );
            }
        })?;
        Ok(interrupt)
    }

    pub(crate) fn pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
