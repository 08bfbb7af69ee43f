//! What a registry entry says of its parameters, and how given values are read: shared by worlds and learners.

use crate::error::shown;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// One parameter of a world or learner.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Parameter {
    /// Its name on the command line, in Python and in results.
    pub name: &'static str,
    /// The value when none is given, as it would be typed; empty if it must be given; in parentheses if it is
    /// computed from the problem.
    pub default: &'static str,
    /// What it is.
    pub doc: &'static str,
}

/// Values given by the user, as typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// No values: every parameter at its default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a value.
    pub fn set(mut self, key: &str, value: impl Display) -> Self {
        self.0.insert(key.into(), value.to_string());
        self
    }

    /// Reads `key=value` pairs; the same key twice is an error.
    pub fn parse<S: AsRef<str>>(pairs: impl IntoIterator<Item = S>) -> Result<Self> {
        let mut settings = Settings::new();
        for pair in pairs {
            let pair = pair.as_ref();
            let field = if pair.is_empty() { "a setting" } else { pair };
            let fault = |fault: &str| Error::Field { field: field.into(), fault: fault.into() };
            let (key, value) = pair.split_once('=').ok_or_else(|| fault("expected key=value"))?;
            let (key, value) = (key.trim(), value.trim());
            if key.is_empty() || value.is_empty() {
                return Err(fault("expected key=value"));
            }
            if settings.0.insert(key.into(), value.into()).is_some() {
                return Err(fault("this key is given twice"));
            }
        }
        Ok(settings)
    }

    /// Both together; a key that both give is an error.
    pub fn and(mut self, others: &Settings) -> Result<Self> {
        for (key, value) in others.iter() {
            if let Some(first) = self.0.insert(key.into(), value.into()) {
                let fault = format!("it is given twice, as {first} and as {value}");
                return Err(Error::Field { field: key.into(), fault });
            }
        }
        Ok(self)
    }

    /// The same without a key.
    pub fn without(&self, key: &str) -> Self {
        let mut others = self.clone();
        others.0.remove(key);
        others
    }

    /// What was given for a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// All that was given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Reads settings for one owner: unknown keys are refused, defaults filled in, errors name owner and key.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    owner: &'a str,
    parameters: &'a [Parameter],
    settings: &'a Settings,
}

impl<'a> Reader<'a> {
    /// Checks that every key is known.
    pub fn new(owner: &'a str, parameters: &'a [Parameter], settings: &'a Settings) -> Result<Self> {
        let known = || parameters.iter().map(|p| p.name.to_string()).collect();
        match settings.iter().find(|(key, _)| parameters.iter().all(|p| p.name != *key)) {
            Some((key, _)) => {
                Err(Error::UnknownSetting { owner: owner.into(), key: key.into(), known: known() })
            }
            None => Ok(Reader { owner, parameters, settings }),
        }
    }

    /// The value as typed, whatever it is, or the default; `None` if there is neither or the default is computed.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        let default = || self.parameters.iter().find(|p| p.name == key).map(|p| p.default);
        self.settings.get(key).or_else(|| default().filter(|v| !v.is_empty() && !v.starts_with('(')))
    }

    /// Parses the value or the default, if there is one.
    pub fn optional<T: FromStr>(&self, key: &str, what: &str) -> Result<Option<T>> {
        let Some(text) = self.text(key) else { return Ok(None) };
        let reason = || format!("expected {what}");
        text.parse().map(Some).map_err(|_| self.refuse(key, text, reason()))
    }

    /// A finite number, or a fraction such as 5/27, within bounds (both included).
    pub fn number_or_none(&self, key: &str, least: f64, most: f64) -> Result<Option<f64>> {
        let Some(text) = self.text(key) else { return Ok(None) };
        let value = parse_number(text).ok_or_else(|| self.refuse(key, text, "expected a number".into()))?;
        if value < least || value > most {
            let reason = format!("it must lie between {} and {}", shown(least), shown(most));
            return Err(self.refuse(key, text, reason));
        }
        Ok(Some(value))
    }

    /// A number that has a default or must be given.
    pub fn number(&self, key: &str, least: f64, most: f64) -> Result<f64> {
        self.number_or_none(key, least, most)?.ok_or_else(|| self.missing(key))
    }

    /// A probability other than 0 and 1 that has a default or must be given; one below 1e-300 cannot be divided any further.
    pub fn probability(&self, key: &str) -> Result<f64> {
        let value = self.number(key, 0.0, 1.0)?;
        if !(1e-300..1.0).contains(&value) {
            let reason = "it must lie between 0 and 1, neither of them, and be at least 1e-300";
            return Err(self.refuse(key, self.text(key).unwrap_or_default(), reason.into()));
        }
        Ok(value)
    }

    /// A whole number within bounds that has a default or must be given.
    pub fn count(&self, key: &str, least: usize, most: usize) -> Result<usize> {
        let text = self.text(key).ok_or_else(|| self.missing(key))?;
        let value = parse_count(text).map_err(|fault| self.refuse(key, text, fault.into()))?;
        match usize::try_from(value) {
            Ok(value) if (least..=most).contains(&value) => Ok(value),
            _ => Err(self.refuse(key, text, format!("it must lie between {least} and {most}"))),
        }
    }

    /// Any whole number from 0 to 2^64 - 1 that has a default or must be given.
    pub fn whole(&self, key: &str) -> Result<u64> {
        let text = self.text(key).ok_or_else(|| self.missing(key))?;
        parse_count(text).map_err(|fault| self.refuse(key, text, fault.into()))
    }

    /// true or false.
    pub fn flag(&self, key: &str) -> Result<bool> {
        self.optional(key, "true or false")?.ok_or_else(|| self.missing(key))
    }

    /// Numbers separated by commas.
    pub fn numbers(&self, key: &str) -> Result<Vec<f64>> {
        let text = self.text(key).ok_or_else(|| self.missing(key))?;
        let parsed: Option<Vec<f64>> = text.split(',').map(|part| parse_number(part.trim())).collect();
        parsed.ok_or_else(|| self.refuse(key, text, "expected numbers separated by commas".into()))
    }

    /// The error for a value that cannot be.
    pub fn refuse(&self, key: &str, value: &str, reason: String) -> Error {
        Error::Setting { owner: self.owner.into(), key: key.into(), value: beginning(value), reason }
    }

    /// The error for a value that is missing.
    pub fn missing(&self, key: &str) -> Error {
        let doc = self.parameters.iter().find(|p| p.name == key).map_or("", |p| p.doc);
        Error::MissingSetting { owner: self.owner.into(), key: key.into(), what: doc.into() }
    }
}

