//! `cargo xtask browser REPORT.html [REPLAY.html ...]`: the pages that the program makes, in real
//! Chromium. `cargo xtask test` does the same with pages of its own.
//!
//! What it needs is installed under `target/browser/`, but for Chromium, which is the system's.

use crate::artifacts::Tests;
use crate::process::quietly;
use crate::{process, root};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What drives Chromium, from npm.
const DRIVER: &str = "playwright-core";
const DRIVER_VERSION: &str = "1.65";
/// The test that writes a large report of invented results.
const REPORT_TEST: &str = "report::tests::a_large_report_is_below_its_limit";
/// The variable by which it knows the folder.
const PAGES: &str = "GOALWARD_PAGES";

/// How the pages fared; or nobody could look, and why.
type Looked = std::result::Result<ExitCode, String>;

pub(crate) fn run(pages: &[&str]) -> Result<ExitCode> {
    if pages.is_empty() || pages.iter().any(|page| page.starts_with('-')) {
        eprintln!("usage: cargo xtask browser REPORT.html [REPLAY.html ...]");
        return Ok(ExitCode::from(2));
    }
    let pages: Vec<PathBuf> = pages.iter().map(std::path::absolute).collect::<Result<_, _>>()?;
    Ok(look(&pages)?.unwrap_or_else(|reason| {
        eprintln!("skipped: {reason}");
        ExitCode::FAILURE
    }))
}

/// Makes a report of invented results and two replays of real runs, and looks at them, and at the
/// report of a real study.
pub(crate) fn test(tests: &[Tests], program: &Path, study: &Path) -> Result<Looked> {
    let folder = folder()?;
    let lab = tests.iter().find(|test| test.name == "lab: unit tests (lib)");
    let lab = lab.context("cargo built no tests of the lab")?;
    let mut command = Command::new(&lab.program);
    command.args([REPORT_TEST, "--exact"]).current_dir(&lab.folder).env(PAGES, &folder);
    quietly(&mut command).map_err(anyhow::Error::msg)?;
    let report = folder.join("report.html");
    if !report.is_file() {
        bail!("{REPORT_TEST} wrote no report");
    }
    let mut pages = vec![report];
    for (name, args) in REPLAYS {
        let page = folder.join(name);
        let mut command = Command::new(program);
        command.args(["learn", "--quiet"]).args(*args).arg("--replay").arg(&page);
        quietly(&mut command).map_err(anyhow::Error::msg)?;
        pages.push(page);
    }
    match look(&pages)? {
        Ok(code) if code == ExitCode::SUCCESS => look(&[study.join("report.html")]),
        other => Ok(other),
    }
}

/// A grid world and one that is none.
const REPLAYS: &[(&str, &[&str])] = &[
    ("replay-grid.html", &["windy-grid", "--episodes", "400"]),
    ("replay-other.html", &["hard-instance", "--episodes", "200"]),
];

fn look(pages: &[PathBuf]) -> Result<Looked> {
    let folder = folder()?;
    let ready = driver(&folder).and_then(|()| chromium());
    let chromium = match ready {
        Ok(chromium) => chromium,
        Err(reason) => return Ok(Err(format!("pages in a browser: {reason}"))),
    };
    let mut command = Command::new("node");
    command.arg(root()?.join("xtask/browser/report.mjs")).arg(&folder).arg(chromium).arg(&folder).args(pages);
    process::finish(command).map(Ok)
}

fn folder() -> Result<PathBuf> {
    let folder = root()?.join("target/browser");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// Installs what drives the browser, unless it is there.
fn driver(folder: &Path) -> Result<(), String> {
    let said = folder.join("node_modules").join(DRIVER).join("package.json");
    let wanted = format!("\"version\": \"{DRIVER_VERSION}.");
    if fs::read_to_string(said).is_ok_and(|text| text.contains(&wanted)) {
        return quietly(Command::new("node").arg("--version"));
    }
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(folder);
    quietly(npm.arg(format!("{DRIVER}@{DRIVER_VERSION}")))
}

/// Where Chromium is; it is installed if we may.
fn chromium() -> Result<PathBuf, String> {
    if let Some(there) = on_path("chromium") {
        return Ok(there);
    }
    let user = Command::new("id").arg("-u").output().map_err(|error| format!("id: {error}"))?;
    if user.stdout.trim_ascii() != b"0" {
        return Err("chromium is not installed".into());
    }
    let apt =
        |args: &[&str]| quietly(Command::new("apt-get").args(args).env("DEBIAN_FRONTEND", "noninteractive"));
    apt(&["update", "-qq"])?;
    apt(&["install", "-qq", "-y", "chromium"])?;
    on_path("chromium").ok_or_else(|| "chromium was installed and is not there".into())
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_is_named() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo first >&2; echo no network >&2; exit 1"]);
        assert_eq!(quietly(&mut command), Err("sh: no network".into()));
        assert!(quietly(&mut Command::new("no-such-program")).is_err_and(|e| e.contains("no-such-program")));
        assert!(on_path("sh").is_some() && on_path("no-such-program").is_none());
    }
}
