//! High-order moment estimation: Algorithm 3 of the paper (HOME), in normalised form.
//!
//! Level l regresses V_j^(2^l) and estimates the variance that weighs level l - 1. With U = V_j / B
//! in [0, 1] all powers of B cancel (reading A13): psi_l = phi_{U^(2^l)}, y_l = U(s')^(2^l), and
//! the weight kept here is s_l^2 = sigma_bar_l^2 / B^(2^(l+1)). Sigma, theta_hat and the radius are
//! unchanged by it, and nothing overflows however large B and L are.

use super::Ridge;
use crate::numeric::dot;
use crate::problem::{Pair, Problem, State};
use serde::{Deserialize, Serialize};

/// The L weighted regressions of LEVIS++ and the weights that HOME gives them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Home {
    levels: Vec<Ridge>,
    gamma_sq: f64,
    sigma_sq: Vec<f64>,
    /// Per level; see [`Home::steepest`].
    steepest: Vec<f64>,
    #[serde(skip)]
    scratch: Scratch,
}

/// Powers of U below this are taken for zero. Their square would leave the range of normal numbers,
/// on which arithmetic is a hundred times slower; beside lambda it is nothing.
const NOTHING: f64 = 1e-150;

/// Buffers of a step, L x d, L and d numbers; not part of the state.
#[derive(Clone, Debug, Default)]
struct Scratch {
    psi: Vec<f64>,
    y: Vec<f64>,
    /// How many successors add to psi_l.
    live: Vec<u32>,
    frozen_norm: Vec<f64>,
    /// The largest U^(2^l) of a successor less the smallest.
    span: Vec<f64>,
    mean: Vec<f64>,
    vector: Vec<f64>,
    /// What was estimated in the last step.
    last: Vec<Weighed>,
}

/// What HOME estimated at one level in the last step, before the step's own update.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Weighed {
    /// The estimated variance of U^(2^l), and E_l, which bounds its error; none at the top level.
    pub(crate) variance: Option<(f64, f64)>,
    /// |psi_l| in the norm of Sigma_{t-1}^-1.
    pub(crate) norm: f64,
}

impl Home {
    pub(crate) fn new(dim: usize, levels: usize, lambda: f64, gamma: f64) -> Self {
        Home {
            levels: vec![Ridge::new(dim, lambda); levels],
            gamma_sq: gamma * gamma,
            sigma_sq: vec![0.0; levels],
            steepest: vec![0.0; levels],
            scratch: Scratch::default(),
        }
    }

    /// Algorithm 1, line 6: weighs a transition at every level.
    ///
    /// `u` is V_j / B clamped to [0, 1] (reading A14), `beta` the radius of every level: that of
    /// the current step t (reading H6), or that of t_j, which the frozen pair belongs to. The
    /// weights are computed before the step's own update, from the pair (theta_hat, Sigma) frozen
    /// at t_j and, in the gamma term, from Sigma_{t-1} (readings A1 and H3): they must not have
    /// seen the next state.
    pub(crate) fn weigh(
        &mut self,
        problem: &Problem,
        (p, next): (Pair, State),
        u: &[f64],
        beta: &[f64],
        t: u64,
    ) {
        self.raise(problem, p, next, u);
        self.estimate(beta, t);
    }

    /// Algorithm 1, lines 7 to 9: takes in the transition just weighed, at every level.
    pub(crate) fn update(&mut self) {
        let scratch = &mut self.scratch;
        let d = scratch.vector.len();
        for (l, level) in self.levels.iter_mut().enumerate() {
            let psi = &scratch.psi[l * d..(l + 1) * d];
            if scratch.live[l] == 0 {
                continue; // psi_l = 0 tells nothing
            }
            // reading A11: multiply by sigma_bar^-2, where the paper's display of the regression
            // divides by it
            level.update(psi, scratch.y[l], 1.0 / self.sigma_sq[l], &mut scratch.vector);
        }
    }

