//! Python packages to compare with, each set in a virtual environment under the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python of a virtual environment in which a module can be imported, and the folder that it is
/// in. It is made, and the packages are installed, if that is not so yet; or why that cannot be.
pub(crate) fn python(name: &str, packages: &[&str], module: &str) -> Result<(PathBuf, PathBuf), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    let folder = target.join(name);
    let python = folder.join("venv/bin/python");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let import = format!("import {module}");
    if run(&python, &["-c", &import]).is_err() {
        let venv = folder.join("venv");
        run(Path::new("python3"), &["-m", "venv", &venv.to_string_lossy()])?;
        run(&python, &[&["-m", "pip", "install", "--quiet"], packages].concat())?;
        run(&python, &["-c", &import])?;
    }
    Ok((python, folder))
}

/// Runs a program; what it printed, or the last line of what it complained about.
pub(crate) fn run(program: &Path, args: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(args).output();
    let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => {
            let text = String::from_utf8_lossy(&output.stderr);
            Err(text.lines().last().unwrap_or("it failed").to_string())
        }
    }
}
