//! The quantities of the LEVIS++ paper, level by level.
//!
//! Readings, beside those of the learner: all is normalised (A13). M_0 are the steps at which a
//! plan is in force, which is all but the first. R_l has the radius of the step, where the paper
//! takes that of the last step for all: it is at most the paper's, and Lemma E1 holds with it.

use super::account::Ledger;
use super::inequality::Inequality;
use crate::learners::Levels;
use crate::numeric::Portable;
use crate::problem::{Problem, Truth};
use serde::Serialize;

/// What a level came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LevelSums {
    /// R_l = sum of min(1, beta_t |psi_l|) in the norm of Sigma_t^-1.
    pub r: f64,
    /// What Lemma R bounds it by, with the weights that were realised.
    pub r_bound: f64,
    /// S_l = sum of the variances of U^(2^l).
    pub s: f64,
    /// A_l = sum of P U^(2^l) - U(s')^(2^l).
    pub a: f64,
    /// sqrt(2 zeta S_l) + zeta, which Lemma Bernstein bounds its absolute value by.
    pub a_bound: f64,
}

#[derive(Default)]
pub(super) struct LevelWatch {
    pub(super) set: Inequality,
    pub(super) variance: Inequality,
    pub(super) claimed: bool,
    sums: LevelSums,
    /// The sum of the estimated variances and their errors, which weigh the steps.
    sigma_sq: f64,
}

/// What stands in the formulas, as of the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Formula {
    /// The dimension d.
    pub dim: usize,
    /// The number L of levels.
    pub levels: usize,
    /// B, in the user's units.
    pub b: f64,
    /// The user's units per unit of the theory.
    pub unit: f64,
    /// The ridge.
    pub lambda: f64,
    /// gamma.
    pub gamma: f64,
    /// The failure probability in the radius.
    pub delta: f64,
    /// The bound on |phi_V|.
    pub phi_norm: f64,
    /// The radius of level 0.
    pub beta: f64,
    /// Steps with a plan in force, |M_0| of them.
    pub planned_steps: u64,
    /// The sum of alpha_t^2 = 1/t over these.
    pub alpha_sq: f64,
    /// The sum of 1/t_j over these.
    pub rates: f64,
    /// T.
    pub steps: u64,
}

pub(super) struct Moments {
    theta: Vec<f64>,
    pub(super) levels: Vec<LevelWatch>,
    pub(super) formula: Formula,
    radii: Vec<f64>,
    room: Vec<f64>,
    /// P U^(2^l) for l = 0, ..., L.
    means: Vec<f64>,
}

impl Moments {
    pub(super) fn new(theta: &[f64]) -> Moments {
        let theta = theta.to_vec();
        Moments {
            room: vec![0.0; 2 * theta.len()],
            theta,
            levels: Vec::new(),
            formula: Formula::default(),
            radii: Vec::new(),
            means: Vec::new(),
        }
    }

    /// A step of some pair to some state at time t, under a plan of time t_j if there is one.
    pub(super) fn step(
        &mut self,
        shown: &Levels,
        account: &Ledger,
        place: (&Problem, &Truth),
        (pair, next): (usize, usize),
        (t, t_j): (u64, Option<u64>),
    ) {
        let count = shown.count();
        self.levels.resize_with(count, LevelWatch::default);
        shown.radii(&mut self.radii);
        self.note(shown, t, t_j);
        for (l, level) in self.levels.iter_mut().enumerate() {
            level.claimed = shown.claims(l);
            level.set.see(t, shown.distance(l, &self.theta, &mut self.room), self.radii[l]);
        }
        if t_j.is_none() {
            return; // the paper's quantities begin with the first plan
        }
        let b = shown.b();
        self.raise(account, place, pair, count, b);
        let mut power = (account.v[next] / b).clamp(0.0, 1.0);
        for (l, level) in self.levels.iter_mut().enumerate() {
            let Some(last) = shown.last(l) else { continue };
            let (mean, square) = (self.means[l], self.means[l + 1]);
            let variance = (square - mean * mean).max(0.0);
            level.sums.a += mean - power;
            level.sums.s += variance;
            level.sigma_sq += last.variance.map_or(1.0, |(variance, error)| variance + error);
            // Sherman and Morrison: the norm in Sigma_t^-1, from that in Sigma_{t-1}^-1
            let norm_sq = last.norm * last.norm;
            let norm = (norm_sq / (1.0 + norm_sq / last.sigma_sq)).sqrt();
            level.sums.r += (self.radii[l] * norm).min(1.0);
            if let Some((estimated, error)) = last.variance {
                level.variance.see(t, (estimated - variance).abs(), error);
            }
            power *= power;
        }
    }

