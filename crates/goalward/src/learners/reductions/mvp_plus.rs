//! MVP+ on the finite-horizon reduction (Chen, Jain, Luo 2022): counts and Bernstein bonuses.
//!
//! # What it does
//!
//! Cuts time into intervals of H = ceil(4 T* ln(4K)) steps with a terminal cost of 2 B off the
//! goal. Counts transitions, shared by all steps of an interval. When the visits of a pair reach a
//! power of two it takes over the pair's counts, and makes a new backward induction with a bonus b =
//! max(7 sqrt(Var iota/n), 49 B iota/n), iota = 20 ln(2 S A n/delta).
//!
//! # What it needs to know
//!
//! B >= B*, T* and the number of episodes K. No features, no c_min.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/mvp+.md")]
//!
//! The constants 7, 49 and 20 are the paper's, and so is the B beside the 49 with `bonus=printed`. Values
//! of the reduction reach 3B. What makes such a bonus monotone, and the plan optimistic, is proved for
//! values up to B only. `bonus=values` has 3B there, which is goalward's reading and covers them.
//!
//! The paper states the regret without constants and without a probability, and sketches the proof.
//! So the result says that the guarantee is unknown, with either bonus.
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
//! is read as min. A pair that was never visited has Q = 0. `support=known` is ours.

use super::{FiniteHorizon, Horizon, Reduced};
use crate::Result;
use crate::confidence::{Assumption, Condition};
use crate::estimate::TakenVisits;
use crate::learners::builder::builder;
use crate::learners::core::table_bytes;
use crate::learners::counted::{BONUS, SUPPORT, Terms, Theorem};
use crate::learners::shared::{B, DELTA, INTERVAL, T_STAR, TERMINAL};
use crate::learners::{Algorithm, Brief, Family, LearnerEntry, Need, Transition};
use crate::numeric::Portable;
use crate::parameters::{Choice, Key, Value};
use crate::problem::Pair;

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("mvp+", "MVP+: Bernstein bonuses on the finite-horizon reduction", build)
        .reference("Chen, Jain, Luo (ICML 2022), Algorithms 1 and 5")
        .setting("tabular SSP")
        .needs(&[Need::B, Need::TStar, Need::Episodes])
        .guarantee(
            "regret O~(B sqrt(S A K) + B S^2 A), up to logarithms of T*: a sketch in the paper, without \
             constants and probability; scale: none",
        )
        .parameters(PARAMETERS)
        .family(Family::Reduction)
        .cost("O(1); S A log2(T) backward inductions in all, of O(H transitions)")
        .keeps("O(S A + transitions seen + layers S A), at most H layers")
        .memory(|problem| table_bytes(problem) + 120 * problem.pairs() as u64);

/// What stands beside the 49 of the bonus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// B, as printed.
    Printed,
    /// 3B, which values of the reduction reach.
    Values,
}

impl Value for Reach {
    fn read(text: &str) -> Option<Reach> {
        [Reach::Printed, Reach::Values].into_iter().find(|reach| reach.typed() == text)
    }

    fn typed(&self) -> String {
        if *self == Reach::Printed { "printed" } else { "values" }.into()
    }
}

const REACH: Key<Reach> = Key::choice(
    "bonus",
    &[Choice::Word("printed"), Choice::Word("values")],
    "the lower-order term of the bonus; printed: 49 B iota/n, as in the paper; values: 49 (3B) iota/n, as \
     values of the reduction reach 3B",
)
.or("printed");

builder! {
    /// MVP+ (Chen, Jain, Luo, ICML 2022). See the [module](self).
    MvpPlus, ENTRY;
    B as TakesB;
    T_STAR as TakesTStar;
    DELTA as TakesDelta;
    BONUS as TakesScale;
    REACH, bonus => Reach;
    SUPPORT as TakesSupport;
    INTERVAL as TakesInterval;
    TERMINAL as TakesTerminal;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let horizon = Horizon::read(brief, (&B, &T_STAR), (&INTERVAL, 4.0), (&TERMINAL, 2.0))?;
    let terms = Terms::read(brief)?;
    let reach = brief.settings.get(&REACH)?;
    let (support, visits) = (terms.support, TakenVisits::new(brief.problem.pairs()));
    Ok(Box::new(Reduced::new(brief, Counted { terms, horizon, reach }, visits, support)?))
}

struct Counted {
    terms: Terms,
    horizon: Horizon,
    reach: Reach,
}

impl FiniteHorizon for Counted {
    type Data = TakenVisits;

    fn horizon(&self) -> &Horizon {
        &self.horizon
    }

    fn back(&mut self, visits: &TakenVisits, next: &[f64], q: &mut [f64], now: &mut [f64]) {
        let Terms { delta, scale, support, sizes, .. } = self.terms;
        let Horizon { problem, costs, b, .. } = &self.horizon;
        let reach = match self.reach {
            Reach::Printed => *b,
            Reach::Values => 3.0 * b,
        };
        for s in self.horizon.off_goal() {
            now[s] = f64::INFINITY;
            for p in problem.pairs_of(s) {
                let (row, cost) = (visits.row(p), costs[p]);
                q[p] = support.floor(problem, p, cost, next);
                if row.n() > 0 {
                    let n = row.n() as f64;
                    let (mean, variance) = row.moments(next);
                    let iota = 20.0 * (2.0 * sizes.sa * n / delta).log_e();
                    let b = (7.0 * (variance * iota / n).sqrt()).max(49.0 * reach * iota / n);
                    q[p] = q[p].max(cost + mean - scale * b);
                }
                now[s] = now[s].min(q[p]);
            }
        }
    }

    fn learn(&mut self, visits: &mut TakenVisits, step: &Transition, pair: Pair, _: &[f64]) -> bool {
        visits.take(pair, step.next)
    }

    fn begin(&self, _: &mut TakenVisits) -> bool {
        false
    }

    fn assumes(&self) -> Vec<Assumption> {
        let sketch = "the theorem, which the paper sketches without a probability, fails with delta at most";
        let mut all = vec![Assumption::Settled(Condition::plain(sketch, None))];
        if self.reach == Reach::Printed {
            let covers = "the printed bonus, made for values up to B, serves for the reduction's up to 3B";
            all.push(Assumption::Settled(Condition::plain(covers, None)));
        }
        all
    }

    fn theorem(&self) -> Theorem {
        self.terms.theorem("regret O~(B sqrt(S A K) + B S^2 A)", false)
    }
}
