//! What the author of a learner writes.

use super::clock::{Clock, Reason};
use super::guard::Player;
use super::report::Probe;
use crate::confidence::Claim;
use crate::estimate::Likelihood;
use crate::numeric::Stream;
use crate::parameters::{Bound, Key, Reader, Value as _};
use crate::plan::{Cut, Halt};
use crate::problem::{Action, Pair, Problem, State};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

pub use crate::estimate::Seen;

/// The label of learners' own random numbers.
const LEARNER_STREAM: u64 = 0x006c_6561_726e; // "learn"

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

/// A planning call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Call<'a> {
    /// Why it is made.
    pub reason: Reason,
    /// The clock, this call counted.
    pub clock: &'a Clock,
    /// When to give up.
    pub halt: &'a Halt,
}

impl Call<'_> {
    /// The state to return to if the call is cut off; none if it cannot be.
    pub(in crate::learners) fn keep<T>(&self, state: impl FnOnce() -> T) -> Option<T> {
        self.halt.can_be_asked().then(state)
    }
}

/// A learning algorithm: how to act, what to learn from a step, when to plan, and how.
///
/// A [`Learner`](super::Learner) holds it. What reaches an algorithm has been checked: states exist
/// and are not the goal, actions belong to their states, costs are the pair's own. It is built from
/// a [`Brief`] and never sees a truth.
pub trait Algorithm: Send + Sync {
    /// The action to take in a state that is not the goal.
    fn act(&mut self, s: State) -> Action;

    /// Takes an action that is proposed for the next step; whether it takes proposals at all.
    fn propose(&mut self, _proposal: Action) -> bool {
        false
    }

    /// Takes an algorithm, called by this id, whose actions it follows under its guard, in place of
    /// proposals; whether it follows one that it is given.
    fn follow(&mut self, _id: &str, _inner: Box<dyn Algorithm>) -> bool {
        false
    }

    /// Who chooses the actions of the episode under way, under a guard.
    fn player(&self) -> Option<Player> {
        None
    }

    /// Whether it learns from steps that no model allows, too. They are counted as surprises all
    /// the same.
    fn takes_any_step(&self) -> bool {
        false
    }

    /// Learns from a step that the features allow. [`Seen::Impossible`] if the algorithm finds that
    /// no theta in B allows it all the same.
    fn observe(&mut self, step: &Transition, pair: Pair, now: &Clock) -> Seen;

    /// Why a plan is due after this step, if one is. It is asked once after every step.
    fn due(&mut self, _now: &Clock) -> Option<Reason> {
        None
    }

    /// Whether it plans before the first step, with no data.
    fn plans_first(&self) -> bool {
        false
    }

    /// Plans. A call that is cut off leaves everything as it was: it is owed, and made later.
    fn plan(&mut self, _call: &Call) -> Result<(), Cut> {
        Ok(())
    }

    /// The goal was reached.
    fn end_episode(&mut self) {}

    /// The value of a state in the last plan, in the user's units.
    fn value(&self, _s: State) -> Option<f64> {
        None
    }

    /// A lower bound on V*(s) that holds as long as the confidence sets hold the truth, in the user's
    /// units: sharper than the values of the last plan, and made when it is asked for.
    fn floor(&self, _s: State, _halt: &Halt) -> Result<Option<f64>, Cut> {
        Ok(None)
    }

    /// The value of a pair in the last plan, in the user's units.
    fn q(&self, _p: Pair) -> Option<f64> {
        None
    }

    /// What the last plan added to costs at most, in the user's units: where zero costs are
    /// perturbed, its values may exceed V* by T* times that.
    fn raised(&self, _now: &Clock) -> f64 {
        0.0
    }

    /// Shows its inner quantities; counts, surprises and violations are shown by the learner.
    fn probe(&self, _sink: &mut dyn Probe, _now: &Clock) {}

    /// How many planning calls had no set to plan over.
    fn violations(&self) -> u64 {
        0
    }

