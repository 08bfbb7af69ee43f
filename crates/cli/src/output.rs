//! Results on stdout. A reader that went away (`goalward list worlds | head -1`) has all that it wanted: no error.

use crate::exit::Usage;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Prints a text that ends with a line break.
pub(crate) fn text(text: &str) -> Result<(), Usage> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| Usage::new(format!("standard output: {error}"))),
    }
}

/// Prints one JSON value.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    Ok(text(&format!("{}\n", serde_json::to_string_pretty(value)?))?)
}

/// Lines of a name and a value, the values under one another.
#[derive(Default)]
pub(crate) struct Sheet(Vec<(&'static str, String)>);

impl Sheet {
    pub(crate) fn row(&mut self, name: &'static str, value: impl Into<String>) -> &mut Self {
        self.0.push((name, value.into()));
        self
    }

    pub(crate) fn render(&self) -> String {
        let width = self.0.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        self.0.iter().map(|(name, value)| format!("  {name:<width$}  {value}\n")).collect()
    }
}

/// A paragraph as a list item, broken between words at so many columns.
pub(crate) fn item(paragraph: &str, columns: usize) -> String {
    let mut lines = vec![String::from("*")];
    for word in paragraph.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line + 1 + word.chars().count() > columns && line > 1 {
            lines.push(String::from(" "));
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn items_break_between_words() {
        assert_eq!(super::item("one two three", 9), "* one two\n  three");
        assert_eq!(super::item("averylongword x", 5), "* averylongword\n  x");
    }
}
