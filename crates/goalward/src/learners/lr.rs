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
//! Discount q_j = 1/t_j and precision eps_j = 1/t_j are those of the paper. The discount also bounds the values, by
//! c_max t_j: no bound on B* is needed. If some cost off the goal is zero, every cost is raised by 1/t_j in the j-th plan: it
//! vanishes by itself, so neither T* nor K is needed.
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
//!
//! # Cost per step
//!
//! O(nnz of the row + k^2), k <= d - 1 the dimension of B, and a Newton fit each time that the data have grown by a tenth;
//! O(d log T) planning calls in all.
//!
//! # Reference
//!
//! The set: Robbins' mixtures and Ville's inequality; Emmenegger, Mutny, Krause (2023) for likelihood-ratio sets in general.
//! The planner: Di, He, Zhou, Gu (ICML 2023), Algorithm 2. A learner without constants is named as future work there.
//!
//! # What is proved
//!
//! Validity: with probability at least 1 - delta, theta* is in every set at once, whatever the actions. Optimism: on that
//! event V_j <= V* (with zero costs: V_j <= V* + T*/t_j). No regret theorem is claimed: the sets shrink at the
//! parametric rate, but that the Bellman errors of its plans add up to O~(sqrt(K)) is not proved.
//!
//! A step to which every theta in B gives probability 0 is reported as a violation, with its names, and not counted; the set
//! stays as it was. So does a set that becomes empty: the last plan stays in force.

use super::optimist::{Heading, Optimist, Standing, impossible, listed};
use super::{Brief, Learner, LearnerEntry, Observed, Probe, Reason, Snapshot, Transition, Violation};
use crate::Result;
use crate::confidence::{Kept, Knowledge, LikelihoodKeeper};
use crate::estimate::Seen;
use crate::problem::{Action, Pair, Problem, State};
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
    parameters: &[DELTA, super::levis_plus_plus::PLANNER],
    wants_policy: false,
    build: |brief| Ok(Box::new(Lr::new(brief)?)),
};

const DELTA: Parameter = Parameter {
    name: "delta",
    default: "0.01",
    doc: "failure probability of the confidence set, for all times at once",
};

/// Distinct violations that are remembered by name; all are counted.
const REMEMBERED: usize = 64;

/// What a learner with a likelihood set keeps of what it saw.
pub(super) struct Watch {
    pub(super) keeper: LikelihoodKeeper,
    surprises: Surprises,
}

/// Steps that no model allows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Surprises {
    count: u64,
    distinct: Vec<Violation>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WatchMemory {
    kept: Kept,
    surprises: Surprises,
}

impl Watch {
    pub(super) fn new(brief: &Brief, delta: f64) -> Self {
        Watch { keeper: LikelihoodKeeper::new(brief.problem, delta), surprises: Surprises::default() }
    }

    /// Takes a step in, or notes that no model allows it.
    pub(super) fn observe(&mut self, problem: &Problem, step: &Transition, pair: Pair, t: u64) -> Seen {
        let seen = self.keeper.observe(pair, step.next);
        if seen == Seen::Impossible {
            let Surprises { count, distinct } = &mut self.surprises;
            *count += 1;
            let (state, action, next) = (step.state, step.action, step.next);
            let same = |v: &Violation| (v.state, v.action, v.next) == (state, action, next);
            match distinct.iter().position(same) {
                Some(known) => distinct[known].times += 1,
                None if distinct.len() < REMEMBERED => {
                    let text = impossible(problem, step);
                    distinct.push(Violation { t, state, action, next, times: 1, text });
                }
                None => {}
            }
        }
        seen
    }

    /// The estimate and the violations; returns how many there were.
    pub(super) fn probe(&self, sink: &mut dyn Probe) -> u64 {
        if sink.wants_estimate() {
            let likelihood = self.keeper.likelihood();
            sink.estimate(&likelihood.maximum().theta);
            if let Some(intervals) = self.keeper.set().intervals(likelihood) {
                sink.intervals(&intervals);
            }
        }
        self.surprises.distinct.iter().for_each(|v| sink.violation(v));
        self.surprises.count
    }

    pub(super) fn memory(&self) -> WatchMemory {
        WatchMemory { kept: self.keeper.kept(), surprises: self.surprises.clone() }
    }

    pub(super) fn restore(&mut self, memory: WatchMemory) -> Result<()> {
        self.keeper.restore(memory.kept)?;
        self.surprises = memory.surprises;
        Ok(())
    }
}

struct Lr {
    optimist: Optimist,
    watch: Watch,
    /// Some cost off the goal is zero.
    perturbed: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    standing: Standing,
    watch: WatchMemory,
}

impl Lr {
    fn new(brief: &Brief) -> Result<Self> {
        let unit = brief.problem.cost_unit();
        let costs = brief.problem.costs().iter().map(|c| c / unit).collect();
        let delta = brief.settings.number("delta", 1e-300, 1.0)?;
        Ok(Lr {
            optimist: Optimist::new(brief, costs, 1.0)?,
            watch: Watch::new(brief, delta),
            perturbed: brief.problem.min_cost() == 0.0,
        })
    }

    fn plan(&mut self, reason: Reason) {
        let Knowledge { maximum, mut set, .. } = self.watch.keeper.update();
        let heading = Heading {
            reason,
            beta: self.watch.keeper.set().radius().unwrap_or(0.0),
            theta: vec![maximum.theta],
            log_det: vec![self.watch.keeper.likelihood().log_information()],
        };
        let optimist = &mut self.optimist;
        let t = optimist.standing.t as f64;
        let rho = if self.perturbed { 1.0 / t } else { 0.0 };
        let problem = &optimist.problem;
        optimist.costs.clear();
        optimist.costs.extend(problem.costs().iter().map(|c| c / problem.cost_unit() + rho));
        // no fixed point exceeds c_max/q, whatever the set
        optimist.b = optimist.costs.iter().copied().fold(1.0, f64::max) * t;
        optimist.plan_over(heading, set.as_mut().ok(), 1.0 / t, 1.0 / t);
    }
}

impl Learner for Lr {
    fn act(&mut self, s: State) -> Action {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition) -> Result<Observed> {
        let (pair, t) = self.optimist.advance_whatever_next(step)?;
        let seen = self.watch.observe(&self.optimist.problem, step, pair, t);
        let informed = seen == Seen::Counted && self.watch.keeper.informed();
        let reason = informed.then_some(Reason::Information).or(self.optimist.due(false));
        match reason {
            None => Ok(Observed::Updated),
            Some(reason) => {
                self.plan(reason);
                Ok(Observed::Planned)
            }
        }
    }

    fn probe(&self, sink: &mut dyn Probe) {
        let violations = self.watch.probe(sink);
        self.optimist.probe_with(sink, violations);
    }

    fn in_force(&self) -> Map<String, Value> {
        listed(
            &[
                ("radius", json!("likelihood")),
                ("guarantee", json!(true)),
                ("delta", json!(self.watch.keeper.set().delta())),
                ("planner", json!(self.optimist.planner.name())),
                ("perturbation", json!(if self.perturbed { "1/t_j" } else { "none" })),
            ],
            &[],
        )
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&Memory { standing: self.optimist.standing.clone(), watch: self.watch.memory() })
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let memory: Memory = snapshot.to()?;
        self.optimist.restore(memory.standing)?;
        self.watch.restore(memory.watch)
    }
}
