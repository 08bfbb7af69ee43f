//! What all optimistic learners share: planning with DEVI over a confidence set, and greedy
//! actions.

use crate::Result;
use crate::confidence::Ellipse;
use crate::estimate::Ridge;
use crate::learners::core::{greedy, limit};
use crate::learners::shared::ROWS;
use crate::learners::{Brief, Call, Clock, Details, Emptiness, MixturePlan, PlanReport, Probe, Reason};
use crate::numeric::stored::{Flaw, Within, length};
use crate::numeric::support::{ConvexSet, SupportMin};
use crate::numeric::{Polytope, Rows, Stream};
use crate::parameters::Key;
use crate::plan::{Cut, Devi, Planner, Task, Walk, way};
use crate::problem::{Action, Pair, Problem, State, all_rows};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Acts greedily on the last plan; plans optimistically. All values in the theory's units.
pub(super) struct Optimist {
    pub(super) problem: Arc<Problem>,
    /// Costs per pair as the planner sees them: scaled, and perturbed where the learner perturbs.
    pub(super) costs: Vec<f64>,
    /// The user's units per unit of these costs.
    pub(super) unit: f64,
    /// The bound B on V*, for these costs.
    pub(super) b: f64,
    pub(super) planner: Planner,
    /// B, with the user's choice among its rows.
    pub(super) constraints: Arc<Polytope>,
    devi: Devi,
    pub(super) standing: Standing,
}

/// The precision of plans with a small discount. Policies of few states are evaluated exactly, and
/// for those of many anything from 1e-2 to 1e-6 made no difference to the regret.
const EPS: f64 = 1e-2;

/// The precision eps_j and the discount q_j of a plan.
#[derive(Clone, Copy)]
pub(super) struct Rate {
    pub(super) eps: f64,
    pub(super) q: f64,
}

impl Rate {
    /// eps_j = q_j = 1/t_j (reading A6).
    pub(super) fn printed(t: u64) -> Rate {
        let rate = 1.0 / t as f64;
        Rate { eps: rate, q: rate }
    }

    /// q_j = 1e-3/t_j: any smaller discount is optimistic too, and loses less. So is any smaller
    /// eps_j; this one costs policy iteration a round or two.
    pub(super) fn small(t: u64) -> Rate {
        let rate = 1.0 / t.max(1) as f64;
        Rate { eps: rate.min(EPS), q: 1e-3 * rate }
    }

    /// For a model that is known.
    pub(super) fn least() -> Rate {
        Rate { eps: 1e-9, q: 1e-9 }
    }
}

/// What a planning call reports beside its outcome.
pub(super) struct Heading {
    pub(super) beta: f64,
    pub(super) theta: Vec<Vec<f64>>,
    pub(super) log_det: Vec<f64>,
}

impl Heading {
    /// That of regressions which were just frozen.
    pub(super) fn of<'a>(ridges: impl IntoIterator<Item = &'a Ridge>, beta: f64) -> Self {
        let of = |ridge: &Ridge| (ridge.frozen_theta().to_vec(), ridge.frozen().log_det());
        let (theta, log_det) = ridges.into_iter().map(of).unzip();
        Heading { beta, theta, log_det }
    }
}

/// The state of an [`Optimist`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Standing {
    /// Planning calls that met an empty C ∩ B.
    violations: u64,
    /// Those among them in which the data contradicted every model.
    contradictions: u64,
    /// Planning calls over a set larger than C ∩ B, since rows of B were left out.
    relaxed: u64,
    /// Q_j per pair.
    pub(super) q: Vec<f64>,
    /// V_j per state, in [0, B].
    pub(super) v: Vec<f64>,
    last_plan: Option<PlanReport>,
    ties: Stream,
}

impl Standing {
    /// Whether one of `calls` planning calls met a set that was not empty: until then Q and V are
    /// those of the beginning.
    fn has_values(&self, calls: u64) -> bool {
        self.violations < calls
    }
}

/// What the tables of an optimistic learner take, in bytes, from above.
pub(super) fn bytes(problem: &Problem) -> u64 {
    let (pairs, states) = (problem.pairs() as u64, problem.states() as u64);
    let d = problem.dim() as u64;
    // per pair: costs, Q twice and its bound, warm starts, a place among the triples; per state: V
    // several times, a chosen theta, and twice, while they are made, the chosen action's successors
    // with their weights
    let chosen = all_rows(problem) * states / pairs.max(1);
    (48 + 2 * (d + 1)) * pairs + (168 + 8 * d) * states + 32 * chosen
}

