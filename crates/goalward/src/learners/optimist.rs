//! What all optimistic learners share: the clock, planning with DEVI over a confidence set, and greedy actions.

use super::surprises::Surprises;
use super::{Brief, Emptiness, Observed, PlanReport, Probe, Reason, Transition, misuse};
use crate::Result;
use crate::estimate::Ridge;
use crate::numeric::stored::{Flaw, MOST, Within, at_most, between, ensure, numbers};
use crate::numeric::support::{ConvexSet, Ellipsoid, Empty, SupportMin};
use crate::numeric::{Polytope, Rows, Stream};
use crate::plan::{Cut, Devi, Halt, Planner, Task};
use crate::problem::{Action, Pair, Problem, State};
use crate::registry::{Parameter, parse_number};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The label of learners' own random numbers.
pub(super) const LEARNER_STREAM: u64 = 0x006c_6561_726e; // "learn"

/// Actions tie within this, relative to max(1, |min Q|).
const TIE: f64 = 1e-9;

pub(super) const ROWS: Parameter = Parameter {
    name: "rows",
    default: "nearest:256",
    doc: "where B has more than 65,536 different rows: which of those that can bind a confidence set takes, exact (all, which may \
          be slow) or nearest:N (the N nearest; the set is then larger, values stay optimistic, and plans say \"relaxed\")",
};

/// Acts greedily on the last plan; plans optimistically. All values in the theory's units (costs in [0, 1]).
pub(super) struct Optimist {
    pub(super) problem: Arc<Problem>,
    /// Costs per pair as the planner sees them: scaled, and perturbed where the learner perturbs.
    pub(super) costs: Vec<f64>,
    /// The user's units per unit of these costs.
    pub(super) unit: f64,
    /// The bound B on V*, for these costs.
    pub(super) b: f64,
    pub(super) planner: Planner,
    /// B, with the user's choice among its rows, and that choice in words.
    pub(super) constraints: Arc<Polytope>,
    pub(super) rows: String,
    devi: Devi,
    halt: Halt,
    pub(super) standing: Standing,
}

/// What a planning call reports beside its outcome.
pub(super) struct Heading {
    pub(super) reason: Reason,
    pub(super) beta: f64,
    pub(super) theta: Vec<Vec<f64>>,
    pub(super) log_det: Vec<f64>,
}

impl Heading {
    /// That of regressions which were just frozen.
    pub(super) fn of(reason: Reason, levels: &[Ridge], beta: f64) -> Self {
        Heading {
            reason,
            beta,
            theta: levels.iter().map(|level| level.frozen_theta().to_vec()).collect(),
            log_det: levels.iter().map(|level| level.frozen().log_det()).collect(),
        }
    }
}

/// The state of an [`Optimist`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Standing {
    /// Steps observed.
    pub(super) t: u64,
    /// Planning calls.
    pub(super) j: u64,
    /// The step of the last one.
    pub(super) t_j: u64,
    /// Episodes that reached the goal, and those that had when the last plan was made.
    ended: u64,
    ended_j: u64,
    /// Planning calls that met an empty C ∩ B.
    violations: u64,
    /// Those among them in which the data contradicted every model.
    contradictions: u64,
    /// Planning calls over a set larger than C ∩ B, since rows of B were left out.
    relaxed: u64,
    /// Steps that no model allows.
    pub(super) surprises: Surprises,
    /// Q_j per pair.
    q: Vec<f64>,
    /// V_j per state, in [0, B].
    pub(super) v: Vec<f64>,
    last_plan: Option<PlanReport>,
    ties: Stream,
    /// Why a plan is due that was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owed: Option<Reason>,
}

impl Standing {
    /// How many episodes have begun: one after every arrival at the goal, and the first.
    pub(super) fn episodes_begun(&self) -> u64 {
        self.ended + 1
    }

    /// Whether twice as many have begun as when the last plan was made.
    pub(super) fn episodes_doubled(&self) -> bool {
        self.ended + 1 >= 2 * (self.ended_j + 1)
    }
}

