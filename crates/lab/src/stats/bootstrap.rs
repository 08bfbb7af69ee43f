//! Bootstrap intervals, bias-corrected and accelerated.

use super::distributions::{normal_cdf, normal_quantile, t_quantile_975, t_quantile_within};
use super::quantiles::interpolated;
use goalward::numeric::{Portable, Stream};

/// The number of resamples.
const RESAMPLES: usize = 2000;
/// The label of their stream.
const STREAM: u64 = 0x626f_6f74; // "boot"
/// There is no interval if the statistic is undefined for more than this share of the resamples.
const UNDEFINED: f64 = 0.025;

/// The 95 % interval of a statistic of `runs` runs, a function of their indices with repetitions.
///
/// The ends are quantiles over resamples of the runs, corrected for bias and skewness (BCa, Efron 1987).
/// They start from Student's t with the factor sqrt(n/(n-1)) in place of the normal quantile (Hesterberg
/// 2015): plain percentiles of 20 normal values cover 92 to 93 %.
///
/// With fewer than eight runs the coverage is too low. The draws are always the same. `None` with fewer
/// than two runs, or if the statistic is undefined for the runs or for more than 2.5 % of the resamples.
pub fn bca_interval(runs: usize, statistic: impl Fn(&[usize]) -> Option<f64>) -> Option<(f64, f64)> {
    interval(runs, t_quantile_975, statistic)
}

/// The 90 % interval, by the same rules.
pub fn bca_interval_90(runs: usize, statistic: impl Fn(&[usize]) -> Option<f64>) -> Option<(f64, f64)> {
    interval(runs, |degrees| t_quantile_within(0.9, degrees), statistic)
}

fn interval(
    runs: usize,
    t_quantile: impl Fn(usize) -> f64,
    statistic: impl Fn(&[usize]) -> Option<f64>,
) -> Option<(f64, f64)> {
    if runs < 2 {
        return None;
    }
    let statistic = |chosen: &[usize]| statistic(chosen).filter(|value| value.is_finite());
    let all: Vec<usize> = (0..runs).collect();
    let value = statistic(&all)?;
    let drawn = resampled(runs, &statistic)?;
    let bias = bias(&drawn, value);
    let acceleration = acceleration(runs, &statistic);
    let spread = t_quantile(runs - 1) * (runs as f64 / (runs - 1) as f64).sqrt();
    let end = |z: f64| {
        let lean = 1.0 - acceleration * (bias + z);
        // |acceleration| is below 1/6: negative only in the far tail
        let share = if lean > 0.0 { normal_cdf(bias + (bias + z) / lean) } else { f64::from(z > 0.0) };
        quantile(&drawn, share)
    };
    let (low, high) = (end(-spread), end(spread));
    Some((low.min(high), high.max(low)))
}

/// The statistic over the resamples, sorted; `None` if it is undefined for too many.
fn resampled(runs: usize, statistic: &impl Fn(&[usize]) -> Option<f64>) -> Option<Vec<f64>> {
    let mut stream = Stream::new(0, &[STREAM]);
    let mut again = vec![0; runs];
    let mut drawn = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        again.fill_with(|| stream.below(runs));
        drawn.extend(statistic(&again));
    }
    drawn.sort_by(f64::total_cmp);
    ((RESAMPLES - drawn.len()) as f64 <= UNDEFINED * RESAMPLES as f64).then_some(drawn)
}

/// The normal quantile of the share of resamples below the value. Ties count half, and what differs
/// by rounding alone is a tie.
fn bias(drawn: &[f64], value: f64) -> f64 {
    let close = 1e-12 * drawn.iter().fold(value.abs(), |most, x| most.max(x.abs()));
    let below = drawn.iter().filter(|x| **x < value - close).count();
    let above = drawn.iter().filter(|x| **x > value + close).count();
    let n = drawn.len() as f64;
    let share = 0.5 + 0.5 * (below as f64 - above as f64) / n;
    normal_quantile(share.clamp(0.5 / n, 1.0 - 0.5 / n))
}

/// A sixth of the skewness of the jackknife; 0 if that has no spread, or is not always defined.
fn acceleration(runs: usize, statistic: &impl Fn(&[usize]) -> Option<f64>) -> f64 {
    let without = |left_out: usize| {
        let others: Vec<usize> = (0..runs).filter(|run| *run != left_out).collect();
        statistic(&others)
    };
    let Some(values) = (0..runs).map(without).collect::<Option<Vec<f64>>>() else { return 0.0 };
    let mean = values.iter().sum::<f64>() / runs as f64;
    let size = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    // in units of the largest deviation, so that no power overflows or vanishes
    let most = values.iter().fold(0.0, |most: f64, x| most.max((mean - x).abs()));
    if most <= 1e-12 * size {
        return 0.0;
    }
    let power = |p: i32| values.iter().map(|x| ((mean - x) / most).powi(p)).sum::<f64>();
    power(3) / (6.0 * power(2).to_the(1.5))
}

