//! Confidence sets: how far the truth may be from an estimate.

mod radius;

pub use radius::{RadiusKind, levis, levis_plus_plus, realised_determinant};
