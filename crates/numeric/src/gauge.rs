//! How far reading and building have come: counts of the whole process, which only ever grow.
//! Nothing is decided by them.

use std::sync::atomic::{AtomicU64, Ordering};

static BYTES: AtomicU64 = AtomicU64::new(0);
static ROWS: AtomicU64 = AtomicU64::new(0);

/// Counts at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Bytes that were read of models and problem files, as they stand in the files.
    pub bytes: u64,
    /// Feature rows that were built.
    pub rows: u64,
}

impl Gauge {
    /// The counts now.
    pub fn now() -> Gauge {
        let now = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Gauge { bytes: now(&BYTES), rows: now(&ROWS) }
    }

    /// What has come since an earlier moment.
    pub fn since(self, earlier: Gauge) -> Gauge {
        Gauge { bytes: self.bytes - earlier.bytes, rows: self.rows - earlier.rows }
    }
}

/// More bytes were read.
pub fn read(bytes: u64) {
    BYTES.fetch_add(bytes, Ordering::Relaxed);
}

/// To be called now and then: a row is built faster than two cores agree on a number.
pub fn built(rows: u64) {
    ROWS.fetch_add(rows, Ordering::Relaxed);
}
