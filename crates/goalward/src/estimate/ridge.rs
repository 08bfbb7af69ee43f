//! Weighted ridge regression with a frozen copy of an earlier time.

use crate::numeric::{Cholesky, dot};
use serde::{Deserialize, Serialize};

/// Sigma = lambda I + sum of w x x', b = sum of w x y, theta_hat = Sigma^-1 b; and the pair
/// (theta_hat, Sigma) as it stood at the last planning time t_j.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ridge {
    sigma: Vec<f64>,
    b: Vec<f64>,
    running: Cholesky,
    frozen: Cholesky,
    frozen_theta: Vec<f64>,
}

impl Ridge {
    /// No data: Sigma = lambda I, theta_hat = 0, both frozen (reading A4: the paper does not
    /// initialise the frozen pair).
    pub(crate) fn new(dim: usize, lambda: f64) -> Self {
        let mut sigma = vec![0.0; dim * dim];
        (0..dim).for_each(|i| sigma[i * dim + i] = lambda);
        let running = Cholesky::scaled_identity(dim, lambda);
        Ridge { sigma, b: vec![0.0; dim], frozen: running.clone(), running, frozen_theta: vec![0.0; dim] }
    }

    /// Takes in y = <x, theta> + noise with a weight; `scratch` holds d numbers.
    pub(crate) fn update(&mut self, x: &[f64], y: f64, weight: f64, scratch: &mut [f64]) {
        let d = x.len();
        for i in 0..d {
            let scaled = weight * x[i];
            if scaled != 0.0 {
                self.sigma[i * d..(i + 1) * d].iter_mut().zip(x).for_each(|(s, x)| *s += scaled * x);
                self.b[i] += scaled * y;
            }
        }
        self.running.update(x, weight, scratch);
    }

    /// Freezes the pair (theta_hat, Sigma) of now. The factor is made anew from Sigma, so that
    /// rounding in the rank-one updates never adds up beyond one interval between plans.
    pub(crate) fn freeze(&mut self) {
        if let Some(fresh) = Cholesky::factor(&self.sigma, self.b.len()) {
            self.running = fresh;
        }
        self.frozen.clone_from(&self.running);
        self.frozen_theta = self.theta();
    }

    /// theta_hat of now.
    pub(crate) fn theta(&self) -> Vec<f64> {
        let mut theta = vec![0.0; self.b.len()];
        self.theta_in(&mut theta);
        theta
    }

    /// The same, in room that is there.
    pub(crate) fn theta_in(&self, theta: &mut [f64]) {
        theta.copy_from_slice(&self.b);
        self.running.solve(theta);
    }

    /// |theta - theta_hat| in the norm of Sigma, both of now: that of b - Sigma theta in Sigma^-1.
    /// `room` and `scratch` hold d numbers.
    pub(crate) fn distance(&self, theta: &[f64], room: &mut [f64], scratch: &mut [f64]) -> f64 {
        let rows = self.sigma.chunks_exact(theta.len());
        room.iter_mut().zip(rows).zip(&self.b).for_each(|((x, row), b)| *x = b - dot(row, theta));
        self.running.inverse_norm(room, scratch)
    }

    /// Sigma of now, d x d.
    pub(crate) fn sigma(&self) -> &[f64] {
        &self.sigma
    }

    /// The factor of Sigma of now.
    pub(crate) fn running(&self) -> &Cholesky {
        &self.running
    }

    pub(crate) fn frozen(&self) -> &Cholesky {
        &self.frozen
    }

    pub(crate) fn frozen_theta(&self) -> &[f64] {
        &self.frozen_theta
    }

    /// Whether det Sigma has at least doubled since the freeze (reading A15: compared as
    /// logarithms).
    pub(crate) fn doubled(&self) -> bool {
        self.running.log_det() - self.frozen.log_det() >= std::f64::consts::LN_2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Portable;

    #[test]
    fn solves_the_normal_equations() {
        let mut ridge = Ridge::new(2, 0.5);
        let mut scratch = [0.0; 2];
        let data = [([1.0, 2.0], 3.0, 1.0), ([-1.0, 0.5], 0.2, 4.0), ([0.3, 0.0], -1.0, 0.1)];
        let (mut s, mut b) = ([[0.5, 0.0], [0.0, 0.5]], [0.0; 2]);
        for (x, y, w) in data {
            ridge.update(&x, y, w, &mut scratch);
            for i in 0..2 {
                (0..2).for_each(|k| s[i][k] += w * x[i] * x[k]);
                b[i] += w * x[i] * y;
            }
        }
        let det = s[0][0] * s[1][1] - s[0][1] * s[1][0];
        let expected = [(s[1][1] * b[0] - s[0][1] * b[1]) / det, (s[0][0] * b[1] - s[1][0] * b[0]) / det];
        for (a, e) in ridge.theta().iter().zip(expected) {
            assert!((a - e).abs() < 1e-13);
        }
        assert!(ridge.doubled());
        assert_eq!(ridge.frozen_theta(), [0.0, 0.0]);
        ridge.freeze();
        assert!(!ridge.doubled());
        assert!((ridge.frozen().log_det() - det.log_e()).abs() < 1e-13);
    }
}
