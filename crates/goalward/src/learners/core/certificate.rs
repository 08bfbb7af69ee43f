//! What a learner can say of its own regret, without a truth.
//!
//! An optimistic learner's values are at most V*. So the cost of the finished episodes, less what
//! the plan in force promised at the start of each, is at least their regret:
//!
//! R_hat = C_T - sum over k of V_j(k)(s^(k)) >= C_T - sum over k of V*(s^(k)) = R_K.
//!
//! Before the first plan nothing is promised, and V_0 counts as 0.

use super::algorithm::Transition;
use super::clock::Clock;
use crate::numeric::stored::{Flaw, Within, ensure, numbers};
use serde::{Deserialize, Serialize};

/// A cost and what was promised of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Account {
    /// What was paid.
    paid: f64,
    /// What the plans in force at the start said that it would cost.
    promised: f64,
}

/// The accounts of the finished episodes, and of the one under way.
///
/// It is kept from observations alone, so that a loop of somebody else's has it too: an episode
/// begins with the first step, or with the first one after the goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Certificate {
    finished: Account,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begun: Option<Account>,
}

impl Certificate {
    /// Takes a step in. `promise` is asked for the value of the step's state by the plan in force
    /// when the step was taken, if the step begins an episode.
    pub(super) fn observe(&mut self, step: &Transition, goal: usize, promise: impl FnOnce() -> f64) {
        let begun = self.begun.get_or_insert_with(|| Account { paid: 0.0, promised: promise() });
        begun.paid += step.cost;
        if step.next == goal {
            self.finished.paid += begun.paid;
            self.finished.promised += begun.promised;
            self.begun = None;
        }
    }

    /// R_hat, over finished episodes.
    pub(super) fn regret(&self) -> f64 {
        self.finished.paid - self.finished.promised
    }

    /// Whether a stored one can be that of this problem at this time.
    pub(super) fn check(&self, now: &Clock) -> Result<(), Flaw> {
        let Certificate { finished, begun } = self;
        for (name, account) in [("finished", Some(finished)), ("begun", begun.as_ref())] {
            let Some(Account { paid, promised }) = account else { continue };
            numbers("promised", &[*promised], 1).within(name)?;
            numbers("paid", &[*paid], 1).within(name)?;
        }
        let none = *finished == Account::default();
        ensure(now.ended > 0 || none, "finished", || "no episode has ended".into())?;
        ensure(begun.is_none() || now.t > now.ended, "begun", || "every step has led to the goal".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(cost: f64, next: usize) -> Transition {
        Transition { state: 0, action: 0, cost, next }
    }

    #[test]
    fn only_the_first_step_of_an_episode_asks_what_was_promised() {
        let mut kept = Certificate::default();
        kept.observe(&step(1.0, 0), 1, || 0.5);
        assert_eq!(kept.regret(), 0.0);
        kept.observe(&step(1.0, 1), 1, || unreachable!("the episode has begun"));
        assert_eq!(kept.regret(), 1.5);
        kept.observe(&step(2.0, 1), 1, || 3.0);
        assert_eq!(kept.regret(), 0.5);
    }
}
