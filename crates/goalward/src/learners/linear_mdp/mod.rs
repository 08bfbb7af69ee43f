//! Learners of linear MDPs, whose features are of state-action pairs. None yet.

use super::entry::LearnerEntry;

/// All of them: one line each.
pub(super) const ENTRIES: &[LearnerEntry] = &[];
