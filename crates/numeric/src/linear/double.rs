//! Double-double numbers: an unevaluated sum of two f64, about 32 digits. With them the drift c +
//! PV - V of a certificate is exact enough for bounds a few units in the last place apart, however
//! long a policy takes. Support minimisation adds up huge multipliers that cancel.

use super::expansion::two_sum;
use std::ops::{Add, Sub};

/// The unevaluated sum hi + lo, with |lo| at most half a unit in the last place of hi.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Double {
    hi: f64,
    lo: f64,
}

/// A bound on the relative error of an operation (proven: 2 or 3 times 2^-106; Joldes, Muller and
/// Popescu, Tight and rigorous error bounds for basic building blocks of double-word arithmetic,
/// 2017).
pub const UNIT: f64 = 1.0 / (1u128 << 103) as f64;

fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

impl Double {
    /// Zero.
    pub const ZERO: Double = Double { hi: 0.0, lo: 0.0 };

    /// The sum with an f64: sooner than with a double-double.
    #[inline]
    pub fn plus(self, y: f64) -> Double {
        let (sum, rest) = two_sum(self.hi, y);
        let (hi, lo) = fast_two_sum(sum, self.lo + rest);
        Double { hi, lo }
    }

    /// The product with an f64.
    pub fn times(self, y: f64) -> Double {
        let hi = self.hi * y;
        let lo = self.lo.mul_add(y, self.hi.mul_add(y, -hi));
        let (hi, lo) = fast_two_sum(hi, lo);
        Double { hi, lo }
    }

    /// The quotient by an f64, to the accuracy of a product.
    pub fn over(self, y: f64) -> Double {
        let hi = self.hi / y;
        let rest = self - Double::from(hi).times(y);
        let (hi, lo) = fast_two_sum(hi, rest.hi / y);
        Double { hi, lo }
    }

    pub(crate) fn squared(self) -> Double {
        let hi = self.hi * self.hi;
        let lo = 2.0 * (self.hi * self.lo) + self.hi.mul_add(self.hi, -hi);
        let (hi, lo) = fast_two_sum(hi, lo);
        Double { hi, lo }
    }

    pub(crate) fn sqrt(self) -> Double {
        let hi = self.hi.sqrt();
        if hi == 0.0 {
            return Double::ZERO;
        }
        let rest = self - Double::from(hi).squared();
        let (hi, lo) = fast_two_sum(hi, rest.hi / (2.0 * hi));
        Double { hi, lo }
    }

    /// The nearest f64.
    pub fn nearest(self) -> f64 {
        self.hi
    }

    /// The largest f64 that is not above.
    pub fn floor(self) -> f64 {
        if self.lo < 0.0 { self.hi.next_down() } else { self.hi }
    }

    /// The smallest f64 that is not below.
    pub fn ceil(self) -> f64 {
        if self.lo > 0.0 { self.hi.next_up() } else { self.hi }
    }
}

impl From<f64> for Double {
    fn from(hi: f64) -> Double {
        Double { hi, lo: 0.0 }
    }
}

impl Add for Double {
    type Output = Double;
    fn add(self, other: Double) -> Double {
        let (sh, sl) = two_sum(self.hi, other.hi);
        let (th, tl) = two_sum(self.lo, other.lo);
        let (vh, vl) = fast_two_sum(sh, sl + th);
        let (hi, lo) = fast_two_sum(vh, tl + vl);
        Double { hi, lo }
    }
}

impl Sub for Double {
    type Output = Double;
    fn sub(self, other: Double) -> Double {
        self + Double { hi: -other.hi, lo: -other.lo }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keeps_what_f64_loses() {
        let tiny = 2f64.powi(-80);
        let x = Double::from(1.0) + Double::from(tiny);
        assert_eq!((x - Double::from(1.0)).nearest(), tiny);
        assert_eq!((x.floor(), x.ceil()), (1.0, 1.0f64.next_up()));
        let y = Double::from(1.0) - Double::from(tiny);
        assert_eq!((y.floor(), y.nearest(), y.ceil()), (1.0f64.next_down(), 1.0, 1.0));
    }

    proptest! {
        /// Taken back, a quotient and a root miss by no more than a product's rounding.
        #[test]
        fn divides_and_takes_roots(a in 1e-3f64..1e3, b in -1e-14f64..1e-14, y in 1e-3f64..1e3) {
            let x = Double::from(a) + Double::from(a * b);
            let off = |z: Double| (z - x).nearest().abs() <= 8.0 * UNIT * a;
            prop_assert!(off(x.over(y).times(y)));
            prop_assert!(off(x.sqrt().squared()));
        }

        /// A number added is what its double-double is, added, and what is exact is exact.
        #[test]
        fn adds_numbers(a in -1i64 << 50..1i64 << 50, b in -1i64 << 30..1i64 << 30, c in -1i64 << 50..1i64 << 50, y in -1e3f64..1e3) {
            let product = Double::from(a as f64).times(b as f64);
            let sum = product.plus(c as f64);
            prop_assert_eq!(sum.hi as i128 + sum.lo as i128, i128::from(a) * i128::from(b) + i128::from(c));
            let small = product.over(1e17);
            let off = small.plus(y) - (small + Double::from(y));
            prop_assert!(off.nearest().abs() <= 2.0 * UNIT * small.plus(y).nearest().abs());
        }

        /// Sums and products of 30-bit integers scaled apart fit i128 exactly.
        #[test]
        fn is_exact_where_the_result_fits(a in -1i64 << 50..1i64 << 50, b in -1i64 << 30..1i64 << 30, c in -1i64 << 50..1i64 << 50) {
            let x = Double::from(a as f64).times(b as f64) - Double::from(c as f64);
            let exact = i128::from(a) * i128::from(b) - i128::from(c);
            prop_assert_eq!(x.hi as i128 + x.lo as i128, exact);
        }
    }
}
