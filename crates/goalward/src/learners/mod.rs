//! Algorithms that act on a [`Problem`], one file each, behind one registry.

pub mod fixed_policy;
pub mod levis;
pub mod levis_plus_plus;
pub mod levis_plus_plus_lr;
pub mod lr;
mod misuse;
mod norms;
mod optimist;
pub mod random;
pub mod rho_levis_plus_plus;
mod surprises;

use crate::confidence::Claim;
use crate::memory;
use crate::plan::{Halt, Planner};
use crate::problem::{self, Action, Problem, State};
use crate::registry::{Parameter, Reader, Settings};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// One step of the world as a learner sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// Where the learner was.
    pub state: State,
    /// What it did.
    pub action: Action,
    /// What it paid, in the user's units.
    pub cost: f64,
    /// Where it came to.
    pub next: State,
}

/// What an observation led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// Nothing but an update.
    Updated,
    /// A planning call; [`Probe::plan`] has its details.
    Planned,
    /// An update, and a planning call that was cut off by the [`Halt`] which the learner heeds: it is owed, and
    /// [`Learner::catch_up`] or the next observation makes it.
    Owed,
}

/// Why a planning call was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// t reached 2 t_j.
    Time,
    /// The determinant of some level's Sigma doubled.
    Determinant,
    /// The information in the data doubled.
    Information,
    /// The episodes begun doubled: costs are raised by the inverse of their number.
    Episodes,
}

/// One planning call, in the units of the user's costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanReport {
    /// The step t_j after which it was made.
    pub t: u64,
    /// Its number j, from 1.
    pub j: u64,
    /// What triggered it.
    pub reason: Reason,
    /// The radius of the confidence set.
    pub beta: f64,
    /// The estimate of theta, per level.
    pub theta: Vec<Vec<f64>>,
    /// log det of the frozen Sigma, per level.
    pub log_det: Vec<f64>,
    /// How it planned: "faithful" is value iteration from zero, as printed; "fast" is policy iteration with a certificate.
    pub planner: Planner,
    /// Sweeps over all pairs.
    pub sweeps: u64,
    /// Support problems that the fast solver handed to the conic one: expected never.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fallbacks: u64,
    /// Rows of B that could bind were left out, so that the confidence set was larger than C ∩ B.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relaxed: bool,
    /// C ∩ B was empty: the old value function stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
    /// Why it was empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Emptiness>,
    /// V_j for every state, in [0, B].
    pub v: Vec<f64>,
}

/// Why a planning call had no set to plan over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Emptiness {
    /// The regression's ellipsoid has no point of B.
    Regression,
    /// The data contradict every model in B at the level delta: the threshold of the likelihood set is below the least loss
    /// of any theta in B. A wrong model, or luck of probability delta.
    Contradiction,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A step to which every theta in B gives probability 0: the model is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

/// Receives typed quantities from [`Learner::probe`]; implement what you need.
pub trait Probe {
    /// sigma_bar^2 / B^(2^(l+1)) of the last step, per level.
    fn weights(&mut self, _sigma_sq: &[f64]) {}
    /// The last planning call.
    fn plan(&mut self, _plan: &PlanReport) {}
    /// Whether [`estimate`](Probe::estimate) is wanted: maximum likelihood takes a fit, which a probe after every step may not want
    /// to pay for.
    fn wants_estimate(&self) -> bool {
        true
    }
    /// The current estimate of theta.
    fn estimate(&mut self, _theta_hat: &[f64]) {}
    /// An interval for every coordinate of theta, from a learner whose confidence set gives one; asked for with the estimate. An end
    /// may be infinite.
    fn intervals(&mut self, _theta: &[(f64, f64)]) {}
    /// The coordinates of theta that cannot be learnt from transitions, with their intervals.
    fn hidden(&mut self, _coordinates: &[usize]) {}
    /// How many planning calls were made; and how often the model was violated: planning calls that met an empty C ∩ B, and
    /// steps that no model allows.
    fn counts(&mut self, _planner_calls: u64, _violations: u64) {}
    /// A step that no model allows, once for every distinct triple.
    fn violation(&mut self, _violation: &Violation) {}
    /// How many planning calls found that the data contradict every model in B at the level delta: a part of the violations.
    fn contradictions(&mut self, _count: u64) {}
    /// How many planning calls left out rows of B that could bind: their values are optimistic, and lower than they need be.
    fn relaxed(&mut self, _count: u64) {}
}

/// The state of a learner, for checkpoints: opaque, but for the learner that made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Snapshot(pub Value);

impl Snapshot {
    /// Takes the state down.
    pub fn of(state: &impl Serialize) -> Self {
        // a learner's state is plain data with finite numbers and string keys: this cannot fail
        Snapshot(serde_json::to_value(state).unwrap_or(Value::Null))
    }

    /// Gives the state back.
    pub fn to<T: for<'de> Deserialize<'de>>(&self) -> Result<T> {
        T::deserialize(&self.0).map_err(|e| Error::Checkpoint { reason: format!("the learner's state: {e}") })
    }
}

