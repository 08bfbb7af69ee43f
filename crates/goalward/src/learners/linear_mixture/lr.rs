//! The likelihood set and optimistic planning alone: a learner without constants.
//!
//! # What it does
//!
//! Counts what it sees ([`Likelihood`](crate::estimate::Likelihood)), keeps the set of all theta in
//! B that explain it ([`LikelihoodSet`](crate::confidence::LikelihoodSet)), plans over that set
//! with [`Devi`](crate::plan::Devi) when the time doubles or the information does, and acts
//! greedily until the next plan. Information has doubled when log det(Fisher information + rho I)
//! exceeds its maximum over past plans by log 2: the estimate that it is computed at moves, and a
//! comparison with the last plan alone could oscillate.
//!
//! Costs are divided by the largest one, whether that is above or below 1: neither actions nor
//! results depend on the user's units. Discount q_j = 1/t_j and precision eps_j = 1/t_j are those
//! of the paper. The discount also bounds the values, by c_max t_j: no bound on B* is needed.
//!
//! **Zero costs.** If some cost off the goal is zero, every cost is raised by rho_j = 1/k_j in the
//! j-th plan, in units of the largest cost; k_j is the number of episodes begun by then, and a plan
//! is also made when these have doubled. It vanishes by itself, so neither T* nor K is needed. A
//! free loop is worth rho_j/q_j = t_j/k_j: while no episode ends, that grows with the time until
//! any way to the goal is better. (With 1/t_j in the place of 1/k_j it would be worth 1 for ever.)
//!
//! # What it needs to know
//!
//! Nothing but the problem: neither B, c_min, T*, lambda, gamma nor the number of levels.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/lr.md")]
//!
//! # Cost per step
//!
//! O(nnz of the row + k^2), k <= d - 1 the dimension of B, whatever the number of triples, and a
//! short Newton fit each time that the data have grown by a quarter; O(d log T) planning calls in
//! all, each of which passes over the triples seen ([`LikelihoodKeeper`]). Memory: 28 bytes for
//! each distinct triple seen, 16 more while a fit or a plan is made.
//!
//! # Reference
//!
//! The set: Robbins' mixtures and Ville's inequality; Emmenegger, Mutny, Krause (2023) for
//! likelihood-ratio sets in general. The planner: Di, He, Zhou, Gu (ICML 2023), Algorithm 2. A
//! learner without constants is named as future work there.
//!
//! # What is proved
//!
//! Validity: with probability at least 1 - delta, theta* is in every set at once, whatever the
//! actions. Optimism: on that event V_j <= V* (with zero costs: V_j <= V* + rho_j T* in units of
//! the largest cost, rho_j = 1/k_j). No regret theorem is claimed: the sets shrink at the
//! parametric rate, but that the Bellman errors of its plans add up to O~(sqrt(K)) is not proved.
//!
//! A step to which every theta in B gives probability 0 is reported as a violation, with its names,
//! and not counted; the set stays as it was. A threshold below the least loss of any theta in B
//! says that the data contradict every model in B at the level delta: that is counted and named,
//! and the last set and the last plan stay in force.

use super::cuts;
use super::optimist::{Heading, Optimist, Rate, Standing, bytes};
use crate::Result;
use crate::confidence::{Assumption, Claim, Kept, LikelihoodKeeper, SharpSet, hidden_coordinates};
use crate::learners::builder::builder;
use crate::learners::shared::{DELTA, PLANNER, ROWS};
use crate::learners::{
    Algorithm, Brief, Call, Clock, Emptiness, Family, LearnerEntry, Probe, Reason, Seen, Snapshot, Transition,
};
use crate::numeric::stored::{Flaw, Within, ensure};
use crate::numeric::support::{ConvexSet, SupportMin, Warm};
use crate::parameters::{Choice, Key, Value};
use crate::plan::{Cut, Devi, Planner, Task};
use crate::problem::seen::require_clear;
use crate::problem::{Action, Pair, State};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("lr", "LR: optimistic planning over the likelihood set, without constants", build)
        .reference("goalward; the planner of Di, He, Zhou, Gu (ICML 2023), Algorithm 2")
        .setting("linear mixture SSP, costs may be zero")
        .guarantee("theta* in all sets at once, and optimism, with probability 1 - delta; no regret theorem")
        .parameters(PARAMETERS)
        .family(Family::LinearMixture)
        .optimistic()
        .memory(bytes);

const LEVEL: Key<f64> = DELTA.doc("failure probability of the confidence set, for all times at once");

/// Which set `lr` plans over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An ellipsoid around the likelihood set.
    Outer,
    /// And cuts.
    Cuts,
    /// The set itself.
    Exact,
}

