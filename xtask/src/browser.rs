//! `cargo xtask browser REPORT.html [REPLAY.html ...]`: the pages of the program in real Chromium.
//! `cargo xtask test` does the same with pages of its own.
//!
//! The driver is installed under `target/browser/`; Chromium is the system's.

use crate::artifacts::TestProgram;
use crate::process::{finish, quietly};
use crate::root;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The driver of Chromium, from npm.
const DRIVER: &str = "playwright-core";
const DRIVER_VERSION: &str = "1.65";
/// The test that writes a large report of invented results.
const REPORT_TEST: &str = "report::tests::a_large_report_is_below_its_limit";
/// The environment variable with the folder of the page.
const PAGES: &str = "GOALWARD_PAGES";

const REPLAYS: &[(&str, &[&str])] = &[
    ("replay-grid.html", &["windy-grid", "--episodes", "400"]),
    ("replay-other.html", &["hard-instance", "--episodes", "200"]),
];

pub(crate) fn run(pages: &[&str]) -> Result<ExitCode> {
    if pages.is_empty() || pages.iter().any(|page| page.starts_with('-')) {
        eprintln!("usage: cargo xtask browser REPORT.html [REPLAY.html ...]");
        return Ok(ExitCode::from(2));
    }
    let pages: Vec<PathBuf> = pages.iter().map(std::path::absolute).collect::<Result<_, _>>()?;
    match ready() {
        Ok(chromium) => look(&chromium, &pages),
        Err(reason) => {
            eprintln!("skipped: pages in a browser: {reason:#}");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Opens a report of invented results, two replays of real runs, and the report of a real study.
pub(crate) fn test(chromium: &Path, tests: &[TestProgram], program: &Path, study: &Path) -> Result<ExitCode> {
    let folder = folder()?;
    let lab = tests.iter().find(|test| test.name == "lab: unit tests (lib)");
    let lab = lab.context("cargo built no tests of the lab")?;
    let mut command = Command::new(&lab.program);
    quietly(command.args([REPORT_TEST, "--exact"]).current_dir(&lab.folder).env(PAGES, &folder))?;
    let report = folder.join("report.html");
    if !report.is_file() {
        bail!("{REPORT_TEST} wrote no report");
    }
    let mut pages = vec![report];
    for (name, args) in REPLAYS {
        let page = folder.join(name);
        let mut command = Command::new(program);
        quietly(command.args(["learn", "--quiet"]).args(*args).arg("--replay").arg(&page))?;
        pages.push(page);
    }
    let code = look(chromium, &pages)?;
    if code == ExitCode::SUCCESS { look(chromium, &[study.join("report.html")]) } else { Ok(code) }
}

fn look(chromium: &Path, pages: &[PathBuf]) -> Result<ExitCode> {
    let (script, folder) = (root()?.join("xtask/browser/report.mjs"), folder()?);
    finish(Command::new("node").arg(script).arg(&folder).arg(chromium).arg(&folder).args(pages))
}

fn folder() -> Result<PathBuf> {
    let folder = root()?.join("target/browser");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// Installs the driver if it is missing, and finds or installs Chromium.
pub(crate) fn ready() -> Result<PathBuf> {
    let folder = folder()?;
    let package = folder.join("node_modules").join(DRIVER).join("package.json");
    let wanted = format!("\"version\": \"{DRIVER_VERSION}.");
    if fs::read_to_string(package).is_ok_and(|text| text.contains(&wanted)) {
        quietly(Command::new("node").arg("--version"))?;
    } else {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(folder);
        quietly(npm.arg(format!("{DRIVER}@{DRIVER_VERSION}")))?;
    }
    chromium()
}

/// Where Chromium is; root installs it.
fn chromium() -> Result<PathBuf> {
    if let Some(found) = on_path("chromium") {
        return Ok(found);
    }
    if Command::new("id").arg("-u").output().context("id")?.stdout.trim_ascii() != b"0" {
        bail!("chromium is not installed");
    }
    for args in [&["update", "-qq"][..], &["install", "-qq", "-y", "chromium"]] {
        quietly(Command::new("apt-get").args(args).env("DEBIAN_FRONTEND", "noninteractive"))?;
    }
    on_path("chromium").context("chromium is still missing after its installation")
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found() {
        assert!(on_path("sh").is_some() && on_path("no-such-program").is_none());
    }
}
