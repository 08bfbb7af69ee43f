//! What tabular learners share: a table, and a rule that fills it.

use crate::Result;
use crate::confidence::Claim;
use crate::learners::core::Table;
use crate::learners::counted::{self, Data, Support};
use crate::learners::{Algorithm, Call, Clock, Probe, Reason, Seen, Snapshot, Transition};
use crate::numeric::stored::Within;
use crate::plan::Cut;
use crate::problem::{Action, Pair, State};

/// Why a plan is due after a step, if one is.
pub(super) type Due = Option<Reason>;

/// How a tabular learner learns, plans and acts.
pub(super) trait Rule: Send + Sync {
    /// What it keeps of the data, beside the table.
    type Data: Data;

    /// The action to take; greedy on the table by default.
    fn act(&self, _data: &Self::Data, table: &mut Table, s: State) -> Action {
        table.act(s)
    }

    fn learn(&mut self, data: &mut Self::Data, table: &mut Table, step: &Transition, now: &Clock) -> Due;

    /// Plans, and returns the number of sweeps. What a plan that is cut off has changed is undone.
    fn plan(&self, _data: &mut Self::Data, _table: &mut Table, _call: &Call) -> Result<u64, Cut> {
        Ok(0)
    }

    fn plans_first(&self) -> bool {
        false
    }

    fn claim(&self, _table: &Table) -> Option<Claim> {
        None
    }
}

pub(super) struct Tabular<R: Rule> {
    table: Table,
    data: R::Data,
    /// Whether it learns from steps that no model allows.
    takes_any_step: bool,
    /// Why a plan is due after the last step.
    due: Due,
    rule: R,
}

impl<R: Rule + 'static> Tabular<R> {
    pub(super) fn boxed(rule: R, table: Table, data: R::Data, support: Support) -> Box<dyn Algorithm> {
        Box::new(Tabular { table, data, takes_any_step: support == Support::Unknown, due: None, rule })
    }
}

impl<R: Rule> Algorithm for Tabular<R> {
    fn act(&mut self, s: State) -> Action {
        self.rule.act(&self.data, &mut self.table, s)
    }

    fn takes_any_step(&self) -> bool {
        self.takes_any_step
    }

    fn observe(&mut self, step: &Transition, _: Pair, now: &Clock) -> Seen {
        self.due = self.rule.learn(&mut self.data, &mut self.table, step, now);
        Seen::Counted
    }

    fn due(&mut self, _: &Clock) -> Option<Reason> {
        self.due.take()
    }

    fn plans_first(&self) -> bool {
        self.rule.plans_first()
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let before = call.keep(|| (self.table.standing.clone(), self.data.clone()));
        match self.rule.plan(&mut self.data, &mut self.table, call) {
            Ok(sweeps) => {
                self.table.report(call, sweeps);
                Ok(())
            }
            Err(cut) => {
                if let Some(before) = before {
                    (self.table.standing, self.data) = before;
                }
                Err(cut)
            }
        }
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
        counted::stored(&self.table, &self.data)
    }

    fn restore(&mut self, state: &Snapshot, _: &Clock) -> Result<()> {
        let (standing, data) = counted::restored::<R::Data>(state, &self.table)?;
        data.check(&self.table.problem).within("data").within("learner.algorithm")?;
        (self.table.standing, self.data) = (standing, data);
        Ok(())
    }
}
