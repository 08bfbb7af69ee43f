//! Whether what is observed is what the learner decided, as proofs of a regret assume.
//!
//! A loop outside may take other actions, feed a log, or break an episode off. Nothing is wrong with
//! that: confidence sets and certificates hold for whatever is done. But a bound on the regret is
//! about a learner's own decisions.

use super::algorithm::Transition;
use crate::confidence::{Assumption, Claim, Condition, Kind};
use crate::numeric::stored::{Flaw, ensure};
use crate::problem::{Action, Problem, State};
use serde::{Deserialize, Serialize};

/// What a learner keeps of its decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Obeyed {
    /// What it decided since the last observation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decided: Option<(State, Action)>,
    /// Where an episode under way stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<State>,
    /// Steps that it did not decide, or that did not begin where the one before ended.
    #[serde(default)]
    others: u64,
}

impl Obeyed {
    pub(super) fn is_fresh(&self) -> bool {
        *self == Obeyed::default()
    }

    /// It has said what to do in a state; none if that was by a plan which should have been renewed.
    pub(super) fn decide(&mut self, decided: Option<(State, Action)>) {
        self.decided = decided;
    }

    /// A step was made, by a decision that is `booked` to another player of a guard or must be the
    /// learner's own. After the goal an episode may begin anywhere.
    pub(super) fn observe(&mut self, step: &Transition, goal: State, booked: bool) {
        let own = self.decided.take() == Some((step.state, step.action)) || booked;
        let follows = self.at.is_none_or(|at| at == step.state);
        self.others += u64::from(!(own && follows));
        self.at = (step.next != goal).then_some(step.next);
    }

    /// What a claim about the regret assumes besides, where it is not so.
    pub(super) fn qualify(&self, claim: &mut Claim) {
        if self.others > 0 {
            let condition = "every step was the learner's own decision";
            let none = Condition::at_most(condition, Some(self.others as f64), Some(0.0));
            let regret = claim.statements.iter_mut().filter(|one| one.kind == Kind::Regret);
            regret.for_each(|one| one.needs.push(Assumption::Settled(none.clone())));
        }
    }

    pub(super) fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        let state = |s: State| s < problem.states() && s != problem.goal();
        let exists = self.decided.is_none_or(|(s, a)| state(s) && a < problem.actions(s));
        ensure(exists, "decided", || "there is no such action".into())?;
        ensure(self.at.is_none_or(state), "at", || "there is no such state".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_others_are_counted() {
        let step = |state, action, next| Transition { state, action, cost: 1.0, next };
        let mut obeyed = Obeyed::default();
        let mut after = |decided, step| {
            obeyed.decide(decided);
            obeyed.observe(&step, 9, false);
            obeyed.others
        };
        assert_eq!(after(Some((0, 1)), step(0, 1, 2)), 0);
        assert_eq!(after(Some((2, 0)), step(2, 0, 9)), 0);
        // another start is as good
        assert_eq!(after(Some((5, 0)), step(5, 0, 6)), 0);
        // another action; nothing was asked; an episode that was broken off
        assert_eq!(after(Some((6, 0)), step(6, 1, 6)), 1);
        assert_eq!(after(None, step(6, 1, 6)), 2);
        assert_eq!(after(Some((0, 0)), step(0, 0, 9)), 3);
    }
}
