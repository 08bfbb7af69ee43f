//! Numbers from 0 on with 512 binary digits: for elimination, in which nothing is ever subtracted,
//! where a way is so long that fewer digits say nothing.

use std::cmp::Ordering;

const LIMBS: usize = 8;
const BITS: i32 = 64 * LIMBS as i32;
/// The digits of one piece.
const PIECE: i32 = 48;

/// m 2^exponent, where the top bit of m is set; or zero. The lowest limb comes first. Operations
/// cut off what does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Long {
    limbs: [u64; LIMBS],
    exponent: i32,
}

impl Long {
    /// A finite number from 0 on, exactly.
    pub(crate) fn new(x: f64) -> Long {
        let (exponent, fraction) = (((x.to_bits() >> 52) & 0x7ff) as i32, x.to_bits() & ((1 << 52) - 1));
        let (m, e) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let mut limbs = [0; LIMBS];
        limbs[LIMBS - 1] = m;
        Long { limbs, exponent: e - 64 * (LIMBS as i32 - 1) }.normal()
    }

    pub(crate) fn is_zero(self) -> bool {
        self.limbs[LIMBS - 1] == 0
    }

    fn normal(self) -> Long {
        let Some(top) = self.limbs.iter().rposition(|&limb| limb != 0) else { return Long::default() };
        let shift = 64 * (LIMBS - 1 - top) as i32 + self.limbs[top].leading_zeros() as i32;
        let mut limbs = [0; LIMBS];
        for (i, limb) in limbs.iter_mut().enumerate() {
            *limb = bits(&self.limbs, 64 * i as i32 - shift);
        }
        Long { limbs, exponent: self.exponent - shift }
    }

    pub(crate) fn plus(self, other: Long) -> Long {
        if other.is_zero() || (!self.is_zero() && self.exponent < other.exponent) {
            return if other.is_zero() { self } else { other.plus(self) };
        }
        if self.is_zero() {
            return other;
        }
        let shift = self.exponent - other.exponent;
        let (mut limbs, mut carry) = ([0; LIMBS], 0u128);
        for (i, limb) in limbs.iter_mut().enumerate() {
            carry += u128::from(self.limbs[i]);
            if shift < BITS {
                carry += u128::from(bits(&other.limbs, 64 * i as i32 + shift));
            }
            *limb = carry as u64;
            carry >>= 64;
        }
        if carry == 0 {
            return Long { limbs, exponent: self.exponent };
        }
        let mut halved = [0; LIMBS];
        for (i, limb) in halved.iter_mut().enumerate() {
            *limb = bits(&limbs, 64 * i as i32 + 1);
        }
        halved[LIMBS - 1] |= 1 << 63;
        Long { limbs: halved, exponent: self.exponent + 1 }
    }

    pub(crate) fn times(self, other: Long) -> Long {
        let mut product = [0u64; 2 * LIMBS];
        for (i, &x) in self.limbs.iter().enumerate() {
            let mut carry = 0u128;
            for (j, &y) in other.limbs.iter().enumerate() {
                carry += u128::from(x) * u128::from(y) + u128::from(product[i + j]);
                product[i + j] = carry as u64;
                carry >>= 64;
            }
            product[i + LIMBS] = carry as u64;
        }
        // the top half is at most one bit short of being normal
        let short = i32::from(product[2 * LIMBS - 1] >> 63 == 0);
        let mut limbs = [0; LIMBS];
        for (i, limb) in limbs.iter_mut().enumerate() {
            *limb = bits(&product, BITS + 64 * i as i32 - short);
        }
        Long { limbs, exponent: self.exponent + other.exponent + BITS - short }.normal()
    }

    /// The quotient by a number that is not zero: bit by bit.
    pub(crate) fn over(self, other: Long) -> Long {
        let (mut rest, mut limbs) = (self.limbs, [0u64; LIMBS]);
        let mut beyond = false;
        for at in (0..BITS).rev() {
            if beyond || compare(&rest, &other.limbs) != Ordering::Less {
                subtract(&mut rest, &other.limbs);
                limbs[at as usize / 64] |= 1 << (at % 64);
            }
            beyond = rest[LIMBS - 1] >> 63 == 1;
            for i in (0..LIMBS).rev() {
                rest[i] = rest[i] << 1 | if i > 0 { rest[i - 1] >> 63 } else { 0 };
            }
        }
        Long { limbs, exponent: self.exponent - other.exponent - (BITS - 1) }.normal()
    }

