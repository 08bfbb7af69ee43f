//! The progress of long work, and the request to stop it.

use goalward::plan::Halt;

/// Receives the progress of a job that runs on several threads.
pub trait Progress: Sync {
    /// Work of this many units begins.
    fn begin(&self, _what: &str, _units: u64) {}
    /// This many more units are done.
    fn advance(&self, _units: u64) {}
    /// The work is done.
    fn end(&self) {}
    /// The request to stop, as planning calls heed it.
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
