//! Whether small or large values are wanted.

/// Whether small or large values are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    Least,
    Greatest,
}

impl Sense {
    /// +1 where small values are wanted, else -1.
    pub(super) fn sigma(self) -> f64 {
        if self == Sense::Least { 1.0 } else { -1.0 }
    }

    pub(super) fn worst(self) -> f64 {
        self.sigma() * f64::INFINITY
    }

    pub(super) fn better(self, a: f64, b: f64) -> bool {
        if self == Sense::Least { a < b } else { a > b }
    }
}
