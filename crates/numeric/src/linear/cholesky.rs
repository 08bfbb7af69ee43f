//! Cholesky factor of a growing positive definite matrix.

use crate::Portable;
use crate::stored::{Flaw, ensure};
use serde::{Deserialize, Serialize};

/// The lower factor L of Sigma = L L', with rank-one updates and a running log-determinant.
///
/// Determinants exist only as logarithms: at d = 64 and t = 1e6 they overflow.
///
/// ```
/// use goalward_numeric::Cholesky;
/// let mut factor = Cholesky::scaled_identity(2, 1.0);
/// factor.update(&[1.0, 1.0], 1.0, &mut [0.0; 2]); // Sigma = [[2, 1], [1, 2]]
/// assert!((factor.log_det() - 3f64.ln()).abs() < 1e-14);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Cholesky {
    dim: usize,
    /// Row-major, the entries above the diagonal are zero.
    lower: Vec<f64>,
    log_det: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    dim: usize,
    lower: Vec<f64>,
    log_det: f64,
}

impl TryFrom<Stored> for Cholesky {
    type Error = Flaw;

    fn try_from(Stored { dim, lower, log_det }: Stored) -> Result<Self, Flaw> {
        let square = dim.checked_mul(dim) == Some(lower.len());
        ensure(square, "lower", || format!("{} values are no factor of dimension {dim}", lower.len()))?;
        Ok(Cholesky { dim, lower, log_det })
    }
}

impl Cholesky {
    /// The factor of lambda I.
    pub fn scaled_identity(dim: usize, lambda: f64) -> Self {
        let mut lower = vec![0.0; dim * dim];
        for i in 0..dim {
            lower[i * dim + i] = lambda.sqrt();
        }
        Cholesky { dim, lower, log_det: dim as f64 * lambda.log_e() }
    }

    /// Factors a symmetric matrix (row-major, lower triangle); `None` if not positive definite.
    pub fn factor(matrix: &[f64], dim: usize) -> Option<Self> {
        let mut lower = vec![0.0; dim * dim];
        for i in 0..dim {
            for j in 0..=i {
                let mut sum = matrix[i * dim + j];
                for k in 0..j {
                    sum -= lower[i * dim + k] * lower[j * dim + k];
                }
                if i == j {
                    if sum <= 0.0 || !sum.is_finite() {
                        return None;
                    }
                    lower[i * dim + i] = sum.sqrt();
                } else {
                    lower[i * dim + j] = sum / lower[j * dim + j];
                }
            }
        }
        let log_det = (0..dim).map(|i| 2.0 * lower[i * dim + i].log_e()).sum();
        Some(Cholesky { dim, lower, log_det })
    }

    /// The dimension d.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// log det Sigma.
    pub fn log_det(&self) -> f64 {
        self.log_det
    }

    /// L, row-major.
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// Whether a stored one has this dimension.
    pub fn check(&self, dim: usize) -> Result<(), Flaw> {
        ensure(self.dim == dim, "dim", || format!("{}, but {dim} is expected", self.dim))
    }

    /// Sigma += weight x x', for weight >= 0; `scratch` holds d numbers.
    pub fn update(&mut self, x: &[f64], weight: f64, scratch: &mut [f64]) {
        let d = self.dim;
        let root = weight.sqrt();
        for (s, xi) in scratch.iter_mut().zip(x) {
            *s = root * xi;
        }
        let mut growth = 1.0;
        for k in 0..d {
            let (diagonal, xk) = (self.lower[k * d + k], scratch[k]);
            if xk == 0.0 {
                continue;
            }
            // a Givens rotation; sqrt, not hypot: entries are far from overflow, and this is the
            // learners' inner loop
            let r = (diagonal * diagonal + xk * xk).sqrt();
            let inverse = 1.0 / diagonal;
            let (c, s, shrink) = (r * inverse, xk * inverse, diagonal / r);
            growth *= c;
            self.lower[k * d + k] = r;
            for i in k + 1..d {
                let entry = (self.lower[i * d + k] + s * scratch[i]) * shrink;
                self.lower[i * d + k] = entry;
                scratch[i] = c * scratch[i] - s * entry;
            }
        }
        self.log_det += 2.0 * growth.log_e();
    }

    /// x <- L^-1 x.
    pub fn solve_lower(&self, x: &mut [f64]) {
        let d = self.dim;
        for i in 0..d {
            let row = &self.lower[i * d..i * d + i + 1];
            let mut sum = x[i];
            for k in 0..i {
                sum -= row[k] * x[k];
            }
            x[i] = sum / row[i];
        }
    }

    /// x <- L^-T x.
    pub fn solve_upper(&self, x: &mut [f64]) {
        let d = self.dim;
        for i in (0..d).rev() {
            let mut sum = x[i];
            for k in i + 1..d {
                sum -= self.lower[k * d + i] * x[k];
            }
            x[i] = sum / self.lower[i * d + i];
        }
    }

    /// x <- Sigma^-1 x.
    pub fn solve(&self, x: &mut [f64]) {
        self.solve_lower(x);
        self.solve_upper(x);
    }

    /// x' Sigma x.
    pub fn norm_sq(&self, x: &[f64]) -> f64 {
        let d = self.dim;
        let along = |j: usize| (j..d).map(|i| self.lower[i * d + j] * x[i]).sum::<f64>();
        (0..d).map(|j| along(j).powi(2)).sum()
    }

    /// |x| in the norm of Sigma^-1; `scratch` holds d numbers.
    pub fn inverse_norm(&self, x: &[f64], scratch: &mut [f64]) -> f64 {
        let scratch = &mut scratch[..self.dim];
        scratch.copy_from_slice(x);
        self.solve_lower(scratch);
        super::norm(scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn updates_equal_refactorisation(
            (dim, lambda, steps) in (1usize..9).prop_flat_map(|d| (
                Just(d),
                0.01f64..10.0,
                prop::collection::vec((prop::collection::vec(-3.0f64..3.0, d), 0.0f64..5.0), 1..40),
            ))
        ) {
            let mut updated = Cholesky::scaled_identity(dim, lambda);
            let mut matrix = vec![0.0; dim * dim];
            (0..dim).for_each(|i| matrix[i * dim + i] = lambda);
            let mut scratch = vec![0.0; dim];
            for (x, weight) in &steps {
                updated.update(x, *weight, &mut scratch);
                for i in 0..dim {
                    for j in 0..dim {
                        matrix[i * dim + j] += weight * x[i] * x[j];
                    }
                }
            }
            let fresh = Cholesky::factor(&matrix, dim).unwrap();
            for (a, b) in updated.lower().iter().zip(fresh.lower()) {
                prop_assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()));
            }
            prop_assert!((updated.log_det() - fresh.log_det()).abs() <= 1e-9 * (1.0 + fresh.log_det().abs()));
            // Sigma^-1 x multiplied back gives x
            let x = &steps[0].0;
            let mut y = x.clone();
            updated.solve(&mut y);
            for i in 0..dim {
                let back: f64 = (0..dim).map(|j| matrix[i * dim + j] * y[j]).sum();
                prop_assert!((back - x[i]).abs() <= 1e-7);
            }
            let norm = updated.inverse_norm(x, &mut scratch);
            prop_assert!((norm * norm - super::super::dot(x, &y)).abs() <= 1e-8 * (1.0 + norm * norm));
        }
    }

    #[test]
    fn refuses_what_is_not_positive_definite() {
        assert!(Cholesky::factor(&[1.0, 2.0, 2.0, 1.0], 2).is_none());
        assert!(Cholesky::factor(&[f64::NAN], 1).is_none());
    }
}
