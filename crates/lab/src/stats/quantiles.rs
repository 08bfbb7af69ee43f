//! Medians, quantiles, and bands between quantiles along curves.

/// The quantile of values in any order, linear between them: type 7 of Hyndman and Fan, which NumPy
/// and pandas compute too. `None` without values, or if one is NaN.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    if values.is_empty() || values.iter().any(|x| x.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len() - 1;
    let place = (share * last as f64).clamp(0.0, last as f64);
    let (below, rest) = (place.floor() as usize, place.fract());
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    // an infinite neighbour that does not count must not make a NaN
    Some(if rest == 0.0 { low } else { low + rest * (high - low) })
}

/// The median.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// At every point of some curves the quantile over them. `None` without curves, or if they differ
/// in length.
pub fn quantile_curve(curves: &[Vec<f64>], share: f64) -> Option<Vec<f64>> {
    let points = curves.first()?.len();
    if curves.iter().any(|curve| curve.len() != points) {
        return None;
    }
    let at = |i: usize| quantile(&curves.iter().map(|curve| curve[i]).collect::<Vec<_>>(), share);
    (0..points).map(at).collect()
}

/// The band that has the middle `share` of the runs at every point for itself: 0.5 gives the
/// quartiles.
pub fn quantile_band(curves: &[Vec<f64>], share: f64) -> Option<Vec<(f64, f64)>> {
    let tail = 0.5 * (1.0 - share);
    let (low, high) = (quantile_curve(curves, tail)?, quantile_curve(curves, 1.0 - tail)?);
    Some(low.into_iter().zip(high).collect())
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

    #[test]
    fn bands_are_taken_point_by_point() {
        let curves: Vec<Vec<f64>> = (0..5).map(|i| vec![f64::from(i), f64::from(10 * (4 - i))]).collect();
        assert_eq!(quantile_curve(&curves, 0.5), Some(vec![2.0, 20.0]));
        assert_eq!(quantile_band(&curves, 0.5), Some(vec![(1.0, 3.0), (10.0, 30.0)]));
        assert_eq!(quantile_band(&curves, 1.0), Some(vec![(0.0, 4.0), (0.0, 40.0)]));
        assert_eq!(quantile_band(&[], 0.5), None);
        assert_eq!(quantile_band(&[vec![1.0], vec![1.0, 2.0]], 0.5), None);
    }
}
