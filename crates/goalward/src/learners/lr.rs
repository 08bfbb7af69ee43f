//! The likelihood set and optimistic planning alone: a learner without constants.
//!
//! # What it does
//!
//! Counts what it sees ([`Likelihood`](crate::estimate::Likelihood)), keeps the set of all theta in B that explain it
//! ([`LikelihoodSet`](crate::confidence::LikelihoodSet)), plans over that set with [`Devi`](crate::plan::Devi) when the
//! time doubles or the information does, and acts greedily until the next plan. Information has doubled when
//! log det(Fisher information + rho I) exceeds its maximum over past plans by log 2: the estimate that it is computed at
//! moves, and a comparison with the last plan alone could oscillate.
//!
//! Costs are divided by the largest one, whether that is above or below 1: neither actions nor results depend on the user's
//! units. Discount q_j = 1/t_j and precision eps_j = 1/t_j are those of the paper. The discount also bounds the values, by
//! c_max t_j: no bound on B* is needed.
//!
//! **Zero costs.** If some cost off the goal is zero, every cost is raised by rho_j = 1/k_j in the j-th plan, in units of the
//! largest cost; k_j is the number of episodes begun by then, and a plan is also made when these have doubled. It vanishes
//! by itself, so neither T* nor K is needed. A free loop is worth rho_j/q_j = t_j/k_j: while no episode ends, that grows with
//! the time until any way to the goal is better. (With 1/t_j in the place of 1/k_j it would be worth 1 for ever.)
//!
//! # What it needs to know
//!
//! Nothing but the problem: neither B, c_min, T*, lambda, gamma nor the number of levels.
//!
//! # Parameters
//!
//! | name | default | meaning |
//! |---|---|---|
//! | `delta` | 0.01 | failure probability of the confidence set, for all times at once |
//! | `set` | `outer` | `outer`: an ellipsoid around the set; `exact`: the set itself ([`SharpSet`](crate::confidence::SharpSet)), for small problems: refused where B has more than 65,536 different rows |
//! | `planner` | `auto` | as for LEVIS++; with `set=exact`, `auto` is `fast` |
//! | `rows` | `nearest:256` | as for LEVIS++ |
//!
//! # Cost per step
//!
//! O(nnz of the row + k^2), k <= d - 1 the dimension of B, whatever the number of triples, and a short Newton fit each time that the
//! data have grown by a quarter; O(d log T) planning calls in all, each of which passes over the triples seen
//! ([`LikelihoodKeeper`]). Memory: 28 bytes for each distinct triple seen, 16 more while a fit or a plan is made.
//!
//! # Reference
//!
//! The set: Robbins' mixtures and Ville's inequality; Emmenegger, Mutny, Krause (2023) for likelihood-ratio sets in general.
//! The planner: Di, He, Zhou, Gu (ICML 2023), Algorithm 2. A learner without constants is named as future work there.
//!
//! # What is proved
//!
//! Validity: with probability at least 1 - delta, theta* is in every set at once, whatever the actions. Optimism: on that
//! event V_j <= V* (with zero costs: V_j <= V* + rho_j T* in units of the largest cost, rho_j = 1/k_j). No regret theorem is claimed: the sets shrink at the
//! parametric rate, but that the Bellman errors of its plans add up to O~(sqrt(K)) is not proved.
//!
//! A step to which every theta in B gives probability 0 is reported as a violation, with its names, and not counted; the set
//! stays as it was. A threshold below the least loss of any theta in B says that the data contradict every model in B at the
//! level delta: that is counted and named, and the last set and the last plan stay in force.

