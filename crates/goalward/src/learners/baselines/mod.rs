//! Learners that do not learn: what not learning costs, and what knowing the truth is worth.

mod fixed_policy;
mod random;

use super::entry::LearnerEntry;

pub(super) const ENTRIES: &[LearnerEntry] = &[random::ENTRY, fixed_policy::ENTRY];
