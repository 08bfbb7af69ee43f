//! What tests skipped. The harness hides the output of passing tests, so a test leaves a note in a
//! folder.

use crate::root;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const VARIABLE: &str = "GOALWARD_SKIPPED";

/// The empty folder of the notes.
pub(crate) fn folder() -> Result<PathBuf> {
    emptied(root()?.join("target/skipped"))
}

fn emptied(folder: PathBuf) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// Removes the notes; each as a line, in the order of the tests' names.
pub(crate) fn take(folder: &Path) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for note in fs::read_dir(folder)? {
        let path = note?.path();
        lines.push(format!("skipped: {}", fs::read_to_string(&path)?.trim()));
        fs::remove_file(&path)?;
    }
    lines.sort();
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_taken_once() {
        let folder = std::env::temp_dir().join(format!("goalward-notes-{}", std::process::id()));
        let folder = emptied(folder).unwrap();
        assert!(take(&folder).unwrap().is_empty());
        for name in ["b", "a"] {
            fs::write(folder.join(name), format!("{name}: no data\n")).unwrap();
        }
        assert_eq!(take(&folder).unwrap(), ["skipped: a: no data", "skipped: b: no data"]);
        assert!(take(&folder).unwrap().is_empty());
        fs::write(folder.join("old"), "").unwrap();
        assert!(take(&emptied(folder.clone()).unwrap()).unwrap().is_empty());
        fs::remove_dir_all(folder).unwrap();
    }
}
