//! The likelihood of what was seen: counts, maximum likelihood inside B, and predictions made before the fact.

mod frame;
mod gram;
mod newton;
#[cfg(test)]
mod tests;

use crate::numeric::{Cholesky, Polytope, dot, norm};
use crate::problem::{Pair, Problem, State};
use crate::{Error, Result};
use frame::Frame;
pub(crate) use frame::largest_norm;
pub(crate) use gram::gram;
use newton::{PATH, Terms, minimise};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// A fit of the predicting theta ends when a Newton step promises to gain less than half of this, in nats, over all data: the
/// threshold is tens of nats above the minimum, and any prediction is valid.
const ENOUGH: f64 = 0.2;

/// What became of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a model violation must be reported"]
pub enum Seen {
    /// It was counted.
    Counted,
    /// No theta in B gives it a positive probability: the model is wrong. It was not counted.
    Impossible,
}

/// A maximum of the likelihood over B.
#[derive(Clone, Debug, PartialEq)]
pub struct Maximum {
    /// theta, in R^d.
    pub theta: Vec<f64>,
    /// Its coordinates in B's affine hull.
    pub z: Vec<f64>,
    /// f(theta) = -log likelihood.
    pub loss: f64,
}

/// A triple seen.
pub(crate) struct Term<'a> {
    /// Its place among the terms.
    pub(crate) index: usize,
    /// N'phi.
    pub(crate) row: &'a [f64],
    /// Its probability.
    pub(crate) p: f64,
    /// How often it was seen.
    pub(crate) n: f64,
}

/// Counts of the distinct triples k = (s,a,s'), f(theta) = -sum n(k) log <phi_k, theta>, and a sequential prediction.
///
/// The prediction q_i of the i-th next state mixes the kernel of a smoothed maximum-likelihood theta, which lies strictly
/// inside B and was fitted to the past alone, with a share of 1/(i+1)^2 of the kernel of a fixed interior point. The
/// share keeps q_i positive and costs at most log 2 over all time (1/(i+1), whose logarithms add up to log t, would cost
/// more than the fit itself). Fits are made again when the data have grown by a quarter, from where the last one
/// ended, and end as soon as a step promises less than a tenth of a nat: a prediction need not be the best to be valid.
///
/// All is a function of the transitions counted, in their order: nothing is drawn, and no hash order enters.
///
/// **Cost**: O(nnz of the row + k^2) a step, and a fit now and then: O(rows of the visited pairs x k^2) for each of a few
/// Newton steps.
#[derive(Clone, Debug)]
pub struct Likelihood {
    frame: Arc<Frame>,
    memory: Counts,
    /// The first term of each pair, `u32::MAX` if it was not visited.
    first: Vec<u32>,
    /// One row of k numbers per term.
    rows: Vec<f64>,
    constants: Vec<f64>,
    /// Whether some theta in B gives the term a positive probability.
    possible: Vec<bool>,
}

/// The state of a [`Likelihood`]; the terms are the successors of the visited pairs, in the order of the first visits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// The pairs visited, in order.
    visited: Vec<u32>,
    /// How often each term was seen.
    counts: Vec<u64>,
    total: u64,
    /// -sum log q_i.
    prediction_loss: f64,
    /// The coordinates of the theta that predicts.
    plug_in: Vec<f64>,
    /// How many transitions it was fitted to.
    fitted: u64,
    /// sum n(k) u u'/p^2 + rho I at the predicting theta: the Fisher information, and the ridge.
    information: Cholesky,
}

impl Likelihood {
    /// No data.
    pub fn new(problem: &Arc<Problem>) -> Self {
        let frame = Arc::new(Frame::new(problem));
        let memory = Counts {
            visited: Vec::new(),
            counts: Vec::new(),
            total: 0,
            prediction_loss: 0.0,
            plug_in: frame.inside.clone(),
            fitted: 0,
            information: Cholesky::scaled_identity(frame.inside.len(), ridge(frame.extent)),
        };
        Likelihood {
            first: vec![u32::MAX; problem.pairs()],
            rows: Vec::new(),
            constants: Vec::new(),
            possible: Vec::new(),
            frame,
            memory,
        }
    }

    /// Takes a transition in; the prediction that it is scored by does not depend on it.
    pub fn observe(&mut self, p: Pair, next: State) -> Seen {
        let Some(place) = self.frame.problem.successors(p).iter().position(|&n| n as usize == next) else {
            return Seen::Impossible;
        };
        self.visit(p);
        let term = self.first[p] as usize + place;
        if !self.possible[term] {
            return Seen::Impossible;
        }
        let predicted = self.predicted(term);
        let k = self.frame.inside.len();
        let row = &self.rows[term * k..(term + 1) * k];
        let probability = self.constants[term] + dot(row, &self.memory.plug_in);
        let memory = &mut self.memory;
        memory.prediction_loss -= predicted.ln();
        memory.counts[term] += 1;
        memory.total += 1;
        if memory.total > memory.fitted + memory.fitted / 4 {
            self.fit();
        } else {
            memory.information.update(row, probability.powi(-2), &mut vec![0.0; k]);
        }
        Seen::Counted
    }

