//! Learners that do not learn: what not learning costs, and what knowing the truth is worth.

pub(super) mod fixed_policy;
pub(super) mod random;
