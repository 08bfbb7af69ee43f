//! Planning: exact on a known model ([`exact`]), optimistic over a confidence set (DEVI).

mod certify;
mod double;
mod evaluate;
pub mod exact;
mod graph;
mod improve;
mod model;
