//! Scales, and ticks at round numbers.

use goalward::numeric::Portable;

/// A linear or logarithmic scale from data to [0, 1].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    log: bool,
}

/// A tick: where it is in the data, and its text.
pub(crate) type Tick = (f64, String);

impl Scale {
    /// A scale over a range; one that is empty or has no place on the axis is widened or replaced.
    pub(crate) fn new(low: f64, high: f64, log: bool) -> Self {
        const MOST: f64 = 1e300;
        let known = low.is_finite() && high.is_finite() && (!log || low > 0.0);
        let (low, high) = match (known, log) {
            (true, _) => (low.clamp(-MOST, MOST), high.clamp(-MOST, MOST)),
            (false, true) => (1.0, 10.0),
            (false, false) => (0.0, 1.0),
        };
        let high = if high > low { high } else { low + f64::max(1.0, 0.1 * low.abs()) };
        Scale { low, high, log }
    }

    pub(crate) fn is_log(&self) -> bool {
        self.log
    }

    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Where a value lies; `None` if it has no place (not finite, or without a logarithm).
    pub(crate) fn at(&self, value: f64) -> Option<f64> {
        let to = |x: f64| if self.log { x.log_e() } else { x };
        let place = (to(value) - to(self.low)) / (to(self.high) - to(self.low));
        place.is_finite().then_some(place)
    }

    /// About `count` ticks inside the range.
    pub(crate) fn ticks(&self, count: usize) -> Vec<Tick> {
        if self.log { self.log_ticks() } else { self.linear_ticks(count) }
    }

    fn linear_ticks(&self, count: usize) -> Vec<Tick> {
        let step = round_step((self.high - self.low) / count.max(1) as f64);
        let decimals = (-step.log_10()).ceil().max(0.0) as usize;
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step + 1e-9).floor() as i64);
        (first..=last).map(|i| i as f64 * step).map(|x| (x, label(x, decimals))).collect()
    }

    fn log_ticks(&self) -> Vec<Tick> {
        let (first, last) = (self.low.log_10().floor() as i32, self.high.log_10().ceil() as i32);
        let decades = self.high.log_10() - self.low.log_10();
        if decades < 0.6 {
            // no power of ten may be in it: ticks as on a linear axis
            return self.linear_ticks(4);
        }
        let mantissas: &[f64] = if decades < 3.2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        (first..=last)
            .step_by(((decades / 8.0).ceil() as usize).max(1))
            .flat_map(|e| mantissas.iter().map(move |m| (m * 10f64.powi(e), e)))
            .filter(|(x, _)| *x >= self.low * (1.0 - 1e-9) && *x <= self.high * (1.0 + 1e-9))
            .map(|(x, e)| {
                (x, if (-4..7).contains(&e) { label(x, (-e).max(0) as usize) } else { power(x, e) })
            })
            .collect()
    }
}

/// `2·10⁻⁷`: a number too large or too small for digits.
fn power(x: f64, exponent: i32) -> String {
    let raised: String = exponent
        .to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            digit => "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10).unwrap_or(0) as usize).unwrap_or(digit),
        })
        .collect();
    match (x / 10f64.powi(exponent)).round() {
        1.0 => format!("10{raised}"),
        mantissa => format!("{mantissa}·10{raised}"),
    }
}

/// The least and the largest value; without values the ends are the wrong way round.
pub(crate) fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

/// The step 1, 2 or 5 times a power of ten that is at least this large.
pub(crate) fn round_step(raw: f64) -> f64 {
    let power = 10f64.to_the(raw.log_10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= raw * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

/// A number for readers: thousands apart, a true minus sign.
pub(crate) fn label(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let zero = text.chars().all(|c| c == '0' || c == '.');
    let sign = if value < 0.0 && !zero { "−" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let texts = |scale: Scale, n| scale.ticks(n).into_iter().map(|t| t.1).collect::<Vec<_>>();
        assert_eq!(texts(Scale::new(-0.1, 3.0, false), 6), ["0", "1", "2", "3"]);
        assert_eq!(texts(Scale::new(-0.1, 1.2, false), 3), ["0.0", "0.5", "1.0"]);
        assert_eq!(texts(Scale::new(0.0, 282.8, false), 6), ["0", "50", "100", "150", "200", "250"]);
        assert_eq!(texts(Scale::new(0.0, 80_000.0, false), 4), ["0", "20,000", "40,000", "60,000", "80,000"]);
        assert_eq!(texts(Scale::new(0.1, 1000.0, true), 4), ["0.1", "1", "10", "100", "1,000"]);
        assert_eq!(texts(Scale::new(1.0, 10.0, true), 4), ["1", "2", "5", "10"]);
        assert_eq!(texts(Scale::new(-2000.0, 0.0, false), 2), ["−2,000", "−1,000", "0"]);
        assert_eq!(texts(Scale::new(1e-7, 2.5e-6, true), 2), ["10⁻⁷", "2·10⁻⁷", "5·10⁻⁷", "10⁻⁶", "2·10⁻⁶"]);
        assert_eq!(texts(Scale::new(2.1, 3.3, true), 2), ["2.5", "3.0"]);
    }

    #[test]
    fn places() {
        assert_eq!(Scale::new(0.0, 4.0, false).at(1.0), Some(0.25));
        let log = Scale::new(1.0, 100.0, true);
        assert!((log.at(10.0).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(log.at(0.0), None);
        assert_eq!(log.at(-1.0), None);
        assert_eq!(Scale::new(2.0, 2.0, false).at(2.0), Some(0.0));
    }
}
