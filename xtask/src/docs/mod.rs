//! `cargo xtask docs`: writes the tables, numbers and figures of the documents by the commands that
//! give them.
//!
//! Written text stands between `<!-- docs: NAME/PART -->` and `<!-- end -->`, both on lines of
//! their own or within a line. NAME is a [`Source`], PART one of the parts that it prints with
//! `--markdown`. Each command is run once.

mod marks;
mod sources;

use crate::{cargo, root};
use anyhow::{Context, Result, bail};
use sources::{SOURCES, Source};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// The documents that hold marks or figures.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "docs/learners.md",
    "docs/results.md",
    "docs/tables/studies.md",
    "docs/tables/comparison.md",
];

pub(crate) fn run(args: &[&str]) -> Result<ExitCode> {
    let (options, names): (Vec<&str>, Vec<&str>) = args.iter().partition(|arg| arg.starts_with("--"));
    let known = |name: &str| SOURCES.iter().any(|source| source.name == name);
    let unknown = options.iter().find(|option| !["--check", "--quick"].contains(option));
    if let Some(wrong) = unknown.or(names.iter().find(|name| !known(name))) {
        return Ok(usage(wrong));
    }
    let quick = options.contains(&"--quick");
    let chosen =
        |source: &&Source| (names.is_empty() || names.contains(&source.name)) && (!quick || source.quick);
    let sources: Vec<&Source> = SOURCES.iter().filter(chosen).collect();
    update(&sources, &release()?, options.contains(&"--check"))
}

/// Compares the quick ones, with a program that is already built.
pub(crate) fn check_quick(program: &Path) -> Result<ExitCode> {
    update(&SOURCES.iter().filter(|source| source.quick).collect::<Vec<_>>(), program, true)
}

fn usage(wrong: &str) -> ExitCode {
    if !["help", "--help", "-h", "list"].contains(&wrong) {
        eprintln!("error: there is no source {wrong:?}");
    }
    eprintln!("usage: cargo xtask docs [--check] [--quick] [NAME ...]");
    eprintln!("  --check compares, and fails with the lines that differ; --quick takes those marked *");
    for Source { name, command, time, quick, .. } in SOURCES {
        eprintln!("  {name:<14}{}{time:>7}  {command}", if *quick { "*" } else { " " });
    }
    ExitCode::from(2)
}

fn release() -> Result<PathBuf> {
    let mut build = Command::new(cargo());
    build.args(["build", "--release", "--quiet", "--package", "goalward-cli", "--message-format", "json"]);
    let output = build.current_dir(root()?).output().context("cannot run cargo build")?;
    if !output.status.success() {
        bail!("the program cannot be built: {}", String::from_utf8_lossy(&output.stderr));
    }
    crate::artifacts::program(&output.stdout).context("cargo build gave no program")
}

/// Runs the sources and writes or compares what they give.
fn update(sources: &[&Source], program: &Path, check: bool) -> Result<ExitCode> {
    let root = root()?;
    let mut given = BTreeMap::new();
    let mut wrong = 0;
    for source in sources {
        let clock = Instant::now();
        let out = root.join("target/docs").join(source.name);
        given.insert(source.name, source.run(program, &out)?);
        for (from, to) in source.figures {
            let drawn =
                fs::read(out.join(from)).with_context(|| format!("{} drew no {from}", source.name))?;
            let place = root.join(to);
            match fs::read(&place) {
                Ok(old) if old == drawn => {}
                _ if check => {
                    wrong += 1;
                    eprintln!("{to}: differs from {}", out.join(from).display());
                }
                _ => {
                    fs::write(&place, drawn)?;
                    eprintln!("wrote {to}");
                }
            }
        }
        eprintln!("{}: {:.1} s  {}", source.name, clock.elapsed().as_secs_f64(), source.command);
    }
    for document in DOCUMENTS {
        let path = root.join(document);
        let old = fs::read_to_string(&path).with_context(|| format!("cannot read {document}"))?;
        let (new, differences) = marks::replace(&old, &given).with_context(|| document.to_string())?;
        differences.iter().for_each(|difference| eprintln!("{document}:{difference}"));
        if check {
            wrong += differences.len();
        } else if new != old {
            fs::write(&path, new)?;
            eprintln!("wrote {document}");
        }
    }
    if wrong > 0 {
        eprintln!("{wrong} places differ from what the commands give: run `cargo xtask docs`");
    }
    Ok(if wrong > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn text(path: &str) -> String {
        fs::read_to_string(root().unwrap().join(path)).unwrap()
    }

    #[test]
    fn every_mark_names_a_source_and_every_source_is_used() {
        let mut used = BTreeSet::new();
        for document in DOCUMENTS {
            for (line, name, _) in marks::names(&text(document)).unwrap() {
                assert!(SOURCES.iter().any(|s| s.name == name), "{document}:{line}: no source {name:?}");
                used.insert(name);
            }
        }
        for source in SOURCES {
            assert!(used.contains(source.name) || !source.figures.is_empty(), "{} is not used", source.name);
        }
    }

    #[test]
    fn every_figure_has_a_source_and_is_shown() {
        let shown: String = DOCUMENTS.iter().map(|document| text(document)).collect();
        for entry in fs::read_dir(root().unwrap().join("docs/figures")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let place = format!("docs/figures/{name}");
            assert!(
                SOURCES.iter().flat_map(|s| s.figures).any(|(_, to)| *to == place),
                "{place} has no source"
            );
            assert!(shown.contains(&format!("figures/{name}")), "{place} is not shown");
        }
    }

    #[test]
    fn every_large_table_of_results_is_written_by_a_command() {
        // a table with an interval in it is a result, and never typed
        for document in DOCUMENTS {
            let text = text(document);
            let marked = marks::unmarked(&text).unwrap();
            for (line, words) in marked {
                let typed = words.starts_with('|') && words.contains('±') && words.matches('|').count() > 4;
                assert!(!typed, "{document}:{line}: {words}");
            }
        }
    }
}