    /// What is proved of it with the settings in force, and what the proof assumes. It is asked
    /// once, before the first step: a bound that doubles later must not change it.
    fn claim(&self) -> Option<Claim> {
        None
    }

    /// That claim after what has happened: a run may decide conditions that were open when it began,
    /// or leave a weaker statement.
    fn claim_now(&self, claim: Claim, _now: &Clock) -> Claim {
        claim
    }

    /// The likelihood of what it has observed, if it keeps one: the watch on the models then needs no
    /// likelihood of its own.
    fn likelihood(&self) -> Option<&Likelihood> {
        None
    }

    /// Its state.
    fn snapshot(&self) -> Snapshot;

    /// Restores a state that an algorithm of the same problem and settings serialised at this time.
    /// A state of another shape is refused with the place of its flaw, and changes nothing.
    fn restore(&mut self, state: &Snapshot, now: &Clock) -> Result<()>;
}

/// The state of a learner, for checkpoints: opaque, but for the learner that made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Snapshot(pub Value);

impl Snapshot {
    /// Serialises the state.
    pub fn of(state: &impl Serialize) -> Self {
        // a learner's state is plain data with finite numbers and string keys: this cannot fail
        Snapshot(serde_json::to_value(state).unwrap_or(Value::Null))
    }

    /// Deserialises the state.
    pub fn to<T: for<'de> Deserialize<'de>>(&self) -> Result<T> {
        T::deserialize(&self.0).map_err(|e| Error::Checkpoint { reason: format!("the learner's state: {e}") })
    }
}

/// What the runner tells a learner beyond the problem: only what the entry needs or the user asked
/// for with `oracle`.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The true B*, for `B=oracle`, in the user's units.
    pub b_star: Option<f64>,
    /// The true T*, for `t_star=oracle`.
    pub t_star: Option<f64>,
    /// A fixed policy to follow.
    pub policy: Option<Vec<Action>>,
}

/// All that an algorithm is built from.
#[derive(Debug)]
#[non_exhaustive]
pub struct Brief<'a> {
    /// What is known.
    pub problem: &'a Arc<Problem>,
    /// The user's settings.
    pub settings: Reader<'a>,
    /// The run's seed.
    pub seed: u64,
    /// The number of episodes K that the run is planned for.
    pub episodes: u64,
    /// What the runner tells.
    pub told: Told,
}

impl<'a> Brief<'a> {
    pub(in crate::learners) fn new(
        problem: &'a Arc<Problem>,
        settings: Reader<'a>,
        seed: u64,
        episodes: u64,
        told: Told,
    ) -> Self {
        Brief { problem, settings, seed, episodes, told }
    }

    /// The learner's own random numbers, for ties and sampling.
    pub fn stream(&self) -> Stream {
        Stream::new(self.seed, &[LEARNER_STREAM])
    }

    /// A bound that the user gives or asks the oracle for, between limits that can be computed
    /// with.
    pub(in crate::learners) fn bound(
        &self,
        key: &Key<Bound>,
        told: Option<f64>,
        least: f64,
        most: f64,
    ) -> Result<f64> {
        let value = match self.settings.get(key)? {
            Bound::Given(value) => return self.settings.within(key, value, least, most),
            // a learner that can do without a bound has looked before
            Bound::Doubling => return Err(self.settings.refuse(key, "this learner needs a bound".into())),
            Bound::Oracle => told.ok_or_else(|| {
                self.settings.refuse(key, "only a simulated run can ask for the truth".into())
            })?,
        };
        // written so that a NaN is refused too
        if !(value >= least && value <= most) {
            let reason = format!(
                "the truth is {value:e}, and only numbers from {least:e} to {most:e} can be computed \
                 with here; lr needs to know nothing, or give a bound yourself"
            );
            return Err(self.settings.refuse(key, reason));
        }
        self.settings.note_oracle(key.name());
        self.settings.note_as(key.name(), value.in_force());
        Ok(value)
    }
}
