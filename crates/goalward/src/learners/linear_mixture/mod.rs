//! Learners of linear mixtures: optimistic planning over a confidence set for theta, and plans for
//! one theta that is drawn or most likely.

mod cells;
pub mod certainty_equivalence;
mod cuts;
pub mod guarded;
pub mod knowledge_gradient;
pub mod levis;
pub mod levis_plus;
pub mod levis_plus_plus;
pub mod levis_plus_plus_lr;
mod likely;
pub mod lr;
mod lr_claim;
mod lr_settings;
mod model;
mod optimist;
mod prospects;
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
    guarded::ENTRY,
    ucrl_ave_ssp::ENTRY,
    psrl_mixture::ENTRY,
    knowledge_gradient::ENTRY,
    certainty_equivalence::ENTRY,
];
