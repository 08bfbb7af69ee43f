//! Places in a study file: what is wrong is shown where it stands.

use super::Study;
use crate::{Error, Result};
use goalward::did_you_mean;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, Deserializer};

/// What stands for a key that is missing.
const EXAMPLES: &[(&str, &str)] = &[
    ("worlds", "worlds = [\"windy-grid@n=3\"]"),
    ("learners", "learners = [\"lr\", \"random\"]"),
    ("seeds", "seeds = 20"),
    ("worlds[].name", "name = \"windy-grid@n=3\""),
    ("learners[].name", "name = \"levis++@B=3\""),
    ("figures[].kind", "kind = \"regret\""),
    ("truths.against", "against = \"lr\""),
];

/// serde's words for values, and a user's.
const WORDS: &[(&str, &str)] = &[
    ("invalid type: ", "found "),
    ("invalid value: ", "found "),
    ("integer ", ""),
    ("floating point ", ""),
    ("boolean ", ""),
    ("string ", ""),
    ("a boolean", "true or false"),
    ("a string", "text in quotes"),
    ("sequence", "list in [ ]"),
    ("map", "table"),
    ("a tuple of size 2", "two values in [ ]"),
    ("invalid length", "found a list of length"),
    ("`", ""),
];

/// The most characters of a line that an error shows: a line may list thousands of values.
const EXCERPT: usize = 90;
/// The most of them before the place of the error.
const BEFORE_MARK: usize = 40;

/// The text of a study file, what errors call it, and the place of every value and every name.
#[derive(Clone, Debug, Default)]
pub(super) struct StudyText {
    path: PathBuf,
    text: String,
    values: BTreeMap<String, Range<usize>>,
    names: BTreeMap<String, Range<usize>>,
}

impl StudyText {
    /// Reads the text of a file.
    pub(super) fn read<T: DeserializeOwned>(path: &Path, text: &str) -> Result<(StudyText, T)> {
        let mut source = StudyText { path: path.into(), text: text.into(), ..StudyText::default() };
        let mut table = DeTable::parse(text).map_err(|error| {
            let message = error.message().replace('\n', ", ");
            source.fault(error.span().unwrap_or(0..0), "", format!("this is no TOML: {message}"))
        })?;
        source.walk("", table.get_ref());
        for list in ["worlds", "learners"] {
            table.get_mut().get_mut(list).into_iter().for_each(in_full);
        }
        match T::deserialize(Deserializer::from(table)) {
            Ok(file) => Ok((source, file)),
            Err(error) => Err(source.explained(error.span().unwrap_or(0..0), error.message())),
        }
    }

    fn walk(&mut self, prefix: &str, table: &DeTable) {
        for (name, value) in table {
            let dot = if prefix.is_empty() { "" } else { "." };
            let key = format!("{prefix}{dot}{}", name.get_ref());
            self.names.insert(key.clone(), name.span());
            self.note(key, value);
        }
    }

    fn note(&mut self, key: String, value: &Spanned<DeValue>) {
        match value.get_ref() {
            DeValue::Table(table) => self.walk(&key, table),
            DeValue::Array(items) => {
                items.iter().enumerate().for_each(|(i, item)| self.note(format!("{key}[{i}]"), item));
            }
            _ => {}
        }
        self.values.insert(key, value.span());
    }