impl Optimist {
    /// Q_0 = V_0 = 1 off the goal (Algorithm 1, line 1); `unit` is what costs were divided by. V_0
    /// weighs the features of the first steps. It bounds nothing, so that 0 is shown in its place.
    pub(super) fn new(
        brief: &Brief,
        costs: Vec<f64>,
        b: f64,
        unit: f64,
        planner: &Key<Planner>,
    ) -> Result<Self> {
        let (planner, rows) = (brief.settings.get(planner)?, brief.settings.get(&ROWS)?);
        let constraints = chosen_rows(brief.problem, rows);
        Ok(Self::with(brief, costs, b, unit, planner, constraints))
    }

    /// The same without settings of the user's.
    pub(super) fn with(
        brief: &Brief,
        costs: Vec<f64>,
        b: f64,
        unit: f64,
        planner: Planner,
        constraints: Arc<Polytope>,
    ) -> Self {
        let problem = brief.problem.clone();
        let goal = problem.goal();
        let mut q = vec![1.0; problem.pairs()];
        q[problem.pairs_of(goal)].fill(0.0);
        let mut v = vec![b.min(1.0); problem.states()];
        v[goal] = 0.0;
        let ties = brief.stream();
        let standing = Standing { violations: 0, contradictions: 0, relaxed: 0, q, v, last_plan: None, ties };
        let devi = Devi::new(&problem);
        Optimist { devi, problem, costs, unit, b, planner, constraints, standing }
    }

    /// argmin_a Q_j(s,a).
    pub(super) fn act(&mut self, s: State) -> Action {
        greedy(&self.standing.q[self.problem.pairs_of(s)], &mut self.standing.ties)
    }

    /// All pairs that [`act`](Self::act) may choose in a state off the goal.
    pub(super) fn tied(&self, s: State) -> impl Iterator<Item = Pair> + '_ {
        let pairs = self.problem.pairs_of(s);
        let limit = limit(&self.standing.q[pairs.clone()]);
        pairs.filter(move |&p| s != self.problem.goal() && self.standing.q[p] <= limit)
    }

    /// The trigger of Algorithm 1, line 10.
    pub(super) fn due(doubled: bool, now: &Clock) -> Option<Reason> {
        let doubled = doubled.then_some(Reason::Determinant);
        doubled.or(now.time_doubled().then_some(Reason::Time))
    }

    /// Algorithm 1, lines 11 to 18, on regressions that were just frozen: C_j from level 0 (reading
    /// A9), eps_j = q_j = 1/t_j (reading A6).
    ///
    /// A radius of zero (`scale=0`) leaves no optimism: the plan is for the point of B that is
    /// nearest to the estimate, and without discount.
    pub(super) fn plan(&mut self, call: &Call, heading: Heading, set: &Ellipse) -> Result<(), Cut> {
        let (within, rate) = match set.radius == 0.0 {
            true => (set.nearest(&self.constraints), Rate::least()),
            false => (set.within(&self.constraints), Rate::printed(call.clock.t)),
        };
        let mut within = within.map_err(|_| Emptiness::Regression);
        self.plan_over(call, heading, within.as_mut(), rate)
    }

    /// What plans are made for, at another rate than theirs.
    pub(super) fn task(&self, Rate { eps, q }: Rate) -> Task<'_> {
        let most = self.costs.iter().copied().fold(1.0, f64::max);
        Task { problem: &self.problem, costs: &self.costs, b: most / q, eps, q }
    }

    /// The support problems of the last plan.
    pub(super) fn work(&self) -> u64 {
        let sweeps = self.standing.last_plan.as_ref().map_or(0, |plan| plan.sweeps);
        sweeps * self.problem.pairs() as u64
    }

    /// Where the values of the last plan lead to over a set.
    pub(super) fn way(&self, call: &Call, set: &mut ConvexSet, rate: Rate) -> Result<Walk, Cut> {
        let Rate { eps, q } = rate;
        let task = Task { problem: &self.problem, costs: &self.costs, b: self.b, eps, q };
        way(&task, set, &self.standing.v, call.halt)
    }

    /// Plans over a set, and reports it. If C ∩ B is empty (no set) the old Q and V stay, and the
    /// event is counted (reading D4). If it is cut off nothing has changed.
    pub(super) fn plan_over<S>(
        &mut self,
        call: &Call,
        heading: Heading,
        set: Result<&mut S, &mut Emptiness>,
        Rate { eps, q }: Rate,
    ) -> Result<(), Cut>
    where
        S: SupportMin + Clone + Send + Sync,
    {
        let now = &mut self.standing;
        let done = match set {
            Ok(set) => {
                let task = Task { problem: &self.problem, costs: &self.costs, b: self.b, eps, q };
                Ok(self.devi.plan_unless(&task, set, self.planner, &now.v, call.halt)?)
            }
            Err(why) => Err(*why),
        };
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
        let (empty, done) = (done.err(), done.ok());
        let unit = if now.has_values(call.clock.j) { self.unit } else { 0.0 };
        let v = now.v.iter().map(|v| v * unit).collect();
        let Heading { beta, theta, log_det } = heading;
        let details = Details::Mixture(MixturePlan {
            beta,
            theta,
            log_det,
            planner: done.map_or(self.planner, |done| done.planner),
            fallbacks: done.map_or(0, |done| done.fallbacks),
            relaxed: done.is_some_and(|done| done.relaxed),
        });
        let sweeps = done.map_or(0, |done| done.sweeps);
        let report = PlanReport::new(call.clock.t, call.clock.j, call.reason, v);
        now.last_plan = Some(PlanReport { sweeps, empty, details, ..report });
        Ok(())
    }

    /// V_j(s), in the user's units; 0 before there is a plan with values.
    pub(super) fn value(&self, s: State) -> f64 {
        self.standing.v[s] * self.shown_unit()
    }

    /// Q_j(s,a), in the user's units; 0 before there is a plan with values.
    pub(super) fn q(&self, p: Pair) -> f64 {
        self.standing.q[p] * self.shown_unit()
    }

    fn shown_unit(&self) -> f64 {
        let calls = self.standing.last_plan.as_ref().map_or(0, |plan| plan.j);
        if self.standing.has_values(calls) { self.unit } else { 0.0 }
    }

    /// Planning calls over a set larger than C ∩ B.
    pub(super) fn relaxed(&self) -> u64 {
        self.standing.relaxed
    }

    pub(super) fn violations(&self) -> u64 {
        self.standing.violations
    }

    pub(super) fn probe(&self, sink: &mut dyn Probe) {
        sink.contradictions(self.standing.contradictions);
        sink.relaxed(self.standing.relaxed);
        if let Some(plan) = &self.standing.last_plan {
            sink.plan(plan);
        }
    }

    pub(super) fn check(&self, stored: &Standing) -> Result<(), Flaw> {
        stored.ties.check(&self.standing.ties).within("ties")?;
        length("q", &stored.q, self.problem.pairs())?;
        length("v", &stored.v, self.problem.states())?;
        PlanReport::check(stored.last_plan.as_ref(), &self.problem).within("last_plan")
    }
}

