//! What tests could not look at. The harness swallows what a passing test prints, so a test leaves
//! a note in a folder.

use crate::root;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

/// The variable by which tests know the folder.
pub(crate) const FOLDER: &str = "GOALWARD_SKIPPED";

/// The folder of the notes.
pub(crate) struct Notes(PathBuf);

impl Notes {
    /// An empty folder.
    pub(crate) fn new() -> Result<Notes> {
        Notes::within(root()?.join("target/skipped"))
    }

    fn within(folder: PathBuf) -> Result<Notes> {
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Notes(folder))
    }

    /// Where tests leave them.
    pub(crate) fn folder(&self) -> &PathBuf {
        &self.0
    }

    /// Takes the notes that are there, each as a line, in the order of the tests' names.
    pub(crate) fn take(&self) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for note in fs::read_dir(&self.0)? {
            let path = note?.path();
            lines.push(format!("skipped: {}", fs::read_to_string(&path)?.trim()));
            fs::remove_file(&path)?;
        }
        lines.sort();
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_taken_once() {
        let folder = std::env::temp_dir().join(format!("goalward-notes-{}", std::process::id()));
        let notes = Notes::within(folder.clone()).unwrap();
        assert!(notes.take().unwrap().is_empty());
        for name in ["b", "a"] {
            fs::write(notes.folder().join(name), format!("{name}: no data\n")).unwrap();
        }
        assert_eq!(notes.take().unwrap(), ["skipped: a: no data", "skipped: b: no data"]);
        assert!(notes.take().unwrap().is_empty());
        fs::write(folder.join("old"), "").unwrap();
        assert!(Notes::within(folder.clone()).unwrap().take().unwrap().is_empty());
        fs::remove_dir_all(folder).unwrap();
    }
}
