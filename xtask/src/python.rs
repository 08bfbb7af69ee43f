//! The Python package: `cargo xtask test` builds its wheel and tests it, `cargo xtask wheel` builds
//! the one for release. Its packages are installed into a virtual environment under `target/`.

use crate::process::{finish, quietly, succeed};
use crate::root;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A wheel for release is smaller than this, in bytes.
const LARGEST: u64 = 8_000_000;
/// The oldest system that it supports.
const SYSTEM: &str = "manylinux_2_17";

/// Builds and installs the wheel with the profile of the tests, and tests it.
pub(crate) fn test(python: &Path, program: &Path) -> Result<ExitCode> {
    let wheel = build(python, "wheels", &[])?;
    install(python, &wheel, false)?;
    let package = root()?.join("python");
    let [settings, tests] = ["pyproject.toml", "tests"].map(|name| package.join(name));
    let [settings, tests] = [settings.to_string_lossy(), tests.to_string_lossy()];
    let (sources, scripts) = (package.to_string_lossy(), root()?.join("xtask"));
    let ruff = ["--config", &settings, "--no-cache", &sources, &scripts.to_string_lossy()];
    let steps: [&[&str]; 5] = [
        &[&["-m", "ruff", "format", "--check", "--quiet"], &ruff[..]].concat(),
        &[&["-m", "ruff", "check", "--quiet"], &ruff[..]].concat(),
        &["-m", "mypy", "--strict", "--config-file", &settings, "-p", "goalward"],
        &["-m", "mypy.stubtest", "--concise", "goalward"],
        &["-m", "pytest", "-c", &settings, &tests],
    ];
    for step in steps {
        let mut command = Command::new(python);
        // outside the sources, so that the installed package is tested
        command.args(step).current_dir(root()?.join("target/python")).env("GOALWARD_PROGRAM", program);
        succeed(&mut command)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds a wheel into a separate folder; its path.
pub(crate) fn build(python: &Path, folder: &str, options: &[&str]) -> Result<PathBuf> {
    let out = root()?.join("target/python").join(folder);
    let _ = fs::remove_dir_all(&out);
    let mut command = Command::new(python);
    command.args(["-m", "maturin", "build", "--quiet", "--out"]).arg(&out).args(options);
    // maturin finds zig by the first Python on the PATH
    let bin = python.parent().context("a Python lies in a folder")?;
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([bin.to_path_buf()].into_iter().chain(std::env::split_paths(&others)))?;
    command.env("PATH", path).current_dir(root()?.join("python"));
    succeed(&mut command)?;
    only_file(&out, ".whl")
}

/// The only file of a folder with this ending.
fn only_file(folder: &Path, ending: &str) -> Result<PathBuf> {
    let files = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut files =
        files.iter().map(|file| file.path()).filter(|path| path.to_string_lossy().ends_with(ending));
    match (files.next(), files.next()) {
        (Some(file), None) => Ok(file),
        _ => bail!("{} holds no single {ending}", folder.display()),
    }
}

/// `cargo xtask wheel`: the wheel and the source distribution, tried on every installed Python.
pub(crate) fn wheel() -> Result<ExitCode> {
    let python = interpreter()?;
    let options = ["--release", "--zig", "--compatibility", SYSTEM];
    let wheel = build(&python, "release", &options)?;
    let size = fs::metadata(&wheel)?.len();
    println!("{}: {:.1} MB", wheel.display(), size as f64 / 1e6);
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.contains(SYSTEM) {
        bail!("{name} is no wheel for {SYSTEM}");
    }
    if size > LARGEST {
        bail!("{name} is larger than {:.0} MB", LARGEST as f64 / 1e6);
    }
    let mut tried = 0;
    for interpreter in interpreters() {
        let folder = root()?.join("target/python/trial");
        fresh(&interpreter, &folder)?;
        let python = folder.join("bin/python");
        install(&python, &wheel, true)?;
        println!("== {}", interpreter.display());
        let mut command = Command::new(&python);
        command.arg(root()?.join("xtask/wheel/trial.py")).current_dir(&folder);
        succeed(&mut command).with_context(|| format!("the wheel and {}", interpreter.display()))?;
        tried += 1;
    }
    println!("the wheel works with {tried} Pythons");
    from_source(&python)
}

/// `cargo xtask bench python`: the wheel of the release profile against the library.
pub(crate) fn bench(args: &[&str]) -> Result<ExitCode> {
    let python = interpreter()?;
    let mut command = Command::new(crate::cargo());
    command.args(["bench", "--quiet", "--package", "goalward", "--bench", "arrays", "--", "--json"]);
    let reference = command.current_dir(root()?).output().context("cannot run cargo bench")?;
    let wheel = build(&python, "bench-wheel", &["--release"])?;
    let site = root()?.join("target/python/bench-site");
    let _ = fs::remove_dir_all(&site);
    quietly(pip(&python, "install").args(["--no-deps", "--target"]).arg(&site).arg(&wheel))?;
    let mut command = Command::new(&python);
    command.arg(root()?.join("python/benches/against_rust.py")).args(args);
    command.env("PYTHONPATH", &site).env("GOALWARD_REFERENCE", String::from_utf8(reference.stdout)?);
    finish(&mut command)
}

/// Builds the source distribution, and a wheel from nothing else.
fn from_source(python: &Path) -> Result<ExitCode> {
    let out = root()?.join("target/python/sdist");
    let _ = fs::remove_dir_all(&out);
    let mut command = Command::new(python);
    command.args(["-m", "maturin", "sdist", "--out"]).arg(&out).current_dir(root()?.join("python"));
    succeed(&mut command)?;
    let source = only_file(&out, ".tar.gz")?;
    println!("{}: {:.1} MB", source.display(), fs::metadata(&source)?.len() as f64 / 1e6);
    let mut command = pip(python, "wheel");
    command.args(["--no-deps", "--wheel-dir"]).arg(&out).arg(&source);
    // the quickest build: nothing of it runs
    command.env("CARGO_TARGET_DIR", root()?.join("target/python/from-source"));
    command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0").env("CARGO_PROFILE_RELEASE_LTO", "off");
    succeed(&mut command)?;
    println!("{} was built from it", only_file(&out, ".whl")?.display());
    Ok(ExitCode::SUCCESS)
}

/// Every Python from 3.11 on, one of each version: on the PATH, and those of pyenv.
fn interpreters() -> Vec<PathBuf> {
    let (mut found, mut versions) = (Vec::new(), Vec::new());
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let pyenv = fs::read_dir(home.join(".pyenv/versions")).into_iter().flatten().flatten();
    let pyenv = pyenv.map(|entry| entry.path().join("bin/python3"));
    let named = ["", ".11", ".12", ".13", ".14"].map(|minor| PathBuf::from(format!("python3{minor}")));
    let script = format!("{}; print(*sys.version_info[:2])", NEW_ENOUGH);
    for python in named.into_iter().chain(pyenv) {
        let Ok(output) = Command::new(&python).args(["-c", &script]).output() else { continue };
        if output.status.success() && !versions.contains(&output.stdout) {
            versions.push(output.stdout);
            found.push(python);
        }
    }
    found
}

/// Fails for an interpreter that is too old.
const NEW_ENOUGH: &str = "import sys; assert sys.version_info >= (3, 11), 'Python 3.11 or later is needed'";

/// The Python of the tests, in an environment that is renewed when the requirements change.
pub(crate) fn interpreter() -> Result<PathBuf> {
    let requirements = root()?.join("python/requirements.txt");
    let wanted = fs::read_to_string(&requirements)?;
    let venv = root()?.join("target/python/venv");
    let (python, mark) = (venv.join("bin/python"), venv.join("goalward-requirements.txt"));
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    fresh(Path::new("python3"), &venv)?;
    quietly(pip(&python, "install").arg("--requirement").arg(requirements))?;
    fs::write(&mark, wanted)?;
    Ok(python)
}

/// An empty environment.
fn fresh(interpreter: &Path, venv: &Path) -> Result<()> {
    quietly(Command::new(interpreter).args(["-c", NEW_ENOUGH]))?;
    let _ = fs::remove_dir_all(venv);
    quietly(Command::new(interpreter).args(["-m", "venv"]).arg(venv))
}

/// Installs a wheel, with or without its dependencies.
pub(crate) fn install(python: &Path, wheel: &Path, with_dependencies: bool) -> Result<()> {
    let alone = (!with_dependencies).then_some("--no-deps");
    quietly(pip(python, "install").arg("--force-reinstall").args(alone).arg(wheel))
}

fn pip(python: &Path, command: &str) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", command, "--quiet", "--disable-pip-version-check"]);
    pip
}
