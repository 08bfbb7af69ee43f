//! Numerical tools that know nothing of shortest paths.

mod draws;
mod grouped;
pub mod halt;
pub mod linear;
mod polytope;
mod portable;
mod rng;
pub mod stored;
pub mod support;
mod tall;

pub use grouped::Grouped;
pub use linear::Cholesky;
pub use linear::{dot, norm};
pub use polytope::Turn;
pub use polytope::{EmptyPolytope, Polytope, PolytopeBuilder, Pruned, Rows};
pub use portable::Portable;
pub use rng::{Stream, categorical};
pub use tall::Tall;
