//! Planning: exact on a known model ([`exact`]), optimistic over a confidence set ([`Devi`]).

mod certify;
mod components;
mod devi;
mod evaluate;
pub mod exact;
pub(crate) mod graph;
mod improve;
mod model;

use crate::numeric::double;

pub use devi::{Convergence, Devi, Planner, Task};
