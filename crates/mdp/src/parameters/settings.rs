//! What a user gives, as typed: `key=value`, and `name@key=value@key=value`.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;

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

/// Splits `name@key=value@key=value`; the caller checks the name.
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
