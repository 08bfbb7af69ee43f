//! The commands that documents quote.

use crate::{cargo, root};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A command, and what documents take from it.
pub(crate) struct Source {
    /// What documents call it.
    pub(crate) name: &'static str,
    /// What is run.
    pub(crate) command: &'static str,
    /// How long it takes on two free cores.
    pub(crate) time: &'static str,
    /// Whether every test run compares it.
    pub(crate) quick: bool,
    /// Figures that it draws, and where they go.
    pub(crate) figures: &'static [(&'static str, &'static str)],
}

/// A command without figures that takes long.
const fn slow(name: &'static str, command: &'static str, time: &'static str) -> Source {
    Source { name, command, time, quick: false, figures: &[] }
}

pub(crate) const SOURCES: &[Source] = &[
    Source { name: "learners", command: "goalward list learners", time: "1 s", quick: true, figures: &[] },
    Source {
        name: "demo",
        command: "goalward demo",
        time: "2 s",
        quick: true,
        figures: &[("regret.png", "docs/figures/demo.png")],
    },
    Source {
        name: "hard-400",
        command: "goalward compare hard-instance --param dim=2 --learners levis++lr,lr --set B=3 \
                  --seeds 0..20 --episodes 400",
        time: "1 s",
        quick: true,
        figures: &[],
    },
    Source {
        name: "hard-3000",
        command: "goalward compare hard-instance --param dim=2 --learners levis++lr,lr --set B=3 \
                  --seeds 0..20 --episodes 3000",
        time: "1 s",
        quick: true,
        figures: &[],
    },
    Source {
        name: "reproduce",
        command: "goalward reproduce",
        time: "1 min",
        quick: false,
        figures: &[("regret.png", "docs/figures/reproduce.png")],
    },
    slow("survey", "goalward survey", "3 min"),
    slow(
        "field",
        "goalward survey --everyone --worlds windy-grid@n=3,hard-instance,psrl-gridworld,delivery \
         --episodes 500 --seeds 0..5 --max-steps 200000",
        "15 s",
    ),
    slow(
        "shortcut",
        "goalward compare shortcut --learners lr,psrl-mixture,certainty-equivalence --seeds 0..20 \
         --episodes 2000",
        "2 s",
    ),
    slow("coverage", "goalward coverage --seeds 0..1000", "5 min"),
    slow("scale", "goalward scale", "2 min"),
    Source {
        name: "growth",
        command: "goalward growth",
        time: "30 s",
        quick: false,
        figures: &[
            ("growth-tuned.png", "docs/figures/growth-tuned.png"),
            ("growth-fixed.png", "docs/figures/growth-fixed.png"),
            ("growth-horizon.png", "docs/figures/growth-horizon.png"),
        ],
    },
    slow("growth-d2", "goalward growth --dim 2 --families tuned --seeds 0..200", "2 min"),
    slow("growth-d4", "goalward growth --dim 4 --families tuned", "30 s"),
    slow("growth-gap2", "goalward growth --families tuned --gap-factor 2", "15 s"),
    slow("growth-gap4", "goalward growth --families tuned --gap-factor 4", "15 s"),
    slow(
        "sets-windy",
        "goalward compare windy-grid@n=3 --learners lr@set=outer,lr,lr@set=exact --seeds \
         0..200 --episodes 300",
        "1 min",
    ),
    slow(
        "sets-mixture",
        "goalward compare random-mixture --learners lr@set=outer,lr,lr@set=exact --seeds \
         0..200 --episodes 300",
        "1 min",
    ),
    slow(
        "sets-corridor",
        "goalward compare corridor --learners lr@set=outer,lr,lr@set=exact --seeds 0..200 \
         --episodes 300",
        "1 min",
    ),
    slow(
        "sets-hard",
        "goalward compare hard-instance --learners lr@set=outer,lr,lr@set=exact --seeds \
         0..200 --episodes 300",
        "1 min",
    ),
    slow(
        "mixture-1",
        "goalward compare random-mixture@seed=1 --learners lr --seeds 0..200 --episodes 300",
        "3 s",
    ),
    slow(
        "mixture-2",
        "goalward compare random-mixture@seed=2@dim=6 --learners lr --seeds 0..200 --episodes 300",
        "3 s",
    ),
    slow(
        "mixture-3",
        "goalward compare random-mixture@seed=3@dim=3@states=40 --learners lr --seeds \
         0..200 --episodes 300",
        "3 s",
    ),
    slow("ladder-1", "goalward compare ladder@seed=1 --learners lr --seeds 0..200 --episodes 300", "3 s"),
    slow(
        "ladder-2",
        "goalward compare ladder@seed=2@dim=6 --learners lr --seeds 0..200 --episodes 300",
        "3 s",
    ),
    slow(
        "ladder-3",
        "goalward compare ladder@seed=3@dim=3@rungs=16 --learners lr --seeds 0..200 --episodes 300",
        "3 s",
    ),
    slow(
        "free-1",
        "goalward compare random-mixture@free=0.3@seed=1 --learners \
         lr,rho-levis++@B=oracle@t_star=oracle --seeds 0..20 --episodes 300",
        "10 s",
    ),
    slow(
        "free-2",
        "goalward compare random-mixture@free=0.5@seed=2@dim=2 --learners \
         lr,rho-levis++@B=oracle@t_star=oracle --seeds 0..20 --episodes 300",
        "10 s",
    ),
    slow(
        "free-3",
        "goalward compare ladder@free=0.3@seed=1 --learners \
         lr,rho-levis++@B=oracle@t_star=oracle --seeds 0..20 --episodes 300",
        "10 s",
    ),
    slow("bootstrap", "cargo bench --quiet --package goalward-lab --bench soak_bootstrap -- 2000", "20 s"),
];

/// What a command printed: its parts by name.
pub(crate) type Parts = BTreeMap<String, String>;

impl Source {
    /// Runs the command; its files go to `out`.
    pub(crate) fn run(&self, program: &Path, out: &Path) -> Result<Parts> {
        let mut words = self.command.split(' ');
        let mut command = match words.next() {
            // a folder of another run might be taken for the beginning of this one
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
        // 1 is an answer too: what it says is in the text
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
        match line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            Some(new) => {
                name = Some(new.to_string());
                parts.insert(new.to_string(), String::new());
            }
            None => {
                if let Some(part) = name.as_ref().and_then(|name| parts.get_mut(name)) {
                    part.push_str(line);
                    part.push('\n');
                }
            }
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
