//! Planning: on a known model with certified bounds ([`solve()`]), which anybody can have checked
//! ([`verify()`]), and optimistic over a confidence set ([`Planner`] names the ways).

mod answer;
mod devi;
mod finite_horizon;
pub mod graph;
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
pub use devi::{Convergence, Devi, Task};
pub use devi::{Met, way};
pub use finite_horizon::{Backup, Layers};
pub use proper::{Kernel, Proper};
pub use solve::tried;
pub use solve::{Extras, Options, Trust, Way, solve};
pub use sweeps::{Stop, Swept, value_iteration};
pub use verify::{Flaw, verify};
