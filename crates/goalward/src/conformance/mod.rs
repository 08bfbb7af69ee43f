//! A suite for any learner or problem: what it must do, checked and printed.
//!
//! ```
//! use goalward::{conformance, learners};
//! let report = conformance::learner(&learners::entry("random")?);
//! println!("{report}");
//! assert!(report.passed());
//! # Ok::<(), goalward::Error>(())
//! ```

mod extremes;
mod instance;
mod learner;
mod trial;

pub use instance::instance;
pub use learner::learner;

use std::fmt;

/// What was checked, and what came of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Whose it is.
    pub subject: String,
    /// Every check, in the order it was made.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Check {
    /// What must hold.
    pub rule: &'static str,
    /// What was looked at, or what is wrong.
    pub outcome: Result<String, String>,
}

impl Report {
    fn new(subject: impl Into<String>) -> Report {
        Report { subject: subject.into(), checks: Vec::new() }
    }

    fn check(&mut self, rule: &'static str, outcome: Result<String, String>) {
        self.checks.push(Check { rule, outcome });
    }

    /// Whether every check passed.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.outcome.is_ok())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{}", self.subject)?;
        for Check { rule, outcome } in &self.checks {
            match outcome {
                Ok(looked_at) => writeln!(f, "  ok      {rule} ({looked_at})")?,
                Err(fault) => writeln!(f, "  FAILED  {rule}: {fault}")?,
            }
        }
        let failed = self.checks.iter().filter(|check| check.outcome.is_err()).count();
        write!(f, "  {} checks, {failed} failed", self.checks.len())
    }
}
