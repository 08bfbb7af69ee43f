//! Running other programs.

use crate::root;
use anyhow::{Context, Result, bail};
use std::process::{Command, ExitCode, Stdio};

/// Runs a command in the workspace and hands its exit code on.
pub(crate) fn finish(mut command: Command) -> Result<ExitCode> {
    let status = command.current_dir(root()?).status().context("cannot run cargo")?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// Runs a command where it is; an error if it fails.
pub(crate) fn finish_there(mut command: Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    if !status.success() {
        bail!("{:?} failed", command.get_program());
    }
    Ok(())
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
