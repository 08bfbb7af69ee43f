//! The normal distribution.

use goalward::numeric::Portable;
use std::f64::consts::TAU;

/// The standard normal distribution function, by the series of Marsaglia (2004): all terms have one
/// sign, so nothing cancels.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    if x.is_nan() || x.abs() > 8.0 {
        return if x.is_nan() { x } else { f64::from(x > 0.0) };
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while sum + term != sum {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + sum * (-0.5 * x * x).exp_e() / TAU.sqrt()
}

/// Its inverse on (0, 1), by bisection.
pub(crate) fn normal_quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-8.0, 8.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if normal_cdf(middle) < share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_tables() {
        for (x, share) in [(0.0, 0.5), (1.0, 0.841_344_746_068_542_9), (-1.959_963_984_540_054, 0.025)] {
            assert!((normal_cdf(x) - share).abs() < 1e-15, "{x}");
            assert!((normal_quantile(share) - x).abs() < 1e-12, "{share}");
        }
        assert!((normal_cdf(-5.0) - 2.866_515_718_791_946e-7).abs() < 1e-15);
        assert_eq!((normal_cdf(40.0), normal_cdf(-40.0)), (1.0, 0.0));
        assert!(normal_cdf(f64::NAN).is_nan());
    }
}
