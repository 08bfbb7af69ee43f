//! `cargo xtask soak dask [KILLS]`: the Python package with a Dask cluster on this machine, whose
//! workers are killed. Everything is installed under `target/dask/`.

use crate::records::quietly;
use crate::{bench, root};
use anyhow::{Error, Result};
use std::fs;
use std::process::{Command, ExitCode};

pub(crate) fn run(args: &[&str]) -> Result<ExitCode> {
    let place = root()?.join("target/dask");
    let (venv, wheels) = (place.join("venv"), place.join("wheels"));
    let python = venv.join("bin/python");
    let pip = |options: &[&str]| {
        let mut command = Command::new(&python);
        command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(options);
        command
    };
    if !python.exists() {
        quietly(Command::new("python3").args(["-m", "venv"]).arg(&venv)).map_err(Error::msg)?;
    }
    quietly(&mut pip(&["maturin>=1.9,<2", "numpy>=1.26", "distributed>=2024.8"])).map_err(Error::msg)?;
    let _ = fs::remove_dir_all(&wheels);
    let mut build = Command::new(&python);
    build.args(["-m", "maturin", "build", "--quiet", "--out"]).arg(&wheels);
    quietly(build.current_dir(root()?.join("python"))).map_err(Error::msg)?;
    let mut install = pip(&["--force-reinstall", "--no-deps"]);
    for wheel in fs::read_dir(&wheels)? {
        install.arg(wheel?.path());
    }
    quietly(&mut install).map_err(Error::msg)?;
    let mut command = Command::new(&python);
    command.arg(root()?.join("xtask/dask/kill.py")).args(args);
    bench::finish(command)
}
