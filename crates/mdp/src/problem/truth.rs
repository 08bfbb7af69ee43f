//! The true kernel and its parameter. Only worlds, planners, the runner and audits may hold one.

use super::{Note, Pair, Problem, ROUNDING, ROW_TOLERANCE, State};
use crate::numeric::{Tall, categorical, dot};
use crate::{Error, Result};
use std::sync::Arc;

/// The true kernel: of a theta* in B ([`Truth::new`]), or any ([`Truth::from_kernel`]).
#[derive(Clone, Debug)]
pub struct Truth {
    /// None if no theta in B makes the kernel.
    pub(super) theta: Option<Vec<f64>>,
    pub(super) probabilities: Probabilities,
    /// Whether it was given, and is written, by its probabilities.
    pub(super) is_kernel: bool,
    /// What was done to what was given, if it was not taken to the bit.
    pub(super) note: Option<Note>,
}

#[derive(Clone, Debug)]
pub(super) enum Probabilities {
    Own(Vec<f64>),
    /// The features themselves, of which a known model has one: nothing is held twice.
    Features(Arc<Tall>),
}

impl Probabilities {
    #[inline]
    pub(super) fn all(&self) -> &[f64] {
        match self {
            Probabilities::Own(all) => all,
            Probabilities::Features(phi) => phi.all(),
        }
    }

    /// The features where theta = (1) and none of them is negative, as those of a known model.
    fn shared(phi: &Arc<Tall>, theta: &[f64]) -> Option<Probabilities> {
        let sound = theta == [1.0] && phi.all().iter().all(|x| x.is_sign_positive());
        sound.then(|| Probabilities::Features(Arc::clone(phi)))
    }

    fn bytes(&self) -> usize {
        match self {
            Probabilities::Own(all) => size_of_val(&**all),
            Probabilities::Features(_) => 0,
        }
    }
}

impl Truth {
    /// Checks theta against every row. Where rows are off by at most [`ROW_TOLERANCE`], theta is
    /// divided by their sum, or moved to the nearest point of B's hull, and [`Truth::note`] says
    /// so.
    pub fn new(problem: &Problem, theta: &[f64]) -> Result<Truth> {
        let (theta, note) = match Truth::strict_faults(problem, theta, 1).pop() {
            None => (theta.to_vec(), None),
            Some(fault) => match mend(problem, theta) {
                Some((theta, sum)) => (theta, Some(divided(sum))),
                None => return Err(fault),
            },
        };
        let probabilities = Probabilities::shared(&problem.phi, &theta).unwrap_or_else(|| {
            let mut all = Vec::with_capacity(problem.phi.rows());
            for p in 0..problem.pairs() {
                let rows = problem.phi(p);
                let rows = rows.chunks_exact(problem.dim());
                all.extend(rows.map(|phi| probability(phi, &theta).max(0.0)));
            }
            Probabilities::Own(all)
        });
        Ok(Truth { theta: Some(theta), probabilities, is_kernel: false, note })
    }

    /// The first `most` faults of a theta: rows that are no distribution, facts that it violates.
    pub fn faults(problem: &Problem, theta: &[f64], most: usize) -> Vec<Error> {
        let faults = Truth::strict_faults(problem, theta, most);
        if !faults.is_empty() && mend(problem, theta).is_some() { Vec::new() } else { faults }
    }

    /// What was done to what was given, if it was not taken to the bit.
    pub fn note(&self) -> Option<Note> {
        self.note.clone()
    }

    /// Whether it was given by its probabilities.
    pub fn is_kernel(&self) -> bool {
        self.is_kernel
    }

    pub(super) fn strict_faults(problem: &Problem, theta: &[f64], most: usize) -> Vec<Error> {
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
                let is_distribution = (sum - 1.0).abs() <= ROUNDING && row[worst] >= -ROUNDING;
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
            if faults.len() >= most {
                return faults;
            }
            let value = dot(&fact.a, theta);
            if value > fact.b + ROUNDING {
                faults.push(Error::ThetaExtra { row, value, bound: fact.b });
            }
        }
        faults
    }

    /// theta*; none if the truth is no mixture of the models.
    pub fn theta(&self) -> Option<&[f64]> {
        self.theta.as_deref()
    }

    /// P(.|s,a) in the order of [`Problem::successors`]; empty if of a smaller problem.
    #[inline]
    pub fn row(&self, problem: &Problem, p: Pair) -> &[f64] {
        self.probabilities.all().get(problem.rows(p)).unwrap_or_default()
    }

    /// The successor that a uniform number picks.
    pub fn sample(&self, problem: &Problem, p: Pair, uniform: f64) -> State {
        problem.successors(p)[categorical(self.row(problem, p), uniform)] as State
    }
}

