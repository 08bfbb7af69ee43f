//! Small models whose exact values are known: drawn at random, and solved by enumeration of all
//! their policies.

mod draw;
mod enumerate;
mod natural;

pub(crate) use draw::Draw;
pub(crate) use enumerate::{Model, enumerate};
