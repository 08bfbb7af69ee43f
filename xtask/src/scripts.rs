//! The soaks of the Python package: scripts that a wheel of the release profile is tried with.

use crate::{process, python, root, venv};
use anyhow::{Error, Result};
use std::process::{Command, ExitCode};

pub(crate) fn run(script: &str, args: &[&str]) -> Result<ExitCode> {
    let interpreter = venv::python().map_err(Error::msg)?;
    let wheel = python::build(&interpreter, "soak-wheel", &["--release"])?;
    venv::install(&interpreter, &wheel, false).map_err(Error::msg)?;
    let mut command = Command::new(&interpreter);
    command.arg(root()?.join(script)).args(args);
    process::finish(command)
}
