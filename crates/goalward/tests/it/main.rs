//! The library's integration tests.

mod conformance;
mod extremes;
mod layers;
mod optimism;
mod problem_files;
mod recompute;
mod resume;
mod worlds_for_tests;
