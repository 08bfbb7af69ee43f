//! How a long computation hears that it should stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A wish that planning stop: heard between sweeps, within them, and between the iterations of
/// linear solves.
///
/// Copies share the wish, and it cannot be taken back: a call that did part of its work for it must
/// not end as if it had done all.
#[derive(Clone, Debug, Default)]
pub struct Halt(Option<Arc<AtomicBool>>);

/// A planning call was cut off by a [`Halt`]: it has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut;

impl Halt {
    /// A wish that can be uttered.
    pub fn new() -> Halt {
        Halt(Some(Arc::default()))
    }

    /// Never stops.
    pub fn never() -> Halt {
        Halt(None)
    }

    /// Asks planning to stop; no effect on [`Halt::never`].
    pub fn ask(&self) {
        if let Some(asked) = &self.0 {
            asked.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it was asked to.
    pub fn asked(&self) -> bool {
        self.0.as_ref().is_some_and(|asked| asked.load(Ordering::Relaxed))
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
