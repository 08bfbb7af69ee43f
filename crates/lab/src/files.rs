//! Writing results: a file is at all times either the old one or the new one.

use crate::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Creates the directory with its parents.
pub(crate) fn create_dir(dir: &Path) -> Result<()> {
    fs::create_dir_all(dir).map_err(Error::io(dir))
}

/// Writes a file under a temporary name, then renames it.
pub(crate) fn write(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf> {
    let path = dir.join(name);
    let part = dir.join(format!("{name}.part"));
    fs::write(&part, content).map_err(Error::io(&part))?;
    fs::rename(&part, &path).map_err(Error::io(&path))?;
    Ok(path)
}
