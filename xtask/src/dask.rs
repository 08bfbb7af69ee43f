//! `cargo xtask soak dask [KILLS]`: the Python package with a Dask cluster on this machine, whose
//! workers are killed.

use crate::{process, python, root, venv};
use anyhow::{Error, Result};
use std::process::{Command, ExitCode};

pub(crate) fn run(args: &[&str]) -> Result<ExitCode> {
    let interpreter = venv::python().map_err(Error::msg)?;
    let wheel = python::build(&interpreter, "dask-wheel", &["--release"])?;
    venv::install(&interpreter, &wheel, false).map_err(Error::msg)?;
    let mut command = Command::new(&interpreter);
    command.arg(root()?.join("xtask/dask/kill.py")).args(args);
    process::finish(command)
}