use super::optimist::{Heading, Optimist, ROWS, Standing, listed};
use super::{Brief, Emptiness, Learner, LearnerEntry, Observed, Probe, Reason, Snapshot, Transition};
use crate::Result;
use crate::confidence::{Assumption, Claim, Kept, Knowledge, LikelihoodKeeper, hidden_coordinates};
use crate::estimate::Seen;
use crate::numeric::stored::{Flaw, Within, ensure};
use crate::plan::{Cut, Halt, Planner};
use crate::problem::seen::require_clear;
use crate::problem::{Action, Problem, State};
use crate::registry::Parameter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(super) const ENTRY: LearnerEntry = LearnerEntry {
    id: "lr",
    title: "LR: optimistic planning over the likelihood set, without constants",
    reference: "goalward; the planner of Di, He, Zhou, Gu (ICML 2023), Algorithm 2",
    setting: "linear mixture SSP, costs may be zero",
    needs: &[],
    guarantee: "theta* in all sets at once, and optimism, with probability 1 - delta; no regret theorem",
    parameters: &[DELTA, SET, super::levis_plus_plus::PLANNER, ROWS],
    wants_policy: false,
    build: |brief| Ok(Box::new(Lr::new(brief)?)),
};

const DELTA: Parameter = Parameter {
    name: "delta",
    default: "0.01",
    doc: "failure probability of the confidence set, for all times at once",
};

const SET: Parameter = Parameter {
    name: "set",
    default: "outer",
    doc: "outer: an ellipsoid around the likelihood set, microseconds for a backup; exact: the set itself by a conic solver, \
          milliseconds, for small problems (planner=auto is then fast)",
};

/// Every step was counted by the likelihood, or was a surprise.
pub(super) fn check_together(standing: &Standing, keeper: &LikelihoodKeeper) -> Result<(), Flaw> {
    let (counted, t) = (keeper.likelihood().total(), standing.t);
    ensure(counted + standing.surprises.count() == t, "standing.t", || {
        format!("{t}, but {counted} steps were counted")
    })
}

/// The estimate and its intervals, for a probe that wants them.
pub(super) fn probe_estimate(keeper: &LikelihoodKeeper, sink: &mut dyn Probe) {
    if sink.wants_estimate() {
        sink.estimate(&keeper.likelihood().maximum().theta);
        if let Some(intervals) = keeper.set().intervals(keeper.likelihood()) {
            sink.intervals(&intervals);
            sink.hidden(&hidden_coordinates(keeper.likelihood()));
        }
    }
}

struct Lr {
    optimist: Optimist,
    keeper: LikelihoodKeeper,
    /// Some cost off the goal is zero, in units of the largest.
    perturbed: bool,
    /// Plans over the set itself, not over the ellipsoid around it.
    sharp: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    standing: Standing,
    kept: Kept,
}

impl Lr {
    fn new(brief: &Brief) -> Result<Self> {
        let unit = brief.problem.largest_cost();
        let costs = brief.problem.costs().iter().map(|c| c / unit).collect();
        let delta = brief.settings.probability("delta")?;
        require_clear(brief.problem)?;

        let sharp = match brief.settings.text("set") {
            Some("outer") => false,
            Some("exact") if brief.problem.constraints().has_features() => {
                let reason = "this problem has more than 65,536 different rows, too many for a conic solver: \
                              set=outer is made for it";
                return Err(brief.settings.refuse("set", "exact", reason.into()));
            }
            Some("exact") => true,
            other => {
                return Err(brief.settings.refuse(
                    "set",
                    other.unwrap_or(""),
                    "expected outer or exact".into(),
                ));
            }
        };
        let mut optimist = Optimist::new(brief, costs, 1.0)?.in_units_of(unit);
        if sharp && optimist.planner == Planner::Auto {
            optimist.planner = Planner::Fast; // a sweep takes a conic solve for each pair
        }
        Ok(Lr {
            keeper: LikelihoodKeeper::within(brief.problem, &optimist.constraints, delta),
            optimist,
            sharp,
            perturbed: brief.problem.min_cost() / unit == 0.0,
        })
    }

    /// Plans; a plan that is cut off leaves what is kept of the data as it was.
    fn plan_or_owe(&mut self, reason: Reason) -> Observed {
        let kept = self.optimist.keep(|| self.keeper.clone());
        let planned = self.plan(reason);
        self.optimist.settle(reason, planned, kept, |keeper| self.keeper = keeper)
    }

