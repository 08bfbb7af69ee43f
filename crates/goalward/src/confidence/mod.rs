//! Confidence sets: how far the truth may be from an estimate.
//!
//! A set is a value that can be asked ([`ConfidenceSet`]): whether a theta is in it and with what
//! margin, what it promises under which assumptions, its support function, its width in a direction.
//! [`RegressionSet`] is an ellipsoid around a regression; [`LikelihoodNow`] and [`LikelihoodPlanned`]
//! are views of a [`LikelihoodKeeper`].

mod guarantee;
mod likelihood;
mod norms;
mod radius;
mod regression;
mod set;

pub use guarantee::{Assumption, Claim, Condition, Facts, Guarantee, Holds, Status, kernel_norm};
pub use likelihood::{
    Contradiction, Enclosed, Kept, Knowledge, LikelihoodCone, LikelihoodKeeper, LikelihoodNow,
    LikelihoodPlanned, LikelihoodSet, Outer, SharpSet, hidden_coordinates, likelihood_covers,
    likelihood_threshold,
};
pub use norms::{Norms, phi_norm, phi_norm_attained, theta_norm};
pub use radius::{Bernstein, RadiusKind, levis, levis_plus_plus, realised_determinant, weighted_determinant};
pub use regression::{Ellipse, MomentRule, Perturbation, PlainRule, RadiusRule, RegressionSet};
pub use set::{ConfidenceSet, Memo, Size, interval};
