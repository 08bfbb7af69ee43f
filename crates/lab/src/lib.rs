//! Experiments with goalward: many runs, statistics, figures.

mod contender;
mod error;
pub mod figure;
mod files;
mod jobs;
mod progress;
pub mod stats;
mod table;

pub use contender::Contender;
pub use error::{Error, Result};
pub use jobs::{Curves, Interrupted, Outcome, Run, run_grid};
pub use progress::{Progress, Silent};
