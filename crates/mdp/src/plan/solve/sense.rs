//! Whether small or large values are wanted.

use crate::plan::answer::Objective;

/// Whether small or large values are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    Least,
    Greatest,
}

impl Sense {
    /// What an objective wants.
    pub(super) fn of(objective: Objective) -> Sense {
        if objective == Objective::Min { Sense::Least } else { Sense::Greatest }
    }

    /// +1 where small values are wanted, else -1.
    pub(super) fn sigma(self) -> f64 {
        if self == Sense::Least { 1.0 } else { -1.0 }
    }

    /// What every value is better than.
    pub(super) fn worst(self) -> f64 {
        self.sigma() * f64::INFINITY
    }

    /// Whether one value is better than another.
    pub(super) fn better(self, a: f64, b: f64) -> bool {
        if self == Sense::Least { a < b } else { a > b }
    }
}
