//! Tables as aligned text, as Markdown and as CSV.

use serde::Serialize;

/// A number with this many decimals, and never -0.0.
pub fn fixed(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.into(),
        _ => text,
    }
}

/// The word that serde has for a plain value of an enum.
pub(crate) fn word(value: impl Serialize) -> String {
    let word = serde_json::to_value(value).ok();
    word.and_then(|word| word.as_str().map(String::from)).unwrap_or_default()
}

/// A cell as RFC 4180 has it. What a spreadsheet would take for a formula gets an apostrophe, which
/// makes it text; numbers stay numbers.
pub fn quoted(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    let cell = if formula { format!("'{cell}") } else { cell.into() };
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

/// Names in a text of Markdown: they begin no HTML, no line and no link.
pub(crate) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        match c {
            '<' if next.is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(next)) => {
                out.push_str("&lt;")
            }
            '&' if next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '#') => {
                out.push_str("&amp;")
            }
            ']' if next.is_some_and(|next| "([:".contains(next)) => out.push_str("\\]"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Rows of cells under headings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    title: String,
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// The title; empty where the surroundings say what it is.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The headings.
    pub fn headings(&self) -> &[String] {
        &self.headings
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    pub(crate) fn new<S: Into<String>>(headings: impl IntoIterator<Item = S>) -> Self {
        let headings = headings.into_iter().map(Into::into).collect();
        Table { title: String::new(), headings, rows: Vec::new() }
    }

    pub(crate) fn titled(self, title: impl Into<String>) -> Self {
        Table { title: title.into(), ..self }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.headings.len());
        self.rows.push(cells);
    }

    /// Rows for columns, with another heading for the first one.
    pub(crate) fn transposed(&self, first: &str) -> Table {
        let names = self.rows.iter().filter_map(|row| row.first().cloned());
        let mut table = Table::new(std::iter::once(first.to_string()).chain(names));
        for c in 1..self.headings.len() {
            table.row(self.column(c).cloned().collect());
        }
        table
    }

    /// Columns of numbers to the right, words to the left.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.headings.len())
            .map(|c| self.column(c).map(|cell| cell.chars().count()).max().unwrap_or(0))
            .collect();
        let mut out = String::new();
        for row in std::iter::once(&self.headings).chain(&self.rows) {
            let mut line = String::new();
            for (c, cell) in row.iter().enumerate() {
                let pad = " ".repeat(widths[c] - cell.chars().count());
                let gap = if c == 0 { "" } else { "  " };
                let cell = if self.numeric(c) { format!("{pad}{cell}") } else { format!("{cell}{pad}") };
                line.push_str(&format!("{gap}{cell}"));
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|c| harmless(c).replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rules: Vec<&str> =
            (0..self.headings.len()).map(|c| if self.numeric(c) { "---:" } else { "---" }).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}|{}|\n{rows}", line(&self.headings), rules.join("|"))
    }

    /// As CSV (RFC 4180, but with plain line feeds).
    pub fn csv(&self) -> String {
        let line =
            |cells: &Vec<String>| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n";
        std::iter::once(&self.headings).chain(&self.rows).map(line).collect()
    }

    fn column(&self, c: usize) -> impl Iterator<Item = &String> {
        std::iter::once(&self.headings[c]).chain(self.rows.iter().map(move |row| &row[c]))
    }

    /// Whether a column holds numbers.
    pub fn numeric(&self, c: usize) -> bool {
        let number = |cell: &String| {
            cell == "-" || cell.starts_with(|x: char| x.is_ascii_digit() || "−≥<".contains(x))
        };
        !self.rows.is_empty() && self.rows.iter().all(|row| number(&row[c]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["learner", "regret"]);
        table.row(vec!["a, \"quoted\" | one".into(), "12.5 ± 1".into()]);
        table.row(vec!["b".into(), "−3".into()]);
        table.row(vec!["c".into(), "≥ 3".into()]);
        table
    }

    #[test]
    fn rows_become_columns() {
        let turned = table().transposed("of");
        assert_eq!(turned.headings(), ["of", "a, \"quoted\" | one", "b", "c"]);
        assert_eq!(turned.rows(), [["regret", "12.5 ± 1", "−3", "≥ 3"]]);
    }

    #[test]
    fn no_zero_is_negative() {
        assert_eq!([fixed(-0.04, 1), fixed(-0.06, 1), fixed(0.04, 1)], ["0.0", "-0.1", "0.0"]);
    }

    #[test]
    fn text_is_aligned() {
        let text = table().text();
        assert_eq!(text.lines().nth(1), Some("a, \"quoted\" | one  12.5 ± 1"));
        assert_eq!(text.lines().nth(2), Some("b                        −3"));
    }

    #[test]
    fn no_cell_is_a_formula_and_numbers_are_numbers() {
        for formula in ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "-", "−"] {
            let cell = quoted(formula);
            assert_eq!(cell.starts_with('\''), formula != "−", "{cell}");
        }
        assert_eq!(quoted("\r=1"), "\"'\r=1\"");
        for cell in ["-3", "+3.5e7", "-inf", "lr@delta=0.1", "levis++", "a-b", ""] {
            assert_eq!(quoted(cell), cell);
        }
    }

    #[test]
    fn names_begin_no_html() {
        let name = "<img src=x onerror=alert(1)>\n# title ![a](http://x) <!-- &lt; 1 < 2 & 3";
        let said = harmless(name);
        assert_eq!(
            said,
            "&lt;img src=x onerror=alert(1)> # title ![a\\](http://x) &lt;!-- &amp;lt; 1 < 2 & 3"
        );
        let mut table = Table::new(["learner"]);
        table.row(vec!["<b>|x".into()]);
        assert!(table.markdown().contains("| &lt;b>\\|x |"));
    }

    #[test]
    fn cells_are_escaped() {
        assert!(table().csv().contains("\"a, \"\"quoted\"\" | one\",12.5 ± 1\n"));
        assert!(table().markdown().contains("| a, \"quoted\" \\| one | 12.5 ± 1 |"));
        assert!(table().markdown().contains("|---|---:|"));
    }
}
