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

/// The processor's seconds that this process and those which it has waited for have taken so far;
/// none where the system does not say.
pub(crate) fn cpu() -> Option<f64> {
    ticks(&std::fs::read_to_string("/proc/self/stat").ok()?).map(|ticks| ticks as f64 / 100.0)
}

/// User and system time, a process's own and that of its children, in hundredths of a second.
fn ticks(stat: &str) -> Option<u64> {
    // the name of the program may hold anything
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(11);
    (0..4).map(|_| fields.next()?.parse::<u64>().ok()).sum()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_process_is_read() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 100 200 0 0 3 40 500 6000 20 0 1 0 99 1 1";
        assert_eq!(ticks(stat), Some(6543));
        assert_eq!(ticks("7 (a) S 1"), None);
    }
}
