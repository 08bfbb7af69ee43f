//! Learners that run another kind of learner on a reduction of the problem. None yet.

use super::entry::LearnerEntry;

/// All of them: one line each.
pub(super) const ENTRIES: &[LearnerEntry] = &[];
