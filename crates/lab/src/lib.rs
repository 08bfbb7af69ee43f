//! Studies with goalward: a question, many runs, honest statistics, figures and a report.
//!
//! One way, step by step, each a module:
//!
//! * [`study`]: the question, as a file says it: worlds, learners, seeds, what is asked;
//! * [`grid`]: its jobs, one for each world, learner and seed, each with a hash of all that
//!   determines its result;
//! * `measure`: what is recorded of a run; [`engine`]: runs the jobs on all threads;
//! * [`store`]: keeps their records, one small Parquet file for each job and table;
//! * [`results`]: the records, read back; [`stats`] and [`analysis`]: what they say;
//! * [`figure`] and [`pictures`]: how they look; [`report`]: one HTML file that shows it all.
//!
//! ```no_run
//! use goalward_lab::{Silent, engine, grid, present, store, study};
//! use std::path::Path;
//! let file = study::read_file(Path::new("mine.toml"), false)?;
//! let grid = grid::Grid::open(&file)?;
//! let folder = store::StudyFolder::claim(Path::new("out/mine"), &grid, grid::Shard::WHOLE, false)?;
//! engine::run(&grid, &folder, &engine::RunOptions::default(), &Silent)?;
//! println!("{}", present(&folder, None)?.findings.text());
//! # Ok::<(), goalward_lab::Error>(())
//! ```

pub mod analysis;
mod contender;
pub mod engine;
mod error;
pub mod figure;
pub mod grid;
mod group;
pub mod layout;
mod measure;
mod parcel;
pub mod pictures;
mod present;
mod progress;
mod queue;
pub mod report;
pub mod results;
mod sets;
pub mod stats;
pub mod store;
pub mod study;
mod table;

pub use contender::{Contender, Place};
pub use error::{Error, Result};
pub use parcel::Parcel;
pub use present::{Presented, answer, present};
pub use progress::{Progress, Silent};
pub use queue::Queue;
pub use table::{Table, fixed, quoted};
