//! SVI-SSP (Chen, Jafarnia-Jahromi, Jain, Luo 2021): one entry of Q at a time.
//!
//! # What it does
//!
//! Counts transitions, and acts greedily on Q, which begins at 0 and only rises. A stage of a pair
//! ends at every visit until there are 2H, and then less and less often. It then backs up that one
//! pair from its counts, with the bonus b = max(7 sqrt(Var iota/n), 49 B iota/n), iota = 20 ln(2 S
//! A n/delta). There is no planning.
//!
//! # What it needs to know
//!
//! B >= B*, c_min and the number of episodes K; the last two only set the stages.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/svi-ssp.md")]
//!
//! The constants 7, 49 and 20 are those of the paper, found in one that took them over. Neither H
//! nor the schedule of the stages could be read at the source: they are `stage` and `stages`.
//! `stages=every` is what SVI-SSP most likely has: e_1 = 1, e_j = max(1, floor(E_{j-1}/H)).
//! `stages=long` is that of LCB-ADVANTAGE-SSP, which backs up no pair before its H-th visit.
//!
//! # Cost per step
//!
//! O(1), and O(transitions seen of the pair) when a stage ends.
//!
//! # Reference
//!
//! Chen, Jafarnia-Jahromi, Jain, Luo (NeurIPS 2021), the model-based algorithm SVI-SSP.
//!
//! # Departures from the print
//!
//! Costs are known here, so they are not estimated. `support=known` is ours.

use super::rule::{Due, Rule, Tabular};
pub use super::stages::Schedule;
use super::stages::Stages;
use crate::Result;
use crate::confidence::Claim;
use crate::estimate::Visits;
use crate::learners::builder::builder;
use crate::learners::core::{Table, table_bytes};
use crate::learners::counted::{self, BONUS, FLOOR, STAGE, SUPPORT, Terms};
use crate::learners::shared::{B, DELTA};
use crate::learners::{Algorithm, Brief, Clock, Family, LearnerEntry, Need, Transition};
use crate::numeric::Portable;
use crate::parameters::{Choice, Key};

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("svi-ssp", "SVI-SSP: one backup at the end of a pair's stage", build)
        .reference("Chen, Jafarnia-Jahromi, Jain, Luo (NeurIPS 2021), SVI-SSP")
        .setting("tabular SSP, costs >= c_min > 0 (floor > 0 for zero costs)")
        .needs(&[Need::B, Need::CMin, Need::Episodes])
        .guarantee("regret O~(B sqrt(S A K) + B S^2 A) with probability 1 - delta, if B >= B*; scale: none")
        .parameters(PARAMETERS)
        .family(Family::Tabular)
        .optimistic()
        .cost("O(1), and O(transitions seen of the pair) at the end of a stage")
        .keeps("O(S A + transitions seen)")
        .memory(|problem| table_bytes(problem) + 80 * problem.pairs() as u64);

pub(super) const OWN_FLOOR: Key<f64> = FLOOR.computed("0; for zero costs the largest cost over K");

const STAGES: Key<Schedule> = Key::choice(
    "stages",
    &[Choice::Word("every"), Choice::Word("long")],
    "when a pair is backed up; every: at each visit up to 2H, then after 1/H as many as it has; long: as \
     LCB-ADVANTAGE-SSP, first at visit H, and each next stage 1 + 1/H as long",
)
.or("every");

const OWN_STAGE: Key<u64> = STAGE.doc("H, which the stages are made of");

builder! {
    /// SVI-SSP (Chen et al., NeurIPS 2021). See the [module](self).
    SviSsp, ENTRY;
    B as TakesB;
    DELTA as TakesDelta;
    BONUS as TakesScale;
    SUPPORT as TakesSupport;
    OWN_FLOOR as TakesFloor;
    STAGES, stages => Schedule;
    OWN_STAGE as TakesStage;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let terms = Terms::read(brief)?;
    let floor = counted::floor(brief, &OWN_FLOOR, || 1.0 / brief.episodes.max(1) as f64)?;
    let (table, b) = (Table::new(brief, floor), counted::b(brief, &B)?);
    let computed = || Stages::horizon(b, table.least_cost().max(1e-12), terms.sizes.sa, brief.episodes);
    let schedule = brief.settings.get(&STAGES)?;
    let stages = Stages::new(schedule, brief.settings.get_or(&OWN_STAGE, computed)?);
    let (support, visits) = (terms.support, Visits::new(brief.problem.pairs()));
    Ok(Tabular::boxed(Sparse { terms, b, stages }, table, visits, support))
}

struct Sparse {
    terms: Terms,
    /// In units of the largest cost.
    b: f64,
    stages: Stages,
}

impl Rule for Sparse {
    type Data = Visits;

    fn learn(&mut self, visits: &mut Visits, table: &mut Table, step: &Transition, _: &Clock) -> Due {
        let pair = table.problem.pair(step.state, step.action);
        visits.take(pair, step.next);
        let row = visits.row(pair);
        if self.stages.end(row.n()) {
            let Terms { delta, scale, support, sizes, .. } = self.terms;
            let n = row.n() as f64;
            let iota = 20.0 * (2.0 * sizes.sa * n / delta).log_e();
            let (mean, variance) = row.moments(&table.standing.v);
            let b = (7.0 * (variance * iota / n).sqrt()).max(49.0 * self.b * iota / n);
            let cost = table.costs[pair];
            let floor = support.floor(&table.problem, pair, cost, &table.standing.v);
            let q = &mut table.standing.q[pair];
            *q = q.max(cost + mean - scale * b).max(floor);
            table.renew(step.state);
        }
        None
    }

    fn claim(&self, table: &Table) -> Option<Claim> {
        let all = vec![counted::positive(table), self.terms.bounds(table, Some(self.b))];
        Some(self.terms.theorem("regret O~(B sqrt(S A K) + B S^2 A)", false).claim(all))
    }
}
