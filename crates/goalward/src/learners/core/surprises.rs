//! Steps that no model allows: noted by name, counted, and survived.

use super::algorithm::Transition;
use super::misuse::impossible;
use super::report::{Probe, Violation};
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

    pub(super) fn probe(&self, sink: &mut dyn Probe) {
        self.distinct.iter().for_each(|v| sink.violation(v));
    }
}
