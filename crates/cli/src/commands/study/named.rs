//! Studies by their names: a file, one that comes with goalward, or a folder of results.

use goalward_lab::study::{self, StudyFile};
use std::path::{Path, PathBuf};

pub(super) use goalward_lab::study::default_folder;

/// Reads a study file, or a study that comes with goalward.
pub(super) fn read(name: &str, quick: bool) -> anyhow::Result<StudyFile> {
    Ok(study::read_named(name, quick)?)
}

/// A study that comes with goalward.
pub(crate) fn shipped(name: &str, quick: bool) -> anyhow::Result<StudyFile> {
    Ok(study::read_shipped(name, quick)?)
}

/// Where the results of a study are: a folder as it is, otherwise that of its name.
pub(super) fn folder(name: &str, out: Option<PathBuf>) -> PathBuf {
    if let Some(out) = out {
        return out;
    }
    let path = Path::new(name);
    match path.is_dir() {
        true => path.into(),
        false => default_folder(&path.file_stem().unwrap_or_default().to_string_lossy(), false),
    }
}
