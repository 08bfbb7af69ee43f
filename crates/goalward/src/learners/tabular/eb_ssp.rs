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
//! The constants c_1 = 6, c_2 = 36 and c_4 = 2 sqrt(2) are the paper's, as is the form of the bonus;
//! they were not read in the paper itself but in two that use it. The paper leaves the constant x
//! of the test on the cost open: it is `cost_test`.
//!
//! # Cost per step
//!
//! O(1), and at most S A log2(T) plans in all, each of so many sweeps over the transitions seen as
//! it takes to converge to 2^-j.
//!
//! # Reference
//!
//! Tarbouriech et al. (NeurIPS 2021), Algorithms 1 (EB-SSP), 2 (VISGO) and 3 (parameter-free).
//!
//! # Departures from the print
//!
//! Costs are known here, so they are not estimated and c_3 = 0. A change below 1e-14 of the values
//! counts as none, since 2^-j soon is less than rounding. VISGO is cut at a million sweeps. Values are clamped at a B that is given,
//! which changes nothing if B >= B*, and keeps the iteration from running wild if not. With
//! `B=doubling` the bound of the moment is the larger of sqrt(k)/(S^1.5 A^0.5) and a number that
//! doubles from 1; a value above it, or too high a cost since the last doubling, makes it double.
//! Counts are kept. `support=known` is ours: a pair's successors count for S'.

use super::rule::{Rule, Tabular};
use crate::Result;
use crate::confidence::{Assumption, Claim};
use crate::estimate::{StoredVisits, Visits};
use crate::learners::builder::builder;
use crate::learners::core::{Table, table_bytes};
use crate::learners::counted::{self, BONUS, FLOOR, SUPPORT, Support, Terms, Theorem};
use crate::learners::doubling::Doubling;
use crate::learners::shared::{B_OR_DOUBLING, DELTA};
use crate::learners::{Algorithm, Brief, Call, Clock, Family, LearnerEntry, Need, Reason, Transition};
use crate::numeric::Portable;
use crate::numeric::stored::{Flaw, Within, at_most, ensure, numbers};
use crate::parameters::{Bound, Key};
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

/// The constants of the bonus.
const C1: f64 = 6.0;
const C2: f64 = 36.0;
const C4: f64 = 2.0 * std::f64::consts::SQRT_2;
/// Value iteration stops after so many sweeps. From zero values only rise, so whatever they are
/// then is optimistic, too.
const SWEEPS: u64 = 1_000_000;
/// The first bound of those that double.
const FIRST: f64 = 1.0;

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let terms = Terms::read(brief)?;
    let given = match brief.settings.get(&B_OR_DOUBLING)? {
        Bound::Doubling => None,
        _ => Some(counted::b(brief, &B_OR_DOUBLING)?),
    };
    let cost_test = brief.settings.get(&COST_TEST)?;
    let floor = counted::floor(brief, &OWN_FLOOR, || (brief.episodes.max(1) as f64).powi(-2))?;
    let none = Visits::new(brief.problem.pairs());
    let rule = EmpiricalBernstein {
        terms,
        given,
        cost_test,
        doubling: Doubling::new(FIRST),
        phase: Phase::default(),
        visits: none.clone(),
        taken: none,
    };
    Ok(Tabular::boxed(Table::new(brief, floor), rule))
}

struct EmpiricalBernstein {
    terms: Terms,
    /// The user's bound on B*, in units of the largest cost.
    given: Option<f64>,
    cost_test: f64,
    doubling: Doubling,
    phase: Phase,
    visits: Visits,
    /// The counts of each pair when its visits last reached a power of two.
    taken: Visits,
}

