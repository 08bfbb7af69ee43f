//! Algorithms that act on a [`Problem`](crate::Problem), one file each, behind one registry.
//!
//! A new algorithm is one file in the folder of its family and its line in that folder's `mod.rs`.
//! It says how to act, learn and plan ([`Algorithm`]); a [`Learner`] holds it and does what all
//! learners share. A learner in a user's own crate is the same file, and a call of [`register`].

mod baselines;
mod builder;
mod core;
mod counted;
mod doubling;
mod entry;
mod epochs;
pub mod linear_mdp;
pub mod linear_mixture;
pub mod reductions;
mod registry;
pub(crate) mod shared;
pub mod tabular;

pub use builder::Builder;
pub use core::{
    Algorithm, Brief, Call, Clock, Details, Emptiness, Guard, HandOver, Learner, Level, Levels, MixturePlan,
    Observed, OnMisfit, PlanReport, Player, Probe, Reason, Seen, Snapshot, Told, Transition, Vigilance,
    Violation,
};
pub use counted::Support;
pub use entry::{Family, LearnerEntry, Need};
pub use registry::{LEARNERS, all, entry, fallback, recommended, register, vigilant};
