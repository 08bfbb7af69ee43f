//! B-doubling, for learners that are told no bound on B*.
//!
//! A learner plans with the bound of the moment, and hands the largest value of the plan to
//! [`Doubling::exceeded`]. As long as a plan is optimistic, no value exceeds B*. A value above B
//! then proves that B is less than B*, and B doubles. So B stays below 2 B*.
//!
//! What the learner does with its data is its own affair. Statistics of values in [0, B] are void
//! once B has changed, counts of transitions are not. Nothing is proved of a learner that doubles:
//! before B has reached B* its sets need not hold theta*.

use serde::{Deserialize, Serialize};

/// A value counts as larger than B if it is so by more than this part: plans are rounded.
const ROUNDING: f64 = 1e-9;
/// B never exceeds this, for costs in \[0, 1\]: 1/B^2 must be a number to compute with.
const LARGEST: f64 = 1e12;

/// The bound on B* of the moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::learners) struct Doubling {
    b: f64,
    doubled: u64,
}

impl Doubling {
    /// Begins with a bound, in the units of the learner's own costs.
    ///
    /// Any positive number will do.
    pub(in crate::learners) fn new(b: f64) -> Self {
        Doubling { b, doubled: 0 }
    }

    pub(in crate::learners) fn b(&self) -> f64 {
        self.b
    }

    /// Whether the largest value of a plan is more than B. Then B has doubled, once, and the
    /// learner is to plan again. It never says so of a value that is no number, nor where B is as
    /// large as can be computed with, so a learner that plans until it says no comes to an end.
    #[must_use]
    pub(in crate::learners) fn exceeded(&mut self, largest: f64) -> bool {
        let can_double = self.b > 0.0 && 2.0 * self.b <= LARGEST;
        let exceeded = can_double && largest > self.b * (1.0 + ROUNDING);
        if exceeded {
            self.b *= 2.0;
            self.doubled += 1;
        }
        exceeded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_once_for_each_value_above_it() {
        let mut doubling = Doubling::new(0.75);
        assert!(!doubling.exceeded(0.75 * (1.0 + 1e-10)));
        assert!(doubling.exceeded(0.76));
        assert!(doubling.exceeded(100.0));
        assert!(!doubling.exceeded(3.0));
        assert!(!doubling.exceeded(f64::NAN));
        assert_eq!((doubling.b(), doubling.doubled), (3.0, 2));
    }

    #[test]
    fn comes_to_an_end() {
        let mut doubling = Doubling::new(1.0);
        while doubling.exceeded(f64::INFINITY) {}
        assert!(doubling.b() <= LARGEST && 2.0 * doubling.b() > LARGEST);
    }
}
