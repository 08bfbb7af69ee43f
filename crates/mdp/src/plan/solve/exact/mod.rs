//! Tests of exact answers.

mod laws;
mod tests;
