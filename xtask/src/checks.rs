//! `cargo xtask test`: everything that must hold before a change is merged, with the seconds that
//! each part takes, and those of the processors.

use crate::artifacts::{self, Tests};
use crate::skipped::Notes;
use crate::timing::{Slow, Timed};
use crate::{browser, cargo, docs, process, python, records, root};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// A test that takes longer than this belongs into a soak, with a sample of it as the test.
const LONG: f64 = 20.0;
/// All parts together should take less than this.
const LIMIT: f64 = 20.0 * 60.0;

/// The parts so far.
struct Parts {
    began: Instant,
    /// Name, seconds, seconds of the processors.
    done: Vec<(String, f64, Option<f64>)>,
    slow: Vec<Slow>,
    /// What was skipped, a line for each.
    skipped: Vec<String>,
}

/// Why it ends early: the exit code to hand on.
struct Failed(u8);

type Outcome<T> = Result<std::result::Result<T, Failed>>;

/// `?` for both: an error of ours, and a part that failed.
macro_rules! passed {
    ($outcome:expr) => {
        match $outcome? {
            Ok(value) => value,
            Err(failed) => return Ok(Err(failed)),
        }
    };
}

pub(crate) fn run() -> Result<ExitCode> {
    let mut parts = Parts { began: Instant::now(), done: Vec::new(), slow: Vec::new(), skipped: Vec::new() };
    let outcome = all(&mut parts);
    eprint!("{}", parts.table());
    Ok(match outcome? {
        Ok(()) => {
            eprintln!("== all checks passed");
            ExitCode::SUCCESS
        }
        Err(Failed(code)) => ExitCode::from(code),
    })
}

fn all(parts: &mut Parts) -> Outcome<()> {
    passed!(parts.cargo("format", &["fmt", "--all", "--check"], &[]));
    passed!(parts.cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[]));
    // at once: the wheel's settings would have what the lints made of pyo3 made again
    passed!(parts.cargo(
        "documentation",
        &["doc", "--workspace", "--no-deps"],
        &[("RUSTDOCFLAGS", "-D warnings")]
    ));
    let (tests, program) = passed!(parts.build());
    for test in &tests {
        passed!(parts.test(test));
    }
    let mut study = PathBuf::new();
    passed!(parts.part("the study of all learners, quickly", || {
        study = records::study(&program)?;
        Ok(ExitCode::SUCCESS)
    }));
    passed!(parts.looked("records with pandas, polars and DuckDB", || records::check(&study)));
    passed!(parts.looked("pages in a browser", || browser::test(&tests, &program, &study)));
    passed!(parts.looked("the Python package", || python::test(&program)));
    // the examples in the documentation
    passed!(parts.cargo("examples in the documentation", &["test", "--workspace", "--doc"], &[]));
    passed!(parts.part("documents against commands", || docs::check_quick(&program)));
    Ok(Ok(()))
}

impl Parts {
    /// One part; a failure ends everything.
    fn part(&mut self, name: &str, work: impl FnOnce() -> Result<ExitCode>) -> Outcome<()> {
        eprintln!("== {name}");
        let (clock, before) = (Instant::now(), process::cpu());
        let code = work()?;
        let seconds = clock.elapsed().as_secs_f64();
        let cpu = process::cpu().zip(before).map(|(after, before)| after - before);
        self.done.push((name.into(), seconds, cpu));
        if code != ExitCode::SUCCESS {
            eprintln!("== {name}: FAILED after {seconds:.1} s");
            return Ok(Err(Failed(1)));
        }
        eprintln!("== {name}: ok in {seconds:.1} s\n");
        Ok(Ok(()))
    }

    fn cargo(&mut self, name: &str, args: &[&str], env: &[(&str, &str)]) -> Outcome<()> {
        self.part(name, || {
            let mut command = Command::new(cargo());
            command.args(args).envs(env.iter().copied());
            process::finish(command)
        })
    }

    /// Builds all tests at once; gives them and the program `goalward` that they run.
    fn build(&mut self) -> Outcome<(Vec<Tests>, PathBuf)> {
        let mut built = Vec::new();
        passed!(self.part("building the tests", || {
            let args = ["test", "--workspace", "--no-run", "--message-format", "json-render-diagnostics"];
            let output = Command::new(cargo())
                .args(args)
                .current_dir(root()?)
                .stderr(Stdio::inherit())
                .output()
                .context("cannot run cargo test --no-run")?;
            built = output.stdout;
            Ok(if output.status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }));
        let program = artifacts::program(&built).context("cargo test built no program")?;
        Ok(Ok((artifacts::tests(&built), program)))
    }

    fn test(&mut self, test: &Tests) -> Outcome<()> {
        let (mut slow, notes) = (Vec::new(), Notes::new()?);
        passed!(self.part(&test.name, || {
            let timed = Timed::run(test, &notes)?;
            slow = timed.longer_than(LONG);
            Ok(if timed.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }));
        self.slow.extend(slow);
        self.skipped.extend(notes.take()?);
        Ok(Ok(()))
    }

    /// A part that needs what may not be there. Then that is a line of the table; a machine that
    /// checks changes must have it.
    fn looked(
        &mut self,
        name: &str,
        look: impl FnOnce() -> Result<std::result::Result<ExitCode, String>>,
    ) -> Outcome<()> {
        let mut skipped = None;
        passed!(self.part(name, || {
            Ok(match look()? {
                Ok(code) => code,
                Err(reason) => {
                    let line = format!("skipped: {reason}");
                    eprintln!("{line}");
                    skipped = Some(line);
                    let must = std::env::var("CI").is_ok_and(|value| value == "true");
                    if must { ExitCode::FAILURE } else { ExitCode::SUCCESS }
                }
            })
        }));
        self.skipped.extend(skipped);
        Ok(Ok(()))
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
        for Slow { name, seconds } in &self.slow {
            table.push_str(&format!("over {LONG:.0} s: {name} took {seconds:.0} s; can it be a soak?\n"));
        }
        for line in &self.skipped {
            table.push_str(&format!("{line}\n"));
        }
        if total > LIMIT {
            table.push_str(&format!("that is more than {:.0} minutes\n", LIMIT / 60.0));
        }
        table
    }
}
