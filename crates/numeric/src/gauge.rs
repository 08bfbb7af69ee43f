//! How far reading, building and planning have come, for whoever shows it: counts of the whole
//! process, which only ever grow, and what a long calculation still lacks. Nothing is decided by
//! them.

use std::sync::atomic::{AtomicU64, Ordering};

static BYTES: AtomicU64 = AtomicU64::new(0);
static ROWS: AtomicU64 = AtomicU64::new(0);
static STATES: AtomicU64 = AtomicU64::new(0);
/// The bits of a number; none: of what is not a number.
static RESIDUAL: AtomicU64 = AtomicU64::new(f64::NAN.to_bits());

/// Counts at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Bytes that were read of models and problem files, as they stand in the files.
    pub bytes: u64,
    /// Feature rows that were built.
    pub rows: u64,
    /// States whose values were found by planning on a known model.
    pub states: u64,
}

impl Gauge {
    /// The counts now.
    pub fn now() -> Gauge {
        let now = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Gauge { bytes: now(&BYTES), rows: now(&ROWS), states: now(&STATES) }
    }

    /// What has come since an earlier moment.
    pub fn since(self, earlier: Gauge) -> Gauge {
        Gauge {
            bytes: self.bytes - earlier.bytes,
            rows: self.rows - earlier.rows,
            states: self.states - earlier.states,
        }
    }

    /// What the equations that are being solved still lack, relative to what is enough: 1 or less
    /// is done, and infinite what is not known yet. None while there is nothing that takes long.
    pub fn lacking() -> Option<f64> {
        Some(f64::from_bits(RESIDUAL.load(Ordering::Relaxed))).filter(|lacks| !lacks.is_nan())
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

/// More states were solved.
pub fn solved(states: u64) {
    STATES.fetch_add(states, Ordering::Relaxed);
    settled();
}

/// What took long is done.
pub fn settled() {
    RESIDUAL.store(f64::NAN.to_bits(), Ordering::Relaxed);
}

/// The residual of the equations at hand, and what is enough.
pub fn lacks(residual: f64, enough: f64) {
    RESIDUAL.store((residual / enough).to_bits(), Ordering::Relaxed);
}
