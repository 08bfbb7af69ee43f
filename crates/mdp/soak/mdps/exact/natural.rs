//! Natural numbers of any size: all that exact enumeration needs.

use std::cmp::Ordering;

/// A natural number, the lowest limb first, without zeros at the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Natural(Vec<u64>);

impl Natural {
    /// A number that fits.
    pub(crate) fn new(x: u64) -> Natural {
        Natural(if x == 0 { Vec::new() } else { vec![x] })
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add(&self, other: &Natural) -> Natural {
        let (long, short) = if self.0.len() >= other.0.len() { (self, other) } else { (other, self) };
        let mut sum = Vec::with_capacity(long.0.len() + 1);
        let mut carry = 0u128;
        for (i, &limb) in long.0.iter().enumerate() {
            carry += u128::from(limb) + u128::from(short.0.get(i).copied().unwrap_or(0));
            sum.push(carry as u64);
            carry >>= 64;
        }
        if carry > 0 {
            sum.push(carry as u64);
        }
        Natural(sum)
    }

    pub(crate) fn mul(&self, other: &Natural) -> Natural {
        let mut product = vec![0u64; self.0.len() + other.0.len()];
        for (i, &x) in self.0.iter().enumerate() {
            let mut carry = 0u128;
            for (j, &y) in other.0.iter().enumerate() {
                carry += u128::from(x) * u128::from(y) + u128::from(product[i + j]);
                product[i + j] = carry as u64;
                carry >>= 64;
            }
            product[i + other.0.len()] = carry as u64;
        }
        while product.last() == Some(&0) {
            product.pop();
        }
        Natural(product)
    }

    /// The number times 2^bits.
    pub(crate) fn shifted(&self, bits: u32) -> Natural {
        let mut power = vec![0; bits as usize / 64];
        power.push(1 << (bits % 64));
        self.mul(&Natural(power))
    }

    pub(crate) fn compare(&self, other: &Natural) -> Ordering {
        let by_length = self.0.len().cmp(&other.0.len());
        by_length.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

/// A finite number that is not negative as m 2^e, exactly, with m odd or 0.
pub(crate) fn parts(x: f64) -> (u64, i32) {
    assert!(x.is_finite() && x >= 0.0, "{x} is no finite number from 0 on");
    // a negative zero is zero
    let x = x.abs();
    let (exponent, fraction) = ((x.to_bits() >> 52) as i32, x.to_bits() & ((1 << 52) - 1));
    let (m, e) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let zeros = if m == 0 { 0 } else { m.trailing_zeros() };
    (m >> zeros, e + zeros as i32)
}
