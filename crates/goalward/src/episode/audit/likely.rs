//! The quantities of the regret theorem of the likelihood set (`docs/theory.md`).
//!
//! G_t bounds the squared Hellinger distance of theta~_t, which the plan believes where it acts,
//! from theta*, over all steps before t. It is computed when a plan first visits a pair, and again
//! when Gamma_t steps have passed since. In between it is what it was, plus the steps since: a step
//! adds at most 1 to a squared distance. So a number at a look is exact, and a number for all steps
//! is a bound.

use super::inequality::Inequality;
use crate::confidence::{LikelihoodKeeper, SHARE_OF_SETS, SharpSet, Theory, likelihood_threshold};
use crate::numeric::support::{SupportMin, Warm};
use crate::numeric::{Portable, dot};
use crate::problem::{Problem, Truth};

/// Between two looks the squared distance may grow to this many Gamma_t.
const BETWEEN: f64 = 17.0;

/// What the plan in force believes at a pair.
struct Belief {
    theta: Vec<f64>,
    /// Delta(theta~, theta*) at the pair.
    delta: f64,
    /// The steps before the last look, and G_t then.
    look: Option<(u64, f64)>,
}

/// The fit that distances are taken from: any point of B will do, near the maximum.
struct Reference {
    /// The steps that it knows.
    at: u64,
    theta: Vec<f64>,
    /// Its probability of every row of a pair that was visited.
    p: Vec<f64>,
    loss: f64,
}

pub(super) struct Likely<'a> {
    problem: &'a Problem,
    truth: &'a Truth,
    theta: &'a [f64],
    /// How often every row was seen, and every pair.
    counts: Vec<u32>,
    visits: Vec<u64>,
    visited: Vec<usize>,
    total: u64,
    /// f(theta*).
    loss: f64,
    fit: Reference,
    /// The set that the plan in force was made over; none of a learner without the theorem.
    set: Option<Box<dyn SupportMin>>,
    beliefs: Vec<Option<Belief>>,
    believed: Vec<usize>,
    theory: Theory,
    /// The log-wealth of a bet against theta*, and ln(1/delta).
    pub(super) wealth: Inequality,
    /// The squared distance of theta~_t from theta* at looks, and G_t.
    pub(super) distance: Inequality,
    /// G_t and 17 Gamma_t.
    pub(super) between: Inequality,
    pub(super) sum_delta: f64,
    /// The largest G_t/Gamma_t at a look, and its step.
    pub(super) at_looks: (f64, u64),
    /// The same over all steps, from above, and the largest G_t.
    pub(super) over_steps: f64,
    pub(super) most_g: f64,
    pub(super) looks: u64,
    /// The last threshold less the loss of the fit.
    pub(super) threshold: f64,
}

