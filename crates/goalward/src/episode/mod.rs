//! The only interaction loop, and what watches it.
//!
//! **The simulation standard.** Episodes k = 1..K. s = start; while s is not the goal: a = act(s);
//! the world draws s' by one uniform number that depends on (seed, k, i) alone, i the step within
//! the episode, so that all learners meet the same luck; observe(s, a, c, s'); regret adds c. After
//! the loop end_episode, and regret subtracts V*(start). A cap on steps ends the run as truncated;
//! regret then subtracts V*(start) - V*(s) for the episode that was cut off in s, so that its mean
//! stays that of the gap regret. Learners draw from a stream of their own (ties, sampling).
//!
//! ```
//! use goalward::episode::{Arena, RunSpec, Runner};
//! use goalward::Settings;
//! let arena = Arena::open("hard-instance", &Settings::new().set("dim", 2))?;
//! let spec = RunSpec::new("random", 50).seed(1);
//! let mut runner = Runner::new(&arena, spec)?;
//! runner.run(&mut [])?;
//! assert_eq!(runner.result().episodes, 50);
//! # Ok::<(), goalward::Error>(())
//! ```

mod agent;
mod arena;
mod audit;
mod checkpoint;
mod result;
mod runner;
pub mod seal;
mod trace;

pub use agent::Agent;
pub use arena::Arena;
pub use arena::WORLD_STREAM;
pub use audit::{
    Audit, AuditReport, Broken, Check, Curve, Decomposition, Formula, LevelReport, LevelSums,
    LikelihoodReport, Rests, Verdict, WholeB,
};
pub use checkpoint::Checkpoint;
pub use checkpoint::TraceMark;
pub use result::RunResult;
pub use runner::{Ending, Progress, RunSpec, Runner};
pub use trace::Trace;
pub use trace::Written;

use crate::learners::Learner;
use crate::problem::{Action, State};
use std::ops::ControlFlow;

/// One step, after the learner has observed it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Step<'a> {
    /// The step's number over the whole run, from 1.
    pub t: u64,
    /// The episode k, from 1.
    pub episode: u64,
    /// Where it was.
    pub state: State,
    /// What was done.
    pub action: Action,
    /// What it cost.
    pub cost: f64,
    /// Where it led.
    pub next: State,
    /// Q*(s,a) - V*(s).
    pub gap: f64,
    /// The learner, for its inner quantities.
    pub learner: &'a Learner,
}

/// A planning call, right after the step that triggered it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Plan<'a> {
    /// The step's number.
    pub t: u64,
    /// The learner; [`Probe::plan`](crate::learners::Probe::plan) has the details.
    pub learner: &'a Learner,
}

/// A finished episode.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Episode {
    /// Its number k, from 1.
    pub episode: u64,
    /// What it cost.
    pub cost: f64,
    /// How many steps it took.
    pub steps: u64,
    /// R_k: the cost of all episodes so far less k V*(start).
    pub regret: f64,
    /// The sum of Q*(s,a) - V*(s) over all steps so far.
    pub gap_regret: f64,
}

/// An observer's wish that the loop pause after this step; it can go on as if nothing had happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

/// What an observer answers.
pub type Flow = ControlFlow<Stop>;

/// Watches a run. The loop knows no format, no terminal and no clock: those are observers.
pub trait Observer {
    /// After every step.
    fn step(&mut self, _: &Step) -> Flow {
        Flow::Continue(())
    }
    /// After the step that triggered a planning call.
    fn plan(&mut self, _: &Plan) -> Flow {
        Flow::Continue(())
    }
    /// After the last step of an episode.
    fn episode(&mut self, _: &Episode) -> Flow {
        Flow::Continue(())
    }
}
