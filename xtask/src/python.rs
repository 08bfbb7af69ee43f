//! The Python package: `cargo xtask test` builds its wheel and tests it, `cargo xtask wheel` builds
//! the one for release.

use crate::process::quietly;
use crate::{process, root, venv};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// How it went; or nobody could look, and why.
type Looked = std::result::Result<ExitCode, String>;

/// A wheel for release is smaller than this, in bytes.
const LARGEST: u64 = 8_000_000;
/// The oldest system that it runs on.
const SYSTEM: &str = "manylinux_2_17";

/// Builds the wheel with the profile of the tests, installs it, and tests it: types, stubs,
/// behaviour, documents, notebooks.
pub(crate) fn test(program: &Path) -> Result<Looked> {
    let python = match venv::python() {
        Ok(python) => python,
        Err(reason) => return Ok(Err(format!("the Python package: {reason}"))),
    };
    let wheel = build(&python, "wheels", &[])?;
    venv::install(&python, &wheel, false).map_err(anyhow::Error::msg)?;
    // away from the sources, so that what is installed is what is tested
    let away = root()?.join("target/python");
    let run = |args: &[&str]| {
        let mut command = Command::new(&python);
        command.args(args).current_dir(&away).env("GOALWARD_PROGRAM", program);
        let status = command.status().with_context(|| format!("cannot run {}", python.display()))?;
        Ok::<bool, anyhow::Error>(status.success())
    };
    let package = root()?.join("python");
    let (settings, tests) = (package.join("pyproject.toml"), package.join("tests"));
    let types = ["-m", "mypy", "--strict", "--config-file", &settings.to_string_lossy(), "-p", "goalward"];
    let (sources, scripts) = (package.to_string_lossy(), root()?.join("xtask"));
    let scripts = scripts.to_string_lossy();
    let ruff = ["--config", &settings.to_string_lossy(), "--no-cache", &sources, &scripts];
    let steps: [&[&str]; 5] = [
        &[&["-m", "ruff", "format", "--check", "--quiet"], &ruff[..]].concat(),
        &[&["-m", "ruff", "check", "--quiet"], &ruff[..]].concat(),
        &types,
        &["-m", "mypy.stubtest", "--concise", "goalward"],
        &["-m", "pytest", "-c", &settings.to_string_lossy(), &tests.to_string_lossy()],
    ];
    for step in steps {
        if !run(step)? {
            return Ok(Ok(ExitCode::FAILURE));
        }
    }
    Ok(Ok(ExitCode::SUCCESS))
}

/// Builds a wheel into a folder of its own; its path.
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
    process::finish_there(command)?;
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

/// `cargo xtask wheel`: the wheel and the source distribution, tried on every Python that is here.
pub(crate) fn wheel() -> Result<ExitCode> {
    let python = venv::python().map_err(anyhow::Error::msg)?;
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
        venv::fresh(&interpreter, &folder).map_err(anyhow::Error::msg)?;
        let python = folder.join("bin/python");
        venv::install(&python, &wheel, true).map_err(anyhow::Error::msg)?;
        println!("== {}", interpreter.display());
        let mut command = Command::new(&python);
        command.arg(root()?.join("xtask/wheel/trial.py")).current_dir(&folder);
        if !command.status()?.success() {
            bail!("the wheel does not work with {}", interpreter.display());
        }
        tried += 1;
    }
    println!("the wheel works with {tried} Pythons");
    from_source(&python)
}

/// `cargo xtask bench python`: the wheel of the release profile against the library.
pub(crate) fn bench(args: &[&str]) -> Result<ExitCode> {
    let python = venv::python().map_err(anyhow::Error::msg)?;
    let mut command = Command::new(crate::cargo());
    command.args(["bench", "--quiet", "--package", "goalward", "--bench", "arrays", "--", "--json"]);
    let reference = command.current_dir(root()?).output().context("cannot run cargo bench")?;
    let wheel = build(&python, "bench-wheel", &["--release"])?;
    let site = root()?.join("target/python/bench-site");
    let _ = fs::remove_dir_all(&site);
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"];
    quietly(Command::new(&python).args(pip).arg(&site).arg(&wheel)).map_err(anyhow::Error::msg)?;
    let mut command = Command::new(&python);
    command.arg(root()?.join("python/benches/against_rust.py")).args(args);
    command.env("PYTHONPATH", &site).env("GOALWARD_REFERENCE", String::from_utf8(reference.stdout)?);
    process::finish(command)
}

/// Builds the source distribution, and a wheel from nothing else.
fn from_source(python: &Path) -> Result<ExitCode> {
    let out = root()?.join("target/python/sdist");
    let _ = fs::remove_dir_all(&out);
    let mut command = Command::new(python);
    command.args(["-m", "maturin", "sdist", "--out"]).arg(&out).current_dir(root()?.join("python"));
    process::finish_there(command)?;
    let source = only_file(&out, ".tar.gz")?;
    println!("{}: {:.1} MB", source.display(), fs::metadata(&source)?.len() as f64 / 1e6);
    let mut command = Command::new(python);
    command.args(["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]).arg(&out).arg(&source);
    // whether it builds is the question: nothing need be quick
    command.env("CARGO_TARGET_DIR", root()?.join("target/python/from-source"));
    command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0").env("CARGO_PROFILE_RELEASE_LTO", "off");
    process::finish_there(command)?;
    println!("{} was built from it", only_file(&out, ".whl")?.display());
    Ok(ExitCode::SUCCESS)
}

/// Every Python from 3.11 on: on the PATH, and where pyenv keeps them.
fn interpreters() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut versions = Vec::new();
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let kept = fs::read_dir(home.join(".pyenv/versions")).into_iter().flatten().flatten();
    let kept = kept.map(|entry| entry.path().join("bin/python3"));
    let named = [
        "python3".into(),
        "python3.11".into(),
        "python3.12".into(),
        "python3.13".into(),
        "python3.14".into(),
    ];
    for python in named.into_iter().chain(kept) {
        let script = "import sys; assert sys.version_info >= (3, 11); print(*sys.version_info[:2])";
        let Ok(output) = Command::new(&python).args(["-c", script]).output() else { continue };
        if output.status.success() && !versions.contains(&output.stdout) {
            versions.push(output.stdout);
            found.push(python);
        }
    }
    found
}
