//! Bounds with more digits than f64 has, where those in f64 are too wide.

mod many;
mod thirty;

pub(super) use many::{NODES, long};
pub(super) use thirty::refine;
