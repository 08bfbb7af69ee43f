//! The knowledge gradient for linear mixtures: a plan is followed for what it costs and for what it
//! tells.
//!
//! # What it does
//!
//! The posterior and its draws are those of `psrl-mixture`. Each time that the steps have grown by a
//! tenth it draws several thetas and plans for each, and for their mean. (Where a problem is so large
//! that it draws one, it follows its plan until the steps have doubled.) Two numbers are computed for
//! each plan and each theta: what an episode regrets under this theta, and how many nats it has against
//! each of the others on average. Of the episodes ahead, l follow one plan; the rest follow the plan
//! that is best once the draws are weighed by what l episodes have told. The plan is followed that
//! has, with its best l, the least mean regret over all episodes ahead.
//!
//! Posterior sampling tries what may be best, whatever that costs, and tells apart what makes no
//! difference. This learner tries where it pays: on average over truths drawn from B it pays less than
//! posterior sampling and certainty equivalence (docs/results.md).
//!
//! # What it needs to know
//!
//! Nothing but the problem.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/knowledge-gradient.md")]
//!
//! # Cost per step
//!
//! That of `psrl-mixture`. A planning call takes a plan for each draw and, with n draws, n^2 passes over
//! the transitions of a policy, up to 100 times. Memory beyond: 8 n bytes for each pair and state.
//!
//! # Reference
//!
//! Frazier, Powell, Dayanik (SIAM J. Control and Optimization, 2008) for the knowledge gradient;
//! Frazier, Powell (Decision Analysis, 2010) for l measurements at once; Ryzhov, Powell, Frazier
//! (Operations Research, 2012) for what is paid while learning. Policies of a shortest path problem
//! in the place of measurements are goalward's. No guarantee: `guarded` gives it one.
//!
//! # Departures from the print
//!
//! * The posterior is a number of draws. What l episodes tell is its mean, not its distribution.
//! * The horizon is the number of episodes so far, and at least 100: nothing need be known of K.
//! * Visits are computed to a hundredth of an episode.

use super::optimist::bytes;
use super::prospects::Ahead;
use super::psrl_mixture::{BURN_IN, sampler};
use crate::Result;
use crate::learners::builder::builder;
use crate::learners::{Algorithm, Brief, Family, LearnerEntry};
use crate::parameters::Key;
use crate::problem::{Problem, all_rows};

pub(in crate::learners) const ENTRY: LearnerEntry = LearnerEntry::new(
    "knowledge-gradient",
    "posterior draws, and the plan that pays for what it tells",
    build,
)
.reference("Ryzhov, Powell, Frazier (2012); policies in the place of measurements are goalward's")
.setting("linear mixture SSP, costs may be zero")
.guarantee("none; guarded gives it one")
.parameters(PARAMETERS)
.family(Family::LinearMixture)
.cost("O(nnz + d^2); O(log T) times some draws and plans")
.keeps("O(S A), and 28 bytes for each distinct transition seen")
// it joins surveys of all learners with the next comparison
.variants(&[])
.memory(all_bytes);

const DRAWS: Key<u64> =
    Key::count("draws", 1, 1000, "thetas that are drawn and compared; with one, its plan is followed")
        .computed("8; fewer where features take more than 2^14 numbers: 2^17 in all draws");

const HORIZON: Key<u64> = Key::count(
    "horizon",
    1,
    1_000_000_000,
    "the episodes that are looked ahead at least; once more have begun, as many as have",
)
.or("100");

builder! {
    /// Plans for what they cost and what they tell. See the [module](self).
    KnowledgeGradient, ENTRY;
    DRAWS, draws => u64;
    HORIZON, horizon => u64;
    BURN_IN, burn_in => u64;
}

/// Draws where nothing was said.
const MOST: u64 = 8;
/// Numbers in the features of all draws together.
const AFFORDED: u64 = 1 << 17;
fn default_draws(problem: &Problem) -> u64 {
    let numbers = all_rows(problem) * problem.dim() as u64;
    (AFFORDED / numbers.max(1)).clamp(1, MOST)
}

fn all_bytes(problem: &Problem) -> u64 {
    let tables = (default_draws(problem) + 1) * 8 * (problem.pairs() + problem.states()) as u64;
    bytes(problem) + 16 * problem.pairs() as u64 + tables
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let draws = brief.settings.get_or(&DRAWS, || default_draws(brief.problem))?;
    sampler(brief, Some(Ahead { draws, horizon: brief.settings.get(&HORIZON)? }))
}
