//! **goalward** learns, online and with guarantees, the cheapest way to a goal when the dynamics are
//! unknown but known to be a mixture of candidate models: linear mixture stochastic shortest paths.
//!
//! Dependencies run one way, and so does the data:
//!
//! ```text
//! numeric <- problem <- plan <- estimate, confidence <- learners --\
//!               ^------------------------------------ worlds -------> episode
//!                        plan, worlds <- check
//! ```
//!
//! * [`problem`]: [`Problem`](problem::Problem), all that a learner may know, and
//!   [`Truth`](problem::Truth), which only worlds, planners and audits may hold;
//! * [`plan`]: exact planning on a known model with certified bounds, and optimistic planning (DEVI);
//! * [`learners`]: LEVIS++ and its rivals, one file each, behind one registry;
//! * [`worlds`]: problems with their truth, one file each, behind one registry;
//! * [`check`]: everything that is wrong with a world or file, and what is worth knowing of it;
//! * [`episode`]: the only interaction loop;
//! * [`output`]: files that are replaced in one step.

pub mod check;
mod closest;
pub mod confidence;
pub mod episode;
mod error;
pub mod estimate;
pub mod files;
pub mod learners;
pub mod memory;
pub mod numeric;
pub mod output;
pub mod parameters;
pub mod plan;
pub mod problem;
#[doc(hidden)]
pub use parameters as registry;
pub mod worlds;

pub use closest::closest;
pub use error::{Error, Result};
pub use learners::linear_mixture::levis::Levis;
pub use learners::linear_mixture::levis_plus_plus::LevisPlusPlus;
pub use learners::linear_mixture::levis_plus_plus_lr::LevisPlusPlusLr;
pub use learners::linear_mixture::lr::Lr;
pub use learners::linear_mixture::rho_levis_plus_plus::RhoLevisPlusPlus;
pub use learners::{Learner, Transition};
pub use parameters::Settings;
pub use problem::Problem;

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
