//! How a long computation hears that it should stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Asks a long calculation to stop, which is heard between and within sweeps, and reports its progress.
///
/// Copies share the line. A request cannot be taken back. Nothing is decided by reports.
#[derive(Clone, Debug, Default)]
pub struct Halt(Option<Arc<Line>>);

#[derive(Debug)]
struct Line {
    asked: AtomicBool,
    bytes: AtomicU64,
    rows: AtomicU64,
    states: AtomicU64,
    /// The bits of the residual over the admissible one; of a NaN while no equations take long.
    lacking: AtomicU64,
}

/// A planning call was cut off by a [`Halt`]: it has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut;

/// How far reading, building and planning have come: counts that only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Bytes read of models and problem files, as they are in the files.
    pub bytes: u64,
    /// Feature rows built.
    pub rows: u64,
    /// States solved by planning on a known model.
    pub states: u64,
}

impl Done {
    /// The progress since an earlier moment.
    pub fn since(self, earlier: Done) -> Done {
        Done {
            bytes: self.bytes - earlier.bytes,
            rows: self.rows - earlier.rows,
            states: self.states - earlier.states,
        }
    }
}

impl Halt {
    /// One that can ask.
    pub fn new() -> Halt {
        let zero = || AtomicU64::new(0);
        let (asked, lacking) = (AtomicBool::new(false), AtomicU64::new(f64::NAN.to_bits()));
        Halt(Some(Arc::new(Line { asked, bytes: zero(), rows: zero(), states: zero(), lacking })))
    }

    /// Never stops, and hears no reports.
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

    /// The progress of all calls together.
    pub fn done(&self) -> Done {
        let now = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = |line: &Arc<Line>| Done {
            bytes: now(&line.bytes),
            rows: now(&line.rows),
            states: now(&line.states),
        };
        self.0.as_ref().map_or(Done::default(), counts)
    }

    /// The residual of the equations at hand over the admissible one; infinite while unknown. None
    /// while nothing takes long.
    pub fn lacking(&self) -> Option<f64> {
        let line = self.0.as_ref()?;
        Some(f64::from_bits(line.lacking.load(Ordering::Relaxed))).filter(|lacks| !lacks.is_nan())
    }

    fn add(&self, count: impl Fn(&Line) -> &AtomicU64, more: u64) {
        if let Some(line) = &self.0 {
            count(line).fetch_add(more, Ordering::Relaxed);
        }
    }

    /// Reports bytes that were read.
    pub fn read(&self, bytes: u64) {
        self.add(|line| &line.bytes, bytes);
    }

    /// Reports feature rows; to be called now and then, as a row is built faster than this.
    pub fn built(&self, rows: u64) {
        self.add(|line| &line.rows, rows);
    }

    /// Reports states that are solved; nothing takes long any more.
    pub fn solved(&self, states: u64) {
        self.add(|line| &line.states, states);
        self.settled();
    }

    /// Reports that equations that took long are solved.
    pub fn settled(&self) {
        self.lacks(f64::NAN, 1.0);
    }

    /// Reports the residual of the equations at hand, and the admissible one.
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
