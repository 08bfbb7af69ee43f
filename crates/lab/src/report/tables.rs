//! Tables that can be sorted: every cell with its text and what it is sorted by.

use crate::table::Table;
use serde::Serialize;

/// A table for the template.
#[derive(Serialize)]
pub(super) struct Sortable {
    pub(super) title: String,
    pub(super) headings: Vec<Heading>,
    pub(super) rows: Vec<Vec<CellText>>,
}

/// A column's heading.
#[derive(Serialize)]
pub(super) struct Heading {
    pub(super) text: String,
    pub(super) numeric: bool,
}

/// A cell.
#[derive(Serialize)]
pub(super) struct CellText {
    pub(super) text: String,
    /// The number that it is sorted by, with all digits; none for words.
    pub(super) value: Option<f64>,
}

impl CellText {
    pub(super) fn words(text: impl Into<String>) -> CellText {
        CellText { text: text.into(), value: None }
    }

    /// A number with all its digits beside the text that shows it.
    pub(super) fn number(text: impl Into<String>, value: Option<f64>) -> CellText {
        CellText { text: text.into(), value: value.filter(|x| x.is_finite()) }
    }
}

impl Sortable {
    /// A table of texts: columns of numbers are sorted by the number that a text begins with.
    pub(super) fn new(title: &str, table: &Table) -> Sortable {
        let numeric: Vec<bool> = (0..table.headings().len()).map(|c| table.numeric(c)).collect();
        let heading = |(c, text): (usize, &String)| Heading { text: text.clone(), numeric: numeric[c] };
        let cell = |(c, text): (usize, &String)| CellText {
            text: text.clone(),
            value: numeric[c].then(|| leading(text)).flatten(),
        };
        Sortable {
            title: title.into(),
            headings: table.headings().iter().enumerate().map(heading).collect(),
            rows: table.rows().iter().map(|row| row.iter().enumerate().map(cell).collect()).collect(),
        }
    }
}

/// The number that a text begins with: `1,234 ± 5`, `−3 [−4, −2]`, `≥ 3`, `12 %`.
fn leading(text: &str) -> Option<f64> {
    let plain = text.trim_start_matches(['≥', '≤', '>', '<', '~', ' ']).replace('−', "-");
    let digits = |c: char| c.is_ascii_digit() || ".,-+eE".contains(c);
    let number: String = plain.chars().take_while(|c| digits(*c)).filter(|c| *c != ',').collect();
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_that_a_text_begins_with() {
        let known = [
            ("1,234 ± 5", Some(1234.0)),
            ("−3 [−4, −2]", Some(-3.0)),
            ("≥ 3.5", Some(3.5)),
            ("12 %", Some(12.0)),
            ("1e-3", Some(1e-3)),
            ("-", None),
            ("yes", None),
            ("", None),
        ];
        for (text, number) in known {
            assert_eq!(leading(text), number, "{text}");
        }
    }
}
