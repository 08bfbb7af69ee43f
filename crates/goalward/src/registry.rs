//! What a registry entry says of its parameters, and how given values are read: shared by worlds and learners.

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
            let fault = |fault: &str| Error::Field { field: pair.into(), fault: fault.into() };
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
            return Err(self.refuse(key, text, format!("it must lie between {least} and {most}")));
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
        let value: usize = self.optional(key, "a whole number")?.ok_or_else(|| self.missing(key))?;
        if value < least || value > most {
            let text = self.text(key).unwrap_or_default();
            return Err(self.refuse(key, text, format!("it must lie between {least} and {most}")));
        }
        Ok(value)
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
        Error::Setting { owner: self.owner.into(), key: key.into(), value: shown(value), reason }
    }

    /// The error for a value that is missing.
    pub fn missing(&self, key: &str) -> Error {
        let doc = self.parameters.iter().find(|p| p.name == key).map_or("", |p| p.doc);
        Error::MissingSetting { owner: self.owner.into(), key: key.into(), what: doc.into() }
    }
}

/// A value as errors show it: of a very long one the beginning.
fn shown(value: &str) -> String {
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
}
