//! EB-SSP with VISGO (Tarbouriech, Zhou, Du, Pirotta, Valko, Lazaric 2021).
//!
//! # What it does
//!
//! Counts transitions. When the visits of a pair reach a power of two it takes over the pair's
//! counts and plans with VISGO: value iteration with a bonus on a kernel that is skewed to the goal
//! a little, P~ = n/(n+1) P^ + 1{goal}/(n+1). The skew makes it converge, and the bonus is made so
//! that it stays monotone.
//!
//! # What it needs to know
//!
//! B >= B*, or nothing with `B=doubling`. For zero costs the number of episodes K.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/eb-ssp.md")]
//!
//! The constants c_1 = 6, c_2 = 36 and c_4 = 2 sqrt(2) are the paper's, as is the form of the
//! bonus; they were not read in the paper itself but in two that use it. The paper leaves the
//! constant x of the test on the cost open: it is `cost_test`.
//!
//! # Cost per step
//!
//! O(1), and at most S A log2(T) plans in all: sweeps over the transitions seen until they converge
//! to 2^-j.
//!
//! # Reference
//!
//! Tarbouriech et al. (NeurIPS 2021), Algorithms 1 (EB-SSP), 2 (VISGO) and 3 (parameter-free).
//!
//! # Departures from the print
//!
//! Costs are known here, so they are not estimated and c_3 = 0. A change below 1e-14 of the values
//! counts as none, since 2^-j soon is less than rounding. VISGO is cut at a million sweeps. Values
//! are clamped at a B that is given: this changes nothing if B >= B*, and else the iteration might
//! diverge. With `B=doubling` the bound of the moment is the larger of sqrt(k)/(S^1.5 A^0.5) and a
//! number that doubles from 1; a value above it, or too high a cost since the last doubling, makes
//! it double. Counts are kept. `support=known` is ours: a pair's successors count for S'.

use super::rule::{Due, Rule, Tabular};
use crate::Result;
use crate::confidence::Claim;
use crate::estimate::TakenVisits;
use crate::learners::builder::builder;
use crate::learners::core::{Table, table_bytes};
use crate::learners::counted::{self, BONUS, Data, FLOOR, SUPPORT, Terms};
use crate::learners::doubling::Doubling;
use crate::learners::shared::{B_OR_DOUBLING, DELTA};
use crate::learners::{Algorithm, Brief, Call, Clock, Family, LearnerEntry, Need, Reason, Transition};
use crate::numeric::Portable;
use crate::numeric::stored::Flaw;
use crate::parameters::Key;
use crate::plan::{Cut, Halt, Stop, Swept, value_iteration};
use crate::problem::{Pair, Problem};
use serde::{Deserialize, Serialize};

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("eb-ssp", "EB-SSP: value iteration with slight goal optimism (VISGO)", build)
        .reference("Tarbouriech, Zhou, Du, Pirotta, Valko, Lazaric (NeurIPS 2021), Algorithms 1 to 3")
        .setting("tabular SSP, costs >= c_min > 0 (floor > 0 for zero costs)")
        .needs(&[Need::B])
        .guarantee(
            "regret O~(B sqrt(S A K) + B S^2 A) with probability 1 - delta, if B >= B*; \
             B=doubling and scale: none claimed",
        )
        .parameters(PARAMETERS)
        .family(Family::Tabular)
        .optimistic()
        .variants(&["", "B=doubling"])
        .fallback("B=doubling@support=unknown")
        .cost("O(1); at most S A log2(T) plans in all, each of O(sweeps transitions seen)")
        .keeps("O(S A + transitions seen)")
        .memory(|problem| table_bytes(problem) + 160 * problem.pairs() as u64);

const OWN_FLOOR: Key<f64> = FLOOR.computed("0; for zero costs the largest cost times K^-2");

const COST_TEST: Key<f64> = Key::number(
    "cost_test",
    0.0,
    1e30,
    "for B=doubling: the constant x of the test on the accumulated cost, which the paper leaves open",
)
.or("1");

builder! {
    /// EB-SSP (Tarbouriech et al., NeurIPS 2021). See the [module](self).
    EbSsp, ENTRY;
    B_OR_DOUBLING as TakesB;
    DELTA as TakesDelta;
    BONUS as TakesScale;
    SUPPORT as TakesSupport;
    OWN_FLOOR as TakesFloor;
    COST_TEST, cost_test => f64;
}

const C1: f64 = 6.0;
const C2: f64 = 36.0;
const C4: f64 = 2.0 * std::f64::consts::SQRT_2;
/// The most sweeps of value iteration. Values rise from zero, so they are optimistic wherever it
/// stops.
const SWEEPS: u64 = 1_000_000;
/// The first bound of those that double.
const FIRST: f64 = 1.0;

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let terms = Terms::read(brief)?;
    let given = counted::b_or_doubling(brief)?;
    let cost_test = brief.settings.get(&COST_TEST)?;
    let floor = counted::floor(brief, &OWN_FLOOR, || (brief.episodes.max(1) as f64).powi(-2))?;
    let phase = Phase {
        visits: TakenVisits::new(brief.problem.pairs()),
        doubling: Doubling::new(FIRST),
        cost: 0.0,
        ended: 0,
    };
    let support = terms.support;
    let rule = EmpiricalBernstein { terms, given, cost_test };
    Ok(Tabular::boxed(rule, Table::new(brief, floor), phase, support))
}

