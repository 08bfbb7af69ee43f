//! The library's integration tests.

mod conformance;
mod extremes;
mod layers;
mod optimism;
mod problem_files;
mod recompute;
mod resume;
mod support_stress;
mod worlds_for_tests;
