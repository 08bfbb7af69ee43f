//! Bernstein-SSP (Rosenberg, Cohen, Mansour, Kaplan 2020).
//!
//! # What it does
//!
//! Counts transitions, and follows one policy for an epoch. An epoch ends when the pair that is
//! next has been visited as often in it as ever before. The policy is optimal for an optimistic
//! model: every transition keeps what Bernstein's inequality leaves it at least, and the rest leads
//! to the goal.
//!
//! # What it needs to know
//!
//! Nothing, if all costs are positive. For zero costs the number of episodes K.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/bernstein-ssp.md")]
//!
//! The constants 28 and 4 are the paper's, read there.
//!
//! # Cost per step
//!
//! O(1), and one plan an epoch, at most about 2 S A log2(T) in all: sweeps over the transitions
//! seen until they converge.
//!
//! # Reference
//!
//! Rosenberg, Cohen, Mansour, Kaplan (ICML 2020), Algorithm 2.
//!
//! # Departures from the print
//!
//! The optimistic model is solved by value iteration from zero to `precision`, or for 100,000
//! sweeps, which the paper takes to be exact; it is an optimistic value wherever it stops. The
//! first policy is planned without data, where the paper takes any. Ties are broken uniformly when
//! the policy is made. The pair that is next at the goal is the start's: the algorithm does not say
//! so, and the text asks that an epoch end once the visits of any pair have doubled.
//! `support=known` is ours: the rest then leads to the best successor.

use super::extended;
use super::rule::{Due, Rule, Tabular};
use crate::Result;
use crate::confidence::{Claim, Spread, kept_in_bernstein};
use crate::estimate::Visits;
use crate::learners::builder::builder;
use crate::learners::core::{Table, table_bytes};
use crate::learners::counted::{self, BONUS, Data, FLOOR, PRECISION, SUPPORT, Terms};
use crate::learners::shared::DELTA;
use crate::learners::{Algorithm, Brief, Call, Clock, Family, LearnerEntry, Reason, Transition};
use crate::numeric::Portable;
use crate::numeric::stored::Flaw;
use crate::parameters::Key;
use crate::plan::Cut;
use crate::problem::{Action, Pair, Problem, State};
use serde::{Deserialize, Serialize};

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("bernstein-ssp", "Bernstein-SSP: epochs with an optimistic model", build)
        .reference("Rosenberg, Cohen, Mansour, Kaplan (ICML 2020), Algorithm 2")
        .setting("tabular SSP, costs >= c_min > 0 (floor > 0 for zero costs)")
        .guarantee(
            "regret O(B* S sqrt(A K) L + sqrt(B*^3 S^4 A^2/c_min) L^2) with probability 1 - delta, L = \
             ln(B* S A K/(delta c_min)); scale: none",
        )
        .parameters(PARAMETERS)
        .family(Family::Tabular)
        .optimistic()
        .cost("O(1); one plan an epoch, each of O(sweeps transitions seen)")
        .keeps("O(S A + transitions seen)")
        .memory(|problem| table_bytes(problem) + 160 * problem.pairs() as u64);

const OWN_FLOOR: Key<f64> = FLOOR.computed("0; for zero costs the largest cost times S^2 A/K");

builder! {
    /// Bernstein-SSP (Rosenberg et al., ICML 2020). See the [module](self).
    BernsteinSsp, ENTRY;
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
    let epoch = Epoch {
        visits: Visits::new(brief.problem.pairs()),
        before: vec![0; brief.problem.pairs()],
        policy: vec![0; brief.problem.states()],
    };
    let (support, precision) = (terms.support, brief.settings.get(&PRECISION)?);
    Ok(Tabular::boxed(Bernstein { terms, precision }, Table::new(brief, floor), epoch, support))
}

struct Bernstein {
    terms: Terms,
    precision: f64,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Epoch {
    visits: Visits,
    /// N_i: visits of each pair when the epoch began.
    before: Vec<u64>,
    policy: Vec<Action>,
}

impl Data for Epoch {
    fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        self.visits.check(problem)?;
        counted::each_pair("before", &self.before, problem)?;
        counted::each_state(&self.policy, problem)
    }
}

impl Bernstein {
    /// The optimistic model: what each pair's transitions keep, and the rest.
    fn model(&self, visits: &Visits, problem: &Problem) -> Vec<(Spread, f64)> {
        let Terms { delta, scale, sizes, .. } = self.terms;
        let of = |p: Pair| {
            let n = visits.n(p).max(1) as f64;
            let a = (sizes.sa * n / delta).log_e() / n;
            let mut kept = Spread::new();
            let rest =
                kept_in_bernstein(visits.row(p), (scale * 28.0 * a, scale * 4.0 * a.sqrt()), &mut kept);
            (kept, rest)
        };
        (0..problem.pairs()).map(of).collect()
    }
}

impl Rule for Bernstein {
    type Data = Epoch;

    fn act(&self, epoch: &Epoch, _: &mut Table, s: State) -> Action {
        epoch.policy[s]
    }

    fn learn(&mut self, epoch: &mut Epoch, table: &mut Table, step: &Transition, _: &Clock) -> Due {
        let pair = table.problem.pair(step.state, step.action);
        epoch.visits.take(pair, step.next);
        // after the goal comes the next episode
        let ahead = if step.next == table.problem.goal() { table.problem.start() } else { step.next };
        let next = table.problem.pair(ahead, epoch.policy[ahead]);
        let within = epoch.visits.n(next).saturating_sub(epoch.before[next]);
        (within >= epoch.before[next]).then_some(Reason::Visits)
    }

    fn plan(&self, epoch: &mut Epoch, table: &mut Table, call: &Call) -> Result<u64, Cut> {
        let kept = self.model(&epoch.visits, &table.problem);
        let of = (&table.costs[..], &kept[..]);
        let swept = extended::with_rest(&table.problem, of, self.terms.support, self.precision, call.halt)?;
        (table.standing.q, table.standing.v) = (swept.q, swept.v);
        epoch.policy = table.policy();
        epoch.before = epoch.visits.all();
        Ok(swept.sweeps)
    }

    fn plans_first(&self) -> bool {
        true
    }

    fn claim(&self, table: &Table) -> Option<Claim> {
        let statement = "regret O~(B* S sqrt(A K) + sqrt(B*^3 S^4 A^2/c_min))";
        Some(self.terms.theorem(statement, true).claim(vec![counted::positive(table)]))
    }
}
