//! Linear algebra: factors, eliminations, iterations, and numbers with more digits than an f64.
//!
//! Most systems here are a Markov chain's: leaving(i) x(i) - sum of w(i,j) x(j) = b(i), where all
//! weights are non-negative and leaving(i) is their sum, with what leads out of the system.

mod cholesky;
pub mod dense;
pub mod double;
pub mod elimination;
pub mod expansion;
pub mod krylov;
pub mod parts;

pub use cholesky::Cholesky;

/// The scalar product.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The Euclidean norm.
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
