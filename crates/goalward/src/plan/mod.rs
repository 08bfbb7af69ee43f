//! Planning: exact on a known model ([`exact`]), optimistic over a confidence set (DEVI).

pub mod exact;