#[doc(hidden)]
impl Value for Shape {
    fn read(text: &str) -> Option<Shape> {
        [Shape::Outer, Shape::Cuts, Shape::Exact].into_iter().find(|shape| shape.typed() == text)
    }
    fn typed(&self) -> String {
        let word = match self {
            Shape::Outer => "outer",
            Shape::Cuts => "cuts",
            Shape::Exact => "exact",
        };
        word.into()
    }
}

const SET: Key<Shape> = Key::choice(
    "set",
    &[Choice::Word("outer"), Choice::Word("cuts"), Choice::Word("exact")],
    "outer: an ellipsoid around the likelihood set, microseconds for a backup; exact: the set itself by a \
     conic solver, milliseconds, for small problems (planner=auto is then fast)",
)
.or("outer");

builder! {
    /// Optimistic planning over the likelihood set. See the [module](self).
    Lr, ENTRY;
    LEVEL as TakesDelta;
    SET, set => Shape;
    PLANNER as TakesPlanner;
    ROWS as TakesRows;
}

/// Every step was counted by the likelihood, or was a surprise.
pub(super) fn check_together(keeper: &LikelihoodKeeper, now: &Clock) -> Result<(), Flaw> {
    let (counted, t) = (keeper.likelihood().total(), now.t);
    ensure(counted + now.impossible == t, "clock.t", || format!("{t}, but {counted} steps were counted"))
}

/// The estimate, its intervals and the sets, for a probe that wants them.
pub(super) fn show(keeper: &LikelihoodKeeper, sink: &mut dyn Probe) {
    if sink.wants_estimate() {
        sink.estimate(&keeper.likelihood().maximum().theta);
        if let Some(intervals) = keeper.set().intervals(keeper.likelihood()) {
            sink.intervals(&intervals);
            sink.hidden(&hidden_coordinates(keeper.likelihood()));
        }
    }
    if sink.wants_sets() {
        sink.set(&keeper.now());
        sink.planned_set(&keeper.planned());
    }
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let settings = &brief.settings;
    let unit = brief.problem.largest_cost();
    let costs = brief.problem.costs().iter().map(|c| c / unit).collect();
    let delta = settings.get(&LEVEL)?;
    require_clear(brief.problem)?;
    let shape = settings.get(&SET)?;
    if shape == Shape::Exact && brief.problem.constraints().has_features() {
        let reason = "this problem has more than 65,536 different rows, too many for a conic solver: \
                      set=outer is made for it";
        return Err(settings.refuse(&SET, reason.into()));
    }
    let mut optimist = Optimist::new(brief, costs, 1.0, unit)?;
    if shape != Shape::Outer && optimist.planner == Planner::Auto {
        optimist.planner = Planner::Fast; // a sweep takes a conic solve for each pair
    }
    let perturbed = brief.problem.min_cost() / unit == 0.0;
    settings.note(&PLANNER, &optimist.planner);
    settings.note_as("radius", json!("likelihood"));
    settings.note_as("cost_unit", json!(unit));
    settings.note_as("perturbation", json!(if perturbed { "1/k_j" } else { "none" }));
    let mut keeper = LikelihoodKeeper::within(brief.problem, &optimist.constraints, delta);
    if std::env::var("RESTART").is_ok() {
        keeper = keeper.restarting();
    }
    Ok(Box::new(Likely { keeper, optimist, shape, perturbed, informed: false, in_use: None, informed_by: None }))
}

struct Likely {
    optimist: Optimist,
    keeper: LikelihoodKeeper,
    /// Some cost off the goal is zero, in units of the largest.
    perturbed: bool,
    shape: Shape,
    /// Whether the information has doubled with the step just taken in.
    informed: bool,
    in_use: Option<ConvexSet>,
    informed_by: Option<crate::numeric::Cholesky>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    standing: Standing,
    kept: Kept,
}

impl Likely {
    fn refuted(&mut self, s: State) -> bool {
        let env = |name: &str, or: f64| std::env::var(name).ok().and_then(|x| x.parse().ok()).unwrap_or(or);
        let x = env("X", 1e9);
        if x > 1e8 || s == self.optimist.problem.goal() {
            return false;
        }
        let Some(set) = &mut self.in_use else { return false };
        let problem = &self.optimist.problem;
        let q = &self.optimist.standing.q;
        let Some(p) = problem.pairs_of(s).min_by(|&a, &b| q[a].total_cmp(&q[b])) else { return false };
        let mut phi = vec![0.0; problem.dim()];
        problem.phi_v(p, &self.optimist.standing.v, &mut phi);
        set.min(&phi, &mut Warm::default());
        let mut z = vec![0.0; self.keeper.likelihood().predicting_z().len()];
        set.coordinates(&mut z);
        z.iter_mut().zip(self.keeper.likelihood().predicting_z()).for_each(|(z, p)| *z -= p);
        let norm = |factor: &crate::numeric::Cholesky| -> f64 {
            let k = z.len();
            (0..k).map(|j| (j..k).map(|i| factor.lower()[i * k + j] * z[i]).sum::<f64>().powi(2)).sum()
        };
        let now = norm(self.keeper.likelihood().information_factor());
        let then = self.informed_by.as_ref().map_or(0.0, norm);
        0.5 * (now - then) > x
    }

