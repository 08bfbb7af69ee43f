//! Numbers as they are typed: counts in digits or with an exponent (`1e3`), seeds, probabilities.

use clap::builder::TypedValueParser;
use goalward::parameters::parse_count;
use std::ops::RangeBounds;

/// Seeds as [`goalward_lab::study::parse_seeds`] reads them; clap would take a `Vec` for an
/// argument that may be repeated.
pub(crate) type Seeds = Vec<u64>;

pub(crate) fn whole<T>(
    range: impl RangeBounds<u64> + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T>
where
    T: TryFrom<u64> + Clone + Send + Sync + 'static,
{
    clap::builder::StringValueParser::new().try_map(move |text| read(&text, &range))
}

fn read<T: TryFrom<u64>>(text: &str, range: &impl RangeBounds<u64>) -> Result<T, String> {
    let value = parse_count(text.trim())?;
    match T::try_from(value) {
        Ok(counted) if range.contains(&value) => Ok(counted),
        Ok(_) if value == 0 => Err("it must be at least 1".into()),
        _ => Err("it is too large".into()),
    }
}

pub(crate) fn share(text: &str) -> Result<f64, String> {
    let inside = |x: &f64| *x > 0.0 && *x < 1.0;
    text.parse().ok().filter(inside).ok_or_else(|| "expected a number between 0 and 1".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_types() {
        assert_eq!(read("1e3", &(1..)), Ok(1000u64));
        assert_eq!(read("0", &..), Ok(0u64));
        assert_eq!(read::<u64>("0", &(1..)), Err("it must be at least 1".into()));
        assert_eq!(read::<u16>("1e5", &(1..)), Err("it is too large".into()));
        assert_eq!(read::<u64>("18446744073709551615", &..), Ok(u64::MAX));
        assert!(read::<u64>("1.5e0", &..).is_err());
    }
}
