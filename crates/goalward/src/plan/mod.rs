//! Planning: exact on a known model ([`exact`]), optimistic over a confidence set ([`Devi`]).

mod devi;
pub mod exact;

pub use devi::{Convergence, Devi};
