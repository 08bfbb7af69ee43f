//! UC-SSP (Tarbouriech, Garcelon, Valko, Pirotta, Lazaric 2020).
//!
//! # What it does
//!
//! Every episode begins with an attempt: a policy that is optimistic for the true costs, planned by
//! extended value iteration over L1 balls around the empirical kernel. It is given as many steps H
//! as it needs in the optimistic model to reach the goal but for a small probability. If it has not
//! by then, further attempts follow that only try to get to the goal: every step costs 1.
//!
//! # What it needs to know
//!
//! Nothing, if all costs are positive.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/uc-ssp.md")]
//!
//! The constant 8 of the radius and the choice of H are the paper's, read there.
//!
//! # Cost per step
//!
//! One plan an attempt: sweeps over the transitions seen until they converge to c_min/(2t), and at most H products with the policy's kernel.
//!
//! # Reference
//!
//! Tarbouriech, Garcelon, Valko, Pirotta, Lazaric (ICML 2020), Algorithms 1 and 2.
//!
//! # Departures from the print
//!
//! Ties are broken uniformly when a policy is made. H is cut at a million steps, and value
//! iteration at 100,000 sweeps. For zero costs the first attempt of episode k adds k^(-1/3) times
//! the largest cost, as printed; that c_min is then the one of eps. `support=known` is ours: a
//! pair's successors count for S.

use super::extended::L1;
use super::rule::{Due, Rule, Tabular};
use crate::Result;
use crate::confidence::{Claim, Spread};
use crate::estimate::Visits;
use crate::learners::builder::builder;
use crate::learners::core::{Table, table_bytes};
use crate::learners::counted::{self, BONUS, Data, SUPPORT, Terms};
use crate::learners::shared::DELTA;
use crate::learners::{Algorithm, Brief, Call, Clock, Family, LearnerEntry, Reason, Transition};
use crate::numeric::Portable;
use crate::numeric::stored::Flaw;
use crate::plan::{Cut, Halt};
use crate::problem::{Action, Pair, Problem, State};
use serde::{Deserialize, Serialize};

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("uc-ssp", "UC-SSP: optimistic attempts of limited length", build)
        .reference("Tarbouriech, Garcelon, Valko, Pirotta, Lazaric (ICML 2020), Algorithms 1 and 2")
        .setting("tabular SSP, costs >= c_min > 0 (perturbed for zero costs: regret O~(K^(2/3)))")
        .guarantee(
            "regret O~(c_max D S sqrt(c_max/c_min A D K)) with probability 1 - delta, D the largest expected \
             time to the goal; scale: none",
        )
        .parameters(PARAMETERS)
        .family(Family::Tabular)
        .cost("one plan an attempt, of O(sweeps transitions seen)")
        .keeps("O(S A + transitions seen)")
        .memory(|problem| table_bytes(problem) + 120 * problem.pairs() as u64);

builder! {
    /// UC-SSP (Tarbouriech et al., ICML 2020). See the [module](self).
    UcSsp, ENTRY;
    DELTA as TakesDelta;
    BONUS as TakesScale;
    SUPPORT as TakesSupport;
}

const LONGEST: u64 = 1_000_000;

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let terms = Terms::read(brief)?;
    let attempt = Attempt {
        visits: Visits::new(brief.problem.pairs()),
        policy: vec![0; brief.problem.states()],
        further: 0,
        total: 0,
        made: 0,
        horizon: 0,
    };
    let support = terms.support;
    Ok(Tabular::boxed(Attempts { terms }, Table::new(brief, 0.0), attempt, support))
}

