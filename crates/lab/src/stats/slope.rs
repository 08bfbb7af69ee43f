//! Growth exponents with their uncertainty.

use super::bca_interval;
use goalward::numeric::Portable;
use serde::Serialize;
use std::fmt;

/// The least-squares slope of log y over log x: the exponent of a power law. Points without a
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

/// The exponent e of a power law mean(y) = c x^e, fitted by least squares to the logarithms of the
/// means.
///
/// Its interval comes from resampled seeds ([`bca_interval`]), for all x at once because runs with the
/// same seed share their luck.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Exponent {
    /// The fitted exponent.
    pub exponent: f64,
    /// The lower end of the 95 % interval; `None` with fewer than two runs, or if few pay anything.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The standard error of the straight line; `None` with fewer than three points.
    pub error: Option<f64>,
}

impl Exponent {
    /// Of columns `ys[i]`, the values at `xs[i]` over the same seeds in the same order. `None` if
    /// the columns differ in length, if a mean is not positive, or with fewer than two x.
    pub fn fit(xs: &[f64], ys: &[Vec<f64>]) -> Option<Exponent> {
        let runs = ys.first()?.len();
        if xs.len() != ys.len() || runs == 0 || ys.iter().any(|y| y.len() != runs) {
            return None;
        }
        let slope = |runs: &[usize]| {
            let means = means(ys, runs);
            // the slope would leave a mean without a logarithm out
            let positive = means.iter().all(|m| m.is_finite() && *m > 0.0);
            log_log_slope(xs.iter().copied().zip(means)).filter(|_| positive)
        };
        let all: Vec<usize> = (0..runs).collect();
        let exponent = slope(&all)?;
        let (low, high) = bca_interval(runs, slope).unzip();
        Some(Exponent { exponent, low, high, error: standard_error(xs, &means(ys, &all), exponent) })
    }
}

fn means(ys: &[Vec<f64>], runs: &[usize]) -> Vec<f64> {
    ys.iter().map(|y| runs.iter().map(|&r| y[r]).sum::<f64>() / runs.len() as f64).collect()
}

/// sqrt(SSR / (n - 2) / Sxx) of the line through the logarithms.
fn standard_error(xs: &[f64], ys: &[f64], slope: f64) -> Option<f64> {
    let n = xs.len();
    if n < 3 {
        return None;
    }
    let (xs, ys): (Vec<f64>, Vec<f64>) = xs.iter().zip(ys).map(|(x, y)| (x.log_e(), y.log_e())).unzip();
    let mean = |v: &[f64]| v.iter().sum::<f64>() / n as f64;
    let (mx, my) = (mean(&xs), mean(&ys));
    let sxx: f64 = xs.iter().map(|x| (x - mx).powi(2)).sum();
    let squared = |(x, y): (&f64, &f64)| (y - my - slope * (x - mx)).powi(2);
    let residual: f64 = xs.iter().zip(&ys).map(squared).sum();
    Some((residual / (n - 2) as f64 / sxx).sqrt())
}

/// `0.52 [0.47, 0.56]`, the bootstrap's interval.
impl fmt::Display for Exponent {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let number = |x: f64| {
            let x = if x.abs() < 0.005 { 0.0 } else { x };
            format!("{x:.2}").replace('-', "−")
        };
        f.write_str(&number(self.exponent))?;
        match self.low.zip(self.high) {
            Some((low, high)) => write!(f, " [{}, {}]", number(low), number(high)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goalward::numeric::Stream;

    #[test]
    fn slopes() {
        let power =
            |e: f64| log_log_slope((1..50).map(|k| (f64::from(k), 3.0 * f64::from(k).to_the(e)))).unwrap();
        assert!((power(0.5) - 0.5).abs() < 1e-9);
        assert!((power(1.0) - 1.0).abs() < 1e-9);
        assert_eq!(log_log_slope([(1.0, 2.0)]), None);
        assert_eq!(log_log_slope([(1.0, -2.0), (0.0, 1.0)]), None);
    }

    #[test]
    fn a_power_law_has_its_exponent_and_no_error() {
        let xs = [10.0, 100.0, 1000.0];
        let ys: Vec<Vec<f64>> = xs.iter().map(|x: &f64| vec![2.0 * x.to_the(0.5); 4]).collect();
        let fit = Exponent::fit(&xs, &ys).unwrap();
        assert!((fit.exponent - 0.5).abs() < 1e-12 && fit.error.unwrap() < 1e-12);
        assert!((fit.low.unwrap() - 0.5).abs() < 1e-12 && (fit.high.unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(fit.to_string(), "0.50 [0.50, 0.50]");
    }

    #[test]
    fn the_standard_error_is_that_of_the_textbook() {
        // logs (0,0), (1,1), (2,1): slope 1/2, residuals -1/6, 1/3, -1/6, SSR 1/6, error sqrt(1/6 /
        // 1 / 2)
        let e = std::f64::consts::E;
        let fit = Exponent::fit(&[1.0, e, e * e], &[vec![1.0], vec![e], vec![e]]).unwrap();
        assert!((fit.exponent - 0.5).abs() < 1e-12);
        assert!((fit.error.unwrap() - (1.0f64 / 12.0).sqrt()).abs() < 1e-12);
        assert_eq!(fit.low, None, "one run has no interval");
    }

    #[test]
    fn the_bootstrap_knows_the_spread_of_the_runs() {
        // y(1) = 1 always, y(e) lognormal around e^1 with sd of the log-mean about s: so is the
        // slope
        let e = std::f64::consts::E;
        let mut stream = Stream::new(1, &[2]);
        let noise: Vec<f64> =
            (0..400).map(|_| (0..12).map(|_| stream.uniform()).sum::<f64>() - 6.0).collect();
        let high: Vec<f64> = noise.iter().map(|z| e * (1.0 + 0.3 * z)).collect();
        let fit = Exponent::fit(&[1.0, e], &[vec![1.0; 400], high]).unwrap();
        let width = fit.high.unwrap() - fit.low.unwrap();
        let expected = 2.0 * 1.96 * 0.3 / 20.0;
        assert!((width / expected - 1.0).abs() < 0.15, "{width}, expected about {expected}");
        assert!(fit.low.unwrap() < fit.exponent && fit.exponent < fit.high.unwrap());
        assert_eq!(Some(fit), Exponent::fit(&[1.0, e], &[vec![1.0; 400], noise_again(&noise, e)]), "no luck");
    }

    fn noise_again(noise: &[f64], e: f64) -> Vec<f64> {
        noise.iter().map(|z| e * (1.0 + 0.3 * z)).collect()
    }

    #[test]
    fn what_cannot_be_fitted_is_not() {
        assert_eq!(Exponent::fit(&[1.0], &[vec![1.0]]), None);
        assert_eq!(Exponent::fit(&[1.0, 2.0], &[vec![1.0], vec![]]), None);
        assert_eq!(Exponent::fit(&[1.0, 2.0], &[vec![1.0], vec![0.0]]), None);
        assert_eq!(Exponent::fit(&[], &[]), None);
        // one run of ten pays all: a line, but no interval
        let mut rare = vec![0.0; 10];
        rare[3] = 5.0;
        let fit = Exponent::fit(&[1.0, 2.0], &[vec![1.0; 10], rare]).unwrap();
        assert_eq!((fit.low, fit.high), (None, None));
    }
}
