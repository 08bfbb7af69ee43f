//! What a run came to.

use super::Runner;
use crate::confidence::{Guarantee, Misfit};
use crate::learners::{Probe, Violation};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// The outcome of a run, in the user's cost units. Serialised it is the JSON of `goalward learn
/// --json`, but for the time.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct RunResult {
    /// The world's id or the problem file.
    pub world: String,
    /// The world's parameters, as given.
    pub params: Value,
    /// The learner's id.
    pub learner: String,
    /// The seed.
    pub seed: u64,
    /// Finished episodes.
    pub episodes: u64,
    /// Steps.
    pub steps: u64,
    /// What they cost.
    pub total_cost: f64,
    /// V*(start).
    pub optimal_cost: f64,
    /// Certified bounds on it: a few units in the last place apart where planning to the last digit
    /// is cheap, and within 1e-8 of it as a rule elsewhere.
    pub optimal_bounds: [f64; 2],
    /// total_cost - episodes * optimal_cost - (optimal_cost - V*(s)), where s is the state of an
    /// episode that was cut off; the last term is 0 between episodes. Without it a run that ends in
    /// the middle would be charged its steps and not credited the way that they made, and the mean
    /// would not be that of the gap regret.
    pub regret: f64,
    /// The sum over the steps of Q*(s,a) - V*(s): the same mean as the regret, far less noise.
    pub gap_regret: f64,
    /// What the regret over finished episodes is at most, with the probability of the claim
    /// `certificate`: their cost, less what the plan in force at the start of each promised. It
    /// needs no truth. Null where nothing is certified: the guarantee does not hold, the data
    /// reject every mixture, or a cost off the goal is zero.
    pub regret_certified: Option<f64>,
    /// What `regret_certified` is about: "finished episodes". `regret` also has the episode that
    /// was cut off, so that it may be larger where a run was truncated or stopped. Null where
    /// nothing is certified.
    pub regret_certified_over: Option<&'static str>,
    /// The learner's estimate of theta, if it has one.
    pub theta_hat: Option<Vec<f64>>,
    /// The names of the models that theta mixes, if they have any, in the order of theta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_names: Option<Vec<String>>,
    /// An interval for every coordinate of theta, as of the last plan, if the learner's confidence
    /// set gives one. An end may be infinite; serialised it is null then, and so is an interval
    /// without an end. What the problem's facts rule out is cut off.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "ends")]
    pub theta_interval: Option<Vec<(f64, f64)>>,
    /// The coordinates of theta that cannot be learnt from transitions: their intervals are what
    /// the problem's known facts leave.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub theta_hidden: Vec<usize>,
    /// Planning calls.
    pub planner_calls: u64,
    /// Which confidence radius was used: "printed", "scaled:x" (no guarantee), ...; null for a
    /// learner without one.
    pub radius: Option<String>,
    /// What is proved of the learner with these settings, and whether its conditions hold here;
    /// null if nothing is.
    pub guarantee: Option<Guarantee>,
    /// Whether any mixture of the models explains the data, as of the last look; null for a learner
    /// that ignores the models.
    pub misfit: Option<Misfit>,
    /// Why the learner ended the run by itself: "misfit" if it was to stop when the data reject
    /// every mixture, and they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// Whether the cap on steps ended the run in the middle of an episode.
    pub truncated: bool,
    /// Planning calls that met an empty C ∩ B, and steps that no model allows.
    pub violations: u64,
    /// Steps that no model allows, each distinct one once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub impossible: Vec<Violation>,
    /// Planning calls in which the data contradicted every model in B at the level delta: a part of
    /// the violations.
    #[serde(skip_serializing_if = "is_zero")]
    pub contradictions: u64,
    /// Planning calls that left out rows of B that could bind: optimistic, over a set larger than
    /// C ∩ B.
    #[serde(skip_serializing_if = "is_zero")]
    pub relaxed: u64,
    /// All parameters in force.
    pub parameters: Map<String, Value>,
    /// The number of linear facts about theta known beyond "every row is a distribution".
    pub extra: usize,
}

pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Null for what is infinite.
fn ends<S: Serializer>(intervals: &Option<Vec<(f64, f64)>>, serializer: S) -> Result<S::Ok, S::Error> {
    let end = |x: f64| x.is_finite().then_some(x);
    let ends = |&(low, high): &(f64, f64)| match (end(low), end(high)) {
        (None, None) => None,
        both => Some(both),
    };
    intervals.as_ref().map(|all| all.iter().map(ends).collect::<Vec<_>>()).serialize(serializer)
}

/// Puts what a learner shows into a result.
struct Gathering<'a>(&'a mut RunResult);

impl Probe for Gathering<'_> {
    fn estimate(&mut self, theta_hat: &[f64]) {
        self.0.theta_hat = Some(theta_hat.to_vec());
    }
    fn intervals(&mut self, theta: &[(f64, f64)]) {
        self.0.theta_interval = Some(theta.to_vec());
    }
    fn hidden(&mut self, coordinates: &[usize]) {
        self.0.theta_hidden = coordinates.to_vec();
    }
    fn violation(&mut self, violation: &Violation) {
        self.0.impossible.push(violation.clone());
    }
    fn contradictions(&mut self, count: u64) {
        self.0.contradictions = count;
    }
    fn relaxed(&mut self, count: u64) {
        self.0.relaxed = count;
    }
    fn misfit(&mut self, misfit: &Misfit) {
        self.0.misfit = Some(misfit.clone());
    }
    fn counts(&mut self, planner_calls: u64, violations: u64) {
        (self.0.planner_calls, self.0.violations) = (planner_calls, violations);
    }
}

impl Runner<'_> {
    /// The outcome so far.
    pub fn result(&self) -> RunResult {
        RunResult::of(self)
    }
}

impl RunResult {
    /// What `regret_certified` is about.
    pub const CERTIFIED_OVER: &'static str = "finished episodes";

    fn of(runner: &Runner) -> RunResult {
        let (arena, spec, now) = (runner.arena(), runner.spec(), runner.progress());
        let parameters = runner.learner().in_force().clone();
        let regret_certified = runner.regret_certified();
        let mut result = RunResult {
            world: arena.world.clone(),
            params: serde_json::json!(arena.params),
            learner: spec.learner.clone(),
            seed: spec.seed,
            episodes: now.episodes,
            steps: now.steps,
            total_cost: now.total_cost,
            optimal_cost: arena.optimal_cost(),
            optimal_bounds: arena.optimal_bounds(),
            regret: now.regret(arena),
            gap_regret: now.gap_regret,
            regret_certified,
            regret_certified_over: regret_certified.map(|_| RunResult::CERTIFIED_OVER),
            model_names: arena.problem().model_names().map(<[String]>::to_vec),
            radius: parameters.get("radius").and_then(Value::as_str).map(String::from),
            guarantee: runner.guarantee(),
            stopped: runner.learner().stopped().map(|_| "misfit".into()),
            truncated: now.truncated,
            parameters,
            extra: arena.problem().extra().len(),
            ..RunResult::default()
        };
        runner.learner().probe(&mut Gathering(&mut result));
        result.theta_interval = result.theta_interval.map(|theta| arena.problem().clip(&theta));
        result
    }
}
