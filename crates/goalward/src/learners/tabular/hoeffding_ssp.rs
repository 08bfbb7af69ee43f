//! The Hoeffding variant of Bernstein-SSP (Rosenberg, Cohen, Mansour, Kaplan 2020).
//!
//! # What it does
//!
//! Counts transitions, and plans over L1 balls around the empirical kernel by extended value
//! iteration. A pair counts as known once it was visited often enough for the bound B. The policy
//! of an interval is followed until the goal is reached or the pair that is next is unknown.
//!
//! # What it needs to know
//!
//! B >= B* and positive costs (Algorithm 1), or no B with `B=doubling` (Algorithm 3).
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/hoeffding-ssp.md")]
//!
//! The constants 5, 5000 and 24 are the paper's, read there.
//!
//! # Cost per step
//!
//! One plan an interval, each of so many sweeps over the transitions seen as it takes to converge.
//! Until pairs are known, which takes 5000 B^2 S/c_min^2 visits and more, every step is an interval.
//! `scale` multiplies the radius, and its square these visits.
//!
//! # Reference
//!
//! Rosenberg, Cohen, Mansour, Kaplan (ICML 2020), Algorithms 1 and 3.
//!
//! # Departures from the print
//!
//! As in Bernstein-SSP: value iteration stops at `precision` or after 100,000 sweeps, the first
//! policy is planned without data, and ties are broken uniformly when a policy is made.
//! `support=known` is ours: a pair's successors count for S in its radius, not in the number of
//! visits. With `B=doubling` the first bound is the least cost, as printed.

use super::extended::L1;
use super::rule::{Rule, Tabular};
use crate::Result;
use crate::confidence::{Assumption, Claim};
use crate::estimate::{StoredVisits, Visits};
use crate::learners::builder::builder;
use crate::learners::core::{Table, misuse, table_bytes};
use crate::learners::counted::{self, BONUS, FLOOR, PRECISION, SUPPORT, Support, Terms, Theorem};
use crate::learners::doubling::Doubling;
use crate::learners::shared::{B_OR_DOUBLING, DELTA};
use crate::learners::{Algorithm, Brief, Call, Clock, Family, LearnerEntry, Need, Reason, Transition};
use crate::numeric::Portable;
use crate::numeric::stored::{Flaw, Within, at_most, ensure, numbers};
use crate::parameters::{Bound, Key};
use crate::plan::Cut;
use crate::problem::{Action, Pair, Problem, State};
use serde::{Deserialize, Serialize};

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("hoeffding-ssp", "the Hoeffding variant of Bernstein-SSP: L1 sets", build)
        .reference("Rosenberg, Cohen, Mansour, Kaplan (ICML 2020), Algorithms 1 and 3")
        .setting("tabular SSP, costs >= c_min > 0 (floor > 0 for zero costs)")
        .needs(&[Need::B])
        .guarantee(
            "regret O(sqrt(B^3 S^2 A K/c_min) L + B^3 S^2 A/c_min^2 L^2) with probability 1 - delta, if B >= \
             B*; B=doubling: the same order; scale: none",
        )
        .parameters(PARAMETERS)
        .family(Family::Tabular)
        .optimistic()
        .variants(&["", "B=doubling"])
        .cost("one plan an interval, which is a step until pairs are known, of O(sweeps transitions seen)")
        .keeps("O(S A + transitions seen)")
        .memory(|problem| table_bytes(problem) + 120 * problem.pairs() as u64);

const OWN_FLOOR: Key<f64> = FLOOR.computed("0; for zero costs the largest cost times S^2 A/K");

builder! {
    /// The Hoeffding variant of Bernstein-SSP (Rosenberg et al., ICML 2020). See the
    /// [module](self).
    HoeffdingSsp, ENTRY;
    B_OR_DOUBLING as TakesB;
    DELTA as TakesDelta;
    BONUS as TakesScale;
    SUPPORT as TakesSupport;
    OWN_FLOOR as TakesFloor;
    PRECISION as TakesPrecision;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let terms = Terms::read(brief)?;
    let k = brief.episodes.max(1) as f64;
    let floor = counted::floor(brief, &OWN_FLOOR, || (terms.sizes.s * terms.sizes.sa / k).min(1.0))?;
    let given = match brief.settings.get(&B_OR_DOUBLING)? {
        Bound::Doubling => None,
        _ => Some(counted::b(brief, &B_OR_DOUBLING)?),
    };
    let table = Table::new(brief, floor);
    let c_min = table.least_cost().clamp(1e-12, 1.0);
    let rule = Hoeffding {
        given,
        c_min,
        precision: brief.settings.get(&PRECISION)?,
        visits: Visits::new(brief.problem.pairs()),
        policy: vec![0; brief.problem.states()],
        doubling: Doubling::new(c_min),
        interval: Interval { number: 1, cost: 0.0 },
        terms,
    };
    Ok(Tabular::boxed(table, rule))
}

