//! The records of a study, opened by others: pandas, polars and DuckDB in a virtual environment
//! under `target/records/`. The report of the same study is for the browser.

use crate::{bench, root};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// What opens the records.
const PACKAGES: [&str; 4] = ["pandas>=2.2", "pyarrow>=17", "polars>=1.9", "duckdb>=1.1"];

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

/// Whether others read what we wrote, or why nobody could look.
pub(crate) fn check(folder: &Path) -> Result<std::result::Result<ExitCode, String>> {
    let python = match python() {
        Ok(python) => python,
        Err(reason) => return Ok(Err(format!("records with pandas, polars and DuckDB: {reason}"))),
    };
    let mut command = Command::new(python);
    command.arg(root()?.join("xtask/records/check.py")).arg(folder);
    bench::finish(command).map(Ok)
}

/// A Python with the packages; they are installed if they are not there yet.
fn python() -> std::result::Result<PathBuf, String> {
    let venv = root().map_err(|e| e.to_string())?.join("target/records/venv");
    let python = venv.join("bin/python");
    let ready =
        |python: &Path| quietly(Command::new(python).args(["-c", "import pandas, pyarrow, polars, duckdb"]));
    if ready(&python).is_err() {
        quietly(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        quietly(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
        ready(&python)?;
    }
    Ok(python)
}

/// Runs a command; the last line of what it complained about if it fails.
pub(crate) fn quietly(command: &mut Command) -> std::result::Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{name}: {}", said.lines().rfind(|line| !line.is_empty()).unwrap_or("it failed")))
}
