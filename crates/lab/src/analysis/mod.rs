//! Answers: what the records of a study say, as tables, sentences and numbers.
//!
//! One file for each kind of question. Each reads [`Results`] and adds to the [`Findings`]; nothing
//! here draws, prints or writes.

use crate::results::Results;
use crate::table::Table;
use serde::Serialize;

/// What the records of a study say.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Tables in the order of the report.
    pub tables: Vec<Section>,
    /// What the numbers say, a sentence or two each.
    pub words: Vec<String>,
    /// What a reader of the numbers must not overlook: missing, failed and truncated runs.
    pub warnings: Vec<String>,
    /// How the numbers were computed: each method by its name.
    pub methods: Vec<String>,
    /// Whether no answer is "no": exit code 1 otherwise.
    pub sound: bool,
    /// The same as data, by the name of the analysis.
    pub data: serde_json::Map<String, serde_json::Value>,
    /// Named pieces of Markdown for documents.
    pub parts: Vec<(String, String)>,
}

/// A table with its heading.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// The table.
    pub table: Table,
}

/// Everything that the study asks.
pub fn analyse(results: &Results) -> Findings {
    let _ = results;
    Findings { sound: true, ..Findings::default() }
}

impl Findings {
    /// What a command prints.
    pub fn text(&self) -> String {
        String::new()
    }

    /// As Markdown.
    pub fn summary(&self, _: &Results) -> String {
        String::new()
    }

    /// Named parts for documents.
    pub fn markdown(&self) -> String {
        String::new()
    }

    /// For `--json`.
    pub fn json(&self, _: &Results) -> serde_json::Value {
        serde_json::Value::Null
    }
}