/// What has happened since the bound last doubled.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Phase {
    /// What was paid, in units of the largest cost.
    cost: f64,
    /// Episodes that had ended when it began.
    ended: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    visits: StoredVisits,
    taken: StoredVisits,
    doubling: Doubling,
    phase: Phase,
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
    /// The bound on B* of the moment.
    fn b(&self, now: &Clock) -> f64 {
        self.given.unwrap_or_else(|| {
            let sizes = self.terms.sizes;
            let grown = (now.episodes_begun() as f64).sqrt() / (sizes.s * sizes.sa.sqrt());
            self.doubling.b().max(grown)
        })
    }

    fn bonuses(&self, problem: &Problem, b: f64) -> Vec<Bonus> {
        let Terms { delta, support, sizes, .. } = self.terms;
        let of = |p: Pair| {
            let (n, size) = (self.taken.n(p) as f64, support.size(problem, p));
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
    fn visgo(&self, table: &Table, b: f64, eps: f64, halt: &Halt) -> Result<Swept, Cut> {
        let bonuses = self.bonuses(&table.problem, b);
        // the map is monotone only up to B, which a bound that doubles may yet have to exceed
        let most = if self.given.is_some() { b } else { f64::INFINITY };
        let backup = |p: Pair, v: &[f64]| {
            let Bonus { weight, variance, least, further } = bonuses[p];
            let (mean, spread) = self.taken.row(p).moments(v);
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
    fn double(&mut self, now: &Clock) -> bool {
        let b = self.b(now);
        while self.doubling.b() <= b && self.doubling.exceeded(f64::INFINITY) {}
        self.phase = Phase { cost: 0.0, ended: now.ended };
        self.doubling.b() > b
    }

    /// Whether more was paid since the last doubling than a bound of at least B* would allow.
    fn paid_too_much(&self, now: &Clock) -> bool {
        let sizes = self.terms.sizes;
        let (b, k) = (self.b(now), (now.ended - self.phase.ended + 1) as f64);
        let log = (b * now.t.max(1) as f64 * sizes.sa / self.terms.delta).log_e();
        let room = b * (sizes.sa * k).sqrt() * log + b * sizes.s * sizes.sa * log * log;
        self.phase.cost > k * b + self.cost_test * room
    }
}

impl Rule for EmpiricalBernstein {
    type Memory = Memory;

    fn learn(&mut self, table: &mut Table, step: &Transition, pair: Pair, now: &Clock) -> Option<Reason> {
        self.visits.take(pair, step.next);
        self.phase.cost += table.costs[pair];
        let doubled = self.given.is_none() && self.paid_too_much(now) && self.double(now);
        if self.visits.n(pair).is_power_of_two() {
            self.taken.copy(pair, &self.visits);
            return Some(Reason::Visits);
        }
        doubled.then_some(Reason::Bound)
    }

    fn plan(&mut self, table: &mut Table, call: &Call) -> Result<u64, Cut> {
        let before = (self.doubling, self.phase);
        let eps = 0.5f64.powi(call.clock.j.min(2_000) as i32);
        let mut sweeps = 0;
        let swept = loop {
            match self.visgo(table, self.b(call.clock), eps, call.halt) {
                Err(cut) => {
                    (self.doubling, self.phase) = before;
                    return Err(cut);
                }
                Ok(swept) => {
                    sweeps += swept.sweeps;
                    if !(swept.exceeded && self.double(call.clock)) {
                        break swept;
                    }
                }
            }
        };
        (table.standing.q, table.standing.v) = (swept.q, swept.v);
        Ok(sweeps)
    }

    fn takes_any_step(&self) -> bool {
        self.terms.support == Support::Unknown
    }

    fn claim(&self, table: &Table) -> Option<Claim> {
        let b = match self.given {
            Some(b) => {
                Assumption::BoundsValues { b: b * self.terms.unit, rho: table.floor * self.terms.unit }
            }
            None => Assumption::settled("a bound on B* is given", false),
        };
        let costs = Assumption::settled("every cost off the goal is positive", table.least_cost() > 0.0);
        let Terms { delta, scale, support, .. } = self.terms;
        let statement = "regret O~(B sqrt(S A K) + B S^2 A)";
        Some(Theorem { statement, level: delta, scale, support, read: false }.claim(vec![b, costs]))
    }

    fn stored(&self) -> Memory {
        let (visits, taken) = (self.visits.stored(), self.taken.stored());
        Memory { visits, taken, doubling: self.doubling, phase: self.phase }
    }

    fn restore(&mut self, memory: Memory, problem: &Problem, now: &Clock) -> Result<(), Flaw> {
        let listed = self.terms.support == Support::Known;
        let visits = Visits::restored(&memory.visits, problem, now.t, listed).within("visits")?;
        let taken = Visits::restored(&memory.taken, problem, now.t, listed).within("taken")?;
        visits.check_before(&taken.all()).within("taken")?;
        memory.doubling.check(&Doubling::new(FIRST)).within("doubling")?;
        numbers("cost", &[memory.phase.cost], 1).within("phase")?;
        ensure(memory.phase.cost >= 0.0, "phase", || "a negative cost".into())?;
        at_most("ended", memory.phase.ended, now.ended, "the episodes that ended").within("phase")?;
        (self.visits, self.taken) = (visits, taken);
        (self.doubling, self.phase) = (memory.doubling, memory.phase);
        Ok(())
    }
}
