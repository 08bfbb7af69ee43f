//! A uniformly random action at every step: what not learning costs.

use crate::Result;
use crate::learners::{Algorithm, Brief, Clock, Family, LearnerEntry, Seen, Snapshot, Transition};
use crate::numeric::Stream;
use crate::numeric::stored::Within;
use crate::problem::{Action, Pair, Problem, State};
use std::sync::Arc;

pub(super) const ENTRY: LearnerEntry =
    LearnerEntry::new("random", "a uniformly random action at every step", build)
        .reference("baseline")
        .setting("any SSP")
        .family(Family::Baseline)
        .cost("O(1)")
        .keeps("nothing");

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Random { problem: brief.problem.clone(), stream: brief.stream() }))
}

struct Random {
    problem: Arc<Problem>,
    stream: Stream,
}

impl Algorithm for Random {
    fn act(&mut self, s: State) -> Action {
        self.stream.below(self.problem.actions(s))
    }

    fn observe(&mut self, _: &Transition, _: Pair, _: &Clock) -> Seen {
        Seen::Counted
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.stream)
    }

    fn restore(&mut self, state: &Snapshot, _: &Clock) -> Result<()> {
        let stream: Stream = state.to()?;
        stream.check(&self.stream).within("stream").within("learner.algorithm")?;
        self.stream = stream;
        Ok(())
    }
}
