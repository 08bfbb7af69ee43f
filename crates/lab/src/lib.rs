//! Experiments with goalward: many runs, statistics, figures.

mod progress;

pub use progress::{Progress, Silent};
