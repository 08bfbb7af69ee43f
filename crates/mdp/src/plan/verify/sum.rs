//! Sums of products in about twice the digits of f64, with a bound on their own error.

use crate::numeric::linear::expansion::two_sum;

/// A product below this may have lost digits to underflow.
const SMALL: f64 = 1e-290;
/// More than what it lost: a few of the least positive numbers.
const LOST: f64 = 1e-320;

/// A sum of products in about twice the digits of f64 (Ogita, Rump and Oishi, Accurate sum and dot
/// product, 2005). Only the small parts are rounded, and that is added up as it happens. A sum of
/// zeros has no error at all.
#[derive(Default)]
pub(super) struct Sum {
    high: f64,
    low: f64,
    /// What was rounded, in units of the machine's precision.
    rounded: f64,
    underflow: f64,
}

impl Sum {
    pub(super) fn add(&mut self, x: f64, y: f64) {
        if x == 0.0 || y == 0.0 {
            return;
        }
        let product = x * y;
        let rest = x.mul_add(y, -product);
        let (sum, rounded) = two_sum(self.high, product);
        let small = rest + rounded;
        self.high = sum;
        self.low += small;
        self.rounded += small.abs() + self.low.abs();
        if product.abs() < SMALL {
            self.underflow += LOST;
        }
    }

    /// The sum and a bound on its error; not a number if a term was infinite.
    pub(super) fn bounds(&self) -> (f64, f64) {
        let value = self.high + self.low;
        (value, f64::EPSILON * (self.rounded + value.abs()) + self.underflow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zeros_have_no_error_and_infinities_no_bound() {
        let mut sum = Sum::default();
        sum.add(0.3, 0.0);
        assert_eq!(sum.bounds(), (0.0, 0.0));
        for broken in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX] {
            let mut sum = Sum::default();
            [(0.5, 1.0), (4.0, broken), (1.0, -1.0)].iter().for_each(|&(x, y)| sum.add(x, y));
            let (value, error) = sum.bounds();
            let decides = value >= error || -value >= error;
            assert!(!decides, "{broken}: {value} {error}");
        }
    }

    proptest! {
        /// Against integers: products of numbers with 30 bits, spread over 60 binary digits, are
        /// exact in i128.
        #[test]
        fn the_error_bound_holds(terms in prop::collection::vec((1i64..1 << 30, -(1i64 << 30)..1 << 30, 0i32..60), 1..60)) {
            let (mut sum, mut exact) = (Sum::default(), 0i128);
            for &(x, y, shift) in &terms {
                sum.add(x as f64, y as f64 * 2f64.powi(-shift));
                exact += (i128::from(x) * i128::from(y)) << (60 - shift);
            }
            let (value, error) = sum.bounds();
            let scaled = value * 2f64.powi(60);
            // the conversion of a value this size to an integer is exact, or off by less than the
            // last rounding
            let off = (exact - scaled as i128).unsigned_abs() as f64 / 2f64.powi(60);
            prop_assert!(off <= error + 2f64.powi(-60), "{off} {error}");
            prop_assert!(error <= 1e-15 * value.abs() + 1e-28 * terms.len() as f64 * 2f64.powi(60));
        }
    }
}
