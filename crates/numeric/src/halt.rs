//! How a long computation hears that it should stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Asks a long calculation to stop, which is heard between and within sweeps, and reports its
/// progress.
///
/// Copies share the line. A request cannot be taken back. Nothing is decided by reports.
#[derive(Clone, Debug, Default)]
pub struct Halt(Option<Arc<Line>>);

/// What is shared.
#[derive(Debug)]
struct Line {
    asked: AtomicBool,
    /// States whose values were found.
    states: AtomicU64,
    /// The bits of what equations lack, relative to what is enough; of a NaN while none take long.
    lacking: AtomicU64,
}

/// A planning call was cut off by a [`Halt`]: it has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut;

impl Halt {
    /// A wish that can be uttered.
    pub fn new() -> Halt {
        Halt(Some(Arc::new(Line {
            asked: AtomicBool::new(false),
            states: AtomicU64::new(0),
            lacking: AtomicU64::new(f64::NAN.to_bits()),
        })))
    }

    /// Never stops.
    pub fn never() -> Halt {
        Halt(None)
    }

    /// Asks planning to stop; no effect on [`Halt::never`].
    pub fn ask(&self) {
        if let Some(line) = &self.0 {
            line.asked.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it was asked to.
    pub fn asked(&self) -> bool {
        self.0.as_ref().is_some_and(|line| line.asked.load(Ordering::Relaxed))
    }

    /// Whether it can be: work that can be cut off keeps what it would have to go back to.
    pub fn can_be_asked(&self) -> bool {
        self.0.is_some()
    }

    /// An error from the moment on that it was asked.
    pub fn check(&self) -> Result<(), Cut> {
        if self.asked() { Err(Cut) } else { Ok(()) }
    }
}

/// How far it is.
impl Halt {
    /// States whose values were found by planning on a known model, all calls together.
    pub fn states(&self) -> u64 {
        self.0.as_ref().map_or(0, |line| line.states.load(Ordering::Relaxed))
    }

    /// The residual of the equations at hand over the admissible one; infinite while unknown. None
    /// while nothing takes long.
    pub fn lacking(&self) -> Option<f64> {
        let line = self.0.as_ref()?;
        Some(f64::from_bits(line.lacking.load(Ordering::Relaxed))).filter(|lacks| !lacks.is_nan())
    }

    /// So many more states are solved, and nothing takes long any more.
    pub fn solved(&self, states: u64) {
        if let Some(line) = &self.0 {
            line.states.fetch_add(states, Ordering::Relaxed);
        }
        self.settled();
    }

    /// What took long is done.
    pub fn settled(&self) {
        self.lacks(f64::NAN, 1.0);
    }

    /// The residual of the equations at hand, and what is enough.
    pub fn lacks(&self, residual: f64, enough: f64) {
        if let Some(line) = &self.0 {
            line.lacking.store((residual / enough).to_bits(), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_the_wish() {
        let halt = Halt::new();
        let copy = halt.clone();
        assert_eq!(copy.check(), Ok(()));
        halt.ask();
        assert!(copy.asked() && copy.check() == Err(Cut));
        let never = Halt::never();
        never.ask();
        assert!(!never.asked() && !never.can_be_asked());
    }
}
