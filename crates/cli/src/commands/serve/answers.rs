//! Answers, as lines of JSON.

use goalward::confidence::{Facts, Misfit};
use goalward::episode::{Agent, RunResult};
use goalward::learners::{Probe, Violation};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(super) const PROTOCOL: u32 = 1;

/// An answer: one line with one object, its fields in the order in which they are put.
pub(super) struct Answer<'a>(&'a mut Vec<u8>);

impl<'a> Answer<'a> {
    /// The client's name of its request comes first.
    pub(super) fn new(line: &'a mut Vec<u8>, id: Option<&RawValue>) -> Answer<'a> {
        line.clear();
        line.push(b'{');
        Answer(line).put_some("id", id)
    }

    pub(super) fn put(mut self, name: &str, value: impl Serialize) -> Answer<'a> {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        self.json(name);
        self.0.push(b':');
        self.json(value);
        self
    }

    /// Puts a field, or leaves it out.
    pub(super) fn put_some(self, name: &str, value: Option<impl Serialize>) -> Answer<'a> {
        match value {
            Some(value) => self.put(name, value),
            None => self,
        }
    }

    pub(super) fn end(self) {
        self.0.extend_from_slice(b"}\n");
    }

    fn json(&mut self, value: impl Serialize) {
        // answers are plain data with string keys, and writing to a vector cannot fail
        let _ = serde_json::to_writer(&mut *self.0, &value);
    }
}

/// A number of which no zero is negative.
pub(super) fn unsigned(x: f64) -> f64 {
    x + 0.0
}

/// The estimate of a learner; names are those of `learn --json`.
pub(super) fn put_estimate(answer: Answer, agent: &Agent, episodes: u64) {
    let (learner, mut report) = (&agent.learner, Report::default());
    learner.probe(&mut report);
    let ends = |(low, high)| (unsigned(low), unsigned(high));
    // the client's world is not known here: all that is known of it is what was observed
    let mixture = (learner.clock().impossible > 0).then_some(false);
    let facts = Facts { mixture, ..Facts::default() };
    let certified = learner.regret_certified();
    answer
        .put("theta_hat", report.theta.map(|theta| theta.into_iter().map(unsigned).collect::<Vec<_>>()))
        .put_some("model_names", learner.problem().model_names())
        .put("theta_interval", learner.intervals().map(|all| all.into_iter().map(ends).collect::<Vec<_>>()))
        .put_some("theta_hidden", Some(report.hidden).filter(|hidden| !hidden.is_empty()))
        .put("steps", learner.clock().t)
        .put("episodes", episodes)
        .put("planner_calls", report.planner_calls)
        .put("violations", report.violations)
        .put_some("impossible", Some(report.impossible).filter(|steps| !steps.is_empty()))
        .put("radius", learner.in_force().get("radius").and_then(Value::as_str))
        .put("guarantee", learner.claim().map(|claim| claim.check(&facts)))
        .put("regret_certified", certified.map(unsigned))
        // the episode that is open is not in it
        .put("regret_certified_over", certified.map(|_| RunResult::CERTIFIED_OVER))
        .put("misfit", report.misfit)
        .put_some("fallback", learner.in_force().get("fallback"))
        .end();
}

#[derive(Default)]
struct Report {
    theta: Option<Vec<f64>>,
    hidden: Vec<usize>,
    impossible: Vec<Violation>,
    planner_calls: u64,
    violations: u64,
    misfit: Option<Misfit>,
}

impl Probe for Report {
    fn misfit(&mut self, misfit: &Misfit) {
        self.misfit = Some(misfit.clone());
    }
    fn estimate(&mut self, theta_hat: &[f64]) {
        self.theta = Some(theta_hat.to_vec());
    }
    fn hidden(&mut self, coordinates: &[usize]) {
        self.hidden = coordinates.to_vec();
    }
    fn violation(&mut self, violation: &Violation) {
        self.impossible.push(violation.clone());
    }
    fn counts(&mut self, planner_calls: u64, violations: u64) {
        (self.planner_calls, self.violations) = (planner_calls, violations);
    }
}
