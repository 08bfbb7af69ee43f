//! Notes on what was done to the user's input.

use serde::Serialize;

/// A change that a reader or builder made to its input: rounding, or the only sensible reading.
/// Commands print it beside results; `check` lists it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Note {
    /// Its kind: `rescaled`, `rewards`, `rounded`, `sums` or `theta`.
    pub kind: &'static str,
    /// All of it in a sentence.
    pub message: String,
    /// What can be done about it.
    pub hint: Option<String>,
    /// The line of the file, from 1.
    pub line: Option<usize>,
    /// The state's name.
    pub state: Option<String>,
    /// The action's name.
    pub action: Option<String>,
    /// The number that it is about.
    pub value: Option<f64>,
}

impl Note {
    /// One of a kind, in a sentence.
    pub fn new(kind: &'static str, message: impl Into<String>) -> Note {
        Note { kind, message: message.into(), hint: None, line: None, state: None, action: None, value: None }
    }

    /// The same with what can be done about it.
    pub fn hint(self, hint: impl Into<String>) -> Note {
        Note { hint: Some(hint.into()), ..self }
    }

    /// The same with the number that it is about.
    pub fn value(self, value: f64) -> Note {
        Note { value: Some(value), ..self }
    }

    pub(crate) fn at(self, state: String, action: String) -> Note {
        Note { state: Some(state), action: Some(action), ..self }
    }

    /// Rows that sum to one within `tolerance` were divided by their sums; `worst` is furthest off.
    pub(crate) fn rescaled(rows: usize, tolerance: f64, worst: &str, sum: f64) -> Note {
        let message = match rows {
            1 => format!(
                "{worst}: the row sums to {sum}, 1 only within {tolerance:e}, and is divided by its sum"
            ),
            _ => format!(
                "{rows} rows sum to 1 only within {tolerance:e} and are divided by their sums; \
                 the furthest off is \
                 {worst}, with {sum}"
            ),
        };
        Note::new("rescaled", message).value(sum).hint("export the model with more digits")
    }
}
