//! Planning calls: when, why, and what they promise.

use super::{Measure, Now, RunRows, saved};
use crate::results::{PlanRow, RunRow};
use crate::study::Thinning;
use crate::table::word;
use goalward::episode::{Arena, Plan, Runner};
use goalward::learners::{Details, PlanReport, Probe};

/// Takes down the plans that are kept, and the last.
pub(super) struct Planning {
    kept: Thinning,
    start: usize,
    plans: u64,
    promised: Option<f64>,
    /// The last plan, unless it was taken down.
    last: Option<PlanRow>,
}

impl Planning {
    pub(super) fn new(kept: Thinning, arena: &Arena) -> Planning {
        Planning { kept, start: arena.problem().start(), plans: 0, promised: None, last: None }
    }
}

struct Last<'a> {
    start: usize,
    now: Now,
    plan: &'a mut Option<PlanRow>,
}

impl Probe for Last<'_> {
    fn wants_estimate(&self) -> bool {
        false
    }

    fn plan(&mut self, plan: &PlanReport) {
        let beta = match &plan.details {
            Details::Mixture(details) => Some(details.beta).filter(|beta| beta.is_finite()),
            _ => None,
        };
        *self.plan = Some(PlanRow {
            plan: plan.j,
            t: plan.t,
            episode: self.now.episode,
            reason: word(plan.reason),
            sweeps: plan.sweeps,
            promised: plan.v.get(self.start).copied(),
            beta,
            empty: plan.empty.is_some(),
        });
    }
}

impl Measure for Planning {
    fn plan(&mut self, plan: &Plan, now: Now, rows: &mut RunRows) {
        self.plans += 1;
        let mut last = None;
        plan.learner.probe(&mut Last { start: self.start, now, plan: &mut last });
        let Some(row) = last else { return };
        self.promised = row.promised.or(self.promised);
        if self.kept.keeps(self.plans) {
            rows.plans.push(row);
            self.last = None;
        } else {
            self.last = Some(row);
        }
    }

    fn finish(&mut self, _: &Runner, row: &mut RunRow, rows: &mut RunRows) {
        row.promised = self.promised;
        if self.kept != Thinning::None {
            rows.plans.extend(self.last.take());
        }
    }

    saved!(plans, promised, last);
}