    pub(super) fn at(&self, key: impl Into<String>) -> Spot<'_> {
        Spot { source: self, key: key.into() }
    }

    /// An error of serde in the words of this program.
    fn explained(&self, span: Range<usize>, message: &str) -> Error {
        let around = self.values.iter().chain(&self.names).rev();
        let around = around.filter(|(_, at)| at.start <= span.start && span.end <= at.end);
        let key = around.min_by_key(|(_, at)| at.len()).map_or(String::new(), |(key, _)| key.clone());
        let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let Some((name, known)) = names.split_first() else { return self.fault(span, &key, plain(message)) };
        if message.starts_with("missing field") {
            // a list of tables and its first table stand at one place
            let table = self.values.iter().rev().find(|(_, at)| **at == span && !at.is_empty());
            let key = table.map_or(name.to_string(), |(table, _)| format!("{table}.{name}"));
            let general: String = key.chars().filter(|c| !c.is_ascii_digit()).collect();
            let example = EXAMPLES.iter().find(|(key, _)| *key == general);
            let example = example.map_or(String::new(), |(_, example)| format!(": write {example}"));
            return self.fault(span, &key, format!("this key is missing{example}"));
        }
        let meant = did_you_mean(name, known.iter().copied());
        let fault = match () {
            _ if message.starts_with("unknown field") => {
                format!("there is no such key; the keys here are {}{meant}", known.join(", "))
            }
            _ if message.starts_with("unknown variant") => {
                format!("{name:?} is none of {}{meant}", quoted(known))
            }
            _ => plain(message),
        };
        self.fault(span, &key, fault)
    }

    /// An error at a place of the file.
    fn fault(&self, span: Range<usize>, key: &str, fault: String) -> Error {
        let text = &self.text;
        let start = span.start.min(text.len());
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let before = text[line_start..start].chars().count();
        let left_out = before.saturating_sub(BEFORE_MARK);
        let excerpt = text[line_start..].lines().next().unwrap_or("").chars();
        let excerpt: String = excerpt.skip(left_out).take(EXCERPT).collect();
        let width = text[start..span.end.clamp(start, text.len())].lines().next().unwrap_or("");
        let line = text[..start].matches('\n').count() + 1;
        let margin = " ".repeat(line.to_string().len());
        let indent = before - left_out;
        let marked = width.chars().count().clamp(1, EXCERPT - indent);
        let caret = " ".repeat(indent) + &"^".repeat(marked);
        Error::Study {
            path: self.path.clone(),
            line,
            column: before + 1,
            key: key.into(),
            fault,
            excerpt: format!("{margin} |\n{line} | {excerpt}\n{margin} | {caret}"),
        }
    }
}

/// One value stands for a list of one, and a name for a table with nothing else.
fn in_full(value: &mut Spanned<DeValue>) {
    if !value.get_ref().is_array() {
        let only = value.clone();
        *value.get_mut() = DeValue::Array(DeArray::from_iter([only]));
    }
    let DeValue::Array(items) = value.get_mut() else { return };
    for item in items.iter_mut().filter(|item| item.get_ref().is_str()) {
        let key = Spanned::new(item.span(), "name".into());
        let table = DeTable::from_iter([(key, item.clone())]);
        *item.get_mut() = DeValue::Table(table);
    }
}

fn plain(message: &str) -> String {
    let (message, expected) = match message.split_once("expected struct ") {
        Some((before, "WorldEntry" | "LearnerEntry")) => (before, "expected a name or a table"),
        Some((before, _)) => (before, "expected a table"),
        None => (message, ""),
    };
    let ours =
        |part: &str| WORDS.iter().fold(part.to_string(), |text, (theirs, ours)| text.replace(theirs, ours));
    // what stands in quotes is the file's own
    let parts = message.split('"').enumerate();
    let parts = parts.map(|(i, part)| if i % 2 == 0 { ours(part) } else { part.into() });
    parts.collect::<Vec<String>>().join("\"") + expected
}

/// A value of the file, by its key.
#[derive(Clone)]
pub(super) struct Spot<'a> {
    pub(super) source: &'a StudyText,
    key: String,
}

impl Spot<'_> {
    pub(super) fn below(&self, key: &str) -> Self {
        let dot = if self.key.is_empty() { "" } else { "." };
        Spot { source: self.source, key: format!("{}{dot}{key}", self.key) }
    }

    pub(super) fn item(&self, i: usize) -> Self {
        Spot { source: self.source, key: format!("{}[{i}]", self.key) }
    }

    /// The value as it is written.
    pub(super) fn written(&self) -> &str {
        let span = self.source.values.get(&self.key).cloned();
        span.and_then(|span| self.source.text.get(span)).unwrap_or("")
    }

    /// An error at the value; where the file has no such key, at the next one above it.
    pub(super) fn fault(&self, fault: impl Into<String>) -> Error {
        let mut key = self.key.as_str();
        loop {
            if let Some(span) = self.source.values.get(key) {
                return self.source.fault(span.clone(), key, fault.into());
            }
            match key.rfind(['.', '[']) {
                Some(end) => key = &key[..end],
                None => return self.source.fault(0..0, &self.key, fault.into()),
            }
        }
    }
}

pub(super) fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

/// The message of the library's error with its hint.
pub(super) fn with_hint(error: &goalward::Error) -> String {
    let hint = error.hint().map(|hint| hint.replace("set restart=true", "write @restart=true behind it"));
    hint.map_or_else(|| error.to_string(), |hint| format!("{error} ({hint})"))
}

pub(super) fn is_learner(label: &str, spot: &Spot, study: &Study) -> Result<()> {
    let labels: Vec<&str> = study.learners.iter().map(|l| l.contender.label.as_str()).collect();
    if labels.contains(&label) {
        return Ok(());
    }
    let meant = did_you_mean(label, labels.iter().copied());
    Err(spot.fault(format!("{label:?} is none of the learners {}{meant}", quoted(&labels))))
}