/// A value as errors show it: of a very long one the beginning.
fn beginning(value: &str) -> String {
    const SHOWN: usize = 80;
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}... ({} characters)", &value[..end], value.chars().count()),
        None => value.into(),
    }
}

/// Reads a finite number, or a fraction of two such as 5/27.
pub fn parse_number(text: &str) -> Option<f64> {
    let value = match text.split_once('/') {
        Some((over, under)) => over.trim().parse::<f64>().ok()? / under.trim().parse::<f64>().ok()?,
        None => text.parse().ok()?,
    };
    value.is_finite().then_some(value)
}

/// Reads a whole number from 0 to 2^64 - 1, exactly: digits, or digits with an exponent, such as
/// 1e3 or 2.5e6.
///
/// ```
/// use goalward::registry::parse_count;
/// assert_eq!(parse_count("1e3"), Ok(1000));
/// assert_eq!(parse_count("18446744073709551615"), Ok(u64::MAX));
/// assert!(parse_count("1.5e0").is_err());
/// ```
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

/// Takes `name@key=value@key=value` apart.
///
/// The name is not looked at: whoever asks knows what it should be.
pub fn name_and_settings(text: &str) -> Result<(&str, Settings)> {
    let mut parts = text.split('@').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let fault = |fault: &str| Error::Field { field: text.into(), fault: fault.into() };
    if name.is_empty() {
        return Err(fault("there is no name before the @"));
    }
    if name.contains('=') {
        return Err(fault("it begins with a setting, not with a name"));
    }
    if text.split('@').skip(1).any(|pair| pair.trim().is_empty()) {
        return Err(fault("expected key=value behind every @"));
    }
    Ok((name, Settings::parse(parts)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter { name: "delta", default: "5/27", doc: "a fraction" },
        Parameter { name: "B", default: "", doc: "must be given" },
        Parameter { name: "n", default: "3", doc: "a count" },
        Parameter { name: "gamma", default: "(computed)", doc: "computed unless given" },
    ];

    #[test]
    fn defaults_fractions_and_bounds() {
        let settings = Settings::parse(["n=4"]).unwrap();
        let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
        assert_eq!(reader.number("delta", 0.0, 1.0).unwrap(), 5.0 / 27.0);
        assert_eq!(reader.count("n", 1, 10).unwrap(), 4);
        assert!(matches!(reader.number("B", 0.0, 1.0), Err(Error::MissingSetting { .. })));
        assert!(matches!(reader.count("n", 5, 10), Err(Error::Setting { .. })));
    }

    #[test]
    fn what_is_given_is_never_taken_for_the_default() {
        let nothing = Settings::new();
        let reader = Reader::new("test", PARAMETERS, &nothing).unwrap();
        assert_eq!((reader.text("gamma"), reader.text("B"), reader.text("n")), (None, None, Some("3")));
        for bad in ["(computed)", "(nonsense)", "(1)", "", " "] {
            for key in ["gamma", "B", "n"] {
                let settings = Settings::new().set(key, bad);
                let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
                assert_eq!(reader.text(key), Some(bad));
                let refused = reader.number_or_none(key, 0.0, 1.0);
                assert!(matches!(refused, Err(Error::Setting { .. })), "{key}={bad:?}: {refused:?}");
            }
        }
    }

    #[test]
    fn probabilities_are_neither_0_nor_1() {
        for (text, fine) in [
            ("0.5", true),
            ("1e-300", true),
            ("0.9999999999999999", true),
            ("1", false),
            ("0", false),
            ("-0", false),
            ("1e-320", false),
            ("2", false),
            ("nan", false),
        ] {
            let settings = Settings::new().set("delta", text);
            let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
            assert_eq!(reader.probability("delta").is_ok(), fine, "{text}");
        }
    }

    #[test]
    fn of_a_very_long_value_errors_show_the_beginning() {
        let settings = Settings::new().set("n", "\u{e9}".repeat(100_000));
        let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
        let error = reader.count("n", 1, 2).unwrap_err().to_string();
        assert!(error.len() < 300 && error.contains("100000 characters"), "{error}");
    }

    #[test]
    fn wrong_input_is_named() {
        assert!(Settings::parse(["n"]).is_err());
        assert!(Settings::parse(["n=1", "n=2"]).is_err());
        let unknown = Settings::new().set("m", 1);
        assert!(matches!(Reader::new("test", PARAMETERS, &unknown), Err(Error::UnknownSetting { .. })));
        for bad in ["nan", "inf", "x", "1/0", "1e400"] {
            let settings = Settings::new().set("delta", bad);
            let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
            assert!(reader.number("delta", 0.0, 1.0).is_err(), "{bad}");
        }
    }

    #[test]
    fn counts_are_exact_in_every_form() {
        for (text, n) in [
            ("0", 0),
            ("+7", 7),
            ("007", 7),
            ("1e3", 1000),
            ("1E3", 1000),
            ("1e+3", 1000),
            ("2.5e3", 2500),
            ("1.50e1", 15),
            ("1000e-3", 1),
            ("0e0", 0),
            ("0e99999999999999999999999", 0),
            ("0.000e-5", 0),
            ("1e19", 10_000_000_000_000_000_000),
            ("18446744073709551615", u64::MAX),
            ("1.8446744073709551615e19", u64::MAX),
            ("184467440737095516150e-1", u64::MAX),
            ("9007199254740993e0", 9_007_199_254_740_993),
        ] {
            assert_eq!(parse_count(text), Ok(n), "{text}");
        }
        for text in [
            "",
            "+",
            "-1",
            "-0",
            "1.0",
            "1.5",
            "1.5e0",
            "15e-1",
            "1e",
            "e3",
            ".5e1",
            "1e3.0",
            "1e 3",
            " 1",
            "1_000",
            "1,000",
            "0x10",
            "inf",
            "nan",
            "1e20",
            "1e99999999999999999999999",
            "18446744073709551616",
            "1.8446744073709551616e19",
            "1e-1",
            "1e3e3",
            "++1",
            "1e+-3",
            "1e--3",
        ] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_may_have_exponents_in_settings() {
        let settings = Settings::parse(["n=1e1"]).unwrap();
        assert_eq!(Reader::new("test", PARAMETERS, &settings).unwrap().count("n", 1, 10).unwrap(), 10);
        let refused = |value: &str| {
            let settings = Settings::new().set("n", value);
            Reader::new("test", PARAMETERS, &settings).unwrap().count("n", 1, 10).unwrap_err().to_string()
        };
        assert!(refused("1.5e0").contains("whole number"), "{}", refused("1.5e0"));
        assert!(refused("1e2").contains("between 1 and 10"), "{}", refused("1e2"));
        assert!(refused("1e30").contains("too large"), "{}", refused("1e30"));
    }

    #[test]
    fn names_with_settings() {
        let (name, settings) = name_and_settings("windy-grid@n=3@wind=0.1").unwrap();
        assert_eq!((name, settings.get("n"), settings.get("wind")), ("windy-grid", Some("3"), Some("0.1")));
        assert!(name_and_settings("lr").unwrap().1.is_empty());
        for bad in ["", "@n=3", "n=3", "a@", "a@n", "a@n=", "a@=3", "a@n=3@n=3"] {
            assert!(name_and_settings(bad).is_err(), "{bad}");
        }
        let (one, other) = (Settings::new().set("n", 3), Settings::new().set("m", 4));
        assert_eq!(one.clone().and(&other).unwrap(), Settings::new().set("n", 3).set("m", 4));
        assert!(one.clone().and(&one).is_err(), "twice the same is once too often");
    }

    #[test]
    fn bounds_have_exponents_not_rows_of_zeros() {
        let settings = Settings::new().set("delta", "0");
        let reader = Reader::new("test", PARAMETERS, &settings).unwrap();
        let error = reader.number("delta", 1e-300, 1.0).unwrap_err().to_string();
        assert_eq!(error, "test: delta=0: it must lie between 1e-300 and 1");
    }
}
