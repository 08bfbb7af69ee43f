//! High-order moment estimation: Algorithm 3 of the paper (HOME), in normalised form.
//!
//! Level l regresses V_j^(2^l) and estimates the variance that weighs level l - 1. With U = V_j / B in [0, 1] all powers
//! of B cancel (reading A13): psi_l = phi_{U^(2^l)}, y_l = U(s')^(2^l), and the weight kept here is
//! s_l^2 = sigma_bar_l^2 / B^(2^(l+1)). Sigma, theta_hat and the radius are unchanged by it, and nothing overflows however
//! large B and L are.

use super::Ridge;
use crate::numeric::dot;
use crate::problem::{Pair, Problem, State};
use serde::{Deserialize, Serialize};

/// The L weighted regressions of LEVIS++ and the weights that HOME gives them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Home {
    levels: Vec<Ridge>,
    /// gamma^2.
    gamma_sq: f64,
    /// s_l^2 of the last step.
    sigma_sq: Vec<f64>,
    #[serde(skip)]
    scratch: Scratch,
}

/// Powers of U below this are taken for zero. Their square would leave the range of normal numbers, on which arithmetic
/// is a hundred times slower; beside lambda it is nothing.
const NOTHING: f64 = 1e-150;

/// Buffers of a step, L x d, L and d numbers; not part of the state.
#[derive(Clone, Debug, Default)]
struct Scratch {
    psi: Vec<f64>,
    y: Vec<f64>,
    /// How many successors add to psi_l.
    live: Vec<u32>,
    frozen_norm: Vec<f64>,
    mean: Vec<f64>,
    vector: Vec<f64>,
}

impl Home {
    /// L levels without data.
    pub fn new(dim: usize, levels: usize, lambda: f64, gamma: f64) -> Self {
        Home {
            levels: vec![Ridge::new(dim, lambda); levels],
            gamma_sq: gamma * gamma,
            sigma_sq: vec![0.0; levels],
            scratch: Scratch::default(),
        }
    }

    /// One step of Algorithm 1, lines 6 to 8: weighs the transition (Algorithm 3) and takes it in at every level.
    ///
    /// `u` is V_j / B clamped to [0, 1] (reading A14), `beta` the radius of the current step t (reading H6). The
    /// weights are computed before the step's own update, from the pair (theta_hat, Sigma) frozen at t_j and, in the
    /// gamma term, from Sigma_{t-1} (readings A1 and H3): they must not have seen the next state.
    pub fn step(&mut self, problem: &Problem, p: Pair, next: State, u: &[f64], beta: f64, t: u64) {
        self.raise(problem, p, next, u);
        self.weigh(beta, t);
        let d = problem.dim();
        let scratch = &mut self.scratch;
        for (l, level) in self.levels.iter_mut().enumerate() {
            let psi = &scratch.psi[l * d..(l + 1) * d];
            if scratch.live[l] == 0 {
                continue; // psi_l = 0 tells nothing
            }
            // reading A11: multiply by sigma_bar^-2, where the paper's display of the regression divides by it
            level.update(psi, scratch.y[l], 1.0 / self.sigma_sq[l], &mut scratch.vector);
        }
    }

    /// psi_l = phi_{U^(2^l)}(s,a) and y_l = U(s')^(2^l) for all levels, in one pass over the successors.
    fn raise(&mut self, problem: &Problem, p: Pair, next: State, u: &[f64]) {
        let (d, levels) = (problem.dim(), self.levels.len());
        let scratch = &mut self.scratch;
        scratch.psi.clear();
        scratch.psi.resize(levels * d, 0.0);
        scratch.y.resize(levels, 0.0);
        scratch.live.clear();
        scratch.live.resize(levels, 0);
        scratch.frozen_norm.resize(levels, 0.0);
        scratch.mean.resize(levels, 0.0);
        scratch.vector.resize(d, 0.0);
        for (&successor, row) in problem.successors(p).iter().zip(problem.phi(p).chunks_exact(d)) {
            let mut power = u[successor as usize];
            for (psi, live) in scratch.psi.chunks_exact_mut(d).zip(&mut scratch.live) {
                if power < NOTHING {
                    break;
                }
                psi.iter_mut().zip(row).for_each(|(psi, x)| *psi += power * x);
                *live += 1;
                power *= power;
            }
        }
        let mut power = u[next];
        for y in &mut scratch.y {
            *y = power;
            power = if power < NOTHING { 0.0 } else { power * power };
        }
    }

    /// Algorithm 3.
    fn weigh(&mut self, beta: f64, t: u64) {
        let d = self.scratch.vector.len();
        let Scratch { psi, live, frozen_norm, mean, vector, .. } = &mut self.scratch;
        for (l, level) in self.levels.iter().enumerate() {
            let psi = &psi[l * d..(l + 1) * d];
            (frozen_norm[l], mean[l]) = (0.0, 0.0);
            if live[l] > 0 {
                frozen_norm[l] = level.frozen().inverse_norm(psi, vector);
                mean[l] = dot(psi, level.frozen_theta()).clamp(0.0, 1.0);
            }
        }
        let alpha_sq = 1.0 / t as f64; // alpha_t = 1/sqrt(t) (reading T4)
        let last = self.levels.len() - 1;
        for (l, level) in self.levels.iter().enumerate() {
            let psi = &psi[l * d..(l + 1) * d];
            let sigma_sq = if l == last {
                1.0
            } else {
                // the variance may be negative: only its sum with E enters (reading H5)
                let variance = mean[l + 1] - mean[l] * mean[l];
                let error = (2.0 * beta * frozen_norm[l]).min(1.0) + (beta * frozen_norm[l + 1]).min(1.0);
                variance + error
            };
            // gamma^2 times the norm, not its square (reading H4)
            let uncertainty = match live[l] {
                0 => 0.0,
                _ => self.gamma_sq * level.running().inverse_norm(psi, vector),
            };
            self.sigma_sq[l] = sigma_sq.max(alpha_sq).max(uncertainty);
        }
    }

    /// Freezes all levels: Algorithm 1, lines 13 to 15.
    pub fn freeze(&mut self) {
        self.levels.iter_mut().for_each(Ridge::freeze);
    }

    /// Whether some level's determinant doubled: Algorithm 1, line 10.
    pub fn doubled(&self) -> bool {
        self.levels.iter().any(Ridge::doubled)
    }

    /// The regressions, level 0 first.
    pub fn levels(&self) -> &[Ridge] {
        &self.levels
    }

    /// s_l^2 of the last step.
    pub fn sigma_sq(&self) -> &[f64] {
        &self.sigma_sq
    }
}
