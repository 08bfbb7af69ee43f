//! Steps that no model allows: noted by name, counted, and survived.

use super::algorithm::Transition;
use super::clock::Clock;
use super::misuse::{impossible, is_place};
use super::report::{Probe, Violation};
use crate::numeric::stored::{Flaw, at_most, ensure};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// Distinct violations that are remembered by name; all are counted.
const REMEMBERED: usize = 64;

/// What a learner keeps of steps that no model allows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Surprises {
    distinct: Vec<Violation>,
}

impl Surprises {
    /// Notes a step.
    pub(super) fn note(&mut self, problem: &Problem, step: &Transition, t: u64) {
        let (state, action, next) = (step.state, step.action, step.next);
        let same = |v: &&mut Violation| (v.state, v.action, v.next) == (state, action, next);
        if let Some(known) = self.distinct.iter_mut().find(same) {
            known.times += 1;
            known.last = t;
        } else if self.distinct.len() < REMEMBERED {
            let text = impossible(problem, step);
            self.distinct.push(Violation { t, state, action, next, times: 1, last: t, text });
        }
    }

    /// Whether stored ones can be those of this problem at this time.
    pub(super) fn check(&self, problem: &Problem, now: &Clock) -> Result<(), Flaw> {
        let t = now.t;
        at_most("distinct", self.distinct.len() as u64, REMEMBERED as u64, "the most that are remembered")?;
        let mut named = 0u64;
        for v in &self.distinct {
            let step = Transition { state: v.state, action: v.action, cost: 0.0, next: v.next };
            let exists = is_place(problem, &step);
            let place = "distinct";
            ensure(exists, place, || format!("there is no step {}, {}, {}", v.state, v.action, v.next))?;
            ensure(v.text == impossible(problem, &step), place, || format!("{:?} is not its name", v.text))?;
            let order = 1 <= v.t && v.t <= v.last && v.last <= t && 1 <= v.times && v.times <= t;
            ensure(order, place, || format!("{} times from step {} to {}", v.times, v.t, v.last))?;
            named = named.saturating_add(v.times);
        }
        at_most("distinct", named, now.impossible, "all that there were")
    }

    /// Shows every distinct one.
    pub(super) fn probe(&self, sink: &mut dyn Probe) {
        self.distinct.iter().for_each(|v| sink.violation(v));
    }
}
