//! How numbers are read.

/// Reads a finite number, or a fraction of two such as 5/27.
pub fn parse_number(text: &str) -> Option<f64> {
    let value = match text.split_once('/') {
        Some((over, under)) => over.trim().parse::<f64>().ok()? / under.trim().parse::<f64>().ok()?,
        None => text.parse().ok()?,
    };
    value.is_finite().then_some(value)
}

/// Reads a whole number from 0 to 2^64 - 1 exactly, perhaps with an exponent, such as 2.5e6.
pub fn parse_count(text: &str) -> std::result::Result<u64, &'static str> {
    const FORM: &str = "expected a whole number, such as 1000 or 1e3";
    const LARGE: &str = "it is too large: whole numbers go up to 2^64 - 1";
    const BROKEN: &str = "it is not a whole number";
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let text = text.strip_prefix('+').unwrap_or(text);
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else {
        return match text {
            "" => Err(FORM),
            text if digits(text) => text.parse().map_err(|_| LARGE),
            _ => Err(FORM),
        };
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (back, power) = match exponent.strip_prefix('-') {
        Some(power) => (true, power),
        None => (false, exponent.strip_prefix('+').unwrap_or(exponent)),
    };
    if whole.is_empty() || power.is_empty() || ![whole, fraction, power].into_iter().all(digits) {
        return Err(FORM);
    }
    // the number is these digits, the last of which stands for 10^shift
    let all = [whole, fraction].concat();
    let significant = all.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    let zeros = (all.len() - all.trim_end_matches('0').len()) as i128;
    let power: i128 = power.parse::<u64>().map_or(i128::from(u64::MAX), i128::from);
    let shift = if back { -power } else { power } + zeros - fraction.len() as i128;
    if shift < 0 {
        return Err(BROKEN);
    }
    let tens = u32::try_from(shift).ok().and_then(|shift| 10u64.checked_pow(shift)).ok_or(LARGE)?;
    significant.parse::<u64>().ok().and_then(|n| n.checked_mul(tens)).ok_or(LARGE)
}
