//! Medians and quantiles.

/// The quantile of values in any order: type 7 of Hyndman and Fan, as in NumPy and pandas. `None`
/// without values, or if one is NaN.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    if values.is_empty() || values.iter().any(|x| x.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(interpolated(&sorted, share * (sorted.len() - 1) as f64))
}

/// The value at a place among sorted values, counted from 0, linear between them.
pub(super) fn interpolated(sorted: &[f64], place: f64) -> f64 {
    let last = sorted.len() - 1;
    let place = place.clamp(0.0, last as f64);
    let (below, rest) = (place.floor() as usize, place.fract());
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    // an infinite neighbour without weight must not make a NaN
    if rest == 0.0 { low } else { low + rest * (high - low) }
}

/// The median.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile([7, 1, 3, 10], q)
        let values = [7.0, 1.0, 3.0, 10.0];
        for (share, value) in [(0.0, 1.0), (0.25, 2.5), (0.5, 5.0), (0.9, 9.1), (1.0, 10.0)] {
            assert!((quantile(&values, share).unwrap() - value).abs() < 1e-12, "{share}");
        }
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!((median(&[]), median(&[4.0]), median(&[1.0, f64::NAN])), (None, Some(4.0), None));
        assert_eq!(median(&[1.0, 2.0, f64::INFINITY]), Some(2.0));
    }
}
