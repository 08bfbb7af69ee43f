//! Long vectors in parts, on all cores; the parts depend on the length alone.

use rayon::prelude::*;

const LONG: usize = 1 << 15;
/// The number of parts: within a sweep, a part sees the other parts' old values.
const PARTS: usize = 8;

fn cut(length: usize) -> Option<usize> {
    (length >= LONG).then(|| length.div_ceil(PARTS))
}

/// Whether vectors of this length are cut.
pub fn is_long(length: usize) -> bool {
    cut(length).is_some()
}

/// Cuts a list at the ends of its parts.
pub fn split<T>(mut list: &mut [T], ends: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let mut begin = 0;
    ends.map(|end| {
        let (part, rest) = std::mem::take(&mut list).split_at_mut(end - begin);
        (list, begin) = (rest, end);
        part
    })
    .collect()
}

/// Calls `f` for each part of two lists of the same length, with its place; the results in order.
pub fn both<A: Send, B: Send, R: Send>(
    a: &mut [A],
    b: &mut [B],
    f: impl Fn(usize, &mut [A], &mut [B]) -> R + Sync,
) -> Vec<R> {
    match cut(a.len()) {
        Some(part) => {
            let parts = a.par_chunks_mut(part).zip(b.par_chunks_mut(part)).enumerate();
            parts.map(|(k, (a, b))| f(k * part, a, b)).collect()
        }
        None => vec![f(0, a, b)],
    }
}

/// Calls `f` for each part of x with the place where it begins.
pub fn each(x: &mut [f64], f: impl Fn(usize, &mut [f64]) + Sync) {
    match cut(x.len()) {
        Some(part) => x.par_chunks_mut(part).enumerate().for_each(|(k, x)| f(k * part, x)),
        None => f(0, x),
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let Some(part) = cut(a.len()) else { return dot_part(a, b) };
    let parts = a.par_chunks(part).zip(b.par_chunks(part));
    let sums: Vec<f64> = parts.map(|(a, b)| dot_part(a, b)).collect();
    sums.into_iter().sum()
}

pub(crate) fn largest(a: &[f64]) -> f64 {
    let Some(part) = cut(a.len()) else { return largest_part(a) };
    let most: Vec<f64> = a.par_chunks(part).map(largest_part).collect();
    largest_part(&most)
}

// Eight sums at once: one alone would wait for each addition.
fn dot_part(a: &[f64], b: &[f64]) -> f64 {
    let (mut sums, mut rest) = ([0.0; 8], 0.0);
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    a.remainder().iter().zip(b.remainder()).for_each(|(a, b)| rest += a * b);
    for (a, b) in a.zip(b) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn largest_part(a: &[f64]) -> f64 {
    let mut most = [0.0f64; 8];
    let chunks = a.chunks_exact(8);
    let rest = chunks.remainder().iter().map(|x| x.abs()).fold(0.0, f64::max);
    let mut sum = chunks.remainder().iter().sum::<f64>();
    for chunk in chunks {
        for i in 0..8 {
            most[i] = most[i].max(chunk[i].abs());
            sum += 0.0 * chunk[i];
        }
    }
    if sum.is_nan() { sum } else { most.into_iter().fold(rest, f64::max) }
}
