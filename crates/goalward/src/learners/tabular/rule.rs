//! What tabular learners share: a table, and a rule that fills it.

use crate::Result;
use crate::confidence::Claim;
use crate::learners::core::{Standing, Table};
use crate::learners::{Algorithm, Call, Clock, Probe, Reason, Seen, Snapshot, Transition};
use crate::numeric::stored::{Flaw, Within};
use crate::plan::Cut;
use crate::problem::{Action, Pair, Problem, State};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// How a tabular learner learns, plans and acts.
pub(super) trait Rule: Send + Sync {
    /// Its state, beside the table.
    type Memory: Serialize + DeserializeOwned;

    /// The action to take; greedy on the table if it does not say otherwise.
    fn act(&mut self, table: &mut Table, s: State) -> Action {
        table.act(s)
    }

    /// Learns from a step; the reason for a plan, if one is due.
    fn learn(&mut self, table: &mut Table, step: &Transition, pair: Pair, now: &Clock) -> Option<Reason>;

    /// Plans, and says how many sweeps that took. If it is cut off nothing may have changed.
    fn plan(&mut self, _table: &mut Table, _call: &Call) -> Result<u64, Cut> {
        Ok(0)
    }

    /// Whether it plans before the first step.
    fn plans_first(&self) -> bool {
        false
    }

    /// Whether it learns from steps that no model allows.
    fn takes_any_step(&self) -> bool;

    /// What is proved of it.
    fn claim(&self, table: &Table) -> Option<Claim>;

    /// Its state.
    fn stored(&self) -> Self::Memory;

    /// Puts a state back, if it can be one.
    fn restore(&mut self, memory: Self::Memory, problem: &Problem, now: &Clock) -> Result<(), Flaw>;
}

/// A table with its rule.
pub(super) struct Tabular<R> {
    table: Table,
    /// Why a plan is due after the last step.
    due: Option<Reason>,
    rule: R,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory<M> {
    standing: Standing,
    rule: M,
}

impl<R: Rule + 'static> Tabular<R> {
    pub(super) fn boxed(table: Table, rule: R) -> Box<dyn Algorithm> {
        Box::new(Tabular { table, due: None, rule })
    }
}

impl<R: Rule> Algorithm for Tabular<R> {
    fn act(&mut self, s: State) -> Action {
        self.rule.act(&mut self.table, s)
    }

    fn takes_any_step(&self) -> bool {
        self.rule.takes_any_step()
    }

    fn observe(&mut self, step: &Transition, pair: Pair, now: &Clock) -> Seen {
        self.due = self.rule.learn(&mut self.table, step, pair, now);
        Seen::Counted
    }

    fn due(&mut self, _: &Clock) -> Option<Reason> {
        self.due.take()
    }

    fn plans_first(&self) -> bool {
        self.rule.plans_first()
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let sweeps = self.rule.plan(&mut self.table, call)?;
        self.table.report(call, sweeps);
        Ok(())
    }

    fn value(&self, s: State) -> Option<f64> {
        Some(self.table.value(s))
    }

    fn q(&self, p: Pair) -> Option<f64> {
        Some(self.table.q(p))
    }

    fn raised(&self, _: &Clock) -> f64 {
        self.table.raised()
    }

    fn probe(&self, sink: &mut dyn Probe, _: &Clock) {
        self.table.probe(sink);
    }

    fn claim(&self) -> Option<Claim> {
        self.rule.claim(&self.table)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&Memory { standing: self.table.standing.clone(), rule: self.rule.stored() })
    }

    fn restore(&mut self, state: &Snapshot, now: &Clock) -> Result<()> {
        let Memory { standing, rule } = state.to::<Memory<R::Memory>>()?;
        self.table.check(&standing, now).within("standing").within("learner.algorithm")?;
        let problem = self.table.problem.clone();
        self.rule.restore(rule, &problem, now).within("rule").within("learner.algorithm")?;
        self.table.standing = standing;
        Ok(())
    }
}
