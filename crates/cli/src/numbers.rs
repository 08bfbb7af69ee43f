//! Numbers for people: results in files and JSON keep every digit.

use goalward::numeric::Portable;

/// A whole number with commas between thousands.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with six significant digits.
pub(crate) fn real(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{}", x + 0.0); // not -0
    }
    let magnitude = x.abs().log_10().floor() as i32;
    if !(-4..12).contains(&magnitude) {
        return format!("{x:.5e}");
    }
    let decimals = (5 - magnitude).max(0) as usize;
    let text = format!("{x:.decimals$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// A number with all its digits, and with an exponent where there would be rows of zeros.
pub(crate) fn every_digit(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(), // not -0
        size if size.is_finite() && !(1e-5..1e15).contains(&size) => format!("{x:e}"),
        _ => x.to_string(),
    }
}

/// The first numbers of a vector.
pub(crate) fn vector(xs: &[f64]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = xs.iter().take(SHOWN).map(|&x| real(x)).collect();
    let more = if xs.len() > SHOWN { format!(", ... {} numbers", xs.len()) } else { String::new() };
    format!("[{}{more}]", shown.join(", "))
}

pub(crate) fn seconds(x: f64) -> String {
    match x {
        x if x < 60.0 => format!("{x:.2} s"),
        x if x < 3600.0 => format!("{:.0} min {:02.0} s", (x / 60.0).floor(), (x % 60.0).floor()),
        x => format!("{:.0} h {:02.0} min", (x / 3600.0).floor(), (x % 3600.0 / 60.0).floor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_reals() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(real(0.0), "0");
        assert_eq!(real(-0.0), "0");
        assert_eq!(real(3.0), "3");
        assert_eq!(real(120.0), "120");
        assert_eq!(real(123_456_700.0), "123456700");
        assert_eq!(real(2.0 / 3.0), "0.666667");
        assert_eq!(real(-1234.5678), "-1234.57");
        assert_eq!(real(1.5e-9), "1.50000e-9");
        assert_eq!(real(f64::INFINITY), "inf");
        assert_eq!(vector(&[0.5, 1.0, -0.0]), "[0.5, 1, 0]");
        assert_eq!(every_digit(-0.0), "0");
        assert_eq!(every_digit(2.0 / 3.0), "0.6666666666666666");
        assert_eq!(every_digit(1e-300), "1e-300");
        assert_eq!(every_digit(f64::INFINITY), "inf");
        assert_eq!(seconds(61.9), "1 min 01 s");
    }
}
