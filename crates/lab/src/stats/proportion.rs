//! Shares with exact intervals.

use super::distributions::bisect;
use goalward::numeric::Portable;
use serde::Serialize;

/// A share with the exact 95 % interval of Clopper and Pearson.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Proportion {
    /// The number of hits.
    pub hits: u64,
    /// The number of trials.
    pub n: u64,
    /// The share.
    pub share: f64,
    /// The lower end of the two-sided 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The one-sided 95 % upper limit.
    pub limit: f64,
}

impl Proportion {
    /// The share of `hits` in `n`; `None` if n is 0 or there are more hits than that.
    pub fn of(hits: u64, n: u64) -> Option<Proportion> {
        if n == 0 || hits > n {
            return None;
        }
        Some(Proportion {
            hits,
            n,
            share: hits as f64 / n as f64,
            low: if hits == 0 { 0.0 } else { bisect(0.0, 1.0, 100, |p| 1.0 - below(hits, n, p) < 0.025) },
            high: upper(hits, n, 0.025),
            limit: upper(hits, n, 0.05),
        })
    }
}

/// The p at which `hits` or fewer happen with probability alpha.
fn upper(hits: u64, n: u64, alpha: f64) -> f64 {
    if hits == n { 1.0 } else { bisect(0.0, 1.0, 100, |p| alpha < below(hits + 1, n, p)) }
}

/// P(X < hits) for X binomial(n, p), as a sum of its terms from the largest: all are positive, so
/// nothing cancels.
fn below(hits: u64, n: u64, p: f64) -> f64 {
    if hits == 0 || p >= 1.0 {
        return 0.0;
    }
    if p <= 0.0 {
        return 1.0;
    }
    let odds = (p / (1.0 - p)).log_e();
    // log of (n choose k) p^k (1-p)^(n-k), from one k to the next
    let mut log = n as f64 * (-p).log_1p();
    let mut logs = Vec::with_capacity(hits as usize);
    for k in 0..hits {
        logs.push(log);
        log += ((n - k) as f64 / (k + 1) as f64).log_e() + odds;
    }
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most.exp_e() * logs.iter().map(|log| (log - most).exp_e()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-7, "{a} is not {b}");
    }

    #[test]
    fn intervals_in_closed_form() {
        // nothing of n: the limit is 1 - alpha^(1/n)
        for n in [1, 10, 300, 1000] {
            let none = Proportion::of(0, n).unwrap();
            close(none.limit, 1.0 - 0.05f64.to_the(1.0 / n as f64));
            close(none.high, 1.0 - 0.025f64.to_the(1.0 / n as f64));
            assert_eq!((none.low, none.share), (0.0, 0.0));
            let all = Proportion::of(n, n).unwrap();
            close(all.low, 0.025f64.to_the(1.0 / n as f64));
            assert_eq!((all.high, all.limit), (1.0, 1.0));
        }
        // one of one half: P(X >= 1) = 1 - (1-p)^2 and P(X <= 1) = 1 - p^2
        let one = Proportion::of(1, 2).unwrap();
        close(one.low, 1.0 - 0.975f64.sqrt());
        close(one.high, 0.975f64.sqrt());
    }

    #[test]
    fn intervals_are_quantiles_of_the_beta_distribution() {
        // low = Beta(k, n-k+1) at 0.025, high and limit = Beta(k+1, n-k) at 0.975 and 0.95; by
        // mpmath with 30 digits
        let known = [
            (81, 1000, 0.064_843_54, 0.099_671_70, 0.096_628_56),
            (13, 1000, 0.006_939_62, 0.022_127_80, 0.020_589_29),
            (5, 10, 0.187_086_03, 0.812_913_97, 0.777_558_90),
        ];
        for (hits, n, low, high, limit) in known {
            let share = Proportion::of(hits, n).unwrap();
            close(share.low, low);
            close(share.high, high);
            close(share.limit, limit);
            close(Proportion::of(n - hits, n).unwrap().low, 1.0 - share.high);
        }
    }

    #[test]
    fn the_limits_hold_what_they_promise() {
        // at p = limit, so few hits have a probability of exactly 5 %
        for (hits, n) in [(3, 50), (81, 1000), (40, 41)] {
            let limit = Proportion::of(hits, n).unwrap().limit;
            close(below(hits + 1, n, limit), 0.05);
        }
        // against the sum of exact terms: 4 throws, fewer than 2 heads at 1/3
        close(below(2, 4, 1.0 / 3.0), 16.0 / 81.0 + 32.0 / 81.0);
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(Proportion::of(0, 0), None);
        assert_eq!(Proportion::of(3, 2), None);
    }
}
