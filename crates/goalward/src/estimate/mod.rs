//! Estimators: weighted ridge regression, what weighs it (high-order moments, two moments, layers),
//! maximum likelihood, and the counts of tabular learners.

mod home;
mod layers;
mod likelihood;
mod ridge;
mod two_moments;
mod visits;

pub(crate) use home::Home;
pub(crate) use layers::{Layer, Layers, influence};
pub use likelihood::{Counts, Likelihood, Maximum, Seen};
pub(crate) use likelihood::{Parabola, Scored, Term, gram, largest_norm, ridge as likelihood_ridge};
pub(crate) use ridge::Ridge;
pub(crate) use two_moments::TwoMoments;
pub(crate) use visits::{Row, TakenVisits, Visits};
