//! Results on stdout. A reader that closes the pipe (`goalward list worlds | head -1`) is no error.

use crate::exit::Usage;
use crate::names::{in_line, legible};
use clap::Command;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// `--json`, of every command that has a result.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct Json {
    /// Print the result as one JSON value
    #[arg(long)]
    pub(crate) json: bool,
}

impl Json {
    pub(crate) fn put(self, value: &impl Serialize, words: impl FnOnce() -> String) -> anyhow::Result<()> {
        if self.json { json(value) } else { Ok(text(&words())?) }
    }
}

/// `--json` or `--markdown`: otherwise a result is printed as text.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct Printed {
    #[command(flatten)]
    pub(crate) json: Json,
    /// Print the result as Markdown in named parts, for documents
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
}

/// Prints a text for people that ends with a line break.
pub(crate) fn text(text: &str) -> Result<(), Usage> {
    bytes(legible(text).as_bytes())
}

pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Usage> {
    pieces(|out| out.write_all(bytes))
}

pub(crate) fn pieces(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Usage> {
    let mut out = io::stdout().lock();
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| Usage::new(format!("standard output: {error}"))),
    }
}

/// Whether an error says that the reader of standard output has closed it.
pub(crate) fn closed(error: &anyhow::Error) -> bool {
    let of = |source: &io::Error| source.kind() == ErrorKind::BrokenPipe;
    matches!(error.downcast_ref(), Some(goalward::Error::Io { source, .. }) if of(source))
}

pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    Ok(bytes(pretty(value)?.as_bytes())?)
}

/// A JSON value over several lines, in which no zero is negative.
fn pretty(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(value)? + "\n";
    // a text in quotes never ends its line with a digit
    Ok(text.replace(" -0.0,\n", " 0.0,\n").replace(" -0.0\n", " 0.0\n"))
}

/// Lines of a name and a value, the values under one another.
#[derive(Default)]
pub(crate) struct Sheet(Vec<(&'static str, String)>);

impl Sheet {
    pub(crate) fn row(&mut self, name: &'static str, value: impl Into<String>) -> &mut Self {
        self.0.push((name, value.into()));
        self
    }

    /// Several values, or an optional one, under one name.
    pub(crate) fn rows(&mut self, name: &'static str, values: impl IntoIterator<Item = impl Into<String>>) {
        let names = std::iter::once(name).chain(std::iter::repeat(""));
        self.0.extend(names.zip(values.into_iter().map(Into::into)));
    }

    pub(crate) fn render(&self) -> String {
        let width = self.0.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        self.0.iter().map(|(name, value)| format!("  {name:<width$}  {}\n", in_line(value))).collect()
    }
}

/// A paragraph after `begin`, broken between words at a number of columns; further lines are
/// indented.
pub(crate) fn wrapped(begin: &str, paragraph: &str, indent: usize, columns: usize) -> String {
    let mut lines = vec![begin.to_string()];
    let (mut used, mut fresh) = (begin.chars().count(), true);
    for word in paragraph.split_whitespace() {
        let long = word.chars().count();
        if !fresh && used + 1 + long > columns || fresh && used > indent && used + long > columns {
            lines.push(" ".repeat(indent));
            (used, fresh) = (indent, true);
        }
        if let Some(line) = lines.last_mut() {
            if !fresh {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
        }
        (used, fresh) = (used + long, false);
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// The columns of the terminal, from 20 to 100. clap does not tell them, but it breaks its lines
/// there.
pub(crate) fn terminal_columns() -> usize {
    let text = "x ".repeat(100);
    let mut probe = Command::new("columns").help_template("{about}").about(text).max_term_width(100);
    let help = probe.render_help().to_string();
    // a line ends with a letter: where the width is even one column stays free
    help.lines().map(|line| line.trim_end().len()).max().unwrap_or(80).clamp(20, 100)
}

#[cfg(test)]
mod tests {
    #[test]
    fn items_break_between_words() {
        assert_eq!(super::wrapped("* ", "one two three", 2, 9), "* one two\n  three");
        assert_eq!(super::wrapped("* ", "averylongword x", 2, 5), "* averylongword\n  x");
        assert_eq!(super::wrapped("* ", "", 2, 5), "*");
    }

    #[test]
    fn paragraphs_hang_under_their_first_line() {
        let text = super::wrapped("    key=1  ", "what it is and why", 11, 20);
        assert_eq!(text, "    key=1  what it\n           is and\n           why");
        let text = super::wrapped("    averyveryverylongkey=1  ", "what it is", 8, 16);
        assert_eq!(text, "    averyveryverylongkey=1\n        what it\n        is");
    }

    #[test]
    fn no_zero_is_negative_in_json() {
        let value = (vec![-0.0, 0.0, -1e-300], serde_json::json!({ "a": -0.0, "b": [], "c": {}, "z": -0.0 }));
        let text = super::pretty(&value).unwrap();
        assert!(!text.contains("-0.0") && text.contains("-1e-300"), "{text}");
        let usual = serde_json::to_string_pretty(&value).unwrap();
        assert_eq!(text, usual.replace("-0.0", "0.0") + "\n", "otherwise as serde_json prints it");
    }
}
