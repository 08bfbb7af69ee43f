//! Experiments with goalward: many runs, statistics, figures.
//!
//! * [`run_grid`]: every contender with every seed, on all cores, the same bytes on any number of them;
//! * [`compare`]: contenders side by side, with intervals and paired differences;
//! * [`reproduce`]: the experiment of the LEVIS++ paper;
//! * [`figure`] and [`stats`]: what they draw and reckon with.

mod compare;
mod contender;
mod coverage;
mod curves;
mod error;
pub mod figure;
mod files;
mod jobs;
mod progress;
mod records;
mod reproduce;
mod scale;
mod sets;
pub mod stats;
mod table;

pub use compare::{Comparison, Row, compare};
pub use contender::{Contender, Place};
pub use coverage::{Coverage, CoverageOptions, CoverageRow, coverage};
pub use curves::{Curves, Interrupted, Outcome, Run};
pub use error::{Error, Result};
pub use jobs::run_grid;
pub use progress::{Progress, Silent};
pub use scale::{Scale, ScaleOptions, ScaleRow, Tried, scale};
pub use reproduce::{ReproduceOptions, ReproduceRow, Reproduction, reproduce};
