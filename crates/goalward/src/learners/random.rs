//! A uniformly random action at every step: what not learning costs.

use super::optimist::LEARNER_STREAM;
use super::surprises::Surprises;
use super::{Learner, LearnerEntry, Observed, Probe, Snapshot, Transition, misuse};
use crate::Result;
use crate::numeric::Stream;
use crate::numeric::stored::{MOST, Within, at_most};
use crate::problem::{Action, Problem, State};
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) const ENTRY: LearnerEntry = LearnerEntry {
    id: "random",
    title: "a uniformly random action at every step",
    reference: "baseline",
    setting: "any SSP",
    needs: &[],
    guarantee: "none",
    parameters: &[],
    wants_policy: false,
    build: |brief| {
        let stream = Stream::new(brief.seed, &[LEARNER_STREAM]);
        Ok(Box::new(Random { problem: brief.problem.clone(), stream, t: 0, surprises: Surprises::default() }))
    },
};

struct Random {
    problem: Arc<Problem>,
    stream: Stream,
    t: u64,
    surprises: Surprises,
}

impl Learner for Random {
    fn act(&mut self, s: State) -> Result<Action> {
        let choices = misuse::choices(&self.problem, s, self.t + 1)?;
        Ok(self.stream.below(choices))
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
        Map::new()
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&(&self.stream, self.t, &self.surprises))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let (stream, t, surprises): (Stream, u64, Surprises) = snapshot.to()?;
        stream.check(&self.stream).within("stream").within("learner")?;
        at_most("t", t, MOST, "which no run reaches").within("learner")?;
        surprises.check(&self.problem, t).within("surprises").within("learner")?;
        (self.stream, self.t, self.surprises) = (stream, t, surprises);
        Ok(())
    }

    fn observed(&self) -> Option<u64> {
        Some(self.t)
    }
}
