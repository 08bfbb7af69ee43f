//! Means with their uncertainty, medians and quantiles, paired differences and their tests, shares,
//! growth exponents, bootstrap intervals, bands over whole curves.
//! All sums run in the order given, so the same runs give the same bytes.

mod band;
mod bootstrap;
mod burn_in;
mod normal;
mod paired;
mod proportion;
mod quantiles;
mod slope;
mod student;

pub use band::simultaneous_band;
pub use bootstrap::bca_interval;
pub use burn_in::BurnIn;
pub use paired::{LEVEL, PairedTest, holm, sign_flips, t_test};
pub use proportion::Proportion;
pub use quantiles::{median, quantile};
pub use slope::Exponent;

use crate::figure::number_label;
use goalward::numeric::Portable;
use serde::Serialize;
use std::fmt;

/// Below so many differences there are too few resamples to tell a tail of 2.5 %: the interval is
/// Student's.
const FEW: usize = 8;

/// A sample mean with its 95 % interval, Student's t if nothing else is said; with fewer than two
/// values there is no interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// How many values.
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

    /// The mean of the differences `a[i] - b[i]`: what two learners differ by when they meet the
    /// same luck.
    ///
    /// Such differences are skewed, because a run that goes wrong pays much and no run gains as
    /// much. So their interval is a corrected bootstrap's ([`bca_interval`]), which need not be
    /// symmetric; with fewer than eight of them it is Student's, because a bootstrap of few values
    /// never looks beyond them. `None` without values, or if the samples differ in length.
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
        // equal differences have one mean, whatever rounding makes of it
        let (low, high) = match high - low <= 1e-12 * mean.mean.abs() {
            true => (mean.mean, mean.mean),
            false => (low.min(mean.mean), high.max(mean.mean)),
        };
        Some(Mean { low: Some(low), high: Some(high), ..mean })
    }

    /// The mean of the opposites.
    pub fn negated(&self) -> Mean {
        let opposite = |x: Option<f64>| x.map(|x| -x);
        Mean { mean: -self.mean, low: opposite(self.high), high: opposite(self.low), ..*self }
    }

    /// Whether the interval reaches as far up as down.
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

    /// The interval alone, `[2.396, 2.406]`; without one, a word for that.
    pub fn interval(&self) -> String {
        let label = |x| number_label(x, self.decimals());
        match (self.low, self.high) {
            (Some(low), Some(high)) => format!("[{}, {}]", label(low), label(high)),
            _ => "(no interval: one run)".into(),
        }
    }

    fn decimals(&self) -> usize {
        let decimals =
            |size: f64, digits: f64| (digits - 1.0 - size.log_10().floor()).clamp(0.0, 9.0) as usize;
        match self.half_width() {
            // what is less is rounding, not luck
            Some(half) if half > 1e-9 * self.mean.abs() => decimals(half, 2.0),
            _ if self.mean == 0.0 || self.mean.fract() == 0.0 => 0,
            _ => decimals(self.mean.abs(), 4.0),
        }
    }

    /// Everything multiplied by a positive factor.
    pub fn scaled(&self, factor: f64) -> Mean {
        let times = |x: Option<f64>| x.map(|x| x * factor);
        Mean {
            n: self.n,
            mean: self.mean * factor,
            sd: times(self.sd),
            low: times(self.low),
            high: times(self.high),
        }
    }
}

/// `2.401 ± 0.005`, or `34 [13, 61]` where the interval is not symmetric: two digits of the
/// uncertainty decide the digits of the mean.
impl fmt::Display for Mean {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let decimals = self.decimals();
        f.write_str(&number_label(self.mean, decimals))?;
        match self.half_width() {
            Some(half) if self.symmetric() => write!(f, " ± {}", number_label(half, decimals)),
            Some(_) => write!(f, " {}", self.interval()),
            None => Ok(()),
        }
    }
}

/// The 0.975 quantile of Student's t distribution.
pub fn t_quantile_975(degrees: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004, 2.262_157,
        2.228_139, 2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905, 2.109_816, 2.100_922,
        2.093_024, 2.085_963, 2.079_614, 2.073_873, 2.068_658, 2.063_899, 2.059_539, 2.055_529, 2.051_831,
        2.048_407, 2.045_230, 2.042_272,
    ];
    match degrees {
        0 => f64::INFINITY,
        1..=30 => TABLE[degrees - 1],
        // Cornish-Fisher: the normal quantile and its corrections, exact to 2e-6 from here on
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

/// The least-squares slope of log y over log x: the exponent of a power law. Points that have no
/// logarithm are left out; `None` if fewer than two different x remain.
pub fn log_log_slope(points: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points
        .into_iter()
        .filter(|&(x, y)| x > 0.0 && y > 0.0)
        .map(|(x, y)| (x.log_e(), y.log_e()))
        .collect();
    let n = logs.len() as f64;
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let sxx: f64 = logs.iter().map(|p| (p.0 - mx) * (p.0 - mx)).sum();
    let sxy: f64 = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    (sxx > 0.0).then(|| sxy / sxx)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not {b}");
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let known = [(1, 12.7062), (2, 4.3027), (9, 2.2622), (19, 2.0930), (30, 2.0423)];
        let large = [(31, 2.0395), (40, 2.0211), (60, 2.0003), (120, 1.9799), (1000, 1.9623)];
        for (degrees, quantile) in known.into_iter().chain(large) {
            close(t_quantile_975(degrees), quantile, 5.1e-5);
        }
        close(t_quantile_975(31), 2.039_513, 2e-6);
        assert!(t_quantile_975(30) > t_quantile_975(31));
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
        close(mean.scaled(0.5).high.unwrap(), mean.high.unwrap() / 2.0, 1e-12);
    }

    #[test]
    fn as_many_digits_as_are_known() {
        let mean =
            |mean, half| Mean { n: 5, mean, sd: None, low: Some(mean - half), high: Some(mean + half) };
        assert_eq!(mean(2.401_234, 0.005_4).to_string(), "2.4012 ± 0.0054");
        assert_eq!(mean(192_034.4, 431.0).to_string(), "192,034 ± 431");
        assert_eq!(mean(-0.5, 0.25).interval(), "[−0.75, −0.25]");
        assert_eq!(Mean::of(&[12.0]).unwrap().to_string(), "12");
        assert_eq!(Mean::of(&[0.123_456]).unwrap().to_string(), "0.1235");
        assert_eq!(Mean::of(&[0.0, 0.0]).unwrap().to_string(), "0 ± 0");
        assert_eq!(mean(10_922.666_666_67, 1e-12).to_string(), "10,923 ± 0");
    }

    #[test]
    fn little_data_claims_nothing() {
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
        // a few tell nothing of the tails
        let few = Mean::of_differences(&rare[..7], &[0.0; 7]).unwrap();
        assert_eq!(Some(few), Mean::of(&rare[..7]));
    }

    #[test]
    fn slopes() {
        let power =
            |e: f64| log_log_slope((1..50).map(|k| (f64::from(k), 3.0 * f64::from(k).to_the(e)))).unwrap();
        close(power(0.5), 0.5, 1e-9);
        close(power(1.0), 1.0, 1e-9);
        assert_eq!(log_log_slope([(1.0, 2.0)]), None);
        assert_eq!(log_log_slope([(1.0, -2.0), (0.0, 1.0)]), None);
    }
}
