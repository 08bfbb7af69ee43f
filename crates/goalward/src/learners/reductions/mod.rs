//! Learners of a finite horizon, on the reduction of shortest paths to one.

mod intervals;
pub mod mvp_plus;
pub mod ucrl_vtr_ssp;
pub mod ulcvi;

pub(in crate::learners) use intervals::{FiniteHorizon, Horizon, Reduced};

use super::entry::LearnerEntry;

pub(super) const ENTRIES: &[LearnerEntry] = &[ulcvi::ENTRY, mvp_plus::ENTRY, ucrl_vtr_ssp::ENTRY];
