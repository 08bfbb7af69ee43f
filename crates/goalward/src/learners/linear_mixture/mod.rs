//! Learners of linear mixtures: optimistic planning over a confidence set for theta.

pub mod levis;
pub mod levis_plus_plus;
pub mod levis_plus_plus_lr;
pub mod lr;
mod norms;
mod optimist;
pub mod rho_levis_plus_plus;
