//! Planning: on a known model with certified bounds ([`solve()`]), which anybody can have checked
//! ([`verify()`]), and optimistic over a confidence set ([`Planner`] names the ways).

mod answer;
mod devi;
mod finite_horizon;
pub(crate) mod graph;
mod proper;
mod solve;
mod sweeps;
mod units;
mod verify;

#[cfg(test)]
#[path = "../../soak/mdps/exact/mod.rs"]
mod exact_models;

pub use crate::numeric::halt::{Cut, Halt};
pub use answer::{Answer, Objective};
pub use devi::Planner;
#[doc(hidden)]
pub use devi::{Convergence, Devi, Task};
pub(crate) use devi::{Met, way};
pub(crate) use finite_horizon::{Backup, Layers};
pub(crate) use proper::Kernel;
#[doc(hidden)]
pub use solve::tried;
pub use solve::{Extras, Options, Trust, Way, solve};
pub(crate) use sweeps::{Stop, Swept, value_iteration};
pub use verify::{Flaw, verify};
