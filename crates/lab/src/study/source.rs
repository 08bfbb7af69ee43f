//! The text of a study file, value by value, each with its place: what is wrong is shown where it
//! stands.

use crate::{Error, Result};
use goalward::closest;
use goalward::parameters::parse_count;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The file, for its errors.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl<'a> Source<'a> {
    /// An error at a place of the file.
    pub(super) fn fault(&self, span: Range<usize>, key: &str, fault: impl Into<String>) -> Error {
        let start = span.start.min(self.text.len());
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let excerpt = self.text[line_start..].lines().next().unwrap_or("");
        let width = self.text[start..span.end.clamp(start, self.text.len())].lines().next().unwrap_or("");
        let before = self.text[line_start..start].chars().count();
        let line = self.text[..start].matches('\n').count() + 1;
        let margin = " ".repeat(line.to_string().len());
        let caret = format!("{}{}", " ".repeat(before), "^".repeat(width.chars().count().max(1)));
        Error::Study {
            path: self.path.into(),
            line,
            column: before + 1,
            key: key.into(),
            fault: fault.into(),
            excerpt: format!("{margin} |\n{line} | {excerpt}\n{margin} | {caret}"),
        }
    }
}

/// A value, the key that names it, and its place.
#[derive(Clone)]
pub(super) struct Node<'a> {
    pub(super) source: Source<'a>,
    pub(super) key: String,
    pub(super) value: &'a DeValue<'a>,
    pub(super) span: Range<usize>,
}

impl<'a> Node<'a> {
    pub(super) fn fault(&self, fault: impl Into<String>) -> Error {
        self.source.fault(self.span.clone(), &self.key, fault)
    }

    /// What was expected, and what stands there.
    fn expected<T>(&self, what: &str) -> Result<T> {
        let found = match self.value {
            DeValue::Table(_) => "a table".to_string(),
            DeValue::Array(_) => "a list".to_string(),
            _ => self.source.text[self.span.clone()].to_string(),
        };
        Err(self.fault(format!("expected {what}, found {found}")))
    }

    pub(super) fn is_text(&self) -> bool {
        self.value.is_str()
    }

    pub(super) fn text(&self) -> Result<String> {
        self.value.as_str().map_or_else(|| self.expected("text in quotes"), |text| Ok(text.to_string()))
    }

    pub(super) fn flag(&self) -> Result<bool> {
        self.value.as_bool().map_or_else(|| self.expected("true or false"), Ok)
    }

    /// A number as it is written.
    fn digits(&self) -> Option<String> {
        let plain = |text: &str| text.replace('_', "");
        match self.value {
            DeValue::Integer(n) if n.radix() == 10 => Some(plain(n.as_str())),
            DeValue::Float(x) => Some(plain(x.as_str())),
            _ => None,
        }
    }

    /// A whole number of at least `least`: 1000, 1_000 and 1e3 are the same.
    pub(super) fn count(&self, least: u64) -> Result<u64> {
        let what = match least {
            0 => "a whole number".to_string(),
            least => format!("a whole number of at least {least}"),
        };
        let n = self.digits().and_then(|digits| parse_count(&digits).ok()).filter(|n| *n >= least);
        n.map_or_else(|| self.expected(&what), Ok)
    }

    pub(super) fn real(&self) -> Result<f64> {
        let x = self.digits().and_then(|digits| digits.parse::<f64>().ok()).filter(|x| x.is_finite());
        x.map_or_else(|| self.expected("a number"), Ok)
    }

    /// The value of a parameter, as it would stand behind an @.
    pub(super) fn setting(&self) -> Result<String> {
        match self.value {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Boolean(flag) => Ok(flag.to_string()),
            _ => self.digits().map_or_else(|| self.expected("a number, text, true or false"), Ok),
        }
    }

