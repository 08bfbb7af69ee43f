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
//! One plan an interval: sweeps over the transitions seen until they converge. Until pairs are
//! known, which takes 5000 B^2 S/c_min^2 visits and more, every step is an interval. `scale`
//! multiplies the radius, and its square these visits.
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
use super::rule::{Due, Rule, Tabular};
use crate::Result;
use crate::confidence::Claim;
use crate::estimate::Visits;
use crate::learners::builder::builder;
use crate::learners::core::{Table, table_bytes};
use crate::learners::counted::{self, BONUS, Data, FLOOR, PRECISION, SUPPORT, Terms};
use crate::learners::doubling::Doubling;
use crate::learners::shared::{B_OR_DOUBLING, DELTA};
use crate::learners::{Algorithm, Brief, Call, Clock, Family, LearnerEntry, Need, Reason, Transition};
use crate::numeric::Portable;
use crate::numeric::stored::Flaw;
use crate::parameters::Key;
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
    let given = counted::b_or_doubling(brief)?;
    let table = Table::new(brief, floor);
    let c_min = table.least_cost().clamp(1e-12, 1.0);
    let interval = Interval {
        visits: Visits::new(brief.problem.pairs()),
        policy: vec![0; brief.problem.states()],
        doubling: Doubling::new(c_min),
        number: 1,
        cost: 0.0,
    };
    let (support, precision) = (terms.support, brief.settings.get(&PRECISION)?);
    Ok(Tabular::boxed(Hoeffding { terms, given, c_min, precision }, table, interval, support))
}

struct Hoeffding {
    terms: Terms,
    /// The user's bound on B*, in units of the largest cost.
    given: Option<f64>,
    c_min: f64,
    precision: f64,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Interval {
    visits: Visits,
    policy: Vec<Action>,
    doubling: Doubling,
    /// m, from 1.
    number: u64,
    /// C_m, in units of the largest cost.
    cost: f64,
}

impl Data for Interval {
    fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        self.visits.check(problem)?;
        counted::each_state(&self.policy, problem)
    }
}

impl Hoeffding {
    /// Whether a pair was visited too little for the bound of the moment.
    fn is_unknown(&self, now: &Interval, p: Pair) -> bool {
        let Terms { delta, scale, sizes, .. } = self.terms;
        let b = self.given.unwrap_or(now.doubling.b());
        let log = (b * sizes.sa / (delta * self.c_min)).log_e();
        // the visits that make the radius small go with its square
        let enough = scale * scale * 5000.0 * b * b * sizes.s / (self.c_min * self.c_min) * log;
        now.visits.n(p) as f64 <= enough
    }

    /// Algorithm 3: whether the interval has cost so much that the bound must be too low. Then it
    /// has doubled.
    fn doubles(&self, now: &mut Interval) -> bool {
        let log = (4.0 * now.number as f64 / self.terms.delta).log_e();
        let most = 24.0 * now.doubling.b() * log;
        self.given.is_none() && now.cost >= most && now.doubling.exceeded(f64::INFINITY)
    }

    fn set<'a>(&self, visits: &'a Visits, problem: &'a Problem) -> L1<'a> {
        let Terms { delta, scale, support, sizes, .. } = self.terms;
        let radius = |p: Pair| {
            let n = visits.n(p).max(1) as f64;
            scale * 5.0 * (support.size(problem, p).min(sizes.s) * (sizes.sa * n / delta).log_e() / n).sqrt()
        };
        L1 { problem, visits, support, radius: (0..problem.pairs()).map(radius).collect() }
    }
}

impl Rule for Hoeffding {
    type Data = Interval;

    fn act(&self, interval: &Interval, _: &mut Table, s: State) -> Action {
        interval.policy[s]
    }

    fn learn(&mut self, interval: &mut Interval, table: &mut Table, step: &Transition, _: &Clock) -> Due {
        let pair = table.problem.pair(step.state, step.action);
        interval.visits.take(pair, step.next);
        interval.cost += table.costs[pair];
        let doubled = self.doubles(interval);
        let ahead = |s: State| table.problem.pair(s, interval.policy[s]);
        let ended = step.next == table.problem.goal() || self.is_unknown(interval, ahead(step.next));
        if doubled || ended {
            (interval.number, interval.cost) = (interval.number + 1, 0.0);
        }
        doubled.then_some(Reason::Bound).or(ended.then_some(Reason::Interval))
    }

    fn plan(&self, interval: &mut Interval, table: &mut Table, call: &Call) -> Result<u64, Cut> {
        let set = self.set(&interval.visits, &table.problem);
        let swept = set.iterate(&table.costs, self.precision, call.halt)?;
        (table.standing.q, table.standing.v) = (swept.q, swept.v);
        interval.policy = table.policy();
        Ok(swept.sweeps)
    }

    fn plans_first(&self) -> bool {
        true
    }

    fn claim(&self, table: &Table) -> Option<Claim> {
        let all = vec![counted::positive(table), self.terms.bounds(table, self.given)];
        let statement = "regret O~(sqrt(B^3 S^2 A K/c_min) + B^3 S^2 A/c_min^2)";
        Some(self.terms.theorem(statement, true).claim(all))
    }
}
