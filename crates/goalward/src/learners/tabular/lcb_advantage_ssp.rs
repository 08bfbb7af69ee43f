//! LCB-ADVANTAGE-SSP (Chen, Jafarnia-Jahromi, Jain, Luo 2021): model free.
//!
//! # What it does
//!
//! Acts greedily on Q, which begins at 0 and only rises. It keeps no counts of transitions, but
//! sums for every pair: of the values it came to in the present stage, and of a reference value
//! over all visits. When a stage ends Q takes the better of two lower bounds, one from the stage
//! alone, one from the reference and the advantage over it.
//!
//! # What it needs to know
//!
//! B >= B*, c_min and the number of episodes K, which only set the stages. The bound in its bonuses
//! begins at 1 and rises with the values.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/lcb-advantage-ssp.md")]
//!
//! The logarithm iota = 256 ln^6(4 S A B^8 n^5/delta) and the form of the bonuses are known from an
//! implementation of others only. The factor of the two roots in the second bonus is uncertain (1
//! or 2): it is `root`. H is `stage`. The number of visits up to which the reference is renewed is
//! known up to constants only: it is `reference`.
//!
//! # Cost per step
//!
//! O(1).
//!
//! # Reference
//!
//! Chen, Jafarnia-Jahromi, Jain, Luo (NeurIPS 2021), the model-free algorithm.
//!
//! # Departures from the print
//!
//! Costs are known here, so they are not estimated. With these constants a bonus is below 1 only
//! after some 1e9 visits of a pair: it learns nothing in any simulation, unless `scale` is tiny.

use super::rule::{Due, Rule, Tabular};
use super::stages::{Schedule, Stages};
use super::svi_ssp::OWN_FLOOR;
use crate::Result;
use crate::confidence::Claim;
use crate::learners::builder::builder;
use crate::learners::core::{Table, table_bytes};
use crate::learners::counted::{self, BONUS, Data, STAGE, SUPPORT, Terms};
use crate::learners::shared::{B, DELTA};
use crate::learners::{Algorithm, Brief, Clock, Family, LearnerEntry, Need, Transition};
use crate::numeric::Portable;
use crate::numeric::stored::{Flaw, length};
use crate::parameters::Key;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("lcb-advantage-ssp", "LCB-ADVANTAGE-SSP: model free, with reference values", build)
        .reference("Chen, Jafarnia-Jahromi, Jain, Luo (NeurIPS 2021), LCB-ADVANTAGE-SSP")
        .setting("tabular SSP, costs >= c_min > 0 (floor > 0 for zero costs)")
        .needs(&[Need::B, Need::CMin, Need::Episodes])
        .guarantee("regret O~(B sqrt(S A K) + B^5 S^2 A/c_min^4) with probability 1 - delta; scale: none")
        .parameters(PARAMETERS)
        .family(Family::Tabular)
        .optimistic()
        .cost("O(1)")
        .keeps("O(S A)")
        .memory(|problem| table_bytes(problem) + 64 * problem.pairs() as u64 + 8 * problem.states() as u64);

const ROOT: Key<f64> =
    Key::number("root", 0.0, 100.0, "factor of the roots of variances in the second bonus (uncertain)")
        .or("1");

const REFERENCE: Key<u64> = Key::count(
    "reference",
    0,
    u64::MAX >> 1,
    "the reference value of a state is renewed while its visits are at most this (known up to constants)",
)
.or("1000000000000");

builder! {
    /// LCB-ADVANTAGE-SSP (Chen et al., NeurIPS 2021). See the [module](self).
    LcbAdvantageSsp, ENTRY;
    B as TakesB;
    DELTA as TakesDelta;
    BONUS as TakesScale;
    SUPPORT as TakesSupport;
    OWN_FLOOR as TakesFloor;
    STAGE as TakesStage;
    ROOT, root => f64;
    REFERENCE, reference => u64;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let terms = Terms::read(brief)?;
    let floor = counted::floor(brief, &OWN_FLOOR, || 1.0 / brief.episodes.max(1) as f64)?;
    let (table, b) = (Table::new(brief, floor), counted::b(brief, &B)?);
    let computed = || Stages::horizon(b, table.least_cost().max(1e-12), terms.sizes.sa, brief.episodes);
    let stages = Stages::new(Schedule::Long, brief.settings.get_or(&STAGE, computed)?);
    let sums = References {
        b: 1.0,
        sums: vec![PairSums::default(); brief.problem.pairs()],
        reference: vec![0.0; brief.problem.states()],
    };
    let (support, root) = (terms.support, brief.settings.get(&ROOT)?);
    let rule = Advantage { terms, given: b, stages, root, most: brief.settings.get(&REFERENCE)? };
    Ok(Tabular::boxed(rule, table, sums, support))
}

