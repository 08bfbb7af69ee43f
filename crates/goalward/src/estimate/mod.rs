//! Estimators: weighted ridge regression, the high-order moments (HOME) that weigh it, and maximum
//! likelihood.

mod home;
mod likelihood;
mod ridge;

pub(crate) use home::Home;
pub use likelihood::{Counts, Likelihood, Maximum, Seen};
pub(crate) use likelihood::{Term, gram, largest_norm, ridge as likelihood_ridge};
pub(crate) use ridge::Ridge;
