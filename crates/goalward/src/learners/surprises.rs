//! Steps that no model allows: noted by name, counted, and survived.

use super::misuse::{impossible, is_place, possible_pair};
use super::{Probe, Transition, Violation};
use crate::Result;
use crate::numeric::stored::{Flaw, at_most, ensure};
use crate::problem::{Pair, Problem};
use serde::{Deserialize, Serialize};

/// Distinct violations that are remembered by name; all are counted.
const REMEMBERED: usize = 64;

/// What a learner keeps of steps that no model allows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Surprises {
    count: u64,
    distinct: Vec<Violation>,
}

impl Surprises {
    /// The pair of a step; none, and the step noted, if no model allows its next state. A step that cannot have been reported
    /// is an error.
    pub(super) fn pair(&mut self, problem: &Problem, step: &Transition, t: u64) -> Result<Option<Pair>> {
        let pair = possible_pair(problem, step, t)?;
        if problem.successors(pair).contains(&(step.next as u32)) {
            return Ok(Some(pair));
        }
        self.note(problem, step, t);
        Ok(None)
    }

    /// Notes a step.
    pub(super) fn note(&mut self, problem: &Problem, step: &Transition, t: u64) {
        self.count += 1;
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

    /// How many there were.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Whether stored ones can be those of this problem's first t steps.
    pub(super) fn check(&self, problem: &Problem, t: u64) -> Result<(), Flaw> {
        at_most("count", self.count, t, "the steps observed")?;
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
        at_most("distinct", named, self.count, "all that there were")
    }

    /// Shows every distinct one; returns how many there were in all.
    pub(super) fn probe(&self, sink: &mut dyn Probe) -> u64 {
        self.distinct.iter().for_each(|v| sink.violation(v));
        self.count
    }
}
