//! Follows a policy that it is given. `optimal` is this learner with the policy of the exact
//! planner: the runner asks the planner, the learner knows nothing.

use crate::learners::core::misuse;
use crate::learners::{Algorithm, Brief, Clock, Family, LearnerEntry, Need, Seen, Snapshot, Transition};
use crate::problem::{Action, Pair, State};
use crate::{Error, Result};

pub(super) const ENTRY: LearnerEntry =
    LearnerEntry::new("optimal", "the optimal policy, given by the exact planner", build)
        .reference("baseline")
        .setting("any SSP whose truth is known")
        .needs(&[Need::Policy])
        .guarantee("expected regret 0")
        .family(Family::Baseline)
        .cost("O(1)")
        .keeps("O(S): the policy");

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let policy = brief.told.policy.clone().ok_or_else(|| Error::MissingSetting {
        owner: ENTRY.id.into(),
        key: "policy".into(),
        what: String::new(),
    })?;
    if !misuse::is_policy(brief.problem, &policy) {
        return Err(Error::Mismatch {
            first: format!("problem {}", brief.problem.name()),
            second: "the policy".into(),
            fault: format!("it must have an action of each of {} states", brief.problem.states()),
        });
    }
    brief.settings.note_oracle("policy");
    Ok(Box::new(FixedPolicy(policy)))
}

struct FixedPolicy(Vec<Action>);

impl Algorithm for FixedPolicy {
    fn act(&mut self, s: State) -> Action {
        self.0[s]
    }

    fn observe(&mut self, _: &Transition, _: Pair, _: &Clock) -> Seen {
        Seen::Counted
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&())
    }

    fn restore(&mut self, state: &Snapshot, _: &Clock) -> Result<()> {
        state.to::<()>()
    }
}
