//! Student's t distribution with a whole number of degrees of freedom.

use goalward::numeric::Portable;
use std::f64::consts::FRAC_2_PI;

/// P(|T| <= t), by the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4: all terms are
/// positive, so nothing cancels. NaN without degrees of freedom.
pub(crate) fn within(t: f64, degrees: usize) -> f64 {
    if degrees == 0 || t.is_nan() {
        return f64::NAN;
    }
    let nu = degrees as f64;
    let angle = (t.abs() / nu.sqrt()).arc_tangent();
    let (sin, cos) = (angle.sine(), angle.cosine());
    let odd = degrees % 2 == 1;
    // 1 + 1/2 cos^2 + (1 3)/(2 4) cos^4 + ..., or cos + 2/3 cos^3 + (2 4)/(3 5) cos^5 + ...
    let (mut term, mut power) = if odd { (cos, 1) } else { (1.0, 0) };
    let mut sum = 0.0;
    while power + 2 <= degrees {
        sum += term;
        power += 2;
        let k = power as f64;
        term *= (k - 1.0) / k * cos * cos;
    }
    let whole = if odd { FRAC_2_PI * (angle + sin * sum) } else { sin * sum };
    whole.clamp(0.0, 1.0)
}

/// The two-sided p-value of a t statistic.
pub(crate) fn two_sided(t: f64, degrees: usize) -> f64 {
    1.0 - within(t, degrees)
}

/// The t with P(|T| <= t) = share, for a share in [0, 1), by bisection.
pub(crate) fn quantile_within(share: f64, degrees: usize) -> f64 {
    let mut high = 1.0;
    while within(high, degrees) < share && high < 1e300 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if within(middle, degrees) < share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::t_quantile_975;

    #[test]
    fn values_are_those_of_the_tables() {
        for degrees in (1..=30).chain([60, 1000]) {
            let t = t_quantile_975(degrees);
            assert!((within(t, degrees) - 0.95).abs() < 1e-7, "{degrees}: {}", within(t, degrees));
            assert!((quantile_within(0.95, degrees) - t).abs() < 4e-6 * t, "{degrees}");
        }
        // one-sided 0.005 and 0.0005 of the printed tables
        for (degrees, t, p) in [(1, 63.657, 0.01), (4, 4.604, 0.01), (10, 4.587, 0.001), (19, 3.883, 0.001)] {
            assert!(
                (two_sided(t, degrees) - p).abs() < 2e-4 * p + 1e-6,
                "{degrees}: {}",
                two_sided(t, degrees)
            );
        }
    }

    #[test]
    fn closed_forms_of_few_degrees() {
        for t in [0.0, 0.3, 1.0, 7.0f64] {
            let (one, two) = (FRAC_2_PI * t.arc_tangent(), t / (2.0 + t * t).sqrt());
            assert!((within(t, 1) - one).abs() < 1e-15 && (within(-t, 2) - two).abs() < 1e-15, "{t}");
        }
        assert!(within(1.0, 0).is_nan() && within(f64::NAN, 3).is_nan());
        assert!((within(f64::INFINITY, 5) - 1.0).abs() < 1e-15 && within(f64::INFINITY, 4) == 1.0);
    }
}
