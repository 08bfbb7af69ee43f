//! The commands that documents quote.

use crate::{cargo, root};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A command, and what documents take from it.
pub(crate) struct Source {
    pub(crate) name: &'static str,
    pub(crate) command: &'static str,
    /// Its duration on two free cores.
    pub(crate) time: &'static str,
    /// Whether every test run compares it.
    pub(crate) quick: bool,
    /// Figures that it draws, and their places.
    pub(crate) figures: &'static [(&'static str, &'static str)],
}

impl Source {
    /// A command that takes long, without figures in a document.
    const fn new(name: &'static str, command: &'static str, time: &'static str) -> Source {
        Source { name, command, time, quick: false, figures: &[] }
    }

    const fn quick(self) -> Source {
        Source { quick: true, ..self }
    }

    const fn figures(self, figures: &'static [(&'static str, &'static str)]) -> Source {
        Source { figures, ..self }
    }
}

pub(crate) const SOURCES: &[Source] = &[
    Source::new("learners", "goalward list learners", "1 s").quick(),
    Source::new("demo", "goalward demo", "2 s")
        .quick()
        .figures(&[("figures/regret.png", "docs/figures/demo.png")]),
    Source::new("hard", "goalward study run hard", "2 s").quick(),
    Source::new("reproduce", "goalward reproduce", "1 min")
        .figures(&[("figures/regret.png", "docs/figures/reproduce.png")]),
    Source::new("long", "goalward study run long", "3 min"),
    Source::new("survey", "goalward study run survey", "3 min"),
    Source::new("field", "goalward study run field", "20 s"),
    Source::new("comparison", "goalward study run comparison", "10 min"),
    Source::new("tuning", "goalward study run tuning", "10 min"),
    Source::new("shortcut", "goalward study run shortcut", "2 s"),
    Source::new("truths", "goalward study run truths", "15 min"),
    Source::new("coverage", "goalward study run coverage", "7 min"),
    Source::new("scale", "goalward study run scale", "3 min"),
    Source::new("growth", "goalward study run growth", "30 s").figures(&[
        ("figures/growth-tuned.png", "docs/figures/growth-tuned.png"),
        ("figures/growth-fixed.png", "docs/figures/growth-fixed.png"),
        ("figures/growth-horizon.png", "docs/figures/growth-horizon.png"),
    ]),
    Source::new("growth-tuned", "goalward study run growth-tuned", "3 min"),
    Source::new("sets", "goalward study run sets", "4 min"),
    Source::new("mixtures", "goalward study run mixtures", "20 s"),
    Source::new("free", "goalward study run free", "30 s"),
    Source::new(
        "bootstrap",
        "cargo bench --quiet --package goalward-lab --bench soak_bootstrap -- 2000",
        "20 s",
    ),
];

/// The printed parts of a command by name.
pub(crate) type Parts = BTreeMap<String, String>;

impl Source {
    /// Runs the command; its files go to `out`.
    pub(crate) fn run(&self, program: &Path, out: &Path) -> Result<Parts> {
        let mut words = self.command.split(' ');
        let mut command = match words.next() {
            // a run would continue in a folder of results
            Some("goalward") => {
                let _ = fs::remove_dir_all(out);
                let mut command = Command::new(program);
                command.args(words).arg("--markdown");
                if !self.command.starts_with("goalward list") {
                    command.args(["--quiet", "--out"]).arg(out);
                }
                command
            }
            _ => {
                let mut command = Command::new(cargo());
                command.args(words).current_dir(root()?);
                command
            }
        };
        let output = command.output().with_context(|| format!("cannot run {}", self.command))?;
        // 1 is an answer too
        if !matches!(output.status.code(), Some(0 | 1)) {
            bail!("{} failed: {}", self.command, String::from_utf8_lossy(&output.stderr));
        }
        let text = String::from_utf8(output.stdout).context("the output is not UTF-8")?;
        if text.is_empty() {
            bail!("{} printed nothing: {}", self.command, String::from_utf8_lossy(&output.stderr));
        }
        Ok(parts(&text))
    }
}

/// The parts of a Markdown text, each after a comment with its name.
fn parts(text: &str) -> Parts {
    let mut parts = Parts::new();
    let mut name = None;
    for line in text.lines() {
        if let Some(new) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            name = Some(new);
            parts.insert(new.to_string(), String::new());
        } else if let Some(part) = name.and_then(|name| parts.get_mut(name)) {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts.values_mut().for_each(|part| *part = part.trim_end().to_string());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_by_their_names() {
        let parts = parts("<!-- table -->\n| a |\n|---|\n\n<!-- mean regret lr -->\n3.4\n");
        assert_eq!(parts["table"], "| a |\n|---|");
        assert_eq!(parts["mean regret lr"], "3.4");
    }
}