fn divided(sum: f64) -> Note {
    let message = format!(
        "theta makes rows that sum to 1 only within {ROW_TOLERANCE:e} (the furthest off to {sum}) and is \
         divided by that"
    );
    Note::new("theta", message).value(sum).hint("write theta with more digits")
}

/// <phi, theta>; zero but for rounding is zero: noise must not make a state reachable.
pub(super) fn probability(phi: &[f64], theta: &[f64]) -> f64 {
    let size: f64 = phi.iter().zip(theta).map(|(x, y)| (x * y).abs()).sum();
    let sum = dot(phi, theta);
    if sum.abs() <= 4.0 * f64::EPSILON * size { 0.0 } else { sum }
}

/// A theta that makes every row a distribution, and the sum that is furthest off; `None` if that is
/// too far off, or not off at all.
fn mend(problem: &Problem, theta: &[f64]) -> Option<(Vec<f64>, f64)> {
    if theta.len() != problem.dim() || theta.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for p in 0..problem.pairs() {
        let rows = problem.phi(p);
        let sum: f64 = rows.chunks_exact(problem.dim()).map(|phi| probability(phi, theta)).sum();
        (least, most) = (least.min(sum), most.max(sum));
    }
    let furthest = if 1.0 - least > most - 1.0 { least } else { most };
    let off = (furthest - 1.0).abs();
    // written so that a NaN is left to the faults
    if !(off > ROUNDING && off <= ROW_TOLERANCE) {
        return None;
    }
    let middle = least + (most - least) / 2.0;
    let divided: Vec<f64> = theta.iter().map(|x| x / middle).collect();
    let b = problem.constraints();
    let (k, origin) = (b.free(), b.origin());
    let mut moved = origin.to_vec();
    for j in 0..k {
        let along = |i: usize| b.basis()[i * k + j];
        let z: f64 = (0..theta.len()).map(|i| along(i) * (theta[i] - origin[i])).sum();
        moved.iter_mut().enumerate().for_each(|(i, x)| *x += z * along(i));
    }
    let fits = |theta: &Vec<f64>| Truth::strict_faults(problem, theta, 1).is_empty();
    [divided, moved].into_iter().find(fits).map(|theta| (theta, furthest))
}

/// A problem with its truth, if that is known: what a world or a problem file gives.
#[derive(Clone, Debug)]
pub struct Instance {
    /// What learners see.
    pub problem: Arc<Problem>,
    /// What they do not; `None` for a file without theta and kernel.
    pub truth: Option<Truth>,
    /// The size of the model before its goal states became one; `None` where it was the problem.
    pub model: Option<Size>,
    /// What was done to what the user gave: rows that were rescaled, rewards that are no costs.
    pub notes: Vec<Note>,
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
        let of_truth = truth.as_ref().and_then(Truth::note);
        let notes = problem.notes().iter().cloned().chain(of_truth).collect();
        Instance { problem: Arc::new(problem), truth, model: None, notes }
    }

    /// The size that a user knows it by: that of the model where it was read from one.
    pub fn size(&self) -> Size {
        self.model.unwrap_or(Size { states: self.problem.states(), choices: self.problem.pairs() })
    }

    /// The size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.problem.bytes() + self.truth.as_ref().map_or(0, |truth| truth.probabilities.bytes())
    }

    /// The truth, or an error that there is none of this size.
    pub fn truth(&self) -> Result<&Truth> {
        let none = || Error::NoTruth { problem: self.problem.name().into() };
        let truth = self.truth.as_ref().ok_or_else(none)?;
        truth.require_size(&self.problem)?;
        Ok(truth)
    }
}
