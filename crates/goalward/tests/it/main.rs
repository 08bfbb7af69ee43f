//! The library's integration tests.

mod bench_models;
mod checkpoints;
mod checks;
mod conformance;
mod exactness;
mod extremes;
mod halves;
mod layers;
mod likelihood;
mod likelihood_exact;
mod likelihood_learners;
mod mixtures;
mod model_files;
mod model_mutations;
mod optimism;
mod planning;
mod problem_files;
mod pruning;
mod radii;
mod recompute;
mod resume;
mod scale;
mod support_stress;
mod violations;
mod worlds_for_tests;