    fn plan_now(&mut self, call: &Call) -> Result<(), Cut> {
        let mut known = self.keeper.update();
        let heading = Heading {
            beta: self.keeper.set().radius().unwrap_or(0.0),
            theta: vec![known.maximum.theta.clone()],
            log_det: vec![self.keeper.likelihood().log_information()],
        };
        let region = match self.shape {
            Shape::Outer => None,
            Shape::Cuts | Shape::Exact => self.keeper.region(&known),
        };
        let optimist = &mut self.optimist;
        let rate = Rate::small(call.clock.t);
        let rho = if self.perturbed { 1.0 / call.clock.episodes_begun() as f64 } else { 0.0 };
        let (problem, unit) = (&optimist.problem, optimist.unit);
        optimist.costs.clear();
        optimist.costs.extend(problem.costs().iter().map(|c| c / unit + rho));
        // no fixed point exceeds c_max/q, whatever the set
        optimist.b = optimist.costs.iter().copied().fold(1.0, f64::max) / rate.q;
        let mut none = Emptiness::Contradiction;
        let set = known.set.as_mut().map_err(|_| &mut none);
        match (region, self.shape) {
            (Some(region), Shape::Exact) => {
                let mut sharp = set.map(|within| SharpSet::new(region, within.clone()));
                optimist.plan_over(call, heading, sharp.as_mut().map_err(|e| &mut **e), rate, |_, _, _| false)?;
            }
            (Some(region), _) => {
                let sharpen = |set: &mut ConvexSet, devi: &Devi, task: &Task| cuts::sharpen(&region, set, devi, task);
                optimist.plan_over(call, heading, set, rate, sharpen)?;
            }
            (None, _) => optimist.plan_over(call, heading, set, rate, |_, _, _| false)?,
        }
        if let Ok(set) = &known.set {
            self.keeper.keep_cuts(set);
            self.informed_by = Some(self.keeper.likelihood().information_factor().clone());
            self.in_use = self.keeper.set().last(self.keeper.likelihood());
        }
        Ok(())
    }
}

impl Algorithm for Likely {
    fn act(&mut self, s: State) -> Action {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition, pair: Pair, _: &Clock) -> Seen {
        let seen = self.keeper.observe(pair, step.next);
        self.informed = seen == Seen::Counted && self.keeper.informed();
        if !self.informed && seen == Seen::Counted {
            let goal = self.optimist.problem.goal();
            let next = if step.next == goal { self.optimist.problem.start() } else { step.next };
            self.informed = self.refuted(next);
        }
        seen
    }

    fn due(&mut self, now: &Clock) -> Option<Reason> {
        let informed = std::mem::take(&mut self.informed).then_some(Reason::Information);
        let more = self.perturbed && now.episodes_doubled();
        informed.or(Optimist::due(false, now)).or(more.then_some(Reason::Episodes))
    }

    fn plans_first(&self) -> bool {
        true
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let before = call.keep(|| self.keeper.clone());
        let planned = self.plan_now(call);
        if let (Err(_), Some(before)) = (planned, before) {
            self.keeper = before;
        }
        planned
    }

    fn value(&self, s: State) -> Option<f64> {
        Some(self.optimist.value(s))
    }

    fn q(&self, p: Pair) -> Option<f64> {
        Some(self.optimist.q(p))
    }

    fn probe(&self, sink: &mut dyn Probe, _: &Clock) {
        show(&self.keeper, sink);
        self.optimist.probe(sink);
    }

    fn violations(&self) -> u64 {
        self.optimist.violations()
    }

    fn claim(&self) -> Option<Claim> {
        let values = if self.perturbed { "V* of the perturbed costs" } else { "V*" };
        Some(Claim {
            statement: format!(
                "theta* is in every confidence set at all times, and no plan's values exceed {values}"
            ),
            level: self.keeper.set().delta(),
            assumptions: vec![Assumption::Mixture],
        })
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&Memory { standing: self.optimist.standing.clone(), kept: self.keeper.kept() })
    }

    fn restore(&mut self, state: &Snapshot, now: &Clock) -> Result<()> {
        let Memory { standing, kept } = state.to()?;
        // values are at most c_max t_j, and costs at most 1 and a perturbation of 1
        let highest = 4.0 * now.t_j.max(1) as f64;
        self.optimist.check(&standing, now, highest).within("standing").within("learner.algorithm")?;
        let keeper = self.keeper.restored(kept).within("kept").within("learner.algorithm")?;
        check_together(&keeper, now).within("learner.algorithm")?;
        (self.optimist.standing, self.keeper) = (standing, keeper);
        Ok(())
    }
}
