//! What is answered, as lines of JSON.

use super::fault::Fault;
use goalward::confidence::{Facts, Guarantee, Misfit};
use goalward::episode::{Agent, RunResult};
use goalward::learners::{Probe, Violation};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The version of the protocol, for clients.
pub(super) const PROTOCOL: u32 = 1;

/// Appends an answer as a line; what the client called its request comes first.
pub(super) fn put(line: &mut Vec<u8>, id: Option<&RawValue>, answer: &impl Serialize) {
    line.clear();
    line.push(b'{');
    if let Some(id) = id {
        line.extend_from_slice(b"\"id\":");
        line.extend_from_slice(id.get().as_bytes());
        line.push(b',');
    }
    let brace = line.len();
    // answers are plain data with string keys, and a vector takes what it is given
    let _ = serde_json::to_writer(&mut *line, answer);
    // every answer is an object with a field: its brace is there already
    line.remove(brace);
    line.push(b'\n');
}

/// The first line.
#[derive(Serialize)]
pub(super) struct Hello<'a> {
    pub(super) ready: bool,
    pub(super) protocol: u32,
    pub(super) version: &'static str,
    pub(super) problem: &'a str,
    pub(super) learner: &'a str,
    pub(super) seed: u64,
    pub(super) states: usize,
    pub(super) start: usize,
    pub(super) goal: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model_names: Option<&'a [String]>,
    /// Where the session stands.
    pub(super) steps: u64,
    pub(super) episodes: u64,
    /// What the learner was told.
    pub(super) episodes_asked: u64,
    pub(super) resumed: bool,
}

#[derive(Serialize)]
pub(super) struct Wrong<'a> {
    pub(super) error: Placed<'a>,
}

#[derive(Serialize)]
pub(super) struct Placed<'a> {
    #[serde(flatten)]
    pub(super) fault: &'a Fault,
    pub(super) line: u64,
}

#[derive(Serialize)]
pub(super) struct Act<'a> {
    pub(super) action: usize,
    pub(super) name: Cow<'a, str>,
}

#[derive(Serialize)]
pub(super) struct Observe {
    pub(super) ok: bool,
    pub(super) planned: bool,
    pub(super) steps: u64,
    /// No model allows the step.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) impossible: bool,
    /// Every mixture of the models is rejected, for the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) misfit: Option<Misfit>,
    /// The plan that it called for was cut off, and will be made by who goes on.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) owed: bool,
    /// Why the checkpoint could not be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unsaved: Option<String>,
}

#[derive(Serialize)]
pub(super) struct EndEpisode {
    pub(super) ok: bool,
    pub(super) episodes: u64,
}

#[derive(Serialize)]
pub(super) struct SavedNow {
    pub(super) ok: bool,
    pub(super) saved: bool,
    pub(super) steps: u64,
    pub(super) episodes: u64,
}

#[derive(Serialize)]
pub(super) struct Value<'a> {
    pub(super) value: Option<Number>,
    pub(super) q: Vec<Option<Number>>,
    pub(super) names: Vec<Cow<'a, str>>,
}

/// What the learner makes of it; names are those of `learn --json`.
#[derive(Serialize)]
pub(super) struct Estimate<'a> {
    theta_hat: Option<Vec<Number>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_names: Option<&'a [String]>,
    /// An end that is infinite is null.
    theta_interval: Option<Vec<(Number, Number)>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    theta_hidden: Vec<usize>,
    steps: u64,
    episodes: u64,
    planner_calls: u64,
    violations: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    impossible: Vec<Violation>,
    radius: Option<&'a str>,
    guarantee: Option<Guarantee>,
    regret_certified: Option<Number>,
    /// The episode that is open is not in it.
    regret_certified_over: Option<&'static str>,
    misfit: Option<Misfit>,
    /// Who has taken over since the models were rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<&'a serde_json::Value>,
}

impl Estimate<'_> {
    pub(super) fn of(agent: &Agent, episodes: u64) -> Estimate<'_> {
        let (learner, mut seen) = (&agent.learner, Gathered::default());
        learner.probe(&mut seen);
        let problem = learner.problem();
        let interval = learner.intervals();
        // the client's world is not known here: all that is known of it is what was observed
        let mixture = (learner.clock().impossible > 0).then_some(false);
        let facts = Facts { mixture, ..Facts::default() };
        let certified = learner.regret_certified();
        Estimate {
            theta_hat: seen.theta.map(|theta| theta.into_iter().map(Number).collect()),
            model_names: problem.model_names(),
            theta_interval: interval
                .map(|all| all.into_iter().map(|(a, b)| (Number(a), Number(b))).collect()),
            theta_hidden: seen.hidden,
            steps: learner.clock().t,
            episodes,
            planner_calls: seen.planner_calls,
            violations: seen.violations,
            impossible: seen.impossible,
            radius: learner.in_force().get("radius").and_then(serde_json::Value::as_str),
            guarantee: learner.claim().map(|claim| claim.check(&facts)),
            regret_certified: certified.map(Number),
            regret_certified_over: certified.map(|_| RunResult::CERTIFIED_OVER),
            misfit: seen.misfit,
            fallback: learner.in_force().get("fallback"),
        }
    }
}

#[derive(Default)]
struct Gathered {
    theta: Option<Vec<f64>>,
    hidden: Vec<usize>,
    impossible: Vec<Violation>,
    planner_calls: u64,
    violations: u64,
    misfit: Option<Misfit>,
}

impl Probe for Gathered {
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

/// A number of which no zero is negative; null if it is not finite.
pub(super) struct Number(pub(super) f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_finite() {
            true => serializer.serialize_f64(self.0 + 0.0),
            false => serializer.serialize_none(),
        }
    }
}

fn is_false(truth: &bool) -> bool {
    !truth
}
