//! Whether paired differences have the mean 0, and what testing many of them takes.

use super::Mean;
use super::distributions::t_within;
use goalward::numeric::Stream;
use serde::Serialize;

/// Up to this many differences all ways of flipping their signs are tried.
const EXACT: usize = 16;
/// The number of random ways beyond that.
const FLIPS: u64 = 19_999;
/// The label of their stream.
const STREAM: u64 = 0x666c_6970; // "flip"
/// The significance level.
pub const LEVEL: f64 = 0.05;

/// A test of paired differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairedTest {
    /// All ways of flipping signs.
    ExactSignFlips,
    /// 19,999 random ways.
    DrawnSignFlips,
    /// Student's t, where there are too few ways to flip signs.
    Student,
}

impl PairedTest {
    /// The test for a number of differences. Flipping signs assumes least, but no p-value is below
    /// 2/2^n. Where that times the number of comparisons is above 5 %, the test is Student's.
    pub fn of(runs: usize, comparisons: usize) -> PairedTest {
        let least = 0.5f64.powi(runs as i32 - 1) * comparisons.max(1) as f64;
        match runs {
            _ if least > LEVEL => PairedTest::Student,
            n if n <= EXACT => PairedTest::ExactSignFlips,
            _ => PairedTest::DrawnSignFlips,
        }
    }

    /// The two-sided p-value; `None` with fewer than two differences.
    pub fn p(self, differences: &[f64]) -> Option<f64> {
        match self {
            PairedTest::Student => t_test(differences),
            _ => sign_flips(differences),
        }
    }
}

/// The two-sided p-value of a sign-flip permutation test: the share of ways to flip the signs of
/// the differences whose sum is as far from 0 as theirs. Exact for at most 16 differences; beyond that
/// by 19,999 fixed draws, with the differences themselves as one more.
fn sign_flips(differences: &[f64]) -> Option<f64> {
    let n = differences.len();
    if n < 2 || differences.iter().any(|d| !d.is_finite()) {
        return None;
    }
    // sums that differ by rounding alone are equal
    let close = 1e-12 * differences.iter().map(|d| d.abs()).sum::<f64>();
    let far = differences.iter().sum::<f64>().abs() - close;
    let sum = |flips: &dyn Fn(usize) -> bool| {
        differences.iter().enumerate().map(|(i, d)| if flips(i) { -d } else { *d }).sum::<f64>()
    };
    if n <= EXACT {
        let ways = 1u64 << n;
        let as_far = (0..ways).filter(|way| sum(&|i| way >> i & 1 == 1).abs() >= far).count();
        return Some(as_far as f64 / ways as f64);
    }
    let mut stream = Stream::new(0, &[STREAM]);
    let mut words = vec![0u64; n.div_ceil(64)];
    let mut as_far = 1u64;
    for _ in 0..FLIPS {
        words.fill_with(|| stream.bits());
        as_far += u64::from(sum(&|i| words[i / 64] >> (i % 64) & 1 == 1).abs() >= far);
    }
    Some(as_far as f64 / (FLIPS + 1) as f64)
}

/// The two-sided p-value of Student's t-test; equal differences have that of flipped signs.
fn t_test(differences: &[f64]) -> Option<f64> {
    let mean = Mean::of(differences)?;
    let error = mean.sd? / (mean.n as f64).sqrt();
    if error <= 1e-12 * mean.mean.abs() || !error.is_finite() {
        return sign_flips(differences);
    }
    Some(1.0 - t_within(mean.mean / error, mean.n - 1))
}

