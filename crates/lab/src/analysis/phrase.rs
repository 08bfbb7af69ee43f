//! Numbers and lists in sentences and tables.

use crate::figure::{ends, number_label};
use crate::stats::Proportion;
use goalward::numeric::Portable;

/// The range of some numbers: `0.50 to 0.63`, or one number if both ends read alike.
pub(super) fn range(values: impl IntoIterator<Item = f64>, shown: impl Fn(f64) -> String) -> Option<String> {
    let (low, high) = ends(values.into_iter());
    let (least, most) = (shown(low), shown(high));
    (low <= high).then(|| if least == most { least } else { format!("{least} to {most}") })
}

/// The text, or a dash.
pub(super) fn or_dash(text: Option<impl ToString>) -> String {
    text.map_or("-".into(), |text| text.to_string())
}

/// `3/40` and the upper limit of the share, `18.3 %`; dashes without a share.
pub(super) fn hits_and_limit(share: Option<Proportion>) -> [String; 2] {
    let hits = share.map(|p| format!("{}/{}", p.hits, p.n));
    [or_dash(hits), or_dash(share.map(|p| format!("{:.1} %", 100.0 * p.limit)))]
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed<S: AsRef<str>>(items: &[S]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items[..] {
        [] => String::new(),
        [one] => one.into(),
        [ref most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// A percentage without the sign.
pub(super) fn percent(share: f64) -> String {
    number_label(100.0 * share, 1)
}

/// A number with this many significant digits.
pub(super) fn significant(x: f64, digits: i32) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 { "0".into() } else { x.to_string() };
    }
    let size = x.abs().log_10().floor() as i32;
    let decimals = (digits - 1 - size).min(9);
    // whole tens, hundreds ... where more digits than that precede the point
    let unit = 10f64.powi((-decimals).max(0));
    let rounded = if decimals <= 0 { (x / unit).round() * unit } else { x };
    number_label(rounded, decimals.max(0) as usize)
}

/// How many times as much: `1.3`, `24`, `4,264`.
pub(super) fn times(ratio: f64) -> String {
    if ratio < 1.095 { number_label(ratio, 2) } else { significant(ratio, 2) }
}

/// A p-value: `0.032`, or `< 0.001`.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { number_label(p, 3) }
}

/// `hard-instance@dim=2` as `hard-instance, dim = 2`.
pub(super) fn readable(place: &str) -> String {
    place.replace(['@', ';'], ", ").replace('=', " = ").replace("  ", " ")
}

/// `hard-instance@dim=2` as `hard-instance (dim = 2)`.
pub(super) fn place(label: &str) -> String {
    match label.split_once('@') {
        Some((world, settings)) => format!("{world} ({})", readable(settings)),
        None => label.into(),
    }
}

/// A number with at most four decimals.
pub(super) fn short(x: f64) -> String {
    let text = number_label(x, 4);
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// `1 run`, `20 runs`.
pub(super) fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// `has` for one, `have` for several.
pub(super) fn verb(n: usize, one: &'static str, several: &'static str) -> &'static str {
    if n == 1 { one } else { several }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lists_read_well() {
        let two = |x: f64| format!("{x:.2}");
        assert_eq!(range([0.5, 0.63, 0.55], two).as_deref(), Some("0.50 to 0.63"));
        assert_eq!(range([0.501, 0.502], two).as_deref(), Some("0.50"));
        assert_eq!(range([], two), None);
        let items = ["a", "b", "c"];
        assert_eq!([&items[..1], &items[..2], &items[..]].map(listed), ["a", "a and b", "a, b and c"]);
        assert_eq!(readable("hard-instance@dim=2"), "hard-instance, dim = 2");
        assert_eq!(readable("hard-instance, dim = 2"), "hard-instance, dim = 2");
        assert_eq!(place("hard-instance@dim=2@b_star=3"), "hard-instance (dim = 2, b_star = 3)");
        assert_eq!(
            (place("the lake"), short(3.0), short(2.123_46)),
            ("the lake".into(), "3".into(), "2.1235".into())
        );
        assert_eq!([1.0, 1.04, 1.3, 23.7, 4264.0].map(times), ["1.00", "1.04", "1.3", "24", "4,300"]);
        let four = |x| significant(x, 4);
        assert_eq!([2125.4, 24.137, 0.0, 123_456.0].map(four), ["2,125", "24.14", "0", "123,500"]);
        assert_eq!([0.0321, 0.0002].map(p_value), ["0.032", "< 0.001"]);
    }
}
