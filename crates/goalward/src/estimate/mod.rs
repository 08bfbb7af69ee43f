//! Estimators: weighted ridge regression, and the high-order moments (HOME) that weigh it.

mod home;
mod ridge;

pub use home::Home;
pub use ridge::Ridge;