impl Optimist {
    /// Q_0 = V_0 = 1 off the goal (Algorithm 1, line 1), t_0 = 0 (reading A3).
    pub(super) fn new(brief: &Brief, costs: Vec<f64>, b: f64) -> Result<Self> {
        let planner = brief.settings.optional("planner", "auto, faithful or fast")?;
        let planner = planner.ok_or_else(|| brief.settings.missing("planner"))?;
        let rows: Option<Rows> = brief.settings.optional(ROWS.name, "exact, or nearest:N with N from 1")?;
        let problem = brief.problem.clone();
        let b_set = problem.constraints();
        let constraints = match rows {
            Some(rows) if b_set.has_features() => Arc::new(b_set.with_rows(rows)),
            _ => Arc::clone(b_set),
        };
        let rows = brief.settings.text(ROWS.name).unwrap_or(ROWS.default).into();
        let goal = problem.goal();
        let mut q = vec![1.0; problem.pairs()];
        q[problem.pairs_of(goal)].fill(0.0);
        let mut v = vec![b.min(1.0); problem.states()];
        v[goal] = 0.0;
        let ties = Stream::new(brief.seed, &[LEARNER_STREAM]);
        let standing = Standing {
            t: 0,
            j: 0,
            t_j: 0,
            ended: 0,
            ended_j: 0,
            violations: 0,
            contradictions: 0,
            relaxed: 0,
            surprises: Surprises::default(),
            q,
            v,
            last_plan: None,
            ties,
            owed: None,
        };
        let (devi, halt, unit) = (Devi::new(&problem), Halt::never(), problem.cost_unit());
        Ok(Optimist { devi, halt, problem, costs, unit, b, planner, constraints, rows, standing })
    }

    /// The same for costs that were divided by this.
    pub(super) fn in_units_of(self, unit: f64) -> Self {
        Optimist { unit, ..self }
    }

    /// argmin_a Q_j(s,a); ties are broken uniformly from the learner's own stream (reading A16: while C ∩ B = B all
    /// actions of the paper's instance tie, and a fixed order would make a vacuous run look optimal or hopeless).
    pub(super) fn act(&mut self, s: State) -> Result<Action> {
        misuse::choices(&self.problem, s, self.standing.t + 1)?;
        let q = &self.standing.q[self.problem.pairs_of(s)];
        let least = q.iter().copied().fold(f64::INFINITY, f64::min);
        let limit = least + TIE * least.abs().max(1.0);
        let tied = |q: &&f64| **q <= limit;
        Ok(match q.iter().filter(tied).count() {
            0 | 1 => q.iter().position(|q| tied(&q)).unwrap_or(0),
            n => {
                let chosen = self.standing.ties.below(n);
                (0..q.len()).filter(|&a| tied(&&q[a])).nth(chosen).unwrap_or(0)
            }
        })
    }

    /// Advances the clock to the step t; an error, and nothing changed, if the step cannot have happened. A step that no model
    /// allows has no pair: it is noted, and there is nothing to learn from it.
    pub(super) fn advance(&mut self, step: &Transition) -> Result<(Option<Pair>, u64)> {
        let t = self.standing.t + 1;
        let pair = self.standing.surprises.pair(&self.problem, step, t)?;
        self.standing.t = t;
        self.standing.ended += u64::from(step.next == self.problem.goal());
        Ok((pair, t))
    }

    /// Notes a step that the learner found impossible in its own way.
    pub(super) fn surprise(&mut self, step: &Transition) {
        let now = &mut self.standing;
        now.surprises.note(&self.problem, step, now.t);
    }

    /// Planning calls are cut off from now on when asked to.
    pub(super) fn heed(&mut self, halt: &Halt) {
        self.halt = halt.clone();
    }

    /// What a learner takes down before it prepares a plan that may be cut off, to go back to.
    pub(super) fn keep<T>(&self, state: impl FnOnce() -> T) -> Option<T> {
        self.halt.can_be_asked().then(state)
    }

    /// Why a plan is owed, if one is.
    pub(super) fn owed(&self) -> Option<Reason> {
        self.standing.owed
    }

    /// What a planning call came to. One that was cut off is owed, and the learner goes back to what it kept.
    pub(super) fn settle<T>(
        &mut self,
        reason: Reason,
        planned: Result<(), Cut>,
        kept: Option<T>,
        go_back: impl FnOnce(T),
    ) -> Observed {
        if planned.is_ok() {
            self.standing.owed = None;
            return Observed::Planned;
        }
        self.standing.owed = Some(reason);
        if let Some(kept) = kept {
            go_back(kept);
        }
        Observed::Owed
    }

