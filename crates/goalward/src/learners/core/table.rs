//! The table of a learner that keeps Q and V and acts on them.

use super::algorithm::{Brief, Call};
use super::greedy::greedy;
use super::report::{PlanReport, Probe};
use crate::numeric::Stream;
use crate::numeric::stored::{Flaw, Within, length};
use crate::problem::{Action, Pair, Problem, State};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Q and V, for costs divided by the largest: nothing depends on the user's units.
pub(in crate::learners) struct Table {
    pub(in crate::learners) problem: Arc<Problem>,
    /// Costs per pair, divided by the unit, none below the floor.
    pub(in crate::learners) costs: Vec<f64>,
    /// That floor, in units of the largest cost.
    pub(in crate::learners) floor: f64,
    /// The user's units per unit of these costs.
    pub(in crate::learners) unit: f64,
    pub(in crate::learners) standing: Standing,
}

/// The state of a [`Table`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::learners) struct Standing {
    pub(in crate::learners) q: Vec<f64>,
    pub(in crate::learners) v: Vec<f64>,
    last_plan: Option<PlanReport>,
    pub(in crate::learners) stream: Stream,
}

/// What a table takes, in bytes, from above.
pub(in crate::learners) fn bytes(problem: &Problem) -> u64 {
    24 * problem.pairs() as u64 + 48 * problem.states() as u64
}

impl Table {
    /// Q = V = 0, which no value is below; costs off the goal are raised to the floor, which is in
    /// units of the largest cost.
    pub(in crate::learners) fn new(brief: &Brief, floor: f64) -> Table {
        let problem = brief.problem.clone();
        let unit = problem.largest_cost();
        let mut costs: Vec<f64> = problem.costs().iter().map(|c| (c / unit).max(floor)).collect();
        costs[problem.pairs_of(problem.goal())].fill(0.0);
        let (q, v) = (vec![0.0; problem.pairs()], vec![0.0; problem.states()]);
        let standing = Standing { q, v, last_plan: None, stream: brief.stream() };
        Table { problem, costs, floor, unit, standing }
    }

    /// The least cost off the goal, in units of the largest.
    pub(in crate::learners) fn least_cost(&self) -> f64 {
        let goal = self.problem.pairs_of(self.problem.goal());
        let off_goal = (0..self.costs.len()).filter(|p| !goal.contains(p));
        off_goal.map(|p| self.costs[p]).fold(f64::INFINITY, f64::min)
    }

    /// argmin_a Q(s,a), ties broken uniformly.
    pub(in crate::learners) fn act(&mut self, s: State) -> Action {
        greedy(&self.standing.q[self.problem.pairs_of(s)], &mut self.standing.stream)
    }

    /// The same on a Q of other times.
    pub(in crate::learners) fn act_on(&mut self, q: &[f64], s: State) -> Action {
        greedy(&q[self.problem.pairs_of(s)], &mut self.standing.stream)
    }

    /// A greedy policy, ties broken now and for good; action 0 where there is nothing to choose.
    pub(in crate::learners) fn policy(&mut self) -> Vec<Action> {
        (0..self.problem.states())
            .map(|s| if self.problem.actions(s) > 1 { self.act(s) } else { 0 })
            .collect()
    }

    /// V(s) = min_a Q(s,a), after Q of that state has changed; the goal is free.
    pub(in crate::learners) fn renew(&mut self, s: State) {
        if s != self.problem.goal() {
            let q = &self.standing.q[self.problem.pairs_of(s)];
            self.standing.v[s] = q.iter().copied().fold(f64::INFINITY, f64::min);
        }
    }

    pub(in crate::learners) fn report(&mut self, call: &Call, sweeps: u64) {
        let v = self.standing.v.iter().map(|v| v * self.unit).collect();
        let report = PlanReport::new(call.clock.t, call.clock.j, call.reason, v);
        self.standing.last_plan = Some(PlanReport { sweeps, ..report });
    }

    /// V(s), in the user's units.
    pub(in crate::learners) fn value(&self, s: State) -> f64 {
        self.standing.v[s] * self.unit
    }

    /// Q(s,a), in the user's units.
    pub(in crate::learners) fn q(&self, p: Pair) -> f64 {
        self.standing.q[p] * self.unit
    }

    /// What the floor adds to costs at most, in the user's units.
    pub(in crate::learners) fn raised(&self) -> f64 {
        (self.floor * self.unit - self.problem.min_cost()).max(0.0)
    }

    pub(in crate::learners) fn probe(&self, sink: &mut dyn Probe) {
        if let Some(plan) = &self.standing.last_plan {
            sink.plan(plan);
        }
    }

    pub(in crate::learners) fn check(&self, stored: &Standing) -> Result<(), Flaw> {
        stored.stream.check(&self.standing.stream).within("stream")?;
        length("q", &stored.q, self.problem.pairs())?;
        length("v", &stored.v, self.problem.states())?;
        PlanReport::check(stored.last_plan.as_ref(), &self.problem).within("last_plan")
    }
}
