//! Stochastic shortest paths with known or partly known dynamics: problems, the files that they
//! come in, certified planning and an independent check of its answers, and optimistic planning
//! over a set of models. It is the middle layer of [goalward](https://docs.rs/goalward), of use by
//! itself where the model is known.
//!
//! ```
//! use goalward_mdp::plan::{Options, solve};
//! use goalward_mdp::problem::{Problem, Truth};
//!
//! // one action, which reaches the goal, state 1, with probability 0.25 and costs 1
//! let model = vec![vec![vec![(0, 0.75), (1, 0.25)]], vec![]];
//! let problem = Problem::from_models(&[("coin", model)], &[vec![1.0], vec![]], 0, 1)?;
//! let truth = Truth::new(&problem, &[1.0])?;
//! let answer = solve(&problem, &truth, &Options::default())?;
//! assert!(answer.lower[0] <= 4.0 && 4.0 <= answer.upper[0]);
//! # Ok::<(), goalward_mdp::Error>(())
//! ```
//!
//! * [`problem`]: [`Problem`], all that a learner may know, and [`Truth`](problem::Truth), which
//!   only worlds, planners and audits may hold. [`files`] reads and writes both.
//! * [`plan`]: the optimal cost of a known model, with certified bounds.
//! * [`parameters`]: typed declarations of the settings of learners, worlds and files.

mod closest;
mod error;
pub mod files;
pub mod memory;
pub mod output;
pub mod parameters;
pub mod plan;
pub mod problem;

pub use closest::{closest, did_you_mean, did_you_mean_first};
pub use error::{Error, Result, shown};
pub(crate) use goalward_numeric as numeric;
pub use parameters::Settings;
pub use problem::Problem;
