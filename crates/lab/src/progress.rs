//! How long work tells how far it is, and hears that it should stop. The terminal is somebody
//! else's business.

use goalward::plan::Halt;

/// Receives the progress of a job that runs on several threads.
pub trait Progress: Sync {
    /// Work of so many units begins.
    fn begin(&self, _what: &str, _units: u64) {}
    /// So many more units are done.
    fn advance(&self, _units: u64) {}
    /// The work is done.
    fn end(&self) {}
    /// What planning calls heed, so that they need not be waited for.
    fn halt(&self) -> Halt {
        Halt::never()
    }
    /// Whether the work should stop; what was done so far is kept.
    fn cancelled(&self) -> bool {
        self.halt().asked()
    }
}

/// Says nothing and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
