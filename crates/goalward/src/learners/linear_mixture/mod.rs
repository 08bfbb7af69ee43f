//! Learners of linear mixtures: optimistic planning over a confidence set for theta, and plans for
//! one theta that is drawn or most likely.

pub mod certainty_equivalence;
mod cuts;
pub mod levis;
pub mod levis_plus;
pub mod levis_plus_plus;
pub mod levis_plus_plus_lr;
pub mod lr;
mod lr_claim;
mod model;
mod optimist;
pub mod psrl_mixture;
pub mod rho_levis_plus_plus;
mod settings;
pub mod ucrl_ave_ssp;
mod value_targeted;

use super::entry::LearnerEntry;

pub(super) const ENTRIES: &[LearnerEntry] = &[
    levis_plus_plus::ENTRY,
    rho_levis_plus_plus::ENTRY,
    levis_plus::ENTRY,
    levis::ENTRY,
    levis_plus_plus_lr::ENTRY,
    lr::ENTRY,
    ucrl_ave_ssp::ENTRY,
    psrl_mixture::ENTRY,
    certainty_equivalence::ENTRY,
];