/// An algorithm that acts and learns. It is built from a problem and never sees a truth.
pub trait Learner: Send {
    /// The action to take in a state. [`Error::Misuse`], and nothing changed, if there is none to take: at the goal, and in a
    /// state that does not exist.
    fn act(&mut self, s: State) -> Result<Action>;
    /// Takes in what happened; plans when its trigger fires. [`Error::Misuse`], and nothing changed, if it cannot have happened:
    /// states or actions that do not exist, a step from the goal, a cost that is not the pair's own. The step need not be what
    /// [`Learner::act`] said, nor follow the one before.
    fn observe(&mut self, step: &Transition) -> Result<Observed>;
    /// Makes the plan that was cut off, if one is owed: [`Observed::Updated`] if not, [`Observed::Owed`] if it was cut off again.
    fn catch_up(&mut self) -> Result<Observed> {
        Ok(Observed::Updated)
    }
    /// Whether a plan is owed.
    fn owes(&self) -> bool {
        false
    }
    /// Cuts planning calls off from now on when asked to. What [`Learner::observe`] took in stays, the plan is owed, and a
    /// snapshot says so: whoever makes it later goes on as if nothing had happened.
    fn heed(&mut self, _halt: &Halt) {}
    /// The problem that it was built for, if it says so: the runner then makes sure that it is the one that is run.
    fn problem(&self) -> Option<&Problem> {
        None
    }
    /// The goal was reached.
    fn end_episode(&mut self) {}
    /// Shows its inner quantities.
    fn probe(&self, _sink: &mut dyn Probe) {}
    /// All parameters in force, by the names of the registry, in the user's units; `radius` and, where the
    /// user asked for the truth, `oracle` among them.
    fn in_force(&self) -> Map<String, Value>;
    /// What is proved of it with the settings in force, and what the proof assumes; none for a learner of which nothing is.
    fn claim(&self) -> Option<Claim> {
        None
    }
    /// Its state.
    fn snapshot(&self) -> Snapshot;
    /// Puts a state back that a learner of the same problem and settings took down. A state that
    /// cannot be one is refused with the place of its flaw, and changes nothing.
    fn restore(&mut self, snapshot: &Snapshot) -> Result<()>;
    /// How many steps it has observed, if it counts them: a checkpoint whose learner and loop
    /// disagree is refused.
    fn observed(&self) -> Option<u64> {
        None
    }
}

/// What the runner tells a learner beyond the problem: only what the entry needs or the user asked for with `oracle`.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The true B*, for `B=oracle`, in the user's units.
    pub b_star: Option<f64>,
    /// The true T*, for `t_star=oracle`.
    pub t_star: Option<f64>,
    /// A fixed policy to follow.
    pub policy: Option<Vec<Action>>,
}

/// All that a learner is built from.
#[derive(Debug)]
pub struct Brief<'a> {
    /// What is known.
    pub problem: &'a Arc<Problem>,
    /// The user's settings.
    pub settings: Reader<'a>,
    /// The run's seed; the learner draws from its own stream.
    pub seed: u64,
    /// The number of episodes K that the run is planned for.
    pub episodes: u64,
    /// What the runner tells.
    pub told: Told,
}

/// What the registry says of a learner.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LearnerEntry {
    /// Its name on the command line.
    pub id: &'static str,
    /// One line.
    pub title: &'static str,
    /// The paper and the algorithm in it.
    pub reference: &'static str,
    /// The setting it is made for.
    pub setting: &'static str,
    /// What it must know beforehand.
    pub needs: &'static [&'static str],
    /// What is proved of it.
    pub guarantee: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether the runner must give it an optimal policy.
    #[serde(skip)]
    pub wants_policy: bool,
    #[serde(skip)]
    build: fn(&Brief) -> Result<Box<dyn Learner>>,
}

/// All learners.
pub const LEARNERS: &[LearnerEntry] = &[
    levis_plus_plus::ENTRY,
    rho_levis_plus_plus::ENTRY,
    levis::ENTRY,
    levis_plus_plus_lr::ENTRY,
    lr::ENTRY,
    random::ENTRY,
    fixed_policy::OPTIMAL,
];

/// The entry of a learner.
pub fn entry(id: &str) -> Result<&'static LearnerEntry> {
    let known = || LEARNERS.iter().map(|l| l.id.to_string()).collect();
    let entry = LEARNERS.iter().find(|l| l.id == id);
    entry.ok_or_else(|| Error::UnknownId { kind: "learner", id: id.into(), known: known() })
}

/// What a learner's tables take, in bytes: an estimate from above. What it keeps of the data comes on top: nothing but for the
/// likelihood set, which takes 28 bytes for each distinct triple seen
/// ([`LikelihoodKeeper::bytes`](crate::confidence::LikelihoodKeeper::bytes)).
pub fn bytes(entry: &LearnerEntry, problem: &Problem) -> u64 {
    let (pairs, states, d) = (problem.pairs() as u64, problem.states() as u64, problem.dim() as u64);
    if !entry.parameters.iter().any(|p| p.name == optimist::ROWS.name) {
        return 8 * states; // a policy at most
    }
    // per pair: costs, Q twice, warm starts, a place among the triples; per state: V several times, a chosen theta, and
    // twice, while they are made, the chosen action's successors with their weights
    let chosen = problem::all_rows(problem) * states / pairs.max(1);
    (40 + 2 * (d + 1)) * pairs + (160 + 8 * d) * states + 32 * chosen
}

/// Builds a learner.
pub fn build(
    entry: &LearnerEntry,
    problem: &Arc<Problem>,
    settings: &Settings,
    seed: u64,
    episodes: u64,
    told: Told,
) -> Result<Box<dyn Learner>> {
    let settings = Reader::new(entry.id, entry.parameters, settings)?;
    problem.require_goal_in_reach()?;
    memory::require("this learner", bytes(entry, problem))?;
    (entry.build)(&Brief { problem, settings, seed, episodes, told })
}
