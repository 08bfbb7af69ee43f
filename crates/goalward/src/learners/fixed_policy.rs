//! Follows a policy that it is given. `optimal` is this learner with the policy of the exact planner: the runner asks
//! the planner, the learner knows nothing.

use super::surprises::Surprises;
use super::{Learner, LearnerEntry, Observed, Probe, Snapshot, Transition, misuse};
use crate::numeric::stored::{MOST, Within, at_most};
use crate::problem::{Action, Problem, State};
use crate::{Error, Result};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(super) const OPTIMAL: LearnerEntry = LearnerEntry {
    id: "optimal",
    title: "the optimal policy, given by the exact planner",
    reference: "baseline",
    setting: "any SSP whose truth is known",
    needs: &["the truth"],
    guarantee: "expected regret 0",
    parameters: &[],
    wants_policy: true,
    build: |brief| {
        let policy = brief.told.policy.clone().ok_or_else(|| brief.settings.missing("policy"))?;
        if !misuse::is_policy(brief.problem, &policy) {
            return Err(Error::Mismatch {
                first: format!("problem {}", brief.problem.name()),
                second: "the policy".into(),
                fault: format!("it must have an action of each of {} states", brief.problem.states()),
            });
        }
        Ok(Box::new(FixedPolicy {
            problem: brief.problem.clone(),
            policy,
            t: 0,
            surprises: Surprises::default(),
        }))
    },
};

struct FixedPolicy {
    problem: Arc<Problem>,
    policy: Vec<Action>,
    t: u64,
    surprises: Surprises,
}

impl Learner for FixedPolicy {
    fn act(&mut self, s: State) -> Result<Action> {
        misuse::choices(&self.problem, s, self.t + 1)?;
        Ok(self.policy[s])
    }

    fn problem(&self) -> Option<&Problem> {
        Some(&self.problem)
    }

    fn observe(&mut self, step: &Transition) -> Result<Observed> {
        self.surprises.pair(&self.problem, step, self.t + 1)?;
        self.t += 1;
        Ok(Observed::Updated)
    }

    fn probe(&self, sink: &mut dyn Probe) {
        let violations = self.surprises.probe(sink);
        sink.counts(0, violations);
    }

    fn in_force(&self) -> Map<String, Value> {
        Map::from_iter([("oracle".to_string(), json!(["policy"]))])
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&(self.t, &self.surprises))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let (t, surprises): (u64, Surprises) = snapshot.to()?;
        at_most("t", t, MOST, "which no run reaches").within("learner")?;
        surprises.check(&self.problem, t).within("surprises").within("learner")?;
        (self.t, self.surprises) = (t, surprises);
        Ok(())
    }

    fn observed(&self) -> Option<u64> {
        Some(self.t)
    }
}