    /// psi_l = phi_{U^(2^l)}(s,a) and y_l = U(s')^(2^l) for all levels, in one pass over the
    /// successors.
    fn raise(&mut self, problem: &Problem, p: Pair, next: State, u: &[f64]) {
        let (d, levels) = (problem.dim(), self.levels.len());
        let scratch = &mut self.scratch;
        scratch.psi.clear();
        scratch.psi.resize(levels * d, 0.0);
        scratch.y.resize(levels, 0.0);
        scratch.live.clear();
        scratch.live.resize(levels, 0);
        scratch.frozen_norm.resize(levels, 0.0);
        scratch.span.resize(levels, 0.0);
        scratch.mean.resize(levels, 0.0);
        scratch.vector.resize(d, 0.0);
        scratch.last.resize(levels, Weighed::default());
        let (mut least, mut most) = (1f64, 0f64);
        for (&successor, row) in problem.successors(p).iter().zip(problem.phi(p).chunks_exact(d)) {
            let mut power = u[successor as usize];
            (least, most) = (least.min(power), most.max(power));
            for (psi, live) in scratch.psi.chunks_exact_mut(d).zip(&mut scratch.live) {
                if power < NOTHING {
                    break;
                }
                psi.iter_mut().zip(row).for_each(|(psi, x)| *psi += power * x);
                *live += 1;
                power *= power;
            }
        }
        for span in &mut scratch.span {
            *span = (most - least).max(0.0);
            (least, most) = (least * least, if most < NOTHING { 0.0 } else { most * most });
        }
        let mut power = u[next];
        for y in &mut scratch.y {
            *y = power;
            power = if power < NOTHING { 0.0 } else { power * power };
        }
    }

    /// Algorithm 3.
    fn estimate(&mut self, beta: &[f64], t: u64) {
        let d = self.scratch.vector.len();
        let Scratch { psi, live, frozen_norm, span, mean, vector, last: weighed, .. } = &mut self.scratch;
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
            let variance = (l < last).then(|| {
                let error =
                    (2.0 * beta[l] * frozen_norm[l]).min(1.0) + (beta[l + 1] * frozen_norm[l + 1]).min(1.0);
                (mean[l + 1] - mean[l] * mean[l], error)
            });
            // the variance may be negative: only its sum with E enters (reading H5)
            let sigma_sq = variance.map_or(1.0, |(variance, error)| variance + error);
            // gamma^2 times the norm, not its square (reading H4)
            let running_norm = match live[l] {
                0 => 0.0,
                _ => level.running().inverse_norm(psi, vector),
            };
            weighed[l] = Weighed { variance, norm: running_norm };
            let sigma_sq = sigma_sq.max(alpha_sq).max(self.gamma_sq * running_norm);
            self.sigma_sq[l] = sigma_sq;
            self.steepest[l] = self.steepest[l].max(0.5 * (span[l] / sigma_sq.sqrt()));
        }
    }

    /// Per level, the largest span/(2 sigma_bar) so far: the noise is sub-Gaussian with it.
    pub(crate) fn steepest(&self) -> &[f64] {
        &self.steepest
    }

    /// Freezes all levels: Algorithm 1, lines 13 to 15.
    pub(crate) fn freeze(&mut self) {
        self.levels.iter_mut().for_each(Ridge::freeze);
    }

    /// Whether some level's determinant doubled: Algorithm 1, line 10.
    pub(crate) fn doubled(&self) -> bool {
        self.levels.iter().any(Ridge::doubled)
    }

    /// The regressions, level 0 first.
    pub(crate) fn levels(&self) -> &[Ridge] {
        &self.levels
    }

    /// What was estimated in the last step, level 0 first; nothing before a step, and after the
    /// state was put back.
    pub(crate) fn weighed(&self) -> &[Weighed] {
        &self.scratch.last
    }

    pub(crate) fn sigma_sq(&self) -> &[f64] {
        &self.sigma_sq
    }
}

#[cfg(test)]
mod tests;
