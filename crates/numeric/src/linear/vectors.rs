//! Sums over long vectors.

/// In eight sums at once: one alone would wait for each addition.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
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

/// The largest absolute value; not a number if one is not.
pub(crate) fn largest(a: &[f64]) -> f64 {
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
