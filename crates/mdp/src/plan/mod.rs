//! Planning: certified on a known model ([`solve()`]), its independent check ([`verify()`]), and
//! optimistic over a confidence set ([`Devi`]).

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

pub use crate::numeric::halt::{Cut, Done, Halt};
pub use answer::{Answer, Objective};
pub use devi::{Convergence, Devi, Met, Planner, Task, Walk, way};
pub use finite_horizon::{Backup, Layers};
pub use proper::Proper;
pub use solve::{Extras, Options, Way, solve, tried};
pub use sweeps::{Stop, Swept, value_iteration};
pub use verify::{Flaw, verify};