/// Holm's correction (1979), in the order given.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![0.0; p.len()];
    let mut most: f64 = 0.0;
    for (rank, &i) in order.iter().enumerate() {
        most = most.max((p.len() - rank) as f64 * p[i]).min(1.0);
        adjusted[i] = most;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Option<f64>, b: f64, tolerance: f64) {
        assert!(a.is_some_and(|a| (a - b).abs() <= tolerance), "{a:?} is not {b}");
    }

    #[test]
    fn few_flips_are_counted_by_hand() {
        // 1, 2, 3: only +++ and --- are as far as 6
        assert_eq!(sign_flips(&[1.0, 2.0, 3.0]), Some(2.0 / 8.0));
        // 1, 2, -3: the sum is 0, and every way is as far
        assert_eq!(sign_flips(&[1.0, 2.0, -3.0]), Some(1.0));
        // -1, 2, 3: sums ±6 twice and ±4 twice, of 8
        assert_eq!(sign_flips(&[-1.0, 2.0, 3.0]), Some(4.0 / 8.0));
        assert_eq!(sign_flips(&[0.0; 5]), Some(1.0));
        assert_eq!(sign_flips(&[0.1; 10]), Some(2.0 / 1024.0), "equal but for rounding");
        assert_eq!((sign_flips(&[1.0]), sign_flips(&[])), (None, None));
        assert_eq!(sign_flips(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn darwins_plants() {
        // heights of cross- less self-fertilised maize in eighths of an inch (Fisher 1935, 21):
        // 1,726 of 2^15 ways are as far, t = 2.148 with 14 degrees
        let d = [49., -67., 8., 16., 6., 23., 28., 41., 14., 29., 56., 24., 75., 60., -48.];
        close(sign_flips(&d), 1726.0 / 32768.0, 1e-12);
        close(t_test(&d), 0.0497, 1e-4);
        assert_eq!(PairedTest::of(15, 1).p(&d), sign_flips(&d));
    }

    #[test]
    fn drawn_flips_agree_with_all_flips() {
        // sums of ±1: the share of ways with |sum| >= 10 of 20 signs is a binomial tail
        let mut d = vec![1.0; 15];
        d.extend([-1.0; 5]);
        let choose = |k: u32| (0..k).fold(1.0, |c, i| c * f64::from(20 - i) / f64::from(i + 1));
        let tail = 2.0 * (0..=5).map(choose).sum::<f64>() / 2f64.powi(20);
        // three standard errors of 20,000 draws
        close(sign_flips(&d), tail, 3.0 * (tail * (1.0 - tail) / 2e4).sqrt());
        assert_eq!(sign_flips(&d), sign_flips(&d), "the draws are fixed");
        assert_eq!(sign_flips(&[1.0; 40]), Some(1.0 / 20_000.0));
        assert!(sign_flips(&vec![1.0; 100]).unwrap() < 1e-4, "more runs than bits in a word");
    }

    #[test]
    fn the_t_test_is_that_of_the_textbook() {
        // Student 1908: extra hours of sleep, t = 4.0621 with 9 degrees, p = 0.002833
        let d = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        close(t_test(&d), 0.002_833, 1e-6);
        assert_eq!(t_test(&[2.0, 2.0, 2.0]), Some(0.25));
        assert_eq!(t_test(&[0.0, 0.0]), Some(1.0));
        assert_eq!((t_test(&[1.0]), t_test(&[])), (None, None));
    }

    #[test]
    fn the_test_can_tell_something() {
        assert_eq!(PairedTest::of(5, 1), PairedTest::Student, "2/32 is above 5 %");
        assert_eq!(PairedTest::of(6, 1), PairedTest::ExactSignFlips);
        assert_eq!(PairedTest::of(6, 2), PairedTest::Student);
        assert_eq!(PairedTest::of(10, 25), PairedTest::ExactSignFlips);
        assert_eq!(PairedTest::of(16, 1000), PairedTest::ExactSignFlips);
        assert_eq!(PairedTest::of(20, 60), PairedTest::DrawnSignFlips);
        assert_eq!(PairedTest::of(0, 0), PairedTest::Student);
    }

    #[test]
    fn holm_by_hand() {
        // sorted 0.01, 0.02, 0.03, 0.2 times 4, 3, 2, 1, and never falling
        let adjusted = holm(&[0.02, 0.2, 0.01, 0.03]);
        let expected = [0.06, 0.2, 0.04, 0.06];
        assert!(adjusted.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{adjusted:?}");
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert_eq!(holm(&[]), [0.0; 0]);
    }

    /// Under the hypothesis a p-value is at most x with a probability of at most x.
    #[test]
    fn tests_err_as_seldom_as_they_say() {
        let mut stream = Stream::new(11, &[STREAM]);
        let mut wrong = [0; 2];
        for _ in 0..2000 {
            // skewed luck, but two of the kind: their difference is symmetric
            let d: Vec<f64> = (0..8).map(|_| stream.exponential() - stream.exponential()).collect();
            wrong[0] += usize::from(sign_flips(&d).unwrap() <= LEVEL);
            wrong[1] += usize::from(t_test(&d[..5]).unwrap() <= LEVEL);
        }
        // 5 % of 2,000 plus three standard errors of 0.49 %
        assert!(wrong[0] <= 129 && wrong[0] >= 50, "{wrong:?}");
        assert!(wrong[1] <= 129, "{wrong:?}");
    }
}
