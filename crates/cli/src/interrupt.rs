//! Ctrl-C: the first asks the work to stop at the next safe place, the second stops at once. So
//! does the first before anything has begun that could be kept.

use crate::exit;
use goalward::episode::{Episode, Flow, Observer, Step, Stop};
use goalward::plan::Halt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code after Ctrl-C, as shells know it.
const EXIT: i32 = 130;

/// Whether Ctrl-C was pressed.
#[derive(Clone, Debug)]
pub(crate) struct Interrupt {
    halt: Halt,
    begun: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on.
    pub(crate) fn listen() -> anyhow::Result<Interrupt> {
        let interrupt = Interrupt { halt: Halt::new(), begun: Arc::default() };
        let Interrupt { halt, begun } = interrupt.clone();
        ctrlc::set_handler(move || {
            if halt.asked() || !begun.load(Ordering::Relaxed) {
                std::process::exit(EXIT);
            }
            halt.ask();
            exit::note("stopping at the next safe place; Ctrl-C again stops at once");
        })?;
        Ok(interrupt)
    }

    /// From now on there is something to keep.
    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::Relaxed);
    }

    /// The halt of planning calls.
    pub(crate) fn halt(&self) -> &Halt {
        &self.halt
    }

    pub(crate) fn pressed(&self) -> bool {
        self.halt.asked()
    }
}

/// Pauses a run at Ctrl-C, and at regular numbers of steps.
pub(crate) struct Pause<'a> {
    pub(crate) every: Option<u64>,
    pub(crate) interrupt: &'a Interrupt,
}

impl Observer for Pause<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        let due = self.every.is_some_and(|every| step.t.is_multiple_of(every));
        if due || self.interrupt.pressed() { Flow::Break(Stop) } else { Flow::Continue(()) }
    }

    // a world whose start is its goal has episodes without a step
    fn episode(&mut self, _: &Episode) -> Flow {
        if self.interrupt.pressed() { Flow::Break(Stop) } else { Flow::Continue(()) }
    }
}
