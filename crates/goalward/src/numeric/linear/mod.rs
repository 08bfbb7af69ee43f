//! Linear algebra: factors, eliminations, iterations, and numbers with more digits than an f64.
//!
//! Most systems here are a Markov chain's: leaving(i) x(i) - sum of w(i,j) x(j) = b(i), where all
//! weights are from 0 on and leaving(i) is their sum, with what leads out of the system.

mod cholesky;
pub(crate) mod dense;
pub(crate) mod double;
pub(crate) mod elimination;
pub(crate) mod expansion;
pub(crate) mod krylov;
pub(crate) mod multilevel;
pub(crate) mod parts;
pub(crate) mod vectors;

pub use cholesky::Cholesky;

/// The scalar product.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The Euclidean norm.
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