    pub(super) fn list(&self) -> Result<Vec<Node<'a>>> {
        let Some(items) = self.value.as_array() else { return self.expected("a list in [ ]") };
        let item = |(i, value): (usize, &'a Spanned<DeValue<'a>>)| Node {
            source: self.source,
            key: format!("{}[{i}]", self.key),
            value: value.get_ref(),
            span: value.span(),
        };
        Ok(items.iter().enumerate().map(item).collect())
    }

    /// The list, or the one value that stands for a list of one; something must be in it.
    pub(super) fn list_or_one(&self) -> Result<Vec<Node<'a>>> {
        match self.value.is_array() {
            true if self.list()?.is_empty() => Err(self.fault("the list is empty: give at least one")),
            true => self.list(),
            false => Ok(vec![self.clone()]),
        }
    }

    pub(super) fn texts(&self) -> Result<Vec<String>> {
        self.list()?.iter().map(Node::text).collect()
    }

    /// Two values of a kind.
    pub(super) fn pair<T>(&self, of: impl Fn(&Node<'a>) -> Result<T>) -> Result<(T, T)> {
        match self.list()?.as_slice() {
            [a, b] => Ok((of(a)?, of(b)?)),
            others => Err(self.fault(format!("expected two values in [ ], found {}", others.len()))),
        }
    }

    /// One of several words.
    pub(super) fn one_of<T: Copy>(&self, words: &[(&str, T)]) -> Result<T> {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let Some(text) = self.value.as_str() else {
            return self.expected(&format!("one of {}", quoted(&names)));
        };
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, value)) => Ok(*value),
            None => Err(self.fault(format!("{text:?} is none of {}{}", quoted(&names), meant(text, &names)))),
        }
    }

    /// A table that has only these keys.
    pub(super) fn table(&self, allowed: &'static [&'static str]) -> Result<Entries<'a>> {
        let entries = self.entries()?;
        if let Some((key, span, _)) =
            entries.entries.iter().find(|(key, ..)| !allowed.contains(&key.as_str()))
        {
            let fault = format!(
                "there is no such key; the keys here are {}{}",
                allowed.join(", "),
                meant(key, allowed)
            );
            return Err(self.source.fault(span.clone(), &self.below(key), fault));
        }
        Ok(entries)
    }

    /// A table whose keys are names of parameters, in the order of the file.
    pub(super) fn entries(&self) -> Result<Entries<'a>> {
        let Some(table) = self.value.as_table() else { return self.expected("a table") };
        let mut entries: Vec<(String, Range<usize>, Node<'a>)> = table
            .iter()
            .map(|(key, value)| {
                let node = Node {
                    source: self.source,
                    key: self.below(key.get_ref()),
                    value: value.get_ref(),
                    span: value.span(),
                };
                (key.get_ref().to_string(), key.span(), node)
            })
            .collect();
        entries.sort_by_key(|(_, span, _)| span.start);
        Ok(Entries { entries })
    }

    fn below(&self, key: &str) -> String {
        if self.key.is_empty() { key.into() } else { format!("{}.{key}", self.key) }
    }
}

/// A table's values.
pub(super) struct Entries<'a> {
    pub(super) entries: Vec<(String, Range<usize>, Node<'a>)>,
}

impl<'a> Entries<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.entries.iter().find(|(name, ..)| name == key).map(|(.., node)| node)
    }

    /// What a reader makes of a value, if there is one.
    pub(super) fn read<T>(&self, key: &str, of: impl Fn(&Node<'a>) -> Result<T>) -> Result<Option<T>> {
        self.get(key).map(of).transpose()
    }
}

/// The root of a file.
pub(super) fn root<'a>(source: Source<'a>, table: &'a Spanned<DeValue<'a>>) -> Node<'a> {
    Node { source, key: String::new(), value: table.get_ref(), span: 0..0 }
}

/// Parses the text.
pub(super) fn parse<'a>(source: Source<'a>) -> Result<Spanned<DeValue<'a>>> {
    match DeTable::parse(source.text) {
        Ok(table) => {
            let span = table.span();
            Ok(Spanned::new(span, DeValue::Table(table.into_inner())))
        }
        Err(error) => {
            let message = error.message().replace('\n', ", ");
            Err(source.fault(error.span().unwrap_or(0..0), "", format!("this is no TOML: {message}")))
        }
    }
}

pub(super) fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

pub(super) fn meant(word: &str, words: &[&str]) -> String {
    closest(word, words.iter().copied()).map_or(String::new(), |meant| format!("; did you mean {meant}?"))
}

/// What the library says, with its hint: the error that carries it has a place of its own.
pub(super) fn with_hint(error: &goalward::Error) -> String {
    let hint = error.hint().map(|hint| hint.replace("set restart=true", "write @restart=true behind it"));
    hint.map_or_else(|| error.to_string(), |hint| format!("{error} ({hint})"))
}
