//! Statistics of runs: means, quantiles, paired tests, shares, growth exponents, bootstrap intervals,
//! bands over whole curves. Sums run in the order given, so the same runs give the same bytes.

mod band;
mod bootstrap;
mod burn_in;
mod distributions;
mod paired;
mod proportion;
mod quantiles;
mod slope;

pub use band::simultaneous_band;
pub use bootstrap::{bca_interval, bca_interval_90};
pub use burn_in::BurnIn;
pub use paired::{LEVEL, PairedTest, holm};
pub use proportion::Proportion;
pub use quantiles::{median, quantile};
pub use slope::{Exponent, log_log_slope};

use crate::figure::number_label;
use distributions::t_quantile_975;
use goalward::numeric::Portable;
use serde::Serialize;
use std::fmt;

/// With fewer differences than this a bootstrap has too few resamples for a tail of 2.5 %.
const FEW: usize = 8;

/// A sample mean with its 95 % interval, by Student's t unless stated otherwise; fewer than two values
/// have no interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// The number of values.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation (n - 1 in the denominator).
    pub sd: Option<f64>,
    /// The lower end of the 95 % interval of the mean.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Mean {
    /// The mean of a sample; `None` without values.
    pub fn of(values: &[f64]) -> Option<Mean> {
        let n = values.len();
        if n == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        if n == 1 {
            return Some(Mean { n, mean, sd: None, low: None, high: None });
        }
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        let sd = (squares / (n - 1) as f64).sqrt();
        let half = t_quantile_975(n - 1) * sd / (n as f64).sqrt();
        Some(Mean { n, mean, sd: Some(sd), low: Some(mean - half), high: Some(mean + half) })
    }

    /// The mean of the paired differences `a[i] - b[i]`.
    ///
    /// They are skewed, so the interval is a corrected bootstrap's ([`bca_interval`]); with fewer than
    /// eight differences it is Student's, because a bootstrap never looks beyond its values. `None`
    /// without values, or if the samples differ in length.
    pub fn of_differences(a: &[f64], b: &[f64]) -> Option<Mean> {
        if a.len() != b.len() {
            return None;
        }
        let differences: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
        let mean = Mean::of(&differences)?;
        if differences.len() < FEW {
            return Some(mean);
        }
        let of = |runs: &[usize]| Some(runs.iter().map(|&r| differences[r]).sum::<f64>() / runs.len() as f64);
        let Some((low, high)) = bca_interval(differences.len(), of) else { return Some(mean) };
        // equal differences have an interval without width, but for rounding
        let (low, high) = match high - low <= 1e-12 * mean.mean.abs() {
            true => (mean.mean, mean.mean),
            false => (low.min(mean.mean), high.max(mean.mean)),
        };
        Some(Mean { low: Some(low), high: Some(high), ..mean })
    }

    /// The mean of the negated values.
    pub fn negated(&self) -> Mean {
        let opposite = |x: Option<f64>| x.map(|x| -x);
        Mean { mean: -self.mean, low: opposite(self.high), high: opposite(self.low), ..*self }
    }

    fn symmetric(&self) -> bool {
        let Some((low, high)) = self.low.zip(self.high) else { return true };
        let (down, up) = (self.mean - low, high - self.mean);
        (up - down).abs() <= 1e-9 * up.max(down) + 1e-12 * self.mean.abs()
    }

    /// Half the interval's width.
    pub fn half_width(&self) -> Option<f64> {
        match self.symmetric() {
            true => self.high.map(|high| high - self.mean),
            false => Some(0.5 * (self.high? - self.low?)),
        }
    }

    /// Whether the interval contains a value; `None` without an interval.
    pub fn covers(&self, value: f64) -> Option<bool> {
        Some(self.low? <= value && value <= self.high?)
    }

    fn decimals(&self) -> usize {
        let decimals =
            |size: f64, digits: f64| (digits - 1.0 - size.log_10().floor()).clamp(0.0, 9.0) as usize;
        match self.half_width() {
            // a narrower interval is rounding alone
            Some(half) if half > 1e-9 * self.mean.abs() => decimals(half, 2.0),
            _ if self.mean == 0.0 || self.mean.fract() == 0.0 => 0,
            _ => decimals(self.mean.abs(), 4.0),
        }
    }
}

