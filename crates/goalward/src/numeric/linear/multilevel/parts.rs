//! Long vectors in parts, on all cores. The parts depend on the length alone, so that the bits do
//! not depend on the number of threads. Short vectors are whole: to share them would take longer.

use crate::numeric::linear::krylov::vectors;
use rayon::prelude::*;

/// Vectors of this length are cut.
const LONG: usize = 1 << 15;
/// Into so many parts: a sweep that is cut learns of other parts only afterwards.
const PARTS: usize = 8;

/// The length of the parts of a long vector.
fn cut(length: usize) -> Option<usize> {
    (length >= LONG).then(|| length.div_ceil(PARTS))
}

/// Calls `f` for each part of x with the place where it begins.
pub(super) fn each(x: &mut [f64], f: impl Fn(usize, &mut [f64]) + Sync) {
    match cut(x.len()) {
        Some(part) => x.par_chunks_mut(part).enumerate().for_each(|(k, x)| f(k * part, x)),
        None => f(0, x),
    }
}

/// The sum of products.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let Some(part) = cut(a.len()) else { return vectors::dot(a, b) };
    let parts = a.par_chunks(part).zip(b.par_chunks(part));
    let sums: Vec<f64> = parts.map(|(a, b)| vectors::dot(a, b)).collect();
    sums.into_iter().sum()
}

/// The largest absolute value; not a number if one is not.
pub(super) fn largest(a: &[f64]) -> f64 {
    let Some(part) = cut(a.len()) else { return vectors::largest(a) };
    let most: Vec<f64> = a.par_chunks(part).map(vectors::largest).collect();
    vectors::largest(&most)
}

/// x -= factor y.
pub(super) fn subtract(x: &mut [f64], factor: f64, y: &[f64]) {
    each(x, |begin, x| x.iter_mut().zip(&y[begin..]).for_each(|(x, y)| *x -= factor * y));
}

/// x *= factor.
pub(super) fn scale(x: &mut [f64], factor: f64) {
    each(x, |_, x| x.iter_mut().for_each(|x| *x *= factor));
}
