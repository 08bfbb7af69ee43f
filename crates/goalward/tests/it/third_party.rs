//! Where the models of others lie, whose answers are known: beside the repository, if at all.
//!
//! A test that needs them and does not find them passes, but never silently: it leaves a note,
//! which `cargo xtask test` prints, and where `CI` is `true` it fails.

use std::path::PathBuf;

/// The variable with the folder that takes notes on what was skipped; `cargo xtask test` sets it.
const NOTES: &str = "GOALWARD_SKIPPED";

/// The folder of third-party models, for a test of this name.
pub(crate) fn folder(test: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench");
    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    found(folder, test, ci, std::env::var_os(NOTES).map(PathBuf::from))
}

fn found(folder: PathBuf, test: &str, ci: bool, notes: Option<PathBuf>) -> Option<PathBuf> {
    if folder.is_dir() {
        return Some(folder);
    }
    let reason = format!("{test}: there is no folder {}", folder.display());
    assert!(!ci, "{reason}");
    eprintln!("skipped: {reason}");
    if let Some(notes) = notes {
        std::fs::write(notes.join(test), reason).unwrap();
    }
    None
}

#[test]
fn what_is_there_is_found() {
    let here = tempfile::tempdir().unwrap();
    assert_eq!(found(here.path().into(), "test", true, None).as_deref(), Some(here.path()));
}

#[test]
fn what_is_absent_is_noted() {
    let notes = tempfile::tempdir().unwrap();
    let absent = notes.path().join("absent");
    assert_eq!(found(absent, "test", false, Some(notes.path().into())), None);
    let note = std::fs::read_to_string(notes.path().join("test")).unwrap();
    assert!(note.starts_with("test: there is no folder ") && note.ends_with("absent"), "{note}");
}

#[test]
#[should_panic(expected = "there is no folder")]
fn what_is_absent_fails_where_nothing_may_be_skipped() {
    let here = tempfile::tempdir().unwrap();
    found(here.path().join("absent"), "test", true, None);
}
