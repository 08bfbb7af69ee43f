//! Planning on a known model, certified and fast ([`certified`]) or to the last digit ([`exact`]); optimistic over a
//! confidence set ([`Devi`]).

pub mod certificate;
pub mod certified;
mod certify;
mod components;
mod dense;
mod devi;
mod evaluate;
pub mod exact;
#[cfg(test)]
#[path = "../../soak/mdps/exact/mod.rs"]
mod exact_models;
mod expand;
pub(crate) mod graph;
mod halt;
mod improve;
mod krylov;
mod model;
mod sense;

use crate::numeric::double;

pub use devi::{Convergence, Devi, Planner, Task};
pub use halt::{Cut, Halt};
