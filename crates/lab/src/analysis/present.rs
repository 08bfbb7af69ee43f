//! Findings as text, Markdown and JSON.

use super::Findings;
use crate::results::Results;
use crate::table::{Table, harmless};
use serde_json::{Map, Value, json};

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
