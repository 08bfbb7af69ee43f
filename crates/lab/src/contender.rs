//! A learner with its settings, and a world with its parameters.

use crate::{Error, Result};
use goalward::episode::Arena;
use goalward::parameters::{Settings, name_and_settings};
use goalward::{learners, worlds};
use serde::{Deserialize, Serialize};

/// A learner with its settings, as one entry of a comparison.
///
/// ```
/// use goalward_lab::Contender;
/// let contender = Contender::parse("levis++@radius=scaled:0.003@lambda=1")?;
/// assert_eq!(contender.learner, "levis++");
/// assert_eq!(contender.settings.get("lambda"), Some("1"));
/// # Ok::<(), goalward_lab::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contender {
    /// What tables and legends call it.
    pub label: String,
    /// The learner's id.
    pub learner: String,
    /// Its settings, as given.
    pub settings: Settings,
}

impl Contender {
    /// A learner with settings and a label.
    pub fn new(label: &str, learner: &str, settings: Settings) -> Self {
        Contender { label: label.into(), learner: learner.into(), settings }
    }

    /// Reads `id@key=value@key=value`; the label is the text itself. An unknown learner or setting is
    /// found out when it is built.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let (learner, settings) = name_and_settings(text).map_err(|error| form("contender", text, error))?;
        Ok(Contender::new(text, learner, settings))
    }

    /// Reads several.
    pub fn parse_all<S: AsRef<str>>(texts: &[S]) -> Result<Vec<Contender>> {
        texts.iter().map(|text| Contender::parse(text.as_ref())).collect()
    }

    /// Sets a parameter unless the contender sets it itself; `false` if its learner has no such
    /// parameter.
    pub fn fill(&mut self, key: &str, value: impl std::fmt::Display) -> Result<bool> {
        let has = learners::entry(&self.learner)?.parameters.iter().any(|p| p.name == key);
        if has && self.settings.get(key).is_none() {
            self.settings = std::mem::take(&mut self.settings).set(key, value);
        }
        Ok(has)
    }
}

/// A world with its parameters, as one entry of a study.
///
/// ```
/// use goalward_lab::Place;
/// let place = Place::parse("windy-grid@n=3")?;
/// assert_eq!(place.open()?.problem().states(), 9);
/// # Ok::<(), goalward_lab::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// What tables call it: the text itself.
    pub label: String,
    /// The world's id or the problem file.
    pub world: String,
    /// Its parameters, as given.
    pub params: Settings,
}

impl Place {
    /// Reads `world@key=value@key=value`; the path of a file may contain an @ ([`worlds::named`]).
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let (world, params) = worlds::named(text).map_err(|error| form("world", text, error))?;
        Ok(Place { label: text.into(), world, params })
    }

    /// The world, solved.
    pub fn open(&self) -> Result<Arena> {
        Ok(Arena::open(&self.world, &self.params)?)
    }
}

/// What is wrong, without the whole text before it: the error names that anyway.
fn form(kind: &'static str, text: &str, error: goalward::Error) -> Error {
    let fault = match error {
        goalward::Error::Field { field, fault } if !field.contains('@') => format!("{field}: {fault}"),
        goalward::Error::Field { fault, .. } => fault,
        error => error.to_string(),
    };
    Error::Form { kind, text: text.into(), fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_and_its_settings() {
        let plain = Contender::parse(" random ").unwrap();
        assert_eq!((plain.label.as_str(), plain.learner.as_str()), ("random", "random"));
        assert!(plain.settings.is_empty());
        let full = Contender::parse("levis++@radius=scaled:0.003@B=3").unwrap();
        assert_eq!(full.label, "levis++@radius=scaled:0.003@B=3");
        assert_eq!(full.settings.get("radius"), Some("scaled:0.003"));
        assert_eq!(full.settings.get("B"), Some("3"));
    }

    #[test]
    fn wrong_text_is_named_with_a_hint() {
        for bad in ["", "@B=3", "B=3", "levis@", "levis@B", "levis@B=", "levis@=3", "levis@B=3@B=4"] {
            let error = Contender::parse(bad).unwrap_err();
            assert!(matches!(error, Error::Form { .. }), "{bad}");
            assert!(error.hint().is_some());
        }
    }
}
