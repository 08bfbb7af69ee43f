//! LEVIS++ with the likelihood set: the paper's algorithm, and a second set that is tight from the
//! first steps on.
//!
//! # What it does
//!
//! All that [LEVIS++](super::levis_plus_plus) does, in units of the largest cost and with half of
//! delta; with the other half it keeps the likelihood set
//! ([`LikelihoodSet`](crate::confidence::LikelihoodSet)) as [`lr`](super::lr) does. Every backup of
//! the planner takes the larger of the two certified lower bounds; tangents cut the likelihood's
//! ellipsoid where the plan looks, as in `lr`. It plans on the paper's triggers and when the
//! information has doubled, with the discount 1e-3/t_j and the precision min(1e-2, 1/t_j) of `lr`,
//! which are below the paper's 1/t_j.
//!
//! # What it needs to know
//!
//! B >= B*, and c_min, for the sake of the paper's guarantee.
//!
//! # Parameters
//!
#![doc = include_str!("../../../docs/learners/levis++lr.md")]
//!
//! They are those of [LEVIS++](super::levis_plus_plus). `delta` is split in halves; `radius` is
//! that of the regression set, and results call it `regression_radius`: their `radius` is
//! `likelihood`. `delta_split` is true and `norms` are `computed` unless the user says otherwise,
//! so that the guarantee may fail with probability delta and no more.
//!
//! # Cost per step
//!
//! That of LEVIS++ and that of `lr`; O(d L log T) planning calls in all. Where the likelihood
//! ellipsoid, or all of B, lies inside the regression's ellipsoid, as with the printed radius it
//! does for the first hundreds of millions of steps, the second bound cannot be larger and is not
//! computed; else a backup costs a second support problem, which starts cold.
//!
//! # Reference
//!
//! Di, He, Zhou, Gu (ICML 2023), Algorithms 1 to 3 and Theorem 5.1, with the set of
//! [`crate::confidence`].
//!
//! # What is proved
//!
//! Validity and optimism: with probability at least 1 - delta (`delta_split=false`: 1 - delta/2 -
//! (2L+1) delta/2) theta* is in both sets at all times; then both lower bounds m1 (regression) and
//! m2 (likelihood) are below P V. max(m1, m2) is monotone and, times 1 - q, a contraction, so DEVI
//! converges as before and V_j <= V*.
//!
//! That the paper's bound on the Bellman error carries over: its argument "the minimising theta
//! lies in C" is replaced, on the upper side, by P V - (1-q) max(m1, m2) <= P V - (1-q) m1 <= 2
//! beta |phi_V| in the norm of Sigma^-1, plus q B; on the lower side (1-q) max(m1, m2) - P V <= 0
//! by optimism, and DEVI's residual adds at most eps_j. The O(d log T) plans that information adds
//! cost O(B) each, as every plan does in the paper's proof. This is an argument on the level of the
//! paper's lemmas, not a proof written out; nothing is claimed of a `scaled` regression radius.

use super::cuts;
use super::levis_plus_plus::{Moments, freeze, moments};
use super::likely::show;
use super::lr_settings::FAST;
use super::optimist::{Rate, bytes};
use super::settings;
use crate::Result;
use crate::confidence::{Claim, Ellipse, Kept, LikelihoodKeeper, Norms};
use crate::estimate::Likelihood;
use crate::learners::builder::builder;
use crate::learners::shared::{
    B, C_MIN, DELTA, DELTA_SPLIT, GAMMA, LAMBDA, LEVELS, NORMS, PHI_NORM, RADIUS, ROWS, THETA_NORM,
};
use crate::learners::{
    Algorithm, Brief, Call, Clock, Emptiness, Family, LearnerEntry, Need, Probe, Reason, Seen, Snapshot,
    Transition,
};
use crate::numeric::stored::Within;
use crate::numeric::support::{ConvexSet, Status, Support, SupportMin, Warm};
use crate::parameters::{Key, Value};
use crate::plan::Cut;
use crate::problem::seen::require_clear;
use crate::problem::{Action, Pair, State};
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(in crate::learners) const ENTRY: LearnerEntry =
    LearnerEntry::new("levis++lr", "LEVIS++ with the likelihood set beside its own", build)
        .reference("Di, He, Zhou, Gu (ICML 2023), Algorithm 1, with goalward's likelihood set")
        .setting("linear mixture SSP, costs >= c_min > 0")
        .needs(&[Need::B, Need::CMin])
        .guarantee(
            "theta* in both sets at all times, and optimism, with probability 1 - delta, if B >= B*; the \
             regret of LEVIS++ by an argument on its lemmas (determinant: not; scaled: nothing)",
        )
        .parameters(PARAMETERS)
        .family(Family::LinearMixture)
        .optimistic()
        .cost("that of the regression and that of the likelihood set; O(d L log T) plans in all")
        .keeps("O(S A + L d^2), and 28 bytes for each distinct transition seen")
        .memory(bytes);