    /// The distribution q over the pair's successors that its next transition will be scored by.
    pub fn prediction(&mut self, p: Pair) -> Vec<f64> {
        self.visit(p);
        let first = self.first[p] as usize;
        let terms = first..first + self.frame.problem.successors(p).len();
        terms.map(|term| if self.possible[term] { self.predicted(term) } else { 0.0 }).collect()
    }

    fn predicted(&self, term: usize) -> f64 {
        let k = self.frame.inside.len();
        let (row, constant) = (&self.rows[term * k..(term + 1) * k], self.constants[term]);
        let share = ((self.memory.total + 2) as f64).powi(-2);
        let fitted = constant + dot(row, &self.memory.plug_in);
        let fixed = constant + dot(row, &self.frame.inside);
        // only rounding could make it vanish
        ((1.0 - share) * fitted + share * fixed).max(f64::MIN_POSITIVE)
    }

    fn visit(&mut self, p: Pair) {
        if self.first[p] == u32::MAX {
            self.memory.visited.push(p as u32);
            self.memory.counts.resize(self.constants.len() + self.frame.problem.successors(p).len(), 0);
            self.lay_out(p);
        }
    }

    /// Makes the terms of a pair.
    fn lay_out(&mut self, p: Pair) {
        self.first[p] = self.constants.len() as u32;
        let problem = Arc::clone(&self.frame.problem);
        let k = self.frame.inside.len();
        for phi in problem.phi(p).chunks_exact(problem.dim()) {
            let constant = self.frame.reduce(phi, &mut self.rows);
            let row = &self.rows[self.rows.len() - k..];
            let inside = constant + dot(row, &self.frame.inside);
            // a row that is 0 on all of B has no free part left, and rounding for a constant
            let fixed = row.iter().all(|x| *x == 0.0);
            self.possible.push(inside > if fixed { 1e-9 * norm(phi) } else { 0.0 });
            self.constants.push(constant);
        }
    }

    /// Fits the predicting theta to the data so far. Every row of a visited pair gets a share of (k + 1)/2 pseudo-counts, which
    /// keeps the fit off the boundary as the estimator of Krichevsky and Trofimov does.
    pub(crate) fn fit(&mut self) {
        let k = self.frame.inside.len();
        let possible = self.possible.iter().filter(|p| **p).count();
        let share = (0.5 * (k as f64 + 1.0) / possible as f64).min(0.5);
        let smoothed = self.memory.counts.iter().zip(&self.possible);
        let weights: Vec<f64> = smoothed.map(|(&n, &p)| if p { n as f64 + share } else { 0.0 }).collect();
        let terms = Terms { rows: &self.rows, constants: &self.constants, weights: &weights };
        minimise(self.frame.polytope(), &self.frame.room, &terms, &[1e-2], ENOUGH, &mut self.memory.plug_in);
        self.memory.fitted = self.memory.total;
        let mut information = vec![0.0; k * k];
        let seen = self.terms(&self.memory.plug_in);
        gram(seen.map(|Term { row, p, n, .. }| (row, 0.0, n / (p * p))), &mut vec![0.0; k], &mut information);
        (0..k).for_each(|i| information[i * k + i] += ridge(self.frame.extent));
        if let Some(factor) = Cholesky::factor(&information, k) {
            self.memory.information = factor;
        }
    }

    /// Whether the predicting theta has seen all data.
    pub(crate) fn is_fitted(&self) -> bool {
        self.memory.fitted == self.memory.total
    }

    /// log det(sum n(k) u u'/p^2 + rho I), at the predicting theta and in the coordinates of B's hull.
    pub fn log_information(&self) -> f64 {
        self.memory.information.log_det()
    }

    /// The maximum of the likelihood over B, to 1e-7 per active row of B.
    pub fn maximum(&self) -> Maximum {
        let mut z = self.memory.plug_in.clone();
        let weights: Vec<f64> = self.memory.counts.iter().map(|&n| n as f64).collect();
        let terms = Terms { rows: &self.rows, constants: &self.constants, weights: &weights };
        minimise(self.frame.polytope(), &self.frame.room, &terms, PATH, 1e-12, &mut z);
        Maximum { theta: self.lift(&z), loss: self.loss_at(&z), z }
    }

    /// The predicting theta, with its loss.
    pub(crate) fn predicting(&self) -> Maximum {
        let z = self.memory.plug_in.clone();
        Maximum { theta: self.lift(&z), loss: self.loss_at(&z), z }
    }

    /// The triples seen, with their probabilities at z.
    pub(crate) fn terms<'a>(&'a self, z: &'a [f64]) -> impl Iterator<Item = Term<'a>> {
        let k = z.len();
        let seen = self.memory.counts.iter().enumerate().filter(|(_, n)| **n > 0);
        seen.map(move |(index, &n)| {
            let row = &self.rows[index * k..(index + 1) * k];
            Term { index, row, p: self.constants[index] + dot(row, z), n: n as f64 }
        })
    }

