//! Reads settings by their declarations.

use super::declared::{Fallback, Key, Parameter};
use super::settings::Settings;
use super::value::Value;
use crate::error::shown;
use crate::numeric::halt::Halt;
use crate::{Error, Result};
use serde_json::{Map, json};
use std::cell::RefCell;

/// Reads settings for one owner and records the values [in force](Reader::in_force).
#[derive(Debug)]
pub struct Reader<'a> {
    owner: &'a str,
    parameters: &'a [Parameter],
    settings: &'a Settings,
    in_force: RefCell<Map<String, serde_json::Value>>,
    oracle: RefCell<Vec<&'static str>>,
    halt: Halt,
}

impl<'a> Reader<'a> {
    /// Checks that every key is known.
    pub fn new(owner: &'a str, parameters: &'a [Parameter], settings: &'a Settings) -> Result<Self> {
        let known = || parameters.iter().map(|p| p.name.to_string()).collect();
        match settings.iter().find(|(key, _)| parameters.iter().all(|p| p.name != *key)) {
            Some((key, _)) => {
                Err(Error::UnknownSetting { owner: owner.into(), key: key.into(), known: known() })
            }
            None => Ok(Reader {
                owner,
                parameters,
                settings,
                in_force: RefCell::default(),
                oracle: RefCell::default(),
                halt: Halt::never(),
            }),
        }
    }

    /// Hands a line for reports to what is built.
    pub fn heed(self, halt: &Halt) -> Self {
        Reader { halt: halt.clone(), ..self }
    }

    /// The line for reports.
    pub fn halt(&self) -> &Halt {
        &self.halt
    }

    /// The value that was given, or the default; an error if there is neither.
    pub fn get<T: Value>(&self, key: &Key<T>) -> Result<T> {
        let value = self.given(key)?.ok_or_else(|| self.missing(key))?;
        self.note(key, &value);
        Ok(value)
    }

    /// The value that was given, or one that is computed.
    pub fn get_or<T: Value>(&self, key: &Key<T>, otherwise: impl FnOnce() -> T) -> Result<T> {
        let value = self.given(key)?.unwrap_or_else(otherwise);
        self.note(key, &value);
        Ok(value)
    }

    /// The value that was given, or a default that is a value; nothing is noted down.
    pub fn given<T: Value>(&self, key: &Key<T>) -> Result<Option<T>> {
        let Some(text) = self.text(key) else { return Ok(None) };
        match key.about().kind.fault(text) {
            Some(fault) => Err(self.refuse(key, fault)),
            None => T::read(text).map(Some).ok_or_else(|| self.refuse(key, "it cannot be read".into())),
        }
    }

    /// What was typed, or the default as it would be.
    pub fn text<T>(&self, key: &Key<T>) -> Option<&'a str> {
        self.settings.get(key.name()).or(match self.declared(key).fallback {
            Fallback::Value(text) => Some(text),
            Fallback::Computed(_) | Fallback::Required => None,
        })
    }

    /// The owner's own declaration: it may have another default than the key at hand.
    fn declared<T>(&self, key: &Key<T>) -> Parameter {
        self.parameters.iter().find(|p| p.name == key.name()).copied().unwrap_or(key.about())
    }

    /// An error if a number that was read lies outside bounds that only the problem tells.
    pub fn within<T>(&self, key: &Key<T>, value: f64, least: f64, most: f64) -> Result<f64> {
        if value < least || value > most {
            let reason = format!("it must lie between {} and {}", shown(least), shown(most));
            return Err(self.refuse(key, reason));
        }
        Ok(value)
    }

    /// Records what is in force where that is not what was read.
    pub fn note<T: Value>(&self, key: &Key<T>, value: &T) {
        self.note_as(key.name(), value.in_force());
    }

    /// Notes down something that is no parameter, or a value of another type.
    pub fn note_as(&self, name: &str, value: serde_json::Value) {
        self.in_force.borrow_mut().insert(name.into(), value);
    }

    /// Notes down that the truth was asked for.
    pub fn note_oracle(&self, name: &'static str) {
        self.oracle.borrow_mut().push(name);
    }

    /// All that is in force, by name; `oracle` lists what the truth was asked for.
    pub fn in_force(&self) -> Map<String, serde_json::Value> {
        let mut map = self.in_force.borrow().clone();
        if !self.oracle.borrow().is_empty() {
            map.insert("oracle".into(), json!(*self.oracle.borrow()));
        }
        map
    }

    /// The error for a value that cannot be.
    pub fn refuse<T>(&self, key: &Key<T>, reason: String) -> Error {
        self.refuse_value(key, self.text(key).unwrap_or_default(), reason)
    }

    /// The error for a value that cannot be and was not typed.
    pub fn refuse_value<T>(&self, key: &Key<T>, value: &str, reason: String) -> Error {
        let (owner, key) = (self.owner.into(), key.name().into());
        Error::Setting { owner, key, value: beginning(value), reason }
    }

    fn missing<T>(&self, key: &Key<T>) -> Error {
        let what = self.declared(key).doc.into();
        Error::MissingSetting { owner: self.owner.into(), key: key.name().into(), what }
    }
}

fn beginning(value: &str) -> String {
    const SHOWN: usize = 80;
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}... ({} characters)", &value[..end], value.chars().count()),
        None => value.into(),
    }
}
