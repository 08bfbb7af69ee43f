//! What a learner can say of its own regret, without a truth.
//!
//! An optimistic learner's values are at most V*. So the cost of the finished episodes, less what
//! the plan in force promised at the start of each, is at least their regret:
//!
//! R_hat = C_T - sum over k of V_j(k)(s^(k)) >= C_T - sum over k of V*(s^(k)) = R_K.
//!
//! That is what the regret theorem bounds. On the same event every later bound holds for the episodes
//! before it, too. So the certificate takes for each start state the best bound w so far:
//! R_K <= C_T - sum over k of w(s^(k)).
//!
//! Before the first plan nothing is promised, and V_0 counts as 0.

use super::algorithm::Transition;
use crate::numeric::stored::{Flaw, ensure};
use crate::problem::{Problem, State};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A cost and what was promised of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Account {
    /// What was paid.
    paid: f64,
    /// What the plans in force at the start said that it would cost.
    promised: f64,
}

/// The episodes from one start state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    /// How many have ended.
    ended: u64,
    /// The largest value of the state in any plan since the first of them began.
    floor: f64,
}

/// The accounts of the finished episodes, and of the one under way.
///
/// It is kept from observations alone, so that a loop outside goalward has it too: an episode
/// begins with the first step, or with the first one after the goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Certificate {
    finished: Account,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begun: Option<(State, Account)>,
    starts: BTreeMap<State, Start>,
}

impl Certificate {
    /// Takes a step in. `promise` is asked for the value of the step's state by the plan in force
    /// when the step was taken, if the step begins an episode.
    pub(super) fn observe(&mut self, step: &Transition, goal: State, promise: impl FnOnce() -> f64) {
        if self.begun.is_none() {
            let promised = promise();
            let start = self.starts.entry(step.state).or_default();
            start.floor = start.floor.max(promised);
            self.begun = Some((step.state, Account { paid: 0.0, promised }));
        }
        let Some((start, begun)) = &mut self.begun else { return };
        begun.paid += step.cost;
        if step.next == goal {
            self.finished.paid += begun.paid;
            self.finished.promised += begun.promised;
            self.starts.entry(*start).or_default().ended += 1;
            self.begun = None;
        }
    }

    /// There is a new plan, whose value of a state this is.
    pub(super) fn planned(&mut self, value: impl Fn(State) -> f64) {
        for (s, start) in &mut self.starts {
            start.floor = start.floor.max(value(*s));
        }
    }

    /// R_hat, over finished episodes.
    pub(super) fn regret(&self) -> f64 {
        self.finished.paid - self.finished.promised
    }

    /// What the regret over finished episodes is at most by the best bounds so far, and by `floor`,
    /// which may be sharper.
    pub(super) fn certified(&self, floor: impl Fn(State) -> f64) -> f64 {
        let promised = |(s, start): (&State, &Start)| match start.ended {
            0 => 0.0,
            ended => ended as f64 * start.floor.max(floor(*s)),
        };
        self.finished.paid - self.starts.iter().map(promised).sum::<f64>()
    }

    pub(super) fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        let states = self.starts.keys().chain(self.begun.iter().map(|(s, _)| s));
        let exist = states.into_iter().all(|s| *s < problem.states());
        ensure(exist, "starts", || "there is no such state".into())
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

    #[test]
    fn later_bounds_count_for_earlier_episodes() {
        let mut kept = Certificate::default();
        kept.observe(&step(4.0, 1), 1, || 1.0);
        kept.planned(|_| 2.0);
        kept.planned(|_| 1.5);
        kept.observe(&step(3.0, 1), 1, || 1.5);
        assert_eq!((kept.regret(), kept.certified(|_| 0.0), kept.certified(|_| 2.5)), (4.5, 3.0, 2.0));
        // another start has a bound of its own, and an open episode counts for nothing
        kept.observe(&Transition { state: 2, ..step(5.0, 3) }, 1, || 4.0);
        assert_eq!(kept.certified(|_| 0.0), 3.0);
        kept.observe(&Transition { state: 3, ..step(1.0, 1) }, 1, || unreachable!());
        assert_eq!(kept.certified(|_| 0.0), 5.0);
    }
}