    fn note(&mut self, shown: &Levels, t: u64, t_j: Option<u64>) {
        let formula = &mut self.formula;
        formula.dim = self.theta.len();
        formula.levels = shown.count();
        (formula.b, formula.unit) = (shown.b(), shown.unit());
        (formula.lambda, formula.gamma) = (shown.lambda(), shown.gamma());
        (formula.delta, formula.phi_norm) = (shown.delta(), shown.phi_norm());
        formula.beta = self.radii[0];
        formula.steps = t;
        if let Some(t_j) = t_j {
            formula.planned_steps += 1;
            formula.alpha_sq += 1.0 / t as f64;
            formula.rates += 1.0 / t_j.max(1) as f64;
        }
    }

    fn raise(&mut self, account: &Ledger, place: (&Problem, &Truth), pair: usize, count: usize, b: f64) {
        let (problem, truth) = place;
        self.means.clear();
        self.means.resize(count + 1, 0.0);
        for (&s, p) in problem.successors(pair).iter().zip(truth.row(problem, pair)) {
            let mut power = (account.v[s as usize] / b).clamp(0.0, 1.0);
            for mean in &mut self.means {
                *mean += p * power;
                power *= power;
            }
        }
    }

    pub(super) fn sums(&self) -> Vec<LevelSums> {
        let f = &self.formula;
        let (d, iota, zeta) = (f.dim as f64, f.iota(), f.zeta());
        let of = |level: &LevelWatch| {
            let spread = (f.alpha_sq + level.sigma_sq).max(0.0).sqrt();
            let gamma_sq = f.gamma * f.gamma;
            let r_bound = 2.0 * d * iota
                + 2.0 * f.beta * gamma_sq * d * iota
                + 2.0 * (d * iota).sqrt() * f.beta * spread;
            let a_bound = (2.0 * zeta * level.sums.s).sqrt() + zeta;
            LevelSums { r_bound, a_bound, ..level.sums }
        };
        self.levels.iter().map(of).collect()
    }
}

impl Formula {
    /// iota = log(1 + T/(d lambda alpha_T^2)), with |phi_V| as in force.
    pub(super) fn iota(&self) -> f64 {
        let (t, d) = (self.steps as f64, self.dim as f64);
        (t * t * self.phi_norm * self.phi_norm / (d * self.lambda)).log_1p()
    }

    /// zeta = 4 log((2 log(T log(1/delta)) + 1)/delta); the inner logarithm is 0 at least.
    pub(super) fn zeta(&self) -> f64 {
        let inner = (self.steps as f64 * -self.delta.log_e()).log_e().max(0.0);
        4.0 * ((2.0 * inner + 1.0) / self.delta).log_e()
    }

    /// 4 d L log(1 + T/lambda) + 2 log T: what Lemma J says that there are of planning calls. T is
    /// multiplied by |phi_V| where that is above 1.
    pub fn most_plans(&self) -> f64 {
        let (t, l) = (self.steps as f64, self.levels as f64);
        let far = t * self.phi_norm.max(1.0);
        4.0 * self.dim as f64 * l * (far / self.lambda).log_1p() + 2.0 * t.max(1.0).log_e()
    }

    /// The bound on the regret with the paper's constants (the proof of Theorem 5.1, up to the last
    /// line with numbers), for the steps and the cost that were realised; in the user's units.
    pub fn regret_bound(&self, b_star: f64, paid: f64, plans: u64) -> f64 {
        let (d, t, levels) = (self.dim as f64, self.steps.max(1) as f64, self.levels as f64);
        let (b, b_star, paid) = (self.b / self.unit, b_star / self.unit, paid / self.unit);
        let (iota, zeta, beta) = (self.iota(), self.zeta(), self.beta);
        let b_2 = (b_star + 1.0) * self.rates;
        let largest = (8.0 * beta * (d * iota).sqrt()).max(2.0 * (2.0 * zeta).sqrt());
        let spread = (self.alpha_sq + plans as f64).sqrt();
        let middle = 8.0 * d * iota
            + 8.0 * beta * self.gamma * self.gamma * d * iota
            + zeta
            + 8.0 * (d * iota).sqrt() * beta * spread;
        let a_and_r = 216.0 * largest * largest
            + 12.0 * middle
            + 16.0 * 2f64.sqrt() * largest * ((b_2 + paid) / b).sqrt();
        let calls = 4.0 * d * b_star * levels * (t / self.lambda).log_1p() + 2.0 * b_star * t.log_e();
        self.unit * (b * a_and_r + b_2 + calls + 5.0)
    }
}