struct EmpiricalBernstein {
    terms: Terms,
    /// The user's bound on B*, in units of the largest cost.
    given: Option<f64>,
    cost_test: f64,
}

/// The counts, and what has happened since the bound last doubled.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Phase {
    visits: TakenVisits,
    doubling: Doubling,
    /// What was paid since then, in units of the largest cost.
    cost: f64,
    /// Episodes that had ended then.
    ended: u64,
}

impl Data for Phase {
    fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        self.visits.check(problem)
    }
}

/// What VISGO needs to know of a pair beside its counts.
struct Bonus {
    /// n/(n+1).
    weight: f64,
    /// c_1^2 iota/n.
    variance: f64,
    /// c_2 B iota/n.
    least: f64,
    /// c_4 B sqrt(S' iota)/n.
    further: f64,
}

impl EmpiricalBernstein {
    fn b(&self, phase: &Phase, now: &Clock) -> f64 {
        self.given.unwrap_or_else(|| {
            let sizes = self.terms.sizes;
            let grown = (now.episodes_begun() as f64).sqrt() / (sizes.s * sizes.sa.sqrt());
            phase.doubling.b().max(grown)
        })
    }

    fn bonuses(&self, visits: &TakenVisits, problem: &Problem, b: f64) -> Vec<Bonus> {
        let Terms { delta, support, sizes, .. } = self.terms;
        let of = |p: Pair| {
            let (n, size) = (visits.row(p).n() as f64, support.size(problem, p));
            let plus = n.max(1.0);
            let iota = (12.0 * sizes.sa * size * plus * plus / delta).log_e();
            Bonus {
                weight: n / (n + 1.0),
                variance: C1 * C1 * iota / plus,
                least: C2 * b * iota / plus,
                further: C4 * b * (size * iota).sqrt() / plus,
            }
        };
        (0..problem.pairs()).map(of).collect()
    }

    /// VISGO: value iteration from zero until no value changes by more than eps, or one exceeds the
    /// limit.
    fn visgo(
        &self,
        visits: &TakenVisits,
        table: &Table,
        (b, eps): (f64, f64),
        halt: &Halt,
    ) -> Result<Swept, Cut> {
        let bonuses = self.bonuses(visits, &table.problem, b);
        // the map is monotone only up to B, which a bound that doubles may yet have to exceed
        let most = if self.given.is_some() { b } else { f64::INFINITY };
        let backup = |p: Pair, v: &[f64]| {
            let Bonus { weight, variance, least, further } = bonuses[p];
            let (mean, spread) = visits.row(p).moments(v);
            // the skewed kernel is a mixture with the goal, whose value is 0
            let skewed = weight * spread + weight * (1.0 - weight) * mean * mean;
            let bonus = (skewed * variance).sqrt().max(least) + further;
            let q = table.costs[p] + weight * mean - self.terms.scale * bonus;
            q.max(self.terms.support.floor(&table.problem, p, table.costs[p], v)).min(most)
        };
        let stop = Stop { eps, limit: if self.given.is_some() { f64::INFINITY } else { b }, sweeps: SWEEPS };
        value_iteration(&table.problem, backup, stop, halt)
    }

    /// The bound doubles, to more than the one of the moment.
    fn double(&self, phase: &mut Phase, now: &Clock) -> bool {
        let b = self.b(phase, now);
        while phase.doubling.b() <= b && phase.doubling.exceeded(f64::INFINITY) {}
        (phase.cost, phase.ended) = (0.0, now.ended);
        phase.doubling.b() > b
    }

    /// Whether more was paid since the last doubling than a bound of at least B* would allow.
    fn paid_too_much(&self, phase: &Phase, now: &Clock) -> bool {
        let sizes = self.terms.sizes;
        let (b, k) = (self.b(phase, now), (now.ended.saturating_sub(phase.ended) + 1) as f64);
        let log = (b * now.t.max(1) as f64 * sizes.sa / self.terms.delta).log_e();
        let room = b * (sizes.sa * k).sqrt() * log + b * sizes.s * sizes.sa * log * log;
        phase.cost > k * b + self.cost_test * room
    }
}

impl Rule for EmpiricalBernstein {
    type Data = Phase;

    fn learn(&mut self, phase: &mut Phase, table: &mut Table, step: &Transition, now: &Clock) -> Due {
        let pair = table.problem.pair(step.state, step.action);
        let taken = phase.visits.take(pair, step.next);
        phase.cost += table.costs[pair];
        let doubled = self.given.is_none() && self.paid_too_much(phase, now) && self.double(phase, now);
        taken.then_some(Reason::Visits).or(doubled.then_some(Reason::Bound))
    }

    fn plan(&self, phase: &mut Phase, table: &mut Table, call: &Call) -> Result<u64, Cut> {
        let eps = 0.5f64.powi(call.clock.j.min(2_000) as i32);
        let mut sweeps = 0;
        loop {
            let swept = self.visgo(&phase.visits, table, (self.b(phase, call.clock), eps), call.halt)?;
            sweeps += swept.sweeps;
            if !(swept.exceeded && self.double(phase, call.clock)) {
                (table.standing.q, table.standing.v) = (swept.q, swept.v);
                return Ok(sweeps);
            }
        }
    }

    fn claim(&self, table: &Table) -> Option<Claim> {
        let all = vec![self.terms.bounds(table, self.given), counted::positive(table)];
        Some(self.terms.theorem("regret O~(B sqrt(S A K) + B S^2 A)", false).claim(all))
    }
}