    fn plan(&mut self, reason: Reason) -> Result<(), Cut> {
        let Knowledge { maximum, set, threshold } = self.keeper.update();
        let mut set = set.map_err(|_| Emptiness::Contradiction);
        let heading = Heading {
            reason,
            beta: self.keeper.set().radius().unwrap_or(0.0),
            theta: vec![maximum.theta],
            log_det: vec![self.keeper.likelihood().log_information()],
        };
        let optimist = &mut self.optimist;
        let t = optimist.standing.t as f64;
        let rho = if self.perturbed { 1.0 / optimist.standing.episodes_begun() as f64 } else { 0.0 };
        let (problem, unit) = (&optimist.problem, optimist.unit);
        optimist.costs.clear();
        optimist.costs.extend(problem.costs().iter().map(|c| c / unit + rho));
        // no fixed point exceeds c_max/q, whatever the set
        optimist.b = optimist.costs.iter().copied().fold(1.0, f64::max) * t;
        let (set, keeper) = (set.as_mut(), &self.keeper);
        let rate = 1.0 / t;
        if let (true, Ok(within)) = (self.sharp, &set)
            && let Some(mut sharp) = keeper.set().sharp(keeper.likelihood(), threshold, (*within).clone())
        {
            return optimist.plan_over(heading, Ok(&mut sharp), rate, rate);
        }
        optimist.plan_over(heading, set, rate, rate)
    }
}

impl Learner for Lr {
    fn act(&mut self, s: State) -> Result<Action> {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition) -> Result<Observed> {
        let (pair, _) = self.optimist.advance(step)?;
        let seen = pair.map(|pair| self.keeper.observe(pair, step.next));
        if seen == Some(Seen::Impossible) {
            self.optimist.surprise(step);
        }
        let informed = seen == Some(Seen::Counted) && self.keeper.informed();
        let due = informed.then_some(Reason::Information).or(self.optimist.due(false));
        let more = self.perturbed && self.optimist.standing.episodes_doubled();
        let due = due.or(more.then_some(Reason::Episodes));
        let reason = self.optimist.owed().or(due);
        Ok(reason.map_or(Observed::Updated, |reason| self.plan_or_owe(reason)))
    }

    fn catch_up(&mut self) -> Result<Observed> {
        Ok(self.optimist.owed().map_or(Observed::Updated, |reason| self.plan_or_owe(reason)))
    }

    fn owes(&self) -> bool {
        self.optimist.owed().is_some()
    }

    fn heed(&mut self, halt: &Halt) {
        self.optimist.heed(halt);
    }

    fn problem(&self) -> Option<&Problem> {
        Some(&self.optimist.problem)
    }

    fn probe(&self, sink: &mut dyn Probe) {
        probe_estimate(&self.keeper, sink);
        self.optimist.probe(sink);
    }

    fn in_force(&self) -> Map<String, Value> {
        listed(
            &[
                ("radius", json!("likelihood")),
                ("delta", json!(self.keeper.set().delta())),
                ("set", json!(if self.sharp { "exact" } else { "outer" })),
                ("planner", json!(self.optimist.planner.name())),
                ("rows", json!(self.optimist.rows)),
                ("cost_unit", json!(self.optimist.unit)),
                ("perturbation", json!(if self.perturbed { "1/k_j" } else { "none" })),
            ],
            &[],
        )
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

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let Memory { standing, kept } = snapshot.to()?;
        // values are at most c_max t_j, and costs at most 1 and a perturbation of 1
        let highest = 4.0 * standing.t_j.max(1) as f64;
        self.optimist.check(&standing, highest).within("standing").within("learner")?;
        let keeper = self.keeper.restored(kept).within("kept").within("learner")?;
        check_together(&standing, &keeper).within("learner")?;
        (self.optimist.standing, self.keeper) = (standing, keeper);
        Ok(())
    }

    fn observed(&self) -> Option<u64> {
        Some(self.optimist.standing.t)
    }
}