/// The most products of pairs and rows: a sweep looks at all rows of a set for each pair, several
/// times.
const LABORIOUS: usize = 1 << 24;
/// With more pairs a set with too many rows takes a quarter of what it may: policy iteration hardly
/// settles over it. With fewer, a tight set takes fewer plans.
const MANY: usize = 1 << 12;

/// B, with what is to be taken of its rows where they are many.
fn chosen_rows(problem: &Problem, rows: Rows) -> Arc<Polytope> {
    let (b, pairs) = (problem.constraints(), problem.pairs().max(1));
    match rows {
        _ if b.has_features() => Arc::new(b.with_rows(rows)),
        Rows::Exact => Arc::clone(b),
        Rows::Nearest(count) => {
            let most = (LABORIOUS / pairs).max(count.saturating_mul(4));
            match b.offsets().len() > most {
                true => Arc::new(b.with_nearest(most, if pairs > MANY { most / 4 } else { most })),
                false => Arc::clone(b),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, worlds};

    #[test]
    fn sets_take_no_more_rows_than_sweeps_can_look_at() {
        let mixture = |states: u32, simplex: bool| {
            let params = Settings::new().set("states", states).set("actions", 2u32).set("dim", 8u32);
            worlds::build("random-mixture", &params.set("simplex", simplex)).unwrap().problem
        };
        for (states, part) in [(1_500, 1), (2_500, 4)] {
            let large = mixture(states, false);
            let (pairs, rows) = (large.pairs(), large.constraints().offsets().len());
            assert!(pairs * rows > LABORIOUS && rows < 65_536, "{pairs} {rows}");
            let (most, kept) = chosen_rows(&large, Rows::default()).nearest();
            assert!(most >= 1_024 && (most + 1) * pairs > LABORIOUS && most * pairs <= LABORIOUS);
            assert_eq!(kept, most / part);
        }
        let large = mixture(1_500, false);
        // `exact` takes all of them, and so does a plan that can look at all
        let (small, known) = (mixture(100, false), mixture(5_000, true));
        let nearest = Rows::default();
        for (problem, rows) in [(&large, Rows::Exact), (&small, nearest), (&known, nearest)] {
            assert!(Arc::ptr_eq(&chosen_rows(problem, rows), problem.constraints()));
        }
    }
}
