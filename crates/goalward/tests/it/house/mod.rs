//! The rules of the house as tests, read off the syntax trees of all crates.
//!
//! Each rule is a function of a [`Crate`] that gives what breaks it. What breaks a rule today
//! stands in a list beside the rule, and that list may only shrink: an entry that is no longer true
//! fails the test as well.

mod builds;
mod ids;
mod layers;
mod lengths;
mod names;
mod rings;
mod style;
mod tree;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tree::Crate;

/// The crates of the workspace: folder, and the file that their `src` begins with.
const CRATES: &[(&str, &str)] = &[
    ("crates/numeric", "lib.rs"),
    ("crates/mdp", "lib.rs"),
    ("crates/goalward", "lib.rs"),
    ("crates/lab", "lib.rs"),
    ("crates/cli", "main.rs"),
    ("python", "lib.rs"),
    ("xtask", "main.rs"),
];

/// The folder of the workspace.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The crates whose folders are given.
fn crates(folders: &[&str]) -> Vec<Crate> {
    let chosen = CRATES.iter().filter(|(folder, _)| folders.contains(folder));
    chosen.map(|(folder, root)| Crate::read(&workspace(), &format!("{folder}/src/{root}"))).collect()
}

/// All Rust files below a folder, in the order of their names; none if there is no such folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Fails on what breaks a rule and is not known, and on what is known and no longer true.
fn only_known(rule: &str, found: impl IntoIterator<Item = String>, known: &[&str]) {
    let found: BTreeSet<String> = found.into_iter().collect();
    let new: Vec<&String> = found.iter().filter(|text| !known.contains(&text.as_str())).collect();
    assert!(new.is_empty(), "{rule}:\n{new:#?}");
    let gone: Vec<&&str> = known.iter().filter(|text| !found.contains(**text)).collect();
    assert!(gone.is_empty(), "{rule}: take from the list of what is known, it is no longer true:\n{gone:#?}");
}

#[test]
fn every_file_belongs_to_its_crate() {
    for (folder, root) in CRATES {
        let read = Crate::read(&workspace(), &format!("{folder}/src/{root}"));
        for file in files_below(&workspace().join(folder).join("src")) {
            assert!(read.files.contains(&file), "no module declares {}", file.display());
        }
    }
}

#[test]
#[should_panic(expected = "[\n    \"new\",\n]")]
fn what_is_not_known_fails() {
    only_known("a rule", ["new".into(), "old".into()], &["old"]);
}

#[test]
#[should_panic(expected = "no longer true:\n[\n    \"mended\",\n]")]
fn what_is_known_and_mended_fails() {
    only_known("a rule", ["old".into()], &["mended", "old"]);
}
