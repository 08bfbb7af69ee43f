//! The answers of a study as tables, sentences and data: one file for each kind of question.

mod comparison;
mod coverage;
mod growth;
mod phrase;
mod scale;
mod truths;
mod tuning;
mod view;
mod warnings;

use crate::results::Results;
use crate::study::{Band, FigureSpec, Study};
use crate::table::{Table, harmless};
use serde::Serialize;
use serde_json::{Map, Value, json};

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
    if let Some(ask) = &asked.truths {
        truths::add(results, ask, &mut findings);
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

impl Findings {
    /// The output of a command: tables, warnings and sentences.
    pub fn text(&self) -> String {
        let table = |table: &Table| format!("{}\n{}", table.title(), table.text());
        let tables: Vec<String> = self.tables.iter().map(table).collect();
        let lines = |lines: &[String], lead: &str| -> String {
            lines.iter().map(|line| format!("{lead}{line}\n")).collect()
        };
        let blocks = [tables.join("\n"), lines(&self.warnings, "warning: "), lines(&self.words, "* ")];
        let blocks: Vec<&str> = blocks.iter().map(String::as_str).filter(|b| !b.is_empty()).collect();
        blocks.join("\n")
    }

    /// The named parts, each after a Markdown comment with its name.
    pub fn markdown(&self) -> String {
        let part = |(name, text): &(String, String)| format!("<!-- {name} -->\n{}\n\n", text.trim_end());
        self.parts.iter().map(part).collect()
    }

    /// Everything as a Markdown document.
    pub fn summary(&self, results: &Results) -> String {
        let study = &results.study;
        let mut out = format!("# {}\n", escaped(&harmless(&study.title)));
        if !study.about.is_empty() {
            out.push_str(&format!("\n{}\n", study.about.trim_end()));
        }
        for warning in &self.warnings {
            out.push_str(&format!("\n**{}.**\n", escaped(&harmless(warning))));
        }
        out.push_str(&items("What the numbers say", &self.words));
        for table in &self.tables {
            let (title, table) = (escaped(&harmless(table.title())), escaped(&table.markdown()));
            out.push_str(&format!("\n## {title}\n\n{table}"));
        }
        out.push_str(&items("How it was computed", &self.methods));
        let build = &results.build;
        out.push_str(&format!("\ngoalward {}, commit {}.\n", build.version, build.commit));
        out
    }

    /// Everything as data: the fields of a single analysis at the top, several analyses each under its
    /// name.
    pub fn json(&self, results: &Results) -> Value {
        let study = &results.study;
        let only = self.data.values().next().filter(|_| self.data.len() == 1).and_then(Value::as_object);
        let mut all: Map<String, Value> = only.unwrap_or(&self.data).clone();
        let (done, planned, failed) = results.counts();
        let world = |world: &crate::study::WorldPoint| {
            json!({
                "label": world.label,
                "world": world.place.world,
                "params": world.place.params,
                "length": world.length,
            })
        };
        let about = json!({
            "study": {
                "name": study.name,
                "title": study.title,
                "worlds": study.worlds.iter().map(world).collect::<Vec<_>>(),
                "learners": study.learners.iter().map(|l| &l.contender).collect::<Vec<_>>(),
            },
            "seeds": study.seeds,
            "version": results.build.version,
            "commit": results.build.commit,
            "runs": { "done": done, "planned": planned, "failed": failed },
            "interrupted": done + failed < planned,
            "sound": self.sound,
            "words": self.words,
            "warnings": self.warnings,
            "methods": self.methods,
        });
        all.extend(about.as_object().cloned().unwrap_or_default());
        Value::Object(all)
    }
}

/// Escapes stars: T* and theta* are names.
fn escaped(text: &str) -> String {
    text.replace('*', "\\*")
}

/// Sentences under a heading; nothing without sentences.
fn items(title: &str, lines: &[String]) -> String {
    let items: String = lines.iter().map(|line| format!("* {}\n", escaped(&harmless(line)))).collect();
    if items.is_empty() { items } else { format!("\n## {title}\n\n{items}") }
}

#[cfg(test)]
pub(crate) mod tests;
