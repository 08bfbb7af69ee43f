//! Answers: what the records of a study say, as tables, sentences and numbers.
//!
//! One file for each kind of question. Each reads [`Results`] and adds to the [`Findings`]; nothing
//! here draws, prints or writes.

mod comparison;
mod coverage;
mod growth;
mod phrase;
mod present;
mod scale;

mod tuning;
mod view;
mod warnings;

use crate::results::Results;
use crate::study::{Band, FigureSpec, Study};
use crate::table::Table;
use serde::Serialize;
use serde_json::Value;

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
    let mut findings = Findings { sound: true, ..Findings::default() };
    let asked = &results.study.analysis;
    if let Some(ask) = &asked.comparison {
        comparison::add(results, ask, &mut findings);
    }
    if asked.coverage.is_some() {
        coverage::add(results, &mut findings);
    }
    if let Some(ask) = &asked.scale {
        scale::add(results, ask, &mut findings);
    }
    if let Some(ask) = &asked.growth {
        growth::add(results, ask, &mut findings);
    }
    if let Some(ask) = &asked.tuning {
        tuning::add(results, ask, &mut findings);
    }
    let build = &results.build;
    let build = format!("goalward {}, commit {}", build.version, build.commit);
    findings.put_parts("study", vec![("build".into(), build)]);
    findings.put_methods(bands(&results.study));
    findings.warnings = warnings::of(results);
    findings
}

/// What the bands in the figures are.
fn bands(study: &Study) -> Vec<String> {
    let say = |figure: &FigureSpec| match figure.band {
        Band::Student => {
            Some("Bands in figures: Student's 95 % interval of the mean, at each point for itself.")
        }
        Band::Simultaneous => Some(
            "Simultaneous band: mean ± c standard errors with one c for the whole curve, so that the \
             band holds at all points at once with 95 %; c by a multiplier bootstrap of the largest \
             studentised deviation (Chernozhukov, Chetverikov and Kato 2013, 2,000 draws) on the \
             scale of Student's t.",
        ),
        Band::Quantiles => Some(
            "Bands in figures: the middle half and the middle 90 % of the runs at each point, around \
             their median.",
        ),
        Band::None => None,
    };
    study.figures.iter().filter(|figure| figure.kind.has_bands()).filter_map(say).map(String::from).collect()
}

impl Findings {
    /// Adds what documents quote; a name that another analysis has taken gets its own in front.
    fn put_parts(&mut self, analysis: &str, parts: Vec<(String, String)>) {
        let known = self.parts.len();
        for (name, text) in parts {
            let taken = self.parts[..known].iter().any(|(other, _)| *other == name);
            let name = if taken { format!("{analysis} {name}") } else { name };
            self.parts.push((name, text.trim_end().into()));
        }
    }

    /// Adds how the numbers were computed, each method once.
    fn put_methods(&mut self, methods: Vec<String>) {
        for method in methods {
            if !self.methods.contains(&method) {
                self.methods.push(method);
            }
        }
    }
}

/// Rows as data. They hold numbers, words and lists, which always have a JSON.
fn value(of: impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests;
