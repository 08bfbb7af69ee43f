//! Numerical tools that know nothing of shortest paths.

mod cholesky;
pub(crate) mod double;
pub(crate) mod expansion;
pub(crate) mod long;
mod polytope;
mod rng;
pub(crate) mod stored;
pub mod support;
mod tall;

pub use cholesky::Cholesky;
pub(crate) use polytope::Turn;
pub use polytope::{Contradiction, EmptyPolytope, Polytope, PolytopeBuilder, Pruned, Rows};
pub use rng::{Stream, categorical};
pub use tall::{Tall, Unsplittable};

/// The scalar product.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The Euclidean norm.
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