struct Advantage {
    terms: Terms,
    /// The user's bound on B*, in units of the largest cost.
    given: f64,
    stages: Stages,
    root: f64,
    most: u64,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct References {
    /// The bound in the bonuses.
    b: f64,
    sums: Vec<PairSums>,
    /// V_ref per state.
    reference: Vec<f64>,
}

impl Data for References {
    fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        counted::each_pair("sums", &self.sums, problem)?;
        length("reference", &self.reference, problem.states())
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairSums {
    /// Visits: N.
    n: u64,
    /// Visits in this stage: M.
    m: u64,
    /// Of V_ref(s') and its square, over all visits.
    mu_ref: f64,
    sig_ref: f64,
    /// Of V(s'), and of V(s') - V_ref(s') and its square, in this stage.
    v: f64,
    mu: f64,
    sig: f64,
}

impl PairSums {
    /// Both lower bounds on Q - c, and the larger of them.
    fn lower(&self, iota: f64, b: f64, root: f64, scale: f64) -> f64 {
        let (n, m) = (self.n as f64, self.m as f64);
        let b0 = 2.0 * (b * b * iota / m).sqrt();
        let of_ref = (self.sig_ref / n - (self.mu_ref / n).powi(2)).max(0.0);
        let of_advantage = (self.sig / m - (self.mu / m).powi(2)).max(0.0);
        let roots = (of_ref * iota / n).sqrt() + (of_advantage * iota / m).sqrt();
        let b1 = root * roots + (4.0 * b / n + 3.0 * b / m) * iota;
        (self.v / m - scale * b0).max(self.mu_ref / n + self.mu / m - scale * b1)
    }
}

impl Rule for Advantage {
    type Data = References;

    fn learn(&mut self, data: &mut References, table: &mut Table, step: &Transition, _: &Clock) -> Due {
        let pair = table.problem.pair(step.state, step.action);
        let References { b, sums, reference } = data;
        let (v, v_ref) = (table.standing.v[step.next], reference[step.next]);
        let sum = &mut sums[pair];
        (sum.n, sum.m) = (sum.n + 1, sum.m + 1);
        sum.mu_ref += v_ref;
        sum.sig_ref += v_ref * v_ref;
        sum.v += v;
        sum.mu += v - v_ref;
        sum.sig += (v - v_ref).powi(2);
        if self.stages.end(sum.n) {
            let Terms { delta, scale, support, sizes, .. } = self.terms;
            let iota = 256.0 * (4.0 * sizes.sa * b.powi(8) * (sum.n as f64).powi(5) / delta).log_e().powi(6);
            let cost = table.costs[pair];
            let floor = support.floor(&table.problem, pair, cost, &table.standing.v);
            let q = &mut table.standing.q[pair];
            *q = q.max(cost + sum.lower(iota, *b, self.root, scale)).max(floor);
            *sum = PairSums { m: 0, v: 0.0, mu: 0.0, sig: 0.0, ..*sum };
            table.renew(step.state);
            if table.standing.v[step.state] > *b {
                *b = 2.0 * table.standing.v[step.state];
            }
        }
        let visits: u64 = table.problem.pairs_of(step.state).map(|p| sums[p].n).sum();
        if visits.is_power_of_two() && visits <= self.most {
            reference[step.state] = table.standing.v[step.state];
        }
        None
    }

    fn claim(&self, table: &Table) -> Option<Claim> {
        let all = vec![counted::positive(table), self.terms.bounds(table, Some(self.given))];
        Some(self.terms.theorem("regret O~(B sqrt(S A K) + B^5 S^2 A/c_min^4)", false).claim(all))
    }
}
