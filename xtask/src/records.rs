//! The records of a study, read by pandas, polars and DuckDB.

use crate::{process, root};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Runs the study of all learners in its quick version; the folder of its results.
pub(crate) fn study(program: &Path) -> Result<PathBuf> {
    let folder = root()?.join("target/records/comparison");
    let _ = fs::remove_dir_all(&folder);
    let mut command = Command::new(program);
    command.args(["study", "run", "comparison", "--quick", "--quiet", "--out"]).arg(&folder);
    let output = command.stdin(Stdio::null()).output().context("cannot run goalward")?;
    // 1 is an answer too: some learners cannot be built in some worlds
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!("the study failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(folder)
}

/// Whether the readers agree with what was written.
pub(crate) fn check(python: &Path, folder: &Path) -> Result<ExitCode> {
    process::finish(Command::new(python).arg(root()?.join("xtask/records/check.py")).arg(folder))
}
