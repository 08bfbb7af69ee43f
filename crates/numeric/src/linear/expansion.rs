//! Exact sums of products of f64 as lists of numbers that do not overlap (Shewchuk, Adaptive
//! precision floating-point arithmetic and fast robust geometric predicates, 1997).

use std::cmp::Ordering;

/// a + b as its rounded value and the rest, exactly (Knuth).
#[inline]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// A product below this may lose digits to underflow.
const SMALL: f64 = 1e-280;
/// More than what it loses.
const LOST: f64 = 1e-322;

/// An exact sum of floating-point numbers.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    parts: Vec<f64>,
    broken: bool,
    lost: u32,
}

impl Expansion {
    /// Adds a number.
    pub fn add(&mut self, x: f64) {
        let (mut carried, mut kept) = (x, 0);
        for i in 0..self.parts.len() {
            let (sum, rest) = two_sum(carried, self.parts[i]);
            if rest != 0.0 {
                self.parts[kept] = rest;
                kept += 1;
            }
            carried = sum;
        }
        self.parts.truncate(kept);
        if carried != 0.0 {
            self.parts.push(carried);
        }
        self.broken |= !carried.is_finite();
    }

    /// Adds a product.
    pub fn add_product(&mut self, x: f64, y: f64) {
        if x == 0.0 || y == 0.0 {
            return;
        }
        let product = x * y;
        self.lost += u32::from(product.abs() < SMALL);
        self.add(x.mul_add(y, -product));
        self.add(product);
    }

    /// The sum against zero, if it is known exactly.
    pub fn sign(&self) -> Option<Ordering> {
        let top = self.parts.last().copied().unwrap_or(0.0);
        if self.broken || self.lost > 0 { None } else { top.partial_cmp(&0.0) }
    }

    /// Whether the sum times `sigma`, 1 or -1, is surely 0 or more.
    pub fn sure_on_side(mut self, sigma: f64) -> bool {
        self.add(-sigma * LOST * f64::from(self.lost));
        let top = self.parts.last().copied().unwrap_or(0.0);
        !self.broken && sigma * top >= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_not_finite_or_too_small_has_no_sign() {
        for (x, y) in [(f64::INFINITY, 1.0), (f64::NAN, 1.0), (f64::MAX, 2.0), (1e-200, 1e-200)] {
            let mut sum = Expansion::default();
            sum.add_product(x, y);
            sum.add(1.0);
            assert!(sum.sign().is_none(), "{x} {y}");
        }
    }

    proptest! {
        /// Against integers: products of 30-bit numbers, spread over 60 binary digits, are exact in
        /// i128. The sum is taken back again, but for one unit, which decides the sign.
        #[test]
        fn signs_are_exact(terms in prop::collection::vec((1i64..1 << 30, -(1i64 << 30)..1 << 30, 0i32..60), 1..40), unit in -1i32..2) {
            let (mut sum, mut exact) = (Expansion::default(), 0i128);
            for &(x, y, shift) in &terms {
                sum.add_product(x as f64, y as f64 * 2f64.powi(-shift));
                exact += (i128::from(x) * i128::from(y)) << (60 - shift);
            }
            prop_assert_eq!(sum.sign(), Some(exact.cmp(&0)));
            for &(x, y, shift) in terms.iter().rev() {
                sum.add_product(-(x as f64), y as f64 * 2f64.powi(-shift));
            }
            sum.add(f64::from(unit) * 2f64.powi(-200));
            prop_assert_eq!(sum.sign(), Some(unit.cmp(&0)));
        }
    }
}