const LEVEL: Key<f64> = DELTA.doc("failure probability, half of it for each set");
const SPLIT: Key<bool> = DELTA_SPLIT.or("true");
const OWN_NORMS: Key<Norms> = NORMS.or("computed");

builder! {
    /// LEVIS++ with the likelihood set beside its own. See the [module](self).
    LevisPlusPlusLr, ENTRY;
    B as TakesB;
    C_MIN as TakesCMin;
    LEVEL as TakesDelta;
    LAMBDA as TakesLambda;
    GAMMA as TakesGamma;
    LEVELS as TakesLevels;
    RADIUS as TakesRadius;
    SPLIT as TakesDeltaSplit;
    OWN_NORMS as TakesNorms;
    PHI_NORM as TakesPhiNorm;
    THETA_NORM as TakesThetaNorm;
    FAST as TakesPlanner;
    ROWS as TakesRows;
}

fn build(brief: &Brief) -> Result<Box<dyn Algorithm>> {
    // the largest cost, also where it is below 1: results do not depend on the user's units
    let unit = brief.problem.largest_cost();
    require_clear(brief.problem)?;
    let b = settings::bound(unit, brief)?;
    let c_min = settings::least_cost(brief)?;
    let radius = brief.settings.get(&RADIUS)?;
    let mut rule = settings::moment_rule(brief, unit, b, c_min, None, (radius, Norms::Computed))?;
    let half = 0.5 * rule.delta;
    rule.delta = half;
    brief.settings.note_as("radius", json!("likelihood"));
    brief.settings.note_as("regression_radius", rule.radius.in_force());
    let paper = moments(brief, rule, &FAST)?;
    let keeper = LikelihoodKeeper::within(brief.problem, &paper.optimist.constraints, half);
    Ok(Box::new(Both { paper, keeper, informed: false }))
}

/// Both sets; each has half of delta.
struct Both {
    paper: Moments,
    keeper: LikelihoodKeeper,
    /// Whether the information has doubled with the step just taken in.
    informed: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredBoth {
    paper: Snapshot,
    kept: Kept,
}

/// The larger of two lower bounds.
#[derive(Clone)]
struct Larger {
    likelihood: ConvexSet,
    /// None where it cannot be the larger one.
    regression: Option<ConvexSet>,
    /// Whether it was the larger one in the last solve.
    regression_was_larger: bool,
}

impl SupportMin for Larger {
    fn min(&mut self, c: &[f64], warm: &mut Warm) -> Support {
        let first = self.likelihood.min(c, warm);
        let Some(regression) = &mut self.regression else { return first };
        // one warm start per pair is kept, and the likelihood set has it
        let second = regression.min(c, &mut Warm::default());
        self.regression_was_larger = second.value > first.value;
        let status = if second.status == Status::Inaccurate { second.status } else { first.status };
        Support { value: first.value.max(second.value), bound: first.bound.max(second.bound), status }
    }

    fn minimiser(&self, theta: &mut [f64]) {
        match &self.regression {
            Some(regression) if self.regression_was_larger => regression.minimiser(theta),
            _ => self.likelihood.minimiser(theta),
        }
    }

    fn fallbacks(&self) -> u64 {
        self.likelihood.fallbacks() + self.regression.as_ref().map_or(0, |set| set.fallbacks())
    }

    fn is_relaxed(&self) -> bool {
        self.likelihood.is_relaxed() || self.regression.as_ref().is_some_and(|set| set.is_relaxed())
    }

    fn count_fallbacks(&mut self, more: u64) {
        self.likelihood.count_fallbacks(more);
    }

