//! A learner with its settings, as one entry of a comparison.

use crate::{Error, Result};
use goalward::registry::Settings;
use serde::Serialize;

/// A learner with its settings, and what tables and legends call it.
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

    /// Reads `id@key=value@key=value`; the label is the text itself.
    ///
    /// Whether there is such a learner and such a setting is found out when it is built.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let fault = |fault: String| Error::Contender { text: text.into(), fault };
        let mut parts = text.split('@').map(str::trim);
        let learner = parts.next().unwrap_or_default();
        if learner.is_empty() {
            return Err(fault("it names no learner".into()));
        }
        if learner.contains('=') {
            return Err(fault("it begins with a setting, not with a learner's id".into()));
        }
        let settings = Settings::parse(parts).map_err(|e| fault(e.to_string()))?;
        Ok(Contender::new(text, learner, settings))
    }
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
            assert!(matches!(error, Error::Contender { .. }), "{bad}");
            assert!(error.hint().is_some());
        }
    }
}