    /// The trigger of Algorithm 1, line 10.
    pub(super) fn due(&self, doubled: bool) -> Option<Reason> {
        let doubled = doubled.then_some(Reason::Determinant);
        doubled.or((self.standing.t >= 2 * self.standing.t_j).then_some(Reason::Time))
    }

    /// Algorithm 1, lines 11 to 18, on regressions that were just frozen: C_j from level 0 (reading A9),
    /// eps_j = q_j = 1/t_j (reading A6).
    pub(super) fn plan(&mut self, reason: Reason, levels: &[Ridge], beta: f64) -> Result<(), Cut> {
        let rate = 1.0 / self.standing.t as f64;
        let mut set = regression_set(&self.constraints, levels, beta).map_err(|_| Emptiness::Regression);
        self.plan_over(Heading::of(reason, levels, beta), set.as_mut(), rate, rate)
    }

    /// Plans over a set with the paper's eps and q, and reports it. If C ∩ B is empty (no set) the old Q and V stay, and the
    /// event is counted (reading D4). If it is cut off nothing has changed.
    pub(super) fn plan_over<S>(
        &mut self,
        heading: Heading,
        set: Result<&mut S, &mut Emptiness>,
        eps: f64,
        q: f64,
    ) -> Result<(), Cut>
    where
        S: SupportMin + Clone + Send + Sync,
    {
        let now = &mut self.standing;
        let done = match set {
            Ok(set) => {
                let task = Task { problem: &self.problem, costs: &self.costs, b: self.b, eps, q };
                Ok(self.devi.plan_unless(&task, set, self.planner, &now.v, &self.halt)?)
            }
            Err(why) => Err(*why),
        };
        now.j += 1;
        now.t_j = now.t;
        now.ended_j = now.ended;
        match done {
            Ok(done) => {
                now.relaxed += u64::from(done.relaxed);
                now.q.clone_from(&self.devi.q);
                now.v.clone_from(&self.devi.v);
            }
            Err(why) => {
                now.violations += 1;
                now.contradictions += u64::from(why == Emptiness::Contradiction);
            }
        }
        let (why, done) = (done.err(), done.ok());
        let unit = self.unit;
        let Heading { reason, beta, theta, log_det } = heading;
        now.last_plan = Some(PlanReport {
            t: now.t_j,
            j: now.j,
            reason,
            beta,
            theta,
            log_det,
            planner: done.map_or(self.planner, |done| done.planner),
            sweeps: done.map_or(0, |done| done.sweeps),
            fallbacks: done.map_or(0, |done| done.fallbacks),
            relaxed: done.is_some_and(|done| done.relaxed),
            empty: done.is_none(),
            why,
            v: now.v.iter().map(|v| v * unit).collect(),
        });
        Ok(())
    }

    pub(super) fn probe(&self, sink: &mut dyn Probe) {
        let surprises = self.standing.surprises.probe(sink);
        sink.counts(self.standing.j, self.standing.violations + surprises);
        sink.contradictions(self.standing.contradictions);
        sink.relaxed(self.standing.relaxed);
        if let Some(plan) = &self.standing.last_plan {
            sink.plan(plan);
        }
    }

    /// Whether a stored standing can be one of this learner; no value may exceed `highest`.
    pub(super) fn check(&self, stored: &Standing, highest: f64) -> Result<(), Flaw> {
        let Standing { t, j, t_j, .. } = *stored;
        at_most("t", t, MOST, "which no run reaches")?;
        at_most("t_j", t_j, t, "the steps observed")?;
        at_most("j", j, t, "the steps observed")?;
        at_most("ended", stored.ended, t, "the steps observed")?;
        at_most("ended_j", stored.ended_j, stored.ended, "the episodes that ended")?;
        at_most("violations", stored.violations, j, "the planning calls")?;
        at_most("contradictions", stored.contradictions, stored.violations, "the violations")?;
        at_most("relaxed", stored.relaxed, j, "the planning calls")?;
        stored.surprises.check(&self.problem, t).within("surprises")?;
        stored.ties.check(&self.standing.ties).within("ties")?;
        numbers("q", &stored.q, self.problem.pairs())?;
        numbers("v", &stored.v, self.problem.states())?;
        between("v", &stored.v, 0.0, highest * (1.0 + 1e-9))?;
        let goal = self.problem.goal();
        ensure(stored.v[goal] == 0.0, "v", || format!("{} at the goal, which is free", stored.v[goal]))?;
        ensure((j == 0) == stored.last_plan.is_none(), "last_plan", || {
            format!("there were {j} planning calls")
        })?;
        ensure((j == 0) == (t_j == 0), "t_j", || format!("{t_j} after {j} planning calls"))?;
        stored.last_plan.as_ref().map_or(Ok(()), |plan| self.check_plan(plan, stored)).within("last_plan")
    }

