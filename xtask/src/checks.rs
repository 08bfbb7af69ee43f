//! `cargo xtask test`: everything that must hold before a change is merged, with the elapsed and
//! the processor seconds of each part.

use crate::artifacts::{self, TestProgram};
use crate::{browser, cargo, docs, process, python, root, skipped};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// All parts together should take less than this.
const LIMIT: f64 = 20.0 * 60.0;

struct Parts {
    began: Instant,
    /// Name, seconds, processor seconds.
    done: Vec<(String, f64, Option<f64>)>,
    /// What was skipped, a line for each.
    skipped: Vec<String>,
}

pub(crate) fn run() -> Result<ExitCode> {
    let mut parts = Parts { began: Instant::now(), done: Vec::new(), skipped: Vec::new() };
    let outcome = all(&mut parts);
    eprint!("{}", parts.table());
    outcome?;
    eprintln!("== all checks passed");
    Ok(ExitCode::SUCCESS)
}

fn all(parts: &mut Parts) -> Result<()> {
    parts.cargo("format", &["fmt", "--all", "--check"], &[])?;
    parts.cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    // directly after the lints: the wheel's settings would rebuild pyo3
    let warnings = [("RUSTDOCFLAGS", "-D warnings")];
    parts.cargo("documentation", &["doc", "--workspace", "--no-deps"], &warnings)?;
    let (tests, program) = parts.build()?;
    for test in &tests {
        parts.test(test)?;
    }
    let study = parts.part("the study of all learners, quickly", || comparison(&program))?;
    parts.optional("records with pandas, polars and DuckDB", python::interpreter(), |python| {
        process::finish(Command::new(python).arg(root()?.join("xtask/records/check.py")).arg(&study))
    })?;
    parts.optional("pages in a browser", browser::ready(), |chromium| {
        browser::test(&chromium, &tests, &program, &study)
    })?;
    parts.optional("the Python package", python::interpreter(), |python| python::test(&python, &program))?;
    parts.cargo("examples in the documentation", &["test", "--workspace", "--doc"], &[])?;
    parts.part("documents against commands", || passed(docs::check_quick(&program)?))
}

/// An exit code of failure as an error.
fn passed(code: ExitCode) -> Result<()> {
    if code != ExitCode::SUCCESS {
        bail!("there are differences or failures");
    }
    Ok(())
}

/// Runs the study of all learners in its quick version; the folder of its results.
fn comparison(program: &Path) -> Result<PathBuf> {
    let folder = root()?.join("target/records/comparison");
    let _ = fs::remove_dir_all(&folder);
    let mut command = Command::new(program);
    command.args(["study", "run", "comparison", "--quick", "--quiet", "--out"]).arg(&folder);
    let output = command.stdin(Stdio::null()).output().context("cannot run goalward")?;
    // 1 is an answer too: some learners cannot be built in some worlds
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!("the study failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(folder)
}

impl Parts {
    /// One part; a failure ends everything.
    fn part<T>(&mut self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        eprintln!("== {name}");
        let (clock, before) = (Instant::now(), process::cpu());
        let outcome = work();
        let seconds = clock.elapsed().as_secs_f64();
        let cpu = process::cpu().zip(before).map(|(after, before)| after - before);
        self.done.push((name.into(), seconds, cpu));
        match &outcome {
            Ok(_) => eprintln!("== {name}: ok in {seconds:.1} s\n"),
            Err(_) => eprintln!("== {name}: FAILED after {seconds:.1} s"),
        }
        outcome.with_context(|| format!("{name} failed"))
    }

    fn cargo(&mut self, name: &str, args: &[&str], env: &[(&str, &str)]) -> Result<()> {
        let mut command = Command::new(cargo());
        command.args(args).envs(env.iter().copied()).current_dir(root()?);
        self.part(name, || process::succeed(&mut command))
    }

    /// Builds all tests at once, and the program `goalward` that they run.
    fn build(&mut self) -> Result<(Vec<TestProgram>, PathBuf)> {
        self.part("building the tests", || {
            let args = ["test", "--workspace", "--no-run", "--message-format", "json-render-diagnostics"];
            let mut command = Command::new(cargo());
            let output = command.args(args).current_dir(root()?).stderr(Stdio::inherit()).output()?;
            if !output.status.success() {
                bail!("the tests do not compile");
            }
            let program = artifacts::program(&output.stdout).context("cargo test built no program")?;
            Ok((artifacts::tests(&output.stdout), program))
        })
    }

    /// All output is shown if a test fails, otherwise the summary.
    fn test(&mut self, test: &TestProgram) -> Result<()> {
        let notes = skipped::folder()?;
        self.part(&test.name, || {
            let mut command = Command::new(&test.program);
            command.current_dir(&test.folder).env("CARGO_MANIFEST_DIR", &test.folder);
            let output = command.env(skipped::VARIABLE, &notes).stderr(Stdio::inherit()).output()?;
            let (said, passed) = (String::from_utf8_lossy(&output.stdout), output.status.success());
            let shown = said.lines().filter(|line| !passed || line.starts_with("test result"));
            shown.for_each(|line| eprintln!("{line}"));
            if passed { Ok(()) } else { bail!("a test failed") }
        })?;
        self.skipped.extend(skipped::take(&notes)?);
        Ok(())
    }

    /// A part that is skipped if what it needs is missing; with `CI=true` that is a failure.
    fn optional<T>(
        &mut self,
        name: &str,
        needed: Result<T>,
        work: impl FnOnce(T) -> Result<ExitCode>,
    ) -> Result<()> {
        let must = std::env::var("CI").is_ok_and(|value| value == "true");
        match needed {
            Err(reason) if !must => {
                let line = format!("skipped: {name}: {reason:#}");
                eprintln!("{line}");
                self.skipped.push(line);
                Ok(())
            }
            needed => self.part(name, || passed(work(needed?)?)),
        }
    }

    fn table(&self) -> String {
        let width = self.done.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
        let line = |name: &str, seconds: f64, cpu: Option<f64>| {
            let cpu = cpu.map_or(String::new(), |cpu| format!("  {cpu:>8.1} s of the processors"));
            format!("{name:<width$}  {seconds:>8.1} s{cpu}\n")
        };
        let parts = self.done.iter();
        let mut table: String = parts.map(|(name, seconds, cpu)| line(name, *seconds, *cpu)).collect();
        let total = self.began.elapsed().as_secs_f64();
        table.push_str(&line("total", total, process::cpu()));
        for line in &self.skipped {
            table.push_str(&format!("{line}\n"));
        }
        if total > LIMIT {
            table.push_str(&format!("that is more than {:.0} minutes\n", LIMIT / 60.0));
        }
        table
    }
}
