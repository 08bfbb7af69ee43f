//! The normal distribution, and Student's t with a whole number of degrees of freedom.

use goalward::numeric::Portable;
use std::f64::consts::{FRAC_2_PI, TAU};

/// The standard normal distribution function, by the series of Marsaglia (2004): all terms have one
/// sign, so nothing cancels.
pub(super) fn normal_cdf(x: f64) -> f64 {
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

/// Its inverse on (0, 1).
pub(super) fn normal_quantile(share: f64) -> f64 {
    bisect(-8.0, 8.0, 60, |x| normal_cdf(x) < share)
}

/// The point up to which a condition holds, after this many halvings of an interval.
pub(super) fn bisect(mut low: f64, mut high: f64, halvings: usize, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..halvings {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// P(|T| <= t), by the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4: all terms are
/// positive, so nothing cancels. NaN without degrees of freedom.
pub(super) fn t_within(t: f64, degrees: usize) -> f64 {
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

/// The t with P(|T| <= t) = share, for a share in [0, 1).
pub(super) fn t_quantile_within(share: f64, degrees: usize) -> f64 {
    let mut high = 1.0;
    while t_within(high, degrees) < share && high < 1e300 {
        high *= 2.0;
    }
    bisect(0.0, high, 200, |t| t_within(t, degrees) < share)
}

/// The 0.975 quantile of Student's t distribution.
pub(super) fn t_quantile_975(degrees: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004, 2.262_157,
        2.228_139, 2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905, 2.109_816, 2.100_922,
        2.093_024, 2.085_963, 2.079_614, 2.073_873, 2.068_658, 2.063_899, 2.059_539, 2.055_529, 2.051_831,
        2.048_407, 2.045_230, 2.042_272,
    ];
    match degrees {
        0 => f64::INFINITY,
        1..=30 => TABLE[degrees - 1],
        // Cornish-Fisher expansion, exact to 2e-6 from here on
        _ => {
            let (z, v) = (1.959_963_985_f64, degrees as f64);
            let z2 = z * z;
            let g1 = z * (z2 + 1.0) / 4.0;
            let g2 = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
            let g3 = z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
            z + g1 / v + g2 / (v * v) + g3 / (v * v * v)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_values_are_those_of_the_tables() {
        for (x, share) in [(0.0, 0.5), (1.0, 0.841_344_746_068_542_9), (-1.959_963_984_540_054, 0.025)] {
            assert!((normal_cdf(x) - share).abs() < 1e-15, "{x}");
            assert!((normal_quantile(share) - x).abs() < 1e-12, "{share}");
        }
        assert!((normal_cdf(-5.0) - 2.866_515_718_791_946e-7).abs() < 1e-15);
        assert_eq!((normal_cdf(40.0), normal_cdf(-40.0)), (1.0, 0.0));
        assert!(normal_cdf(f64::NAN).is_nan());
    }

    #[test]
    fn t_quantiles_are_those_of_the_tables() {
        let known = [(1, 12.7062), (2, 4.3027), (9, 2.2622), (19, 2.0930), (30, 2.0423)];
        let large = [(31, 2.0395), (40, 2.0211), (60, 2.0003), (120, 1.9799), (1000, 1.9623)];
        for (degrees, quantile) in known.into_iter().chain(large) {
            assert!((t_quantile_975(degrees) - quantile).abs() < 5.1e-5, "{degrees}");
        }
        assert!((t_quantile_975(31) - 2.039_513).abs() < 2e-6);
        assert!(t_quantile_975(30) > t_quantile_975(31));
    }

    #[test]
    fn t_values_are_those_of_the_tables() {
        for degrees in (1..=30).chain([60, 1000]) {
            let t = t_quantile_975(degrees);
            assert!((t_within(t, degrees) - 0.95).abs() < 1e-7, "{degrees}: {}", t_within(t, degrees));
            assert!((t_quantile_within(0.95, degrees) - t).abs() < 4e-6 * t, "{degrees}");
        }
        // one-sided 0.005 and 0.0005 of the printed tables
        for (degrees, t, p) in [(1, 63.657, 0.01), (4, 4.604, 0.01), (10, 4.587, 0.001), (19, 3.883, 0.001)] {
            assert!(
                ((1.0 - t_within(t, degrees)) - p).abs() < 2e-4 * p + 1e-6,
                "{degrees}: {}",
                (1.0 - t_within(t, degrees))
            );
        }
    }

    #[test]
    fn closed_forms_of_few_degrees() {
        for t in [0.0, 0.3, 1.0, 7.0f64] {
            let (one, two) = (FRAC_2_PI * t.arc_tangent(), t / (2.0 + t * t).sqrt());
            assert!((t_within(t, 1) - one).abs() < 1e-15 && (t_within(-t, 2) - two).abs() < 1e-15, "{t}");
        }
        assert!(t_within(1.0, 0).is_nan() && t_within(f64::NAN, 3).is_nan());
        assert!((t_within(f64::INFINITY, 5) - 1.0).abs() < 1e-15 && t_within(f64::INFINITY, 4) == 1.0);
    }
}
