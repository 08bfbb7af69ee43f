//! Ctrl-C: the first asks the work to stop at the next safe place, the second stops at once.

use crate::exit::{self, Outcome};
use goalward::episode::{Episode, Flow, Observer, Step, Stop};
use goalward::plan::Halt;

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
