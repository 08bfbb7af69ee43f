//! What every learner shares: the clock, the checks, surprises, greedy choices, reports.
//!
//! An [`Algorithm`] says how to act, what to learn from a step, when to plan and how. A [`Learner`]
//! holds one, and does everything else once for all of them.

mod algorithm;
mod certificate;
mod certified;
mod clock;
mod greedy;
mod guard;
mod learner;
mod levels;
pub(super) mod misuse;
mod obeyed;
mod report;
mod shape;
mod stand_in;
mod stored;
mod surprises;
mod table;
mod watch;

pub use algorithm::{Algorithm, Brief, Call, Seen, Snapshot, Told, Transition};
pub use clock::{Clock, Reason};
pub(super) use greedy::{greedy, limit};
pub use guard::{Guard, HandOver, Player};
pub use learner::{Learner, Observed};
pub use levels::{Level, Levels};
pub use report::{Details, Emptiness, MixturePlan, PlanReport, Probe, Violation};
pub(super) use shape::same_shape;
pub(super) use table::{Standing, Table, bytes as table_bytes};
pub use watch::{OnMisfit, Vigilance};