    /// Numbers whose sum it is, the largest first, each with 48 digits; an infinite one where f64
    /// ends.
    pub(crate) fn pieces(self) -> impl Iterator<Item = f64> {
        (0..=BITS / PIECE).map(move |k| {
            // where the piece begins; the last one reaches below the lowest bit, where there is
            // nothing
            let from = BITS - PIECE * (k + 1);
            let digits = bits(&self.limbs, from) & ((1 << PIECE) - 1);
            let exponent = self.exponent + from;
            // two factors: the first alone might be too small or too large
            digits as f64 * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
        })
    }
}

/// The 64 bits from a place on, which may lie outside: zeros are there.
fn bits(limbs: &[u64], from: i32) -> u64 {
    let (limb, shift) = (from.div_euclid(64), from.rem_euclid(64));
    let at = |i: i32| if i >= 0 { limbs.get(i as usize).copied().unwrap_or(0) } else { 0 };
    if shift == 0 { at(limb) } else { at(limb) >> shift | at(limb + 1) << (64 - shift) }
}

fn compare(a: &[u64; LIMBS], b: &[u64; LIMBS]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

/// a - b, where a bit beyond the top may have been lost and comes back by wrapping.
fn subtract(a: &mut [u64; LIMBS], b: &[u64; LIMBS]) {
    let mut borrow = false;
    for i in 0..LIMBS {
        let (first, under) = a[i].overflowing_sub(b[i]);
        let (second, again) = first.overflowing_sub(u64::from(borrow));
        (a[i], borrow) = (second, under || again);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(x: Long) -> f64 {
        x.pieces().sum()
    }

    #[test]
    fn zeros_and_extremes() {
        for x in [0.0, -0.0, 1.0, 0.1, 1e300, 1e-300, f64::MAX, f64::MIN_POSITIVE, 5e-324] {
            assert_eq!(value(Long::new(x)), x);
            assert_eq!(Long::new(x).plus(Long::default()), Long::new(x));
            assert_eq!(Long::default().plus(Long::new(x)), Long::new(x));
            assert!(Long::new(x).times(Long::default()).is_zero());
        }
    }

    proptest! {
        /// What is exact stays exact: integers of 60 bits, products of them, and quotients that
        /// were products.
        #[test]
        fn is_exact_where_the_result_fits(a in 1u64..1 << 52, b in 1u64..1 << 52, c in 1u64..1 << 52, shift in 0i32..300) {
            let long = |x: u64| Long::new(x as f64);
            let scaled = Long::new(c as f64 * 2f64.powi(-shift));
            let product = long(a).times(long(b));
            prop_assert_eq!(product, long(b).times(long(a)));
            prop_assert_eq!(product.over(long(a)), long(b));
            let sum = product.plus(scaled);
            prop_assert_eq!(sum, scaled.plus(product));
            // taken apart, multiplied, and put together again
            prop_assert_eq!(sum.times(long(c)), product.times(long(c)).plus(scaled.times(long(c))));
            let mut exact = crate::numeric::linear::expansion::Expansion::default();
            exact.add_product(a as f64, b as f64);
            exact.add(c as f64 * 2f64.powi(-shift));
            sum.pieces().for_each(|piece| exact.add(-piece));
            prop_assert_eq!(exact.sign(), Some(Ordering::Equal));
        }

        /// A quotient times its divisor misses by less than 2^-500.
        #[test]
        fn divides(a in 1e-100f64..1e100, b in 1e-100f64..1e100) {
            let back = Long::new(a).over(Long::new(b)).times(Long::new(b));
            let mut off = crate::numeric::linear::expansion::Expansion::default();
            off.add(a);
            back.pieces().for_each(|piece| off.add(-piece));
            prop_assert!(off.value().abs() <= a * 2f64.powi(-500));
        }
    }
}
