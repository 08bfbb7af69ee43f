//! Running other programs.

use crate::{cargo, root};
use anyhow::{Context, Result, bail};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// Runs a command in the workspace; its exit code.
pub(crate) fn finish(command: &mut Command) -> Result<ExitCode> {
    let code = status(command.current_dir(root()?))?.code();
    Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// Runs a command; an error if it fails.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    if !status(command)?.success() {
        bail!("{:?} failed", command.get_program());
    }
    Ok(())
}

fn status(command: &mut Command) -> Result<ExitStatus> {
    command.status().with_context(|| format!("cannot run {:?}", command.get_program()))
}

/// Runs a command without its output; the last line of its errors if it fails.
pub(crate) fn quietly(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| name.clone())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{name}: {}", said.lines().rfind(|line| !line.is_empty()).unwrap_or("it failed"));
    }
    Ok(())
}

pub(crate) fn cargo_bench(package: &str, target: &str, args: &[&str]) -> Result<ExitCode> {
    let mut command = Command::new(cargo());
    finish(command.args(["bench", "--quiet", "--package", package, "--bench", target, "--"]).args(args))
}

/// The usage of a subcommand that takes one of these names; exit code 2.
pub(crate) fn usage(subcommand: &str, what: &str, args: &[&str], names: &[(&str, &str)]) -> ExitCode {
    if let [name, ..] = args {
        eprintln!("error: there is no {what} {name:?}");
    }
    eprintln!("usage: cargo xtask {subcommand}");
    for (name, about) in names {
        eprintln!("  {name:<16}{about}");
    }
    ExitCode::from(2)
}

/// The processor seconds of this process and of its finished children, where the system tells.
pub(crate) fn cpu() -> Option<f64> {
    ticks(&std::fs::read_to_string("/proc/self/stat").ok()?).map(|ticks| ticks as f64 / 100.0)
}

/// User and system time, of a process and of its children, in hundredths of a second.
fn ticks(stat: &str) -> Option<u64> {
    // the name of the program may contain anything
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(11);
    (0..4).map(|_| fields.next()?.parse::<u64>().ok()).sum()
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

    #[test]
    fn what_went_wrong_is_named() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo first >&2; echo no network >&2; exit 1"]);
        assert_eq!(quietly(&mut command).unwrap_err().to_string(), "sh: no network");
        let missing = quietly(&mut Command::new("no-such-program")).unwrap_err();
        assert!(missing.to_string().contains("no-such-program"));
    }
}
