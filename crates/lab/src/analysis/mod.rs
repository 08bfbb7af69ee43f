//! The answers of a study as tables, sentences and data. One file for each kind of question reads
//! [`Results`] and adds to the [`Findings`]; nothing here draws, prints or writes.

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
use serde_json::{Map, Value};

/// The answers of a study.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Tables in the order of the report.
    pub tables: Vec<Table>,
    /// Sentences about the numbers.
    pub words: Vec<String>,
    /// Missing, failed and truncated runs.
    pub warnings: Vec<String>,
    /// How the numbers were computed.
    pub methods: Vec<String>,
    /// Whether no answer is "no": exit code 1 otherwise.
    pub sound: bool,
    /// The same as data, by the name of the analysis.
    pub data: Map<String, Value>,
    /// Named pieces of Markdown for documents.
    pub parts: Vec<(String, String)>,
}

/// All analyses that the study asks for.
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
    if !asked.growth.is_empty() {
        growth::add(results, &asked.growth, &mut findings);
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
    /// Adds an analysis.
    fn put(
        &mut self,
        analysis: &str,
        tables: Vec<Table>,
        parts: Vec<(String, String)>,
        data: Value,
        words: Vec<String>,
        methods: Vec<String>,
    ) {
        self.tables.extend(tables);
        self.put_parts(analysis, parts);
        self.data.insert(analysis.into(), data);
        self.words.extend(words);
        self.put_methods(methods);
    }

    /// Adds pieces for documents; a name that another analysis has taken is preceded by the analysis.
    fn put_parts(&mut self, analysis: &str, parts: Vec<(String, String)>) {
        let known = self.parts.len();
        for (name, text) in parts {
            let taken = self.parts[..known].iter().any(|(other, _)| *other == name);
            let name = if taken { format!("{analysis} {name}") } else { name };
            self.parts.push((name, text.trim_end().into()));
        }
    }

    /// Adds methods, each once.
    fn put_methods(&mut self, methods: Vec<String>) {
        for method in methods {
            if !self.methods.contains(&method) {
                self.methods.push(method);
            }
        }
    }
}

/// Rows as data: numbers, words and lists can always be serialised.
fn value(of: impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests;
