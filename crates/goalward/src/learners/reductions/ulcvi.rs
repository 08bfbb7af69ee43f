//! ULCVI on the finite-horizon reduction (Cohen, Efroni, Mansour, Rosenberg 2021).
//!
//! # What it does
//!
//! Cuts time into intervals of H = ceil(8 T* ln(8K)) steps with a terminal cost of 8 B off the
//! goal. Counts transitions, shared by all steps of an interval. Before every interval it computes
//! lower and upper bounds on the values by backward induction, and acts greedily on the lower ones;
//! the gap between both is a part of the bonus.
//!
//! # What it needs to know
//!
//! B >= B*, T* and the number of episodes K. No features, no c_min.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/ulcvi.md")]
//!
//! The form of the bonus is the paper's. Its two constants, and the powers of H and B beside them,
//! could not be verified: the constants are `lower_order` and `gap`.
//!
//! # Cost per step
//!
//! One backward induction an interval, of O(transitions seen) for each layer, of which there are H
//! or as many as it takes to come to rest.
//!
//! # Reference
//!
//! Cohen, Efroni, Mansour, Rosenberg (NeurIPS 2021), ULCVI and the reduction.
//!
//! # Departures from the print
//!
//! Costs are known here, so their bonus is 0. With the theoretical constants it does not learn in
//! any simulation; its first plan that is not zero everywhere takes some 62 H^3 S/B^2 visits.

use super::{FiniteHorizon, Horizon, Reduced};
use crate::Result;
use crate::estimate::Visits;
use crate::learners::builder::builder;
use crate::learners::core::table_bytes;
use crate::learners::counted::{BONUS, SUPPORT, Terms, Theorem};
use crate::learners::shared::{B, DELTA, INTERVAL, T_STAR, TERMINAL};
use crate::learners::{Algorithm, Brief, Family, LearnerEntry, Need, Transition};
use crate::numeric::Portable;
use crate::parameters::Key;
use crate::problem::Pair;

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("ulcvi", "ULCVI: lower and upper bounds on the finite-horizon reduction", build)
        .reference("Cohen, Efroni, Mansour, Rosenberg (NeurIPS 2021)")
        .setting("tabular SSP")
        .needs(&[Need::B, Need::TStar, Need::Episodes])
        .guarantee("regret O~(B sqrt(S A K) + T*^4 S^2 A) with probability 1 - delta; scale: none")
        .parameters(PARAMETERS)
        .family(Family::Reduction)
        .cost("one backward induction an interval, of O(H transitions seen)")
        .keeps("O(S A + transitions seen + layers S A), at most H layers")
        .memory(|problem| table_bytes(problem) + 80 * problem.pairs() as u64);

const OWN_INTERVAL: Key<u64> = INTERVAL.computed("ceil(8 T* ln(8K))");

const OWN_TERMINAL: Key<f64> = TERMINAL.computed("8 B");

const LOWER_ORDER: Key<f64> =
    Key::number("lower_order", 0.0, 1e30, "constant of the term H^3 S L/(B n) of the bonus (uncertain)")
        .or("62");

const GAP: Key<f64> =
    Key::number("gap", 0.0, 1e30, "constant of the term (B/H^2) P(upper - lower) of the bonus (uncertain)")
        .or("0.0625");

builder! {
    /// ULCVI (Cohen et al., NeurIPS 2021). See the [module](self).
    Ulcvi, ENTRY;
    B as TakesB;
    T_STAR as TakesTStar;
    DELTA as TakesDelta;
    BONUS as TakesScale;
    SUPPORT as TakesSupport;
    OWN_INTERVAL as TakesInterval;
    OWN_TERMINAL as TakesTerminal;
    LOWER_ORDER, lower_order => f64;
    GAP, gap => f64;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    let horizon = Horizon::read(brief, (&B, &T_STAR), (&OWN_INTERVAL, 8.0), (&OWN_TERMINAL, 8.0))?;
    let terms = Terms::read(brief)?;
    let support = terms.support;
    let learner = Bounds {
        lower_order: brief.settings.get(&LOWER_ORDER)?,
        gap: brief.settings.get(&GAP)?,
        interval: 1,
        terms,
        horizon,
    };
    let visits = Visits::new(brief.problem.pairs());
    Ok(Box::new(Reduced::new(brief, learner, visits, support)?))
}

struct Bounds {
    terms: Terms,
    horizon: Horizon,
    lower_order: f64,
    gap: f64,
    /// m.
    interval: u64,
}

/// What is carried from layer to layer are the lower bounds of all states, then the upper ones.
impl FiniteHorizon for Bounds {
    type Data = Visits;

    fn horizon(&self) -> &Horizon {
        &self.horizon
    }

    fn terminal(&self) -> Vec<f64> {
        self.horizon.terminal_values().repeat(2)
    }

    fn back(&mut self, visits: &Visits, next: &[f64], q: &mut [f64], now: &mut [f64]) {
        let Terms { delta, scale, support, sizes, .. } = self.terms;
        let Horizon { problem, costs, b, .. } = &self.horizon;
        let h = self.horizon.steps as f64;
        let log = 3.0 * (3.0 * sizes.sa * h * self.interval as f64 / delta).log_e();
        let (lower, upper) = next.split_at(problem.states());
        let (now_lower, now_upper) = now.split_at_mut(problem.states());
        for s in self.horizon.off_goal() {
            (now_lower[s], now_upper[s]) = (f64::INFINITY, f64::INFINITY);
            for p in problem.pairs_of(s) {
                let (row, cost) = (visits.row(p), costs[p]);
                let n = row.n().max(1) as f64;
                let ((mean, variance), above) = (row.moments(lower), row.mean(upper));
                let bonus = scale
                    * ((2.0 * variance * log / n).sqrt()
                        + self.lower_order * h.powi(3) * sizes.s * log / (b * n)
                        + self.gap * b / (h * h) * (above - mean));
                q[p] = (cost + mean - bonus).max(support.floor(problem, p, cost, lower));
                if q[p] < now_lower[s] {
                    (now_lower[s], now_upper[s]) = (q[p], (cost + above + bonus).min(h));
                }
            }
        }
    }

    fn learn(&mut self, visits: &mut Visits, step: &Transition, pair: Pair, _: &[f64]) -> bool {
        visits.take(pair, step.next);
        false
    }

    fn enter(&mut self, interval: u64) {
        self.interval = interval;
    }

    fn theorem(&self) -> Theorem {
        self.terms.theorem("regret O~(B sqrt(S A K) + T*^4 S^2 A)", false)
    }
}
