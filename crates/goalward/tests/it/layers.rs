//! The architecture as a test: which part of the library may name which.

use std::fs;
use std::path::{Path, PathBuf};

/// Every part with the parts it may name, besides itself, `error` and `registry`.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("numeric", &[]),
    ("problem", &["numeric"]),
    ("plan", &["numeric", "problem"]),
    ("estimate", &["numeric", "problem"]),
    ("confidence", &["numeric", "problem", "estimate"]),
    ("learners", &["numeric", "problem", "plan", "estimate", "confidence"]),
    ("worlds", &["numeric", "problem"]),
    ("check", &["numeric", "problem", "plan", "worlds"]),
    ("episode", &["numeric", "problem", "plan", "confidence", "learners", "worlds"]),
];

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false => found.push(path),
        }
    }
    found
}

/// The code of a file: without comments, and without its unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn dependencies_run_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (part, allowed) in MAY_NAME {
        for path in sources(&src.join(part)) {
            let code = code(&path);
            for (other, _) in MAY_NAME.iter().filter(|(other, _)| other != part && !allowed.contains(other)) {
                let named = code.contains(&format!("crate::{other}"));
                assert!(!named, "{} names {other}, which {part} may not", path.display());
            }
        }
    }
}

#[test]
fn no_learner_names_a_truth() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for part in ["learners", "estimate", "confidence"] {
        for path in sources(&src.join(part)) {
            let code = code(&path);
            for word in ["Truth", "Instance", "Exact", "exact::"] {
                assert!(!code.contains(word), "{} names {word}", path.display());
            }
        }
    }
}

#[test]
fn files_stay_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for path in sources(&root.join("src")).into_iter().chain(sources(&root.join("tests"))) {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 600, "{} has {lines} lines", path.display());
    }
}
