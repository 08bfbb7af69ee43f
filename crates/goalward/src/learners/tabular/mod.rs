//! Learners of tabular SSPs, which count the transitions of every pair. They ignore the features.

mod extended;
mod rule;

pub mod bernstein_ssp;
pub mod eb_ssp;
pub mod hoeffding_ssp;
pub mod lcb_advantage_ssp;
pub mod psrl_ssp;
pub mod q_learning;
mod stages;
pub mod svi_ssp;
pub mod uc_ssp;

use super::entry::LearnerEntry;

pub(super) const ENTRIES: &[LearnerEntry] = &[
    eb_ssp::ENTRY,
    bernstein_ssp::ENTRY,
    hoeffding_ssp::ENTRY,
    uc_ssp::ENTRY,
    svi_ssp::ENTRY,
    lcb_advantage_ssp::ENTRY,
    psrl_ssp::ENTRY,
    q_learning::ENTRY,
];
