//! Numerical tools that know nothing of shortest paths.

mod draws;
pub(crate) mod gauge;
pub(crate) mod halt;
pub(crate) mod linear;
mod polytope;
mod portable;
mod rng;
pub(crate) mod stored;
pub mod support;
mod tall;

#[doc(hidden)]
pub use gauge::Gauge;
pub use linear::Cholesky;
pub(crate) use linear::{dot, norm};
pub(crate) use polytope::Turn;
pub use polytope::{Contradiction, EmptyPolytope, Polytope, PolytopeBuilder, Pruned, Rows};
pub use portable::Portable;
pub use rng::{Stream, categorical};
pub use tall::{Tall, Unsplittable};
