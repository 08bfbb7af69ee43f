//! Whether two things belong together: a truth and a problem, two problems.

use super::truth::probability;
use super::{Pair, Problem, ROUNDING, Truth};
use crate::{Error, Result};

impl Problem {
    /// The first difference of another problem in states, actions, costs, start or goal. Models may
    /// differ: what happens shows a learner that its models are wrong.
    pub fn difference(&self, other: &Problem) -> Option<String> {
        for (what, mine, theirs) in
            [("states", self.states(), other.states()), ("pairs", self.pairs(), other.pairs())]
        {
            if mine != theirs {
                return Some(format!("{theirs} {what} where there are {mine}"));
            }
        }
        for (what, mine, theirs) in
            [("starts", self.start, other.start), ("has its goal", self.goal, other.goal)]
        {
            if mine != theirs {
                return Some(format!("it {what} in state {theirs}, not in state {mine}"));
            }
        }
        for s in 0..self.states() {
            let pairs = self.pairs_of(s);
            if pairs != other.pairs_of(s) {
                return Some(format!("other actions in state {}", self.state_name(s)));
            }
            if let Some(p) = pairs.clone().find(|&p| self.cost(p) != other.cost(p)) {
                let action = self.action_name(s, p - pairs.start);
                return Some(format!("another cost in state {}, action {action}", self.state_name(s)));
            }
        }
        None
    }
}

impl Truth {
    /// An error if this is the truth of another problem.
    pub fn require_fit(&self, problem: &Problem) -> Result<()> {
        self.require_size(problem)?;
        for s in 0..problem.states() {
            for p in problem.pairs_of(s) {
                if let Some(fault) = self.row_fault(problem, p) {
                    let action = problem.action_name(s, p - problem.pairs_of(s).start);
                    let fault = format!("state {}, action {action}: {fault}", problem.state_name(s));
                    return Err(misfit(problem, fault));
                }
            }
        }
        Ok(())
    }

    /// A theta must make the probabilities; of others only their sum can be wrong.
    fn row_fault(&self, problem: &Problem, p: Pair) -> Option<&'static str> {
        let row = self.row(problem, p);
        match &self.theta {
            Some(theta) if !self.is_kernel() => {
                let rows = problem.phi(p);
                let made = rows.chunks_exact(problem.dim()).map(|phi| probability(phi, theta).max(0.0));
                let same = made.eq(row.iter().copied());
                (!same).then_some("its probabilities are not those of these features")
            }
            _ => {
                let sums = (row.iter().sum::<f64>() - 1.0).abs() <= ROUNDING;
                (!sums).then_some("its probabilities do not sum to one over these successors")
            }
        }
    }

    pub(super) fn require_size(&self, problem: &Problem) -> Result<()> {
        let (d, rows) = (problem.dim(), problem.phi.rows());
        let numbers = self.theta.as_ref().map_or(d, Vec::len);
        if (numbers, self.probabilities.all().len()) == (d, rows) {
            return Ok(());
        }
        let fault = format!(
            "it has {numbers} numbers and {} probabilities, the problem {d} dimensions and {rows} feature rows",
            self.probabilities.all().len()
        );
        Err(misfit(problem, fault))
    }
}

fn misfit(problem: &Problem, fault: String) -> Error {
    let (first, second) = (format!("problem {}", problem.name()), "the truth".into());
    Error::Mismatch { first, second, fault }
}
