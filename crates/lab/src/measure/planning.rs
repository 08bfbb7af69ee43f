//! Planning calls: when, why, and what they promise.

use super::{Measure, RunRows, saved};
use crate::results::{PlanRow, RunRow};
use crate::study::Thinning;
use crate::table::word;
use goalward::episode::{Arena, Plan, Runner};
use goalward::learners::Details;

/// Records the kept plans, and the last.
pub(super) struct Planning {
    kept: Thinning,
    start: usize,
    plans: u64,
    promised: Option<f64>,
    /// The last plan, unless it was recorded.
    last: Option<PlanRow>,
}

impl Planning {
    pub(super) fn new(kept: Thinning, arena: &Arena) -> Planning {
        Planning { kept, start: arena.problem().start(), plans: 0, promised: None, last: None }
    }
}

impl Measure for Planning {
    fn plan(&mut self, plan: &Plan, episode: u64, rows: &mut RunRows) {
        self.plans += 1;
        let Some(plan) = plan.learner.last_plan() else { return };
        let row = PlanRow {
            plan: plan.j,
            t: plan.t,
            episode,
            reason: word(plan.reason),
            sweeps: plan.sweeps,
            promised: plan.v.get(self.start).copied(),
            beta: match &plan.details {
                Details::Mixture(details) => Some(details.beta).filter(|beta| beta.is_finite()),
                _ => None,
            },
            empty: plan.empty.is_some(),
        };
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
