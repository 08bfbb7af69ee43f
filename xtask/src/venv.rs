//! A Python with the packages that tests use, in a virtual environment under `target/`.

use crate::process::quietly;
use crate::root;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the tests use.
const REQUIREMENTS: &str = "python/requirements.txt";
/// Whether an interpreter is new enough.
const NEW_ENOUGH: &str = "import sys; assert sys.version_info >= (3, 11), 'Python 3.11 or later is needed'";

/// The environment of the tests; made anew when what they use has changed. Otherwise why there is
/// none.
pub(crate) fn python() -> Result<PathBuf, String> {
    let root = root().map_err(|error| error.to_string())?;
    let wanted = std::fs::read_to_string(root.join(REQUIREMENTS)).map_err(|error| error.to_string())?;
    let venv = root.join("target/python/venv");
    let (python, mark) = (venv.join("bin/python"), venv.join("goalward-requirements.txt"));
    if std::fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    fresh(Path::new("python3"), &venv)?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    quietly(Command::new(&python).args(pip).arg(root.join(REQUIREMENTS)))?;
    std::fs::write(&mark, wanted).map_err(|error| error.to_string())?;
    Ok(python)
}

/// An environment with nothing in it.
pub(crate) fn fresh(interpreter: &Path, venv: &Path) -> Result<(), String> {
    quietly(Command::new(interpreter).args(["-c", NEW_ENOUGH]))?;
    let _ = std::fs::remove_dir_all(venv);
    quietly(Command::new(interpreter).args(["-m", "venv"]).arg(venv))
}

/// Installs a wheel, and nothing else.
pub(crate) fn install(python: &Path, wheel: &Path, with_dependencies: bool) -> Result<(), String> {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall"]);
    if !with_dependencies {
        command.arg("--no-deps");
    }
    quietly(command.arg(wheel))
}