impl<'a> Likely<'a> {
    pub(super) fn new(problem: &'a Problem, truth: &'a Truth, theta: &'a [f64]) -> Likely<'a> {
        let rows = problem.pairs().checked_sub(1).map_or(0, |last| problem.rows(last).end);
        Likely {
            problem,
            truth,
            theta,
            counts: vec![0; rows],
            visits: vec![0; problem.pairs()],
            visited: Vec::new(),
            total: 0,
            loss: 0.0,
            fit: Reference { at: 0, theta: Vec::new(), p: vec![0.0; rows], loss: 0.0 },
            set: None,
            beliefs: (0..problem.pairs()).map(|_| None).collect(),
            believed: Vec::new(),
            theory: Theory { m: 0, delta: 1.0, weight: 1.0, gamma_hat: 0.0 },
            wealth: Inequality::default(),
            distance: Inequality::default(),
            between: Inequality::default(),
            sum_delta: 0.0,
            at_looks: (0.0, 0),
            over_steps: 0.0,
            most_g: 0.0,
            looks: 0,
            threshold: 0.0,
        }
    }

    pub(super) fn theory(&self) -> &Theory {
        &self.theory
    }

    /// Whether the learner's plans are under watch.
    pub(super) fn is_watched(&self) -> bool {
        self.set.is_some()
    }

    /// A plan was made, over the likelihood set itself or over what encloses it.
    pub(super) fn plan(&mut self, keeper: &LikelihoodKeeper, exact: bool) {
        for pair in self.believed.drain(..) {
            self.beliefs[pair] = None;
        }
        let enclosing = keeper.set().last(keeper.likelihood());
        self.set = match exact {
            true => {
                let mut keeper = keeper.clone();
                let known = keeper.update();
                let region = keeper.region(&known);
                match (region, known.set) {
                    (Some(region), Ok(set)) => Some(Box::new(SharpSet::new(region, set))),
                    _ => enclosing.map(|set| Box::new(set) as Box<dyn SupportMin>),
                }
            }
            false => enclosing.map(|set| Box::new(set) as Box<dyn SupportMin>),
        };
    }

    /// A step of a pair, under the values v; the keeper has taken it in already.
    pub(super) fn step(&mut self, keeper: &LikelihoodKeeper, v: &[f64], pair: usize, next: usize) {
        let (likelihood, set) = (keeper.likelihood(), keeper.set());
        let gamma_hat = self.theory.gamma_hat;
        let (m, delta, weight) = (likelihood.seen_directions(), set.delta(), set.uniform_weight());
        self.theory = Theory { m, delta: delta / SHARE_OF_SETS, weight, gamma_hat };
        if self.fit.theta.is_empty() {
            self.refit(keeper);
        }
        if self.is_watched() {
            self.believe(pair, v);
            self.look(pair);
        }
        self.take_in(pair, next);
        if likelihood.total() != self.total {
            return; // a step that no model allows was not counted: nothing is claimed any more
        }
        if self.total - self.fit.at > self.fit.at / 64 {
            self.refit(keeper);
        }
        let margin = match set.starts_anew() {
            true => set.evidence_margin(likelihood, self.theta, self.fit.loss),
            false => likelihood_threshold(likelihood, self.fit.loss, delta) - self.loss,
        };
        self.threshold = margin + self.loss - self.fit.loss;
        let bound = -delta.log_e();
        self.wealth.see(self.total, bound - margin, bound);
    }

    /// Finds theta~ of a pair, and what it adds to the sum of Delta.
    fn believe(&mut self, pair: usize, v: &[f64]) {
        let belief = &mut self.beliefs[pair];
        if let (None, Some(set)) = (&belief, &mut self.set) {
            let d = self.problem.dim();
            let (mut phi, mut theta) = (vec![0.0; d], vec![0.0; d]);
            self.problem.phi_v(pair, v, &mut phi);
            set.min(&phi, &mut Warm::default());
            set.minimiser(&mut theta);
            let rows = self.problem.phi(pair);
            let off = |(phi, p): (&[f64], &f64)| {
                let believed = dot(phi, &theta).max(0.0);
                let sum = believed + p;
                if sum > 0.0 { (believed - p).powi(2) / sum } else { 0.0 }
            };
            let delta = rows.chunks_exact(d).zip(self.truth.row(self.problem, pair)).map(off).sum();
            *belief = Some(Belief { theta, delta, look: None });
            self.believed.push(pair);
        }
        self.sum_delta += belief.as_ref().map_or(0.0, |belief| belief.delta);
    }

    fn look(&mut self, pair: usize) {
        let (t, gamma) = (self.total, self.theory.gamma(self.total));
        let Some(belief) = &self.beliefs[pair] else { return };
        let kept = belief.look.map(|(then, g)| (then, g + (t - then) as f64));
        let g = match kept {
            Some((then, g)) if (t - then) as f64 <= gamma => g,
            _ => {
                self.weigh();
                let (gamma0, gamma) = (self.theory.gamma0(t), self.theory.gamma(t));
                let Some(belief) = &self.beliefs[pair] else { return };
                let (excess, [from_fit, from_truth]) = self.seen(&belief.theta);
                let by_distance = (from_fit.sqrt() + gamma0.sqrt()).powi(2);
                let g = by_distance.min(excess.max(0.0) + gamma0);
                self.looks += 1;
                self.distance.see(t + 1, from_truth, g);
                if g / gamma > self.at_looks.0 {
                    self.at_looks = (g / gamma, t + 1);
                }
                if let Some(belief) = &mut self.beliefs[pair] {
                    belief.look = Some((t, g));
                }
                g
            }
        };
        let gamma = self.theory.gamma(t);
        self.over_steps = self.over_steps.max(g / gamma);
        self.most_g = self.most_g.max(g);
        self.between.see(t + 1, g, BETWEEN * gamma);
    }

    /// How far the loss of the fit may be above that of theta*: nowhere in the planned set is it
    /// below its tangent.
    fn weigh(&mut self) {
        let d = self.problem.dim();
        let mut gradient = vec![0.0; d];
        for &pair in &self.visited {
            let rows = self.problem.rows(pair);
            for (row, phi) in rows.zip(self.problem.phi(pair).chunks_exact(d)) {
                if self.counts[row] > 0 {
                    let weight = f64::from(self.counts[row]) / self.fit.p[row];
                    gradient.iter_mut().zip(phi).for_each(|(g, x)| *g -= weight * x);
                }
            }
        }
        let Some(set) = &mut self.set else { return };
        let least = set.min(&gradient, &mut Warm::default()).bound;
        let gap = (dot(&gradient, &self.fit.theta) - least).max(0.0);
        self.theory.gamma_hat = self.theory.gamma_hat.max(gap);
    }

    /// Of a theta over all that was seen: f(theta) - f(fit), and its squared distances from the fit
    /// and from theta*.
    fn seen(&self, theta: &[f64]) -> (f64, [f64; 2]) {
        let d = self.problem.dim();
        let (mut excess, mut distances) = (0.0, [0.0; 2]);
        for &pair in &self.visited {
            let rows = self.problem.rows(pair);
            let truth = self.truth.row(self.problem, pair);
            let (mut with_fit, mut with_truth) = (0.0, 0.0);
            for ((row, phi), p) in rows.zip(self.problem.phi(pair).chunks_exact(d)).zip(truth) {
                let (believed, fit) = (dot(phi, theta).max(0.0), self.fit.p[row].max(0.0));
                with_fit += (believed * fit).sqrt();
                with_truth += (believed * p).sqrt();
                if self.counts[row] > 0 {
                    // infinite where the plan believes that it cannot be
                    excess -= f64::from(self.counts[row]) * (believed / fit).log_e();
                }
            }
            let n = self.visits[pair] as f64;
            distances[0] += n * (1.0 - with_fit).max(0.0);
            distances[1] += n * (1.0 - with_truth).max(0.0);
        }
        (excess, distances)
    }

    fn take_in(&mut self, pair: usize, next: usize) {
        let place = self.problem.successors(pair).iter().position(|&s| s as usize == next);
        let Some(place) = place else { return };
        let row = self.problem.rows(pair).start + place;
        self.total += 1;
        if self.visits[pair] == 0 {
            self.visited.push(pair);
            self.predict(pair);
        }
        self.visits[pair] += 1;
        self.counts[row] = self.counts[row].saturating_add(1);
        self.loss -= self.truth.row(self.problem, pair)[place].log_e();
        self.fit.loss -= self.fit.p[row].log_e();
    }

    /// The fit's probabilities of a pair's rows.
    fn predict(&mut self, pair: usize) {
        let (rows, d) = (self.problem.rows(pair), self.problem.dim());
        for (row, phi) in rows.zip(self.problem.phi(pair).chunks_exact(d)) {
            self.fit.p[row] = dot(phi, &self.fit.theta);
        }
    }

    /// Fits anew, on a copy: the learner's own fit is left alone.
    fn refit(&mut self, keeper: &LikelihoodKeeper) {
        let likelihood = keeper.likelihood();
        self.fit.theta = match likelihood.is_fitted() || likelihood.total() == 0 {
            true => likelihood.predicting().theta,
            false => {
                let mut copy = likelihood.clone();
                copy.fit();
                copy.predicting().theta
            }
        };
        self.fit.at = self.total;
        self.fit.loss = 0.0;
        for i in 0..self.visited.len() {
            let pair = self.visited[i];
            self.predict(pair);
            for row in self.problem.rows(pair).filter(|&row| self.counts[row] > 0) {
                self.fit.loss -= f64::from(self.counts[row]) * self.fit.p[row].log_e();
            }
        }
    }
}