    pub(crate) fn loss_at(&self, z: &[f64]) -> f64 {
        self.terms(z).map(|Term { p, n, .. }| if p > 0.0 { -n * p.ln() } else { f64::INFINITY }).sum()
    }

    /// theta = origin + basis z.
    pub(crate) fn lift(&self, z: &[f64]) -> Vec<f64> {
        let polytope = self.polytope();
        let k = z.len();
        (0..polytope.dim())
            .map(|i| polytope.origin()[i] + dot(&polytope.basis()[i * k..(i + 1) * k], z))
            .collect()
    }

    pub(crate) fn polytope(&self) -> &Arc<Polytope> {
        self.frame.polytope()
    }

    /// f(theta) = -sum n(k) log <phi_k, theta>; infinite where a triple seen has no probability.
    pub fn loss(&self, theta: &[f64]) -> f64 {
        let p = |phi: &[f64]| dot(phi, theta);
        self.triples().map(|(phi, n)| if p(&phi) > 0.0 { -n * p(&phi).ln() } else { f64::INFINITY }).sum()
    }

    /// The gradient of f, in R^d.
    pub fn gradient(&self, theta: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; theta.len()];
        for (phi, n) in self.triples() {
            let scale = -n / dot(&phi, theta);
            gradient.iter_mut().zip(&*phi).for_each(|(g, x)| *g += scale * x);
        }
        gradient
    }

    /// The Hessian of f, d x d.
    pub fn hessian(&self, theta: &[f64]) -> Vec<f64> {
        let mut hessian = vec![0.0; theta.len() * theta.len()];
        for (phi, n) in self.triples() {
            add_square(&phi, n / dot(&phi, theta).powi(2), &mut hessian);
        }
        hessian
    }

    /// The distinct triples seen: features and count.
    fn triples(&self) -> impl Iterator<Item = (Cow<'_, [f64]>, f64)> {
        let problem = &self.frame.problem;
        let pairs = self.memory.visited.iter();
        let rows = pairs.flat_map(|&p| problem.rows(p as usize).map(|row| problem.row(row)));
        rows.zip(&self.memory.counts).filter(|(_, n)| **n > 0).map(|(phi, &n)| (phi, n as f64))
    }

    /// The number of terms: successors of visited pairs.
    pub(crate) fn terms_laid_out(&self) -> usize {
        self.constants.len()
    }

    /// How many transitions were counted.
    pub fn total(&self) -> u64 {
        self.memory.total
    }

    /// -sum log q_i(s_{i+1}).
    pub fn prediction_loss(&self) -> f64 {
        self.memory.prediction_loss
    }

    /// m, the number of directions of B that some kernel sees.
    pub fn seen_directions(&self) -> usize {
        self.frame.seen.len()
    }

    /// The part of a difference of two points that some kernel sees.
    pub(crate) fn seen_part(&self, z: &[f64]) -> Vec<f64> {
        let mut part = vec![0.0; z.len()];
        for e in &self.frame.seen {
            let t = dot(e, z);
            part.iter_mut().zip(e).for_each(|(p, e)| *p += t * e);
        }
        part
    }

    /// D, a bound on the distance of two points of B.
    pub(crate) fn extent(&self) -> f64 {
        self.frame.extent
    }

    /// Its state.
    pub fn counts(&self) -> &Counts {
        &self.memory
    }

    /// Puts a state back that belongs to the same problem.
    pub fn restore(&mut self, counts: Counts) -> Result<()> {
        let problem = &self.frame.problem;
        let refuse = || Error::Checkpoint { reason: "the learner's counts belong to another problem".into() };
        let mut successors = 0;
        for &p in &counts.visited {
            successors +=
                if (p as usize) < problem.pairs() { problem.successors(p as usize).len() } else { 0 };
        }
        let k = self.frame.inside.len();
        let fits = counts.visited.iter().all(|&p| (p as usize) < problem.pairs())
            && (counts.counts.len(), counts.plug_in.len(), counts.information.dim()) == (successors, k, k);
        if !fits {
            return Err(refuse());
        }
        self.first.fill(u32::MAX);
        self.rows.clear();
        self.constants.clear();
        self.possible.clear();
        for &p in &counts.visited {
            if self.first[p as usize] != u32::MAX {
                return Err(refuse());
            }
            self.lay_out(p as usize);
        }
        self.memory = counts;
        Ok(())
    }
}

/// rho = 1e-6/D^2: what the ridge adds to a squared radius is at most 1e-6.
pub(crate) fn ridge(extent: f64) -> f64 {
    1e-6 / (extent * extent)
}

/// Adds weight x x' to a symmetric matrix, both triangles.
pub(crate) fn add_square(x: &[f64], weight: f64, matrix: &mut [f64]) {
    let d = x.len();
    for i in 0..d {
        let scaled = weight * x[i];
        if scaled != 0.0 {
            matrix[i * d..(i + 1) * d].iter_mut().zip(x).for_each(|(m, x)| *m += scaled * x);
        }
    }
}
