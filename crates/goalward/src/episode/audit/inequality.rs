//! An inequality under watch.

use serde::Serialize;

/// What counts as rounding, relative to the bound where that is larger than the unit.
const ROUNDING: f64 = 1e-9;

/// Where an inequality failed first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Broken {
    /// The step.
    pub t: u64,
    /// What was to be at most the bound.
    pub value: f64,
    /// The bound.
    pub bound: f64,
}

/// `value <= bound`, looked at again and again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Inequality {
    pub(super) looks: u64,
    /// The least bound - value, and the step at which it was met.
    pub(super) least: Option<(f64, u64)>,
    /// The last value as a share of its bound.
    pub(super) last: f64,
    pub(super) fails: u64,
    pub(super) first: Option<Broken>,
}

impl Inequality {
    /// An inequality that is looked at once.
    pub(super) fn once(t: u64, value: f64, bound: f64) -> Inequality {
        let mut watch = Inequality::default();
        watch.see(t, value, bound);
        watch
    }

    pub(super) fn see(&mut self, t: u64, value: f64, bound: f64) {
        self.see_in(1.0, t, value, bound);
    }

    /// The same of numbers that are sums and differences of some as large as `unit`.
    pub(super) fn see_in(&mut self, unit: f64, t: u64, value: f64, bound: f64) {
        self.looks += 1;
        let margin = bound - value;
        self.last = value / bound;
        if self.least.is_none_or(|(least, _)| margin < least) {
            self.least = Some((margin, t));
        }
        if margin.is_nan() || margin < -ROUNDING * bound.abs().max(unit) {
            self.fails += 1;
            self.first.get_or_insert(Broken { t, value, bound });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_and_the_least_margin_are_kept() {
        let mut watch = Inequality::default();
        for (t, value) in [(1, 0.5), (2, 2.0), (3, 4.0), (4, f64::NAN), (5, 1.0 + 1e-10)] {
            watch.see(t, value, 1.0);
        }
        assert_eq!((watch.looks, watch.fails), (5, 3));
        assert_eq!(watch.first.map(|broken| broken.t), Some(2));
        assert_eq!(watch.least, Some((-3.0, 3)));
    }

    #[test]
    fn rounding_goes_by_the_unit() {
        for (unit, fails) in [(1.0, 0), (1e-300, 1), (1e-290, 0)] {
            let mut watch = Inequality::default();
            watch.see_in(unit, 1, 1e-300, 0.0);
            assert_eq!(watch.fails, fails, "{unit}");
        }
    }
}
