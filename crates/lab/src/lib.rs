//! Experiments with goalward: many runs, statistics, figures.
//!
//! * [`run_grid`]: every contender with every seed, on all cores, the same bytes on any number of
//!   them;
//! * [`compare`]: contenders side by side, with intervals and paired differences;
//! * [`reproduce`]: the experiment of the LEVIS++ paper;
//! * [`coverage`] and [`scale`]: whether confidence sets keep the truth, and how wide they are;
//! * [`survey`]: every learner on several worlds, paired;
//! * [`growth`]: exponents of the regret's growth;
//! * [`demo`]: the figure of the README;
//! * [`figure`] and [`stats`]: what they draw and reckon with.

pub mod analysis;
mod compare;
mod contender;
mod coverage;
mod curves;
mod demo;
pub mod engine;
mod error;
pub mod figure;
mod files;
pub mod grid;
mod growth;
mod jobs;
pub mod layout;
mod markdown;
mod measure;
mod paired;
pub mod pictures;
mod present;
mod progress;
mod records;
pub mod report;
mod reproduce;
pub mod results;
mod scale;
mod sets;
pub mod stats;
pub mod store;
pub mod study;
mod survey;
mod table;

pub use compare::{Against, Comparison, Row, compare};
pub use contender::{Contender, Place};
pub use coverage::{Coverage, CoverageOptions, CoverageRow, coverage};
pub use curves::{Curves, Interrupted, Outcome, Run};
pub use demo::{Demo, DemoOptions, demo};
pub use error::{Error, Result};
pub use files::Folder;
pub use growth::{Family, FamilyGrowth, Growth, GrowthOptions, GrowthPoint, GrowthRow, growth};
pub use jobs::run_grid;
pub use paired::{Difference, Verdict};
pub use present::{Presented, present};
pub use progress::{Progress, Silent};
pub use reproduce::{ReproduceOptions, ReproduceRow, Reproduction, reproduce};
pub use scale::{Scale, ScaleOptions, ScaleRow, Tried, scale};
pub use survey::{Survey, SurveyOptions, SurveyRow, survey};
pub use table::Table;
