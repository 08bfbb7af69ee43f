//! The true parameter and the kernel it makes. Only worlds, planners, the runner and audits may hold one.

use super::{Pair, Problem, State};
use crate::numeric::{categorical, dot};
use crate::{Error, Result};
use std::sync::Arc;

/// How far a row of the true kernel may be from summing to one, and an entry below zero.
const ROW_TOLERANCE: f64 = 1e-9;

/// theta* and its kernel P(s'|s,a) = <phi(s'|s,a), theta*>, checked to lie in B.
#[derive(Clone, Debug)]
pub struct Truth {
    pub(super) theta: Vec<f64>,
    /// One probability for each feature row of the problem.
    pub(super) probabilities: Vec<f64>,
}

impl Truth {
    /// Checks theta against every row of the problem.
    pub fn new(problem: &Problem, theta: &[f64]) -> Result<Truth> {
        if let Some(fault) = Truth::faults(problem, theta, 1).pop() {
            return Err(fault);
        }
        let mut probabilities = Vec::with_capacity(problem.phi.rows());
        for p in 0..problem.pairs() {
            let rows = problem.phi(p);
            let rows = rows.chunks_exact(problem.dim());
            probabilities.extend(rows.map(|phi| probability(phi, theta).max(0.0)));
        }
        Ok(Truth { theta: theta.to_vec(), probabilities })
    }

    /// What is wrong with a theta, so many faults at most: every row that it makes no distribution of, every fact that it
    /// violates.
    pub fn faults(problem: &Problem, theta: &[f64], most: usize) -> Vec<Error> {
        if theta.len() != problem.dim() || theta.iter().any(|x| !x.is_finite()) {
            let fault = format!("{theta:?} is not {} finite numbers", problem.dim());
            return vec![Error::Field { field: "theta".into(), fault }];
        }
        let mut faults = Vec::new();
        let mut row = Vec::new();
        for s in 0..problem.states() {
            for p in problem.pairs_of(s) {
                row.clear();
                row.extend(problem.phi(p).chunks_exact(problem.dim()).map(|phi| probability(phi, theta)));
                let sum: f64 = row.iter().sum();
                let worst = (0..row.len()).min_by(|&i, &k| row[i].total_cmp(&row[k])).unwrap_or(0);
                // written so that a NaN, which huge features can make, is refused too
                let is_distribution = (sum - 1.0).abs() <= ROW_TOLERANCE && row[worst] >= -ROW_TOLERANCE;
                if !is_distribution {
                    faults.push(Error::ThetaOutside {
                        state: problem.state_name(s).into_owned(),
                        action: problem.action_name(s, p - problem.pairs_of(s).start).into_owned(),
                        sum,
                        smallest: row[worst],
                        next: problem.state_name(problem.successors(p)[worst] as usize).into_owned(),
                    });
                    if faults.len() >= most {
                        return faults;
                    }
                }
            }
        }
        for (row, fact) in problem.extra().iter().enumerate() {
            let value = dot(&fact.a, theta);
            if value > fact.b + ROW_TOLERANCE {
                faults.push(Error::ThetaExtra { row, value, bound: fact.b });
            }
        }
        faults.truncate(most);
        faults
    }

    /// theta*.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// P(.|s,a) in the order of [`Problem::successors`]. Nothing if the truth belongs to a smaller problem:
    /// [`Truth::require_fit`] tells.
    pub fn row(&self, problem: &Problem, p: Pair) -> &[f64] {
        self.probabilities.get(problem.rows(p)).unwrap_or_default()
    }

    /// The successor that a uniform number picks.
    pub fn sample(&self, problem: &Problem, p: Pair, uniform: f64) -> State {
        problem.successors(p)[categorical(self.row(problem, p), uniform)] as State
    }
}

/// <phi, theta>, where a sum that is zero but for rounding is zero: noise must not make a state reachable.
pub(super) fn probability(phi: &[f64], theta: &[f64]) -> f64 {
    let size: f64 = phi.iter().zip(theta).map(|(x, y)| (x * y).abs()).sum();
    let sum = dot(phi, theta);
    if sum.abs() <= 4.0 * f64::EPSILON * size { 0.0 } else { sum }
}

/// A problem with its truth, if that is known: what a world or a problem file gives.
#[derive(Clone, Debug)]
pub struct Instance {
    /// What learners see.
    pub problem: Arc<Problem>,
    /// What they do not; `None` for a file without theta.
    pub truth: Option<Truth>,
    /// How large the model was before its goal states became one; `None` where it was the problem itself.
    pub model: Option<Size>,
}

/// A number of states and of choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The states.
    pub states: usize,
    /// The state-action pairs.
    pub choices: usize,
}

impl Instance {
    /// A problem with a known truth.
    pub fn new(problem: Problem, theta: &[f64]) -> Result<Instance> {
        let truth = Truth::new(&problem, theta)?;
        Ok(Instance::of(problem, Some(truth)))
    }

    /// A problem with the truth that was made for it, if it has one.
    pub fn of(problem: Problem, truth: Option<Truth>) -> Instance {
        Instance { problem: Arc::new(problem), truth, model: None }
    }

    /// The size that a user knows it by: that of the model where it was read from one.
    pub fn size(&self) -> Size {
        self.model.unwrap_or(Size { states: self.problem.states(), choices: self.problem.pairs() })
    }

    /// The size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.problem.bytes() + self.truth.as_ref().map_or(0, |truth| size_of_val(&*truth.probabilities))
    }

    /// The truth, or an error that says that there is none, or that it is of a problem of another size.
    pub fn truth(&self) -> Result<&Truth> {
        let none = || Error::NoTruth { problem: self.problem.name().into() };
        let truth = self.truth.as_ref().ok_or_else(none)?;
        truth.require_size(&self.problem)?;
        Ok(truth)
    }
}