/// `2.401 ± 0.005`, or `34 [13, 61]` where the interval is not symmetric: two digits of the
/// uncertainty decide the digits of the mean.
impl fmt::Display for Mean {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let label = |x| number_label(x, self.decimals());
        f.write_str(&label(self.mean))?;
        match (self.low.zip(self.high), self.half_width()) {
            (Some(_), Some(half)) if self.symmetric() => write!(f, " ± {}", label(half)),
            (Some((low, high)), _) => write!(f, " [{}, {}]", label(low), label(high)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not {b}");
    }

    #[test]
    fn mean_and_interval() {
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sum of squares 32
        let mean = Mean::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        close(mean.mean, 5.0, 1e-12);
        close(mean.sd.unwrap(), (32.0f64 / 7.0).sqrt(), 1e-12);
        close(mean.half_width().unwrap(), 2.364_624 * (32.0f64 / 7.0).sqrt() / 8.0f64.sqrt(), 1e-6);
        assert_eq!(mean.covers(4.0), Some(true));
        assert_eq!(mean.covers(9.0), Some(false));
    }

    #[test]
    fn digits_follow_the_uncertainty() {
        let mean =
            |mean, half| Mean { n: 5, mean, sd: None, low: Some(mean - half), high: Some(mean + half) };
        assert_eq!(mean(2.401_234, 0.005_4).to_string(), "2.4012 ± 0.0054");
        assert_eq!(mean(192_034.4, 431.0).to_string(), "192,034 ± 431");
        assert_eq!(mean(-0.5, 0.25).to_string(), "−0.50 ± 0.25");
        assert_eq!(Mean::of(&[12.0]).unwrap().to_string(), "12");
        assert_eq!(Mean::of(&[0.123_456]).unwrap().to_string(), "0.1235");
        assert_eq!(Mean::of(&[0.0, 0.0]).unwrap().to_string(), "0 ± 0");
        assert_eq!(mean(10_922.666_666_67, 1e-12).to_string(), "10,923 ± 0");
    }

    #[test]
    fn little_data_has_no_interval() {
        assert_eq!(Mean::of(&[]), None);
        let one = Mean::of(&[3.0]).unwrap();
        assert_eq!((one.mean, one.low, one.covers(3.0)), (3.0, None, None));
        assert_eq!(Mean::of_differences(&[1.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn pairing_removes_the_common_luck() {
        let luck = [10.0, -3.0, 7.0, 0.5];
        let a: Vec<f64> = luck.iter().map(|x| x + 1.0).collect();
        let difference = Mean::of_differences(&a, &luck).unwrap();
        close(difference.mean, 1.0, 1e-12);
        close(difference.half_width().unwrap(), 0.0, 1e-9);
        let many: Vec<f64> = (0..20).map(|i| f64::from(i) * 1.7).collect();
        let more: Vec<f64> = many.iter().map(|x| x + 1.0).collect();
        assert_eq!(
            Mean::of_differences(&more, &many).unwrap().to_string(),
            "1 ± 0",
            "equal but for rounding"
        );
    }

    #[test]
    fn differences_are_skewed_and_so_is_their_interval() {
        let rare: Vec<f64> = (0..20).map(|i| if i % 7 == 0 { 30.0 } else { 1.0 }).collect();
        let mean = Mean::of_differences(&rare, &[0.0; 20]).unwrap();
        let student = Mean::of(&rare).unwrap();
        assert!(mean.high.unwrap() - mean.mean > 1.2 * (mean.mean - mean.low.unwrap()), "{mean:?}");
        assert_ne!((mean.low, mean.high), (student.low, student.high));
        let (text, opposite) = (mean.to_string(), mean.negated().to_string());
        assert!(text.starts_with("5.3 ["), "{text}");
        assert!(opposite.starts_with("−5") && opposite.contains(", −"), "{opposite}");
        // too few for the tails
        let few = Mean::of_differences(&rare[..7], &[0.0; 7]).unwrap();
        assert_eq!(Some(few), Mean::of(&rare[..7]));
    }
}
