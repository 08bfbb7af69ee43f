//! The mixture from logged transitions: what was seen elsewhere, by whatever policy, says which
//! mixtures of the models explain it.
//!
//! ```text
//! log (CSV, JSON lines, a trace) -> Log -> Fitter -> Fit: weights with intervals, misfit
//!                                                     |
//!                                       policy -> Fit::range: what it may cost
//! ```
//!
//! The set is the likelihood set that learners keep. It contains the true weights with probability
//! 1 - delta for all times at once, whatever chose the actions, if each choice depended on the past
//! alone. So rows must stand in the order of time, and none may have been left out for what came
//! of it.
//!
//! ```
//! use goalward::offline::{Fitter, Log};
//! use goalward::Settings;
//! let grid = goalward::worlds::open("windy-grid", &Settings::new().set("n", 3))?.problem;
//! let text = "state,action,next\n\"(0,0)\",right,\"(0,1)\"\n\"(0,1)\",down,\"(0,0)\"\n";
//! let mut fitter = Fitter::new(&grid, 0.01)?;
//! let mut log = Log::new(&grid, text.as_bytes(), "steps.csv");
//! while let Some(row) = log.next_row()? {
//!     fitter.observe(&row)?;
//! }
//! let mut fit = fitter.finish();
//! assert_eq!((fit.rows, fit.weights.len()), (2, 5));
//! let policy = fit.policy().unwrap();
//! let range = fit.range(&policy)?;
//! assert!(range.lower <= range.fitted && range.fitted <= range.upper);
//! # Ok::<(), goalward::Error>(())
//! ```

mod chain;
mod csv;
mod fit;
mod given;
mod log;
mod places;
mod policy;
mod range;
mod source;

pub use fit::{Fit, Fitter, Impossible, Weight};
pub use log::{Log, Row};
pub use policy::read_policy;
pub use range::Range;
pub use source::{Source, open};
