//! What work on a problem takes of memory.

use super::{Instance, Problem};
use crate::{Error, Result, memory};
use std::fmt;

/// An upper estimate of the memory that work on a problem takes, shown as `1.47 GB (the problem
/// 1.03 GB, 2 runs of 0.22 GB each)`. Which method will plan on the truth is not known beforehand;
/// where the goal is far it may take [`far`](Need::far), which is shown too where it is more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The problem and its truth, in bytes; they are there already.
    pub problem: u64,
    /// What planning on the truth takes while it lasts.
    pub solving: u64,
    /// The same, where the goal is far.
    pub far: u64,
    /// What stays of it.
    pub solution: u64,
    /// The tables of the largest learner.
    pub learner: u64,
    /// How many runs there are at a time.
    pub runs: u64,
}

/// Blocks of up to this number of transitions may be eliminated (`Method::Elimination`).
const REDUCED: u64 = 3_000_000;

impl Need {
    /// Planning on the truth, and nothing else.
    pub fn solving(instance: &Instance) -> Need {
        let problem: &Problem = &instance.problem;
        let (pairs, states, rows) = (problem.pairs() as u64, problem.states() as u64, all_rows(problem));
        Need {
            problem: instance.bytes() as u64,
            // the transitions with their probabilities in the order of components, and once more in
            // the order of sweeps
            solving: 28 * rows + 88 * pairs + 80 * states,
            // small blocks are eliminated, large ones iterated (measured on windy grids of 100 to
            // 1,000 cells a side)
            far: if rows <= REDUCED {
                110 * rows + 270 * pairs + 300 * states
            } else {
                80 * rows + 240 * pairs + 320 * states
            },
            solution: 8 * pairs + 48 * states,
            learner: 0,
            runs: 0,
        }
    }

    /// The same, and runs of a learner whose tables take this many bytes (`learners::bytes`).
    pub fn runs(instance: &Instance, learner: u64, runs: u64) -> Need {
        Need { learner, runs, ..Need::solving(instance) }
    }

    /// All of it.
    pub fn total(&self) -> u64 {
        self.problem + self.more()
    }

    fn more(&self) -> u64 {
        self.solving.max(self.solution + self.learner * self.runs)
    }

    /// An error with both sizes if the free memory does not suffice for what is not there yet.
    pub fn require(&self) -> Result<()> {
        match memory::available() {
            Some(free) if self.more() > free => Err(Error::Memory {
                what: format!("this work needs {self}; what comes on top of the problem"),
                bytes: self.more(),
                free,
            }),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let gigabytes = |bytes: u64| format!("{:.2} GB", bytes as f64 / 1e9);
        write!(f, "{} (the problem {}", gigabytes(self.total()), gigabytes(self.problem))?;
        if self.solving >= self.solution + self.learner * self.runs {
            write!(f, ", planning on the truth {}", gigabytes(self.solving))?;
        } else if self.runs == 1 {
            write!(f, ", the learner {}", gigabytes(self.learner))?;
        } else {
            write!(f, ", {} runs at a time of {} each", self.runs, gigabytes(self.learner))?;
        }
        if self.far > self.more() {
            write!(f, "; up to {} if the goal is far", gigabytes(self.problem + self.far))?;
        }
        f.write_str(")")
    }
}

/// The feature rows of all pairs.
pub fn all_rows(problem: &Problem) -> u64 {
    problem.pairs().checked_sub(1).map_or(0, |last| problem.rows(last).end) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_add_up_and_say_what_of() {
        let need =
            Need { problem: 1_000_000_000, solving: 300_000_000, far: 0, solution: 0, learner: 0, runs: 0 };
        assert_eq!(need.total(), 1_300_000_000);
        let far = Need { far: 500_000_000, ..need };
        let said = "1.30 GB (the problem 1.00 GB, planning on the truth 0.30 GB; up to 1.50 GB if the goal \
                    is far)";
        assert_eq!((far.total(), far.to_string()), (1_300_000_000, said.into()));
        assert_eq!(need.to_string(), "1.30 GB (the problem 1.00 GB, planning on the truth 0.30 GB)");
        let need = Need { solution: 20_000_000, learner: 200_000_000, runs: 2, ..need };
        assert_eq!(need.to_string(), "1.42 GB (the problem 1.00 GB, 2 runs at a time of 0.20 GB each)");
        need.require().unwrap();
        if memory::available().is_some() {
            let error = Need { learner: 1 << 60, runs: 1, ..need }.require().unwrap_err().to_string();
            assert!(error.contains("the problem 1.00 GB") && error.contains("of memory are free"), "{error}");
        }
    }
}
