//! Estimators: weighted ridge regression, the high-order moments (HOME) that weigh it, maximum
//! likelihood, and the counts of tabular learners.

mod home;
mod likelihood;
mod ridge;
mod visits;

pub(crate) use home::Home;
pub use likelihood::{Counts, Likelihood, Maximum, Seen};
pub(crate) use likelihood::{Term, gram, largest_norm, ridge as likelihood_ridge};
pub(crate) use ridge::Ridge;
pub(crate) use visits::{Row, Stored as StoredVisits, Visits};