    fn check_plan(&self, plan: &PlanReport, stored: &Standing) -> Result<(), Flaw> {
        ensure(plan.t == stored.t_j, "t", || format!("{}, but the last one was at {}", plan.t, stored.t_j))?;
        ensure(plan.j == stored.j, "j", || format!("{}, but the last one was {}", plan.j, stored.j))?;
        ensure(plan.empty == plan.why.is_some(), "empty", || {
            "it does not agree with the reason given".into()
        })?;
        numbers("beta", &[plan.beta], 1)?;
        numbers("log_det", &plan.log_det, plan.theta.len())?;
        numbers("v", &plan.v, self.problem.states())?;
        plan.theta.iter().try_for_each(|theta| numbers("theta", theta, self.problem.dim()))
    }
}

/// C_j: level 0's ellipsoid and B.
pub(super) fn regression_set(b: &Arc<Polytope>, levels: &[Ridge], beta: f64) -> Result<ConvexSet, Empty> {
    ConvexSet::new(b, regression_ellipsoid(levels, beta))
}

/// Level 0's ellipsoid (reading A9).
pub(super) fn regression_ellipsoid(levels: &[Ridge], beta: f64) -> Ellipsoid<'_> {
    Ellipsoid { center: levels[0].frozen_theta(), shape: levels[0].sigma(), radius: beta }
}

/// A number that the user gives or asks the oracle for, within bounds that can be computed with; the runner fills `told` when
/// the oracle is asked.
fn given_or_told(brief: &Brief, key: &str, told: Option<f64>, least: f64, most: f64) -> Result<(f64, bool)> {
    if brief.settings.text(key) != Some("oracle") {
        if let Some(text) = brief.settings.text(key).filter(|text| parse_number(text).is_none()) {
            return Err(brief.settings.refuse(key, text, "expected a number or oracle".into()));
        }
        return Ok((brief.settings.number(key, least, most)?, false));
    }
    let refuse = |reason: String| brief.settings.refuse(key, "oracle", reason);
    let value = told.ok_or_else(|| refuse("only a simulated run can ask for the truth".into()))?;
    // written so that a NaN is refused too
    if !(value >= least && value <= most) {
        return Err(refuse(format!(
            "the truth is {value:e}, and only numbers from {least:e} to {most:e} can be computed with here; lr needs to know \
             nothing, or give a bound yourself"
        )));
    }
    Ok((value, true))
}

/// B, in the user's units, for a learner with costs in this unit.
pub(super) fn given_or_true_b(unit: f64, brief: &Brief) -> Result<(f64, bool)> {
    let told = brief.told.b_star;
    if brief.settings.text("B") == Some("oracle") && told == Some(0.0) {
        let free = brief.problem.costs().iter().all(|c| *c == 0.0);
        let reason = match free {
            true => {
                "B* = 0: every cost is zero, so that every policy is optimal and there is nothing to learn"
            }
            false => {
                "B* = 0: the goal can be reached for nothing, and a bound of zero leaves nothing to compute with; \
                 give a positive one"
            }
        };
        return Err(brief.settings.refuse(
            "B",
            "oracle",
            format!("{reason}; lr takes such a problem as it is"),
        ));
    }
    // beyond these bounds lambda = 1/B^2 is no number that a regression could be computed with
    given_or_told(brief, "B", told, 1e-9 * unit, 1e12 * unit)
}

/// T*, in steps.
pub(super) fn given_or_true_t_star(brief: &Brief) -> Result<(f64, bool)> {
    given_or_told(brief, "t_star", brief.told.t_star, 1e-9, 1e18)
}

/// Starts a list of the parameters in force.
pub(super) fn listed(entries: &[(&str, Value)], oracle: &[&str]) -> Map<String, Value> {
    let mut map: Map<String, Value> = entries.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    if !oracle.is_empty() {
        map.insert("oracle".into(), json!(oracle));
    }
    map
}
