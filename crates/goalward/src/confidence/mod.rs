//! Confidence sets: how far the truth may be from an estimate.

mod guarantee;
mod likelihood;
mod norms;
mod radius;

pub use guarantee::{Assumption, Claim, Condition, Facts, Guarantee, Holds, Status, kernel_norm};
pub use likelihood::{
    Contradiction, Enclosed, Kept, Knowledge, LikelihoodCone, LikelihoodKeeper, LikelihoodSet, Outer,
    SharpSet, hidden_coordinates, likelihood_covers, likelihood_threshold,
};
pub use norms::{phi_norm, phi_norm_attained, theta_norm};
pub use radius::{Bernstein, RadiusKind, levis, levis_plus_plus, realised_determinant, weighted_determinant};
