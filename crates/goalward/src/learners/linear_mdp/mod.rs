//! Learners of linear MDPs, whose features are of state-action pairs.

pub mod lsvi_ucb_ssp;

use super::entry::LearnerEntry;

pub(super) const ENTRIES: &[LearnerEntry] = &[lsvi_ucb_ssp::ENTRY];
