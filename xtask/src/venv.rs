//! A Python with the packages that tests use, in a virtual environment under `target/`.

use crate::process::quietly;
use crate::root;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages of the tests.
const REQUIREMENTS: &str = "python/requirements.txt";
/// Fails for an interpreter that is too old.
pub(crate) const NEW_ENOUGH: &str =
    "import sys; assert sys.version_info >= (3, 11), 'Python 3.11 or later is needed'";

/// The Python of the tests, in an environment that is renewed when the requirements change.
pub(crate) fn python() -> Result<PathBuf> {
    let requirements = root()?.join(REQUIREMENTS);
    let wanted = fs::read_to_string(&requirements)?;
    let venv = root()?.join("target/python/venv");
    let (python, mark) = (venv.join("bin/python"), venv.join("goalward-requirements.txt"));
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    fresh(Path::new("python3"), &venv)?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    quietly(Command::new(&python).args(pip).arg(requirements))?;
    fs::write(&mark, wanted)?;
    Ok(python)
}

/// An empty environment.
pub(crate) fn fresh(interpreter: &Path, venv: &Path) -> Result<()> {
    quietly(Command::new(interpreter).args(["-c", NEW_ENOUGH]))?;
    let _ = fs::remove_dir_all(venv);
    quietly(Command::new(interpreter).args(["-m", "venv"]).arg(venv))
}

/// Installs a wheel, with or without its dependencies.
pub(crate) fn install(python: &Path, wheel: &Path, with_dependencies: bool) -> Result<()> {
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall"];
    let alone = (!with_dependencies).then_some("--no-deps");
    quietly(Command::new(python).args(pip).args(alone).arg(wheel))
}