/// The quantile of sorted values: type 6 of Hyndman and Fan.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    interpolated(sorted, share * (sorted.len() + 1) as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_of(values: &[f64]) -> Option<(f64, f64)> {
        bca_interval(values.len(), |runs| {
            Some(runs.iter().map(|&r| values[r]).sum::<f64>() / runs.len() as f64)
        })
    }

    /// A standard normal number from a stream.
    fn normal(stream: &mut Stream) -> f64 {
        normal_quantile((stream.uniform() + 0.5 / (1u64 << 53) as f64).min(1.0 - f64::EPSILON))
    }

    #[test]
    fn little_data_and_equal_data_have_a_meaning() {
        assert_eq!(mean_of(&[]), None);
        assert_eq!(mean_of(&[3.0]), None);
        for n in [2, 3, 10] {
            let (low, high) = mean_of(&vec![0.1; n]).unwrap();
            assert!((low - 0.1).abs() < 1e-15 && (high - 0.1).abs() < 1e-15, "{n}");
        }
        // two values: nothing but them and their mean can be drawn
        assert_eq!(mean_of(&[1.0, 2.0]), Some((1.0, 2.0)));
        let (low, high) = mean_of(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
        assert!(low == 0.0 && high > 1.0 / 3.0 && high <= 1.0, "{low} {high}");
    }

    #[test]
    fn no_size_of_the_values_breaks_it() {
        let values = [1.0, 2.0, 4.0, 8.0, 3.0, 5.0, 2.5];
        let (low, high) = mean_of(&values).unwrap();
        for unit in [1e-150, 1e-9, 1e9, 1e150] {
            let (l, h) = mean_of(&values.map(|x| x * unit)).unwrap();
            assert!((l / unit / low - 1.0).abs() < 1e-9 && (h / unit / high - 1.0).abs() < 1e-9, "{unit}");
        }
        // the other way round, and moved
        let (l, h) = mean_of(&values.map(|x| 100.0 - x)).unwrap();
        assert!((100.0 - h - low).abs() < 0.1 && (100.0 - l - high).abs() < 0.1, "{l} {h}");
    }

    #[test]
    fn a_statistic_that_is_often_undefined_has_no_interval() {
        // one of ten runs carries all: a third of the resamples miss it
        let carried = |runs: &[usize]| runs.contains(&0).then_some(runs.len() as f64);
        assert_eq!(bca_interval(10, carried), None);
        assert_eq!(bca_interval(10, |_| Some(f64::NAN)), None);
        assert!(
            bca_interval(10, |runs| (runs.len() > 9).then_some(runs[0] as f64)).is_some(),
            "no jackknife"
        );
    }

    #[test]
    fn skewed_data_make_a_skewed_interval() {
        let mut stream = Stream::new(5, &[6]);
        let values: Vec<f64> = (0..30).map(|_| stream.exponential()).collect();
        let mean = values.iter().sum::<f64>() / 30.0;
        let (low, high) = mean_of(&values).unwrap();
        assert!((high - mean) / (mean - low) > 1.1, "{low} {mean} {high}");
        assert_eq!(mean_of(&values), mean_of(&values), "the draws are fixed");
    }

    /// A sample of what `cargo xtask soak bootstrap` measures.
    #[test]
    fn an_interval_covers_what_it_says_and_more_than_plain_percentiles() {
        let mut stream = Stream::new(1, &[STREAM, 2]);
        let (samples, n) = (400, 20);
        let covers = |(low, high): (f64, f64), value: f64| usize::from(low <= value && value <= high);
        let mut hits = [[0; 2]; 2];
        for _ in 0..samples {
            let normals: Vec<f64> = (0..n).map(|_| normal(&mut stream)).collect();
            let exponentials: Vec<f64> = (0..n).map(|_| stream.exponential()).collect();
            for (law, (values, truth)) in [(normals, 0.0), (exponentials, 1.0)].into_iter().enumerate() {
                let mean =
                    |runs: &[usize]| Some(runs.iter().map(|&r| values[r]).sum::<f64>() / runs.len() as f64);
                let drawn = resampled(n, &mean).unwrap();
                let plain = (quantile(&drawn, 0.025), quantile(&drawn, 0.975));
                hits[law][0] += covers(bca_interval(n, mean).unwrap(), truth);
                hits[law][1] += covers(plain, truth);
            }
        }
        let [[normals, plain_normals], [exponentials, plain_exponentials]] = hits;
        // 95 % less, and plus, three standard errors of 1.1 %
        assert!((367..=393).contains(&normals), "{normals} of {samples}");
        assert!((360..=393).contains(&exponentials), "{exponentials} of {samples}");
        assert!(normals >= plain_normals + 4, "{normals}, plain {plain_normals}");
        assert!(exponentials >= plain_exponentials + 4, "{exponentials}, plain {plain_exponentials}");
    }
}