struct Hoeffding {
    terms: Terms,
    /// The user's bound on B*, in units of the largest cost.
    given: Option<f64>,
    c_min: f64,
    precision: f64,
    visits: Visits,
    policy: Vec<Action>,
    doubling: Doubling,
    interval: Interval,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Interval {
    /// m, from 1.
    number: u64,
    /// C_m, in units of the largest cost.
    cost: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    visits: StoredVisits,
    policy: Vec<Action>,
    doubling: Doubling,
    interval: Interval,
}

impl Hoeffding {
    /// Whether a pair was visited too little for the bound of the moment.
    fn is_unknown(&self, p: Pair) -> bool {
        let Terms { delta, scale, sizes, .. } = self.terms;
        let b = self.given.unwrap_or(self.doubling.b());
        let log = (b * sizes.sa / (delta * self.c_min)).log_e();
        // from so many visits on the radius is small: they go with its square
        let enough = scale * scale * 5000.0 * b * b * sizes.s / (self.c_min * self.c_min) * log;
        self.visits.n(p) as f64 <= enough
    }

    /// Algorithm 3: whether the interval has cost so much that the bound must be too low. Then it
    /// has doubled.
    fn doubles(&mut self) -> bool {
        let log = (4.0 * self.interval.number as f64 / self.terms.delta).log_e();
        let most = 24.0 * self.doubling.b() * log;
        self.given.is_none() && self.interval.cost >= most && self.doubling.exceeded(f64::INFINITY)
    }

    fn set<'a>(&'a self, problem: &'a Problem) -> L1<'a> {
        let Terms { delta, scale, support, sizes, .. } = self.terms;
        let radius = |p: Pair| {
            let n = self.visits.n(p).max(1) as f64;
            scale * 5.0 * (support.size(problem, p).min(sizes.s) * (sizes.sa * n / delta).log_e() / n).sqrt()
        };
        L1 { problem, visits: &self.visits, support, radius: (0..problem.pairs()).map(radius).collect() }
    }
}

impl Rule for Hoeffding {
    type Memory = Memory;

    fn act(&mut self, _: &mut Table, s: State) -> Action {
        self.policy[s]
    }

    fn learn(&mut self, table: &mut Table, step: &Transition, pair: Pair, _: &Clock) -> Option<Reason> {
        self.visits.take(pair, step.next);
        self.interval.cost += table.costs[pair];
        let doubled = self.doubles();
        let arrived = step.next == table.problem.goal();
        let ended = arrived || self.is_unknown(table.problem.pair(step.next, self.policy[step.next]));
        if doubled || ended {
            self.interval = Interval { number: self.interval.number + 1, cost: 0.0 };
        }
        match (doubled, ended) {
            (true, _) => Some(Reason::Bound),
            (false, true) => Some(Reason::Interval),
            (false, false) => None,
        }
    }

    fn plan(&mut self, table: &mut Table, call: &Call) -> Result<u64, Cut> {
        let swept = self.set(&table.problem).iterate(&table.costs, self.precision, call.halt)?;
        (table.standing.q, table.standing.v) = (swept.q, swept.v);
        self.policy = table.policy();
        Ok(swept.sweeps)
    }

    fn plans_first(&self) -> bool {
        true
    }

    fn takes_any_step(&self) -> bool {
        self.terms.support == Support::Unknown
    }

    fn claim(&self, table: &Table) -> Option<Claim> {
        let positive = Assumption::settled("every cost off the goal is positive", table.least_cost() > 0.0);
        let b = match self.given {
            Some(b) => {
                Assumption::BoundsValues { b: b * self.terms.unit, rho: table.floor * self.terms.unit }
            }
            None => Assumption::settled("a bound on B* is given", false),
        };
        let Terms { delta, scale, support, .. } = self.terms;
        let statement = "regret O~(sqrt(B^3 S^2 A K/c_min) + B^3 S^2 A/c_min^2)";
        Some(Theorem { statement, level: delta, scale, support, read: true }.claim(vec![positive, b]))
    }

    fn stored(&self) -> Memory {
        let Hoeffding { visits, policy, doubling, interval, .. } = self;
        Memory { visits: visits.stored(), policy: policy.clone(), doubling: *doubling, interval: *interval }
    }

    fn restore(&mut self, memory: Memory, problem: &Problem, now: &Clock) -> Result<(), Flaw> {
        let listed = self.terms.support == Support::Known;
        let visits = Visits::restored(&memory.visits, problem, now.t, listed).within("visits")?;
        ensure(misuse::is_policy(problem, &memory.policy), "policy", || "no action of some state".into())?;
        memory.doubling.check(&Doubling::new(self.c_min)).within("doubling")?;
        numbers("cost", &[memory.interval.cost], 1).within("interval")?;
        at_most("number", memory.interval.number, now.t + 1, "what so many steps begin")
            .within("interval")?;
        ensure(memory.interval.number >= 1, "interval", || "they are numbered from 1".into())?;
        (self.visits, self.policy) = (visits, memory.policy);
        (self.doubling, self.interval) = (memory.doubling, memory.interval);
        Ok(())
    }
}
