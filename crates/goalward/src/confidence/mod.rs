//! Confidence sets: how far the truth may be from an estimate.

mod likelihood;
mod radius;

pub use likelihood::{
    Kept, Knowledge, LikelihoodCone, LikelihoodKeeper, LikelihoodSet, Outer, likelihood_covers,
    likelihood_threshold,
};
pub use radius::{RadiusKind, levis, levis_plus_plus, realised_determinant};