struct Attempts {
    terms: Terms,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attempt {
    visits: Visits,
    policy: Vec<Action>,
    /// j: further attempts in this episode.
    further: u64,
    /// G: further attempts in all.
    total: u64,
    made: u64,
    /// H.
    horizon: u64,
}

impl Data for Attempt {
    fn check(&self, problem: &Problem) -> Result<(), Flaw> {
        self.visits.check(problem)?;
        counted::each_state(&self.policy, problem)
    }
}

impl Attempts {
    fn set<'a>(&self, visits: &'a Visits, problem: &'a Problem) -> L1<'a> {
        let Terms { delta, scale, support, sizes, .. } = self.terms;
        let radius = |p: Pair| {
            let n = visits.n(p).max(1) as f64;
            scale
                * (8.0 * support.size(problem, p).min(sizes.s) * (2.0 * sizes.a * n / delta).log_e() / n)
                    .sqrt()
        };
        L1 { problem, visits, support, radius: (0..problem.pairs()).map(radius).collect() }
    }

    /// H = min{n > 1 : |Q^(n-1)|_inf <= gamma}, Q the optimistic kernel of the policy off the goal.
    fn horizon(set: &L1, policy: &[Action], v: &[f64], gamma: f64, halt: &Halt) -> Result<u64, Cut> {
        let goal = set.problem.goal();
        let off_goal = || (0..policy.len()).filter(|&s| s != goal);
        let mut kernel = vec![Spread::new(); policy.len()];
        off_goal().for_each(|s| set.spread(set.problem.pair(s, policy[s]), v, &mut kernel[s]));
        // row sums of the powers: the goal's entry stays 0
        let mut left = vec![1.0; policy.len()];
        left[goal] = 0.0;
        let mut next = left.clone();
        for n in 2..=LONGEST {
            halt.check()?;
            off_goal().for_each(|s| next[s] = kernel[s].iter().map(|&(to, p)| p * left[to]).sum());
            std::mem::swap(&mut left, &mut next);
            if left.iter().copied().fold(0.0, f64::max) <= gamma {
                return Ok(n);
            }
        }
        Ok(LONGEST)
    }
}

impl Rule for Attempts {
    type Data = Attempt;

    fn act(&self, attempt: &Attempt, _: &mut Table, s: State) -> Action {
        attempt.policy[s]
    }

    fn learn(&mut self, attempt: &mut Attempt, table: &mut Table, step: &Transition, _: &Clock) -> Due {
        let pair = table.problem.pair(step.state, step.action);
        attempt.visits.take(pair, step.next);
        attempt.made += 1;
        if step.next == table.problem.goal() {
            attempt.further = 0;
        } else if attempt.made > attempt.horizon {
            attempt.further += 1;
            attempt.total += 1;
        } else {
            return None;
        }
        attempt.made = 0;
        Some(Reason::Interval)
    }

    fn plan(&self, attempt: &mut Attempt, table: &mut Table, call: &Call) -> Result<u64, Cut> {
        let (k, t) = (call.clock.episodes_begun() as f64, (call.clock.t + 1) as f64);
        let raised = if table.least_cost() > 0.0 { 0.0 } else { k.to_the(-1.0 / 3.0) };
        let (costs, eps, gamma) = match attempt.further {
            0 => {
                let costs: Vec<f64> = table.costs.iter().map(|c| c + raised).collect();
                (costs, (table.least_cost() + raised) / (2.0 * t), 1.0 / k.sqrt())
            }
            _ => (vec![1.0; table.costs.len()], 1.0 / (2.0 * t), 1.0 / (attempt.total as f64).sqrt()),
        };
        let problem = table.problem.clone();
        let set = self.set(&attempt.visits, &problem);
        let swept = set.iterate(&costs, eps, call.halt)?;
        (table.standing.q, table.standing.v) = (swept.q, swept.v);
        let policy = table.policy();
        attempt.horizon = Attempts::horizon(&set, &policy, &swept.before, gamma, call.halt)?;
        attempt.policy = policy;
        Ok(swept.sweeps)
    }

    fn plans_first(&self) -> bool {
        true
    }

    fn claim(&self, table: &Table) -> Option<Claim> {
        let statement = "regret O~(c_max D S sqrt(c_max/c_min A D K))";
        Some(self.terms.theorem(statement, true).claim(vec![counted::positive(table)]))
    }
}
