//! Numbers as models write them: decimals, and fractions of whole numbers of any length.

/// A number: `0.25`, `1e-05`, `nan`, `1/3`. A fraction is one division of numbers that are right to
/// 30 digits: within a few units in the last place also where these exceed f64.
pub(super) fn parse(text: &str) -> Option<f64> {
    let Some((over, under)) = text.split_once('/') else { return text.parse().ok() };
    let (over, under) = (over.trim(), under.trim());
    let (sign, over) = match over.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, over),
    };
    let ((over, more), (under, fewer)) = (whole(over)?, whole(under)?);
    if under == 0.0 {
        return None;
    }
    Some(sign * over / under * 10f64.powi(more - fewer))
}

/// A whole number as its first 30 digits and the number of digits after them.
fn whole(text: &str) -> Option<(f64, i32)> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits = text.trim_start_matches('0');
    let kept = digits.len().min(30);
    let left = i32::try_from(digits.len() - kept).ok()?;
    Some((if kept == 0 { 0.0 } else { digits[..kept].parse().ok()? }, left))
}

/// Whether [`parse`] gives exactly this fraction or decimal. In doubt it does not.
pub(super) fn is_exact(text: &str) -> bool {
    let text = text.trim_start_matches('-');
    let fraction = match (text.split_once('/'), text.split_once('.')) {
        (Some((over, under)), _) => over.trim().parse().ok().zip(under.trim().parse().ok()),
        (None, Some((whole, part))) => {
            let under = 10u128.checked_pow(part.len() as u32);
            format!("{whole}{part}").parse().ok().zip(under)
        }
        (None, None) => text.parse().ok().zip(Some(1)),
    };
    fraction.is_some_and(|(over, under): (u128, u128)| {
        let (mut a, mut b) = (over, under);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        let (over, under) = (over / a.max(1), under / a.max(1));
        under.is_power_of_two() && (over == 0 || over >> over.trailing_zeros() < 1 << 53)
    })
}

#[cfg(test)]
mod tests {
    use super::{is_exact, parse};

    #[test]
    fn what_an_f64_is_exactly() {
        for exact in ["0", "7", "1/2", "-3/4", "6/12", "0.25", "0.50", "9007199254740992/1"] {
            assert!(is_exact(exact), "{exact}");
        }
        for rounded in ["1/3", "-1/10", "0.1", "9007199254740993", "1e-3", "nan", &"9".repeat(50)] {
            assert!(!is_exact(rounded), "{rounded}");
        }
    }

    #[test]
    fn decimals_and_fractions() {
        assert_eq!(parse("0.25"), Some(0.25));
        assert_eq!(parse("1e-05"), Some(1e-5));
        assert_eq!(parse("1/3"), Some(1.0 / 3.0));
        assert_eq!(parse("-53954981353/805306368"), Some(-53954981353.0 / 805306368.0));
        assert_eq!(parse("0/7"), Some(0.0));
        assert!(parse("nan").unwrap().is_nan());
        for wrong in ["", "x", "1/0", "1/", "/2", "1/2/3", "1.5/2", "1/-2", "0x10", "1,5", "1/ 0"] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn fractions_beyond_f64() {
        let (one, third) = ("3".repeat(400), "9".repeat(400));
        let x = parse(&format!("{one}/{third}")).unwrap();
        assert!((x * 3.0 - 1.0).abs() < 1e-15, "{x}");
        assert_eq!(parse(&format!("1/1{}", "0".repeat(400))), Some(0.0));
        assert!(parse(&format!("{}/1", "9".repeat(400))).unwrap().is_infinite());
    }
}