    fn hold(&mut self, yes: bool) {
        self.likelihood.hold(yes);
        self.regression.iter_mut().for_each(|set| set.hold(yes));
    }
}

impl Both {
    /// Algorithm 1, lines 11 to 18, over both sets; if either is empty the old plan stays.
    fn plan_now(&mut self, call: &Call) -> (Result<(), Cut>, Ellipse) {
        let Moments { rule, data, optimist, .. } = &mut self.paper;
        let (regression, heading) = freeze(rule, data, call.clock.t);
        let known = self.keeper.update();
        let keeper = &self.keeper;
        let region = keeper.region(&known);
        let mut set = known.set.map_err(|_| Emptiness::Contradiction).and_then(|likelihood| {
            let regression = match keeper.set().lies_in(keeper.likelihood(), &regression.view()) {
                true => None,
                false => {
                    let within = regression.within(&optimist.constraints);
                    Some(within.map_err(|_| Emptiness::Regression)?)
                }
            };
            Ok(Larger { likelihood, regression, regression_was_larger: false })
        });
        let rate = Rate::small(call.clock.t);
        if let (Some(region), Ok(set)) = (region, &mut set) {
            match optimist.way(call, &mut set.likelihood, rate) {
                Ok(way) => {
                    let v = &optimist.standing.v;
                    cuts::sharpen(&region, &mut set.likelihood, &optimist.problem, v, &way);
                }
                Err(cut) => return (Err(cut), regression),
            }
        }
        let planned = match &mut set {
            Ok(Larger { likelihood, regression: None, .. }) => {
                optimist.plan_over(call, heading, Ok(likelihood), rate)
            }
            both => optimist.plan_over(call, heading, both.as_mut(), rate),
        };
        if let (Ok(()), Ok(set)) = (planned, &set) {
            self.keeper.keep_cuts(&set.likelihood);
        }
        (planned, regression)
    }
}

impl Algorithm for Both {
    fn act(&mut self, s: State) -> Action {
        self.paper.act(s)
    }

    fn observe(&mut self, step: &Transition, pair: Pair, now: &Clock) -> Seen {
        let seen = self.keeper.observe(pair, step.next);
        if seen == Seen::Counted {
            self.paper.learn(pair, step.next, now.t);
            self.informed = self.keeper.informed(2.0);
        }
        seen
    }

    fn due(&mut self, now: &Clock) -> Option<Reason> {
        let informed = std::mem::take(&mut self.informed);
        match self.paper.due(now) {
            Some(Reason::Determinant) => Some(Reason::Determinant),
            _ if informed => Some(Reason::Information),
            other => other,
        }
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let before = call.keep(|| (self.paper.data.clone(), self.keeper.clone()));
        let (planned, set) = self.plan_now(call);
        match (planned, before) {
            (Err(_), Some(before)) => (self.paper.data, self.keeper) = before,
            _ => self.paper.settle(vec![set]),
        }
        planned
    }

    fn value(&self, s: State) -> Option<f64> {
        self.paper.value(s)
    }

    fn q(&self, p: Pair) -> Option<f64> {
        self.paper.q(p)
    }

    fn probe(&self, sink: &mut dyn Probe, now: &Clock) {
        self.paper.show(sink, now.t);
        show(&self.keeper, sink);
    }

    fn violations(&self) -> u64 {
        self.paper.violations()
    }

    fn claim(&self) -> Option<Claim> {
        // the regret of LEVIS++ is an argument on the lemmas of its theorem, not a proof written out
        let paper = self.paper.claim()?;
        let level = paper.statements.first()?.level + self.keeper.set().delta();
        Some(Claim::of_sets(paper.assumptions, "both confidence sets", None, level))
    }

    fn likelihood(&self) -> Option<&Likelihood> {
        Some(self.keeper.likelihood())
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&StoredBoth { paper: self.paper.snapshot(), kept: self.keeper.kept() })
    }

    fn restore(&mut self, state: &Snapshot, now: &Clock) -> Result<()> {
        let StoredBoth { paper, kept } = state.to()?;
        let keeper = self.keeper.restored(kept).within("kept").within("learner.algorithm")?;
        self.paper.restore(&paper, now)?;
        self.keeper = keeper;
        Ok(())
    }
}
