//! MVP+ on the finite-horizon reduction (Chen, Jain, Luo 2022): counts and Bernstein bonuses.
//!
//! # What it does
//!
//! Cuts time into intervals of H = ceil(4 T* ln(4K)) steps with a terminal cost of 2 B off the
//! goal. Counts transitions, shared by all steps of an interval. When the visits of a pair reach a
//! power of two it takes over the pair's counts, and the next interval begins with a new backward
//! induction, with a bonus b = max(7 sqrt(Var iota/n), 49 (3B) iota/n), iota = 20 ln(2 S A n/delta).
//!
//! # What it needs to know
//!
//! B >= B*, T* and the number of episodes K. No features, no c_min.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/mvp+.md")]
//!
//! The constants 7, 49 and 20 are the paper's.
//!
//! # Cost per step
//!
//! O(1), and at most S A log2(T) backward inductions in all. One takes O(transitions seen) for each
//! layer, of which there are H or as many as it takes to come to rest.
//!
//! # Reference
//!
//! Chen, Jain, Luo (ICML 2022), Algorithm 5, with their Algorithm 1.
//!
//! # Departures from the print
//!
//! The costs are known here, so there is no estimate of them. The print has argmin for V_h, which
//! is read as min. Values of the reduction lie in [0, 3B], so 3B stands in the bonus. A pair that
//! was never visited has Q = 0. `support=known` is ours.

use super::{FiniteHorizon, Horizon, Reduced};
use crate::Result;
use crate::estimate::{StoredVisits, Visits};
use crate::learners::builder::builder;
use crate::learners::core::table_bytes;
use crate::learners::counted::{BONUS, SUPPORT, Support, Terms, Theorem};
use crate::learners::shared::{B, DELTA, INTERVAL, T_STAR, TERMINAL};
use crate::learners::{Algorithm, Brief, Clock, Family, LearnerEntry, Need, Seen, Transition};
use crate::numeric::Portable;
use crate::numeric::stored::{Flaw, Within};
use crate::plan::Backup;
use crate::problem::{Pair, Problem};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("mvp+", "MVP+: Bernstein bonuses on the finite-horizon reduction", build)
        .reference("Chen, Jain, Luo (ICML 2022), Algorithms 1 and 5")
        .setting("tabular SSP")
        .needs(&[Need::B, Need::TStar, Need::Episodes])
        .guarantee("regret O~(B sqrt(S A K) + B S^2 A), up to logarithms of T*")
        .parameters(PARAMETERS)
        .family(Family::Reduction)
        .cost("O(1); S A log2(T) backward inductions in all, of O(H transitions)")
        .keeps("O(S A + transitions seen + layers S A), at most H layers")
        .memory(|problem| table_bytes(problem) + 120 * problem.pairs() as u64);

builder! {
    /// MVP+ (Chen, Jain, Luo, ICML 2022). See the [module](self).
    MvpPlus, ENTRY;
    B as TakesB;
    T_STAR as TakesTStar;
    DELTA as TakesDelta;
    BONUS as TakesScale;
    SUPPORT as TakesSupport;
    INTERVAL as TakesInterval;
    TERMINAL as TakesTerminal;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let horizon = Horizon::read(brief, (&B, &T_STAR), (&INTERVAL, 4.0), (&TERMINAL, 2.0))?;
    let terms = Terms::read(brief)?;
    let problem = brief.problem.clone();
    let costs = problem.costs().iter().map(|c| c / terms.unit).collect();
    let none = Visits::new(problem.pairs());
    let learner =
        Counted { costs, terms, horizon, visits: none.clone(), taken: none, renewed: false, problem };
    Ok(Box::new(Reduced::new(brief, horizon, learner)?))
}

struct Counted {
    problem: Arc<Problem>,
    costs: Vec<f64>,
    terms: Terms,
    horizon: Horizon,
    visits: Visits,
    /// The counts of each pair when its visits last reached a power of two.
    taken: Visits,
    /// Whether some pair's have since the last plan.
    renewed: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Memory {
    visits: StoredVisits,
    taken: StoredVisits,
    renewed: bool,
}

impl Backup for Counted {
    fn terminal(&self) -> Vec<f64> {
        self.horizon.terminal(&self.problem)
    }

    fn back(&mut self, next: &[f64], q: &mut [f64], now: &mut [f64]) {
        let Terms { delta, scale, support, sizes, .. } = self.terms;
        for s in (0..self.problem.states()).filter(|&s| s != self.problem.goal()) {
            now[s] = f64::INFINITY;
            for p in self.problem.pairs_of(s) {
                let (row, cost) = (self.taken.row(p), self.costs[p]);
                q[p] = support.floor(&self.problem, p, cost, next);
                if row.n() > 0 {
                    let n = row.n() as f64;
                    let (mean, variance) = row.moments(next);
                    let iota = 20.0 * (2.0 * sizes.sa * n / delta).log_e();
                    let b = (7.0 * (variance * iota / n).sqrt()).max(49.0 * 3.0 * self.horizon.b * iota / n);
                    q[p] = q[p].max(cost + mean - scale * b);
                }
                now[s] = now[s].min(q[p]);
            }
        }
    }
}

impl FiniteHorizon for Counted {
    type Memory = Memory;

    fn learn(&mut self, step: &Transition, pair: Pair, _: &[f64]) -> Seen {
        self.visits.take(pair, step.next);
        if self.visits.n(pair).is_power_of_two() {
            self.taken.copy(pair, &self.visits);
            self.renewed = true;
        }
        Seen::Counted
    }

    fn begin(&mut self, _: u64) -> bool {
        std::mem::take(&mut self.renewed)
    }

    fn takes_any_step(&self) -> bool {
        self.terms.support == Support::Unknown
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "regret O~(B sqrt(S A K) + B S^2 A)",
            level: self.terms.delta,
            scale: self.terms.scale,
            support: self.terms.support,
            read: false,
        }
    }

    fn stored(&self) -> Memory {
        Memory { visits: self.visits.stored(), taken: self.taken.stored(), renewed: self.renewed }
    }

    fn restore(&mut self, memory: Memory, problem: &Problem, now: &Clock) -> Result<(), Flaw> {
        let listed = self.terms.support == Support::Known;
        let visits = Visits::restored(&memory.visits, problem, now.t, listed).within("visits")?;
        let taken = Visits::restored(&memory.taken, problem, now.t, listed).within("taken")?;
        visits.check_before(&taken.all()).within("taken")?;
        (self.visits, self.taken, self.renewed) = (visits, taken, memory.renewed);
        Ok(())
    }
}
