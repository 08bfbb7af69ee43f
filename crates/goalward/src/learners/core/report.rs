//! What a learner shows of itself.

use super::clock::Reason;
use super::guard::Guard;
use super::levels::Levels;
use crate::confidence::{ConfidenceSet, LikelihoodKeeper, Misfit, Net};
use crate::numeric::stored::{Flaw, length};
use crate::plan::Planner;
use crate::problem::{Action, Problem, State};
use serde::{Deserialize, Serialize};

/// One planning call, in the units of the user's costs: what every plan has, and its family's
/// details.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PlanReport {
    /// The step t_j after which it was made.
    pub t: u64,
    /// Its number j, from 1.
    pub j: u64,
    /// What triggered it.
    pub reason: Reason,
    /// Sweeps over all pairs.
    pub sweeps: u64,
    /// There was no set to plan over, and why: the old value function stays.
    pub empty: Option<Emptiness>,
    /// V_j for every state.
    pub v: Vec<f64>,
    /// What only plans of its family have.
    pub details: Details,
}

/// What only plans of one family have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Details {
    /// Optimistic planning over a set of mixtures.
    Mixture(MixturePlan),
    /// Nothing.
    None,
}

/// Optimistic planning over a set of mixtures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MixturePlan {
    /// The radius of the confidence set.
    pub beta: f64,
    /// The estimate of theta, per level.
    pub theta: Vec<Vec<f64>>,
    /// log det of the frozen Sigma, per level.
    pub log_det: Vec<f64>,
    /// How it planned: "faithful" is value iteration from zero, as printed; "fast" is policy
    /// iteration with a certificate.
    pub planner: Planner,
    /// Support problems that the fast solver handed to the conic one: expected never.
    pub fallbacks: u64,
    /// Rows of B that could bind were left out, so that the set was larger than C ∩ B.
    pub relaxed: bool,
}

/// Why a planning call had no set to plan over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Emptiness {
    /// The regression's ellipsoid has no point of B.
    Regression,
    /// The data contradict every model in B at the level delta: the threshold of the likelihood set
    /// is below the least loss of any theta in B. A wrong model, or luck of probability delta.
    Contradiction,
}

impl PlanReport {
    /// A report with no details; fill in what the plan has.
    pub fn new(t: u64, j: u64, reason: Reason, v: Vec<f64>) -> PlanReport {
        PlanReport { t, j, reason, sweeps: 0, empty: None, v, details: Details::None }
    }

    pub(in crate::learners) fn check(stored: Option<&PlanReport>, problem: &Problem) -> Result<(), Flaw> {
        stored.map_or(Ok(()), |plan| length("v", &plan.v, problem.states()))
    }

    /// The details of a plan over a set of mixtures.
    pub fn mixture(&self) -> Option<&MixturePlan> {
        match &self.details {
            Details::Mixture(plan) => Some(plan),
            Details::None => None,
        }
    }
}

/// A step to which every theta in B gives probability 0: the model is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Violation {
    /// When it was first seen.
    pub t: u64,
    /// Where the learner was.
    pub state: State,
    /// What it did.
    pub action: Action,
    /// Where it came to.
    pub next: State,
    /// How often it was seen.
    pub times: u64,
    /// When it was last seen.
    pub last: u64,
    /// The same in words, with the names of the states and the action.
    pub text: String,
}

/// Receives typed quantities from [`Learner::probe`](super::Learner::probe); implement what you
/// need.
pub trait Probe {
    /// sigma_bar^2 / B^(2^(l+1)) of the last step, per level.
    fn weights(&mut self, _sigma_sq: &[f64]) {}
    /// The weighted regressions of all moment levels, and what they were weighed by.
    fn levels(&mut self, _levels: &Levels) {}
    /// What is kept of the likelihood, from a learner that plans over its set.
    #[doc(hidden)]
    fn likelihood(&mut self, _keeper: &LikelihoodKeeper) {}
    /// The last planning call.
    fn plan(&mut self, _plan: &PlanReport) {}
    /// Whether [`estimate`](Probe::estimate) and [`intervals`](Probe::intervals) are wanted:
    /// maximum likelihood takes a fit, which a probe after every step may not want to pay for.
    fn wants_estimate(&self) -> bool {
        true
    }
    /// The current estimate of theta.
    fn estimate(&mut self, _theta_hat: &[f64]) {}
    /// An interval for every coordinate of theta, where the confidence set gives one. An end may be
    /// infinite.
    fn intervals(&mut self, _theta: &[(f64, f64)]) {}
    /// The coordinates of theta that cannot be learnt from transitions, with their intervals.
    fn hidden(&mut self, _coordinates: &[usize]) {}
    /// Whether confidence sets are wanted, which take a little work to make.
    fn wants_sets(&self) -> bool {
        false
    }
    /// A confidence set of all data so far. A learner with several shows each, in the same order.
    fn set(&mut self, _now: &dyn ConfidenceSet) {}
    /// The set that the last plan was made over, in the same order; nothing before the first plan.
    fn planned_set(&mut self, _planned: &dyn ConfidenceSet) {}
    /// How many planning calls were made; and how often the model was violated: planning calls that
    /// met an empty C ∩ B, and steps that no model allows.
    fn counts(&mut self, _planner_calls: u64, _violations: u64) {}
    /// How far plans are from the data, from a learner that watches it for a regret theorem.
    fn net(&mut self, _net: &Net) {}
    /// The books of a guard, from a guarded learner.
    fn guard(&mut self, _guard: &Guard) {}
    /// A step that no model allows, once for every distinct triple.
    fn violation(&mut self, _violation: &Violation) {}
    /// How many planning calls found that the data contradict every model in B at the level delta:
    /// a part of the violations.
    fn contradictions(&mut self, _count: u64) {}
    /// How many planning calls left out rows of B that could bind: their values are optimistic, and
    /// lower than they need be.
    fn relaxed(&mut self, _count: u64) {}
    /// Whether any mixture of the models explains the data, from a learner that relies on them. It
    /// is shown to those that [want an estimate](Probe::wants_estimate).
    fn misfit(&mut self, _misfit: &Misfit) {}
}
