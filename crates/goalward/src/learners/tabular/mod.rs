//! Learners of tabular SSPs, which count the transitions of every pair. None yet.

use super::entry::LearnerEntry;

/// All of them: one line each.
pub(super) const ENTRIES: &[LearnerEntry] = &[];
