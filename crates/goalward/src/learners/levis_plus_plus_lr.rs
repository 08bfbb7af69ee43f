//! LEVIS++ with the likelihood set: the paper's algorithm, and a second set that is tight from the first steps on.
//!
//! # What it does
//!
//! All that [LEVIS++](super::levis_plus_plus) does, in units of the largest cost and with half of delta; with the other half it keeps the likelihood set
//! ([`LikelihoodSet`](crate::confidence::LikelihoodSet)) as [`lr`](super::lr) does. Every backup of the planner takes the larger
//! of the two certified lower bounds. It plans on the paper's triggers and when the information has doubled.
//!
//! # What it needs to know
//!
//! B >= B*, and c_min, for the sake of the paper's guarantee.
//!
//! # Parameters
//!
//! Those of [LEVIS++](super::levis_plus_plus). `delta` is split in halves; `radius` is that of the regression set, and results
//! call it `regression_radius`: their `radius` is `likelihood`. `delta_split` is true and `norms` are `computed` unless the
//! user says otherwise, so that the guarantee may fail with probability delta and no more.
//!
//! # Cost per step
//!
//! That of LEVIS++ and that of `lr`; O(d L log T) planning calls in all. Where the likelihood ellipsoid, or all of B, lies inside
//! the regression's ellipsoid, as with the printed radius it does for the first hundreds of millions of steps, the second
//! bound cannot be larger and is not computed; else a backup costs a second support problem, which starts cold.
//!
//! # Reference
//!
//! Di, He, Zhou, Gu (ICML 2023), Algorithms 1 to 3 and Theorem 5.1, with the set of [`crate::confidence`].
//!
//! # What is proved
//!
//! Validity and optimism: with probability at least 1 - delta (`delta_split=false`: 1 - delta/2 - (2L+1) delta/2) theta* is in both
//! sets at all times; then both lower bounds m1 (regression) and m2 (likelihood) are below P V. max(m1, m2) is monotone and, times 1 - q, a
//! contraction, so DEVI converges as before and V_j <= V*.
//!
//! That the paper's bound on the Bellman error carries over: its argument "the minimising theta lies in C" is replaced, on the upper
//! side, by P V - (1-q) max(m1, m2) <= P V - (1-q) m1 <= 2 beta |phi_V| in the norm of Sigma^-1, plus q B; on the lower side
//! (1-q) max(m1, m2) - P V <= 0 by optimism, and DEVI's residual adds at most eps_j. The O(d log T) plans that information adds
//! cost O(B) each, as every plan does in the paper's proof. This is an argument on the level of the paper's lemmas, not a proof
//! written out; nothing is claimed of a `scaled` regression radius.

use super::levis_plus_plus::{
    B, C_MIN, Config, DELTA_SPLIT, GAMMA, HORIZON, LAMBDA, LEVELS, LevisPlusPlus, PLANNER, RADIUS,
    known_c_min,
};
use super::lr::{check_together, probe_estimate};
use super::norms::{NORMS, Norms, PHI_NORM, THETA_NORM};
use super::optimist::{Heading, ROWS, given_or_true_b, regression_ellipsoid, regression_set};
use super::{Emptiness, Learner, LearnerEntry, Observed, Probe, Reason, Snapshot, Transition};
use crate::Result;
use crate::confidence::{Claim, Kept, LikelihoodKeeper, RadiusKind};
use crate::estimate::Seen;
use crate::numeric::stored::Within;
use crate::numeric::support::{ConvexSet, Status, Support, SupportMin, Warm};
use crate::plan::{Cut, Halt};
use crate::problem::seen::require_clear;
use crate::problem::{Action, Problem, State};
use crate::registry::Parameter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(super) const ENTRY: LearnerEntry = LearnerEntry {
    id: "levis++lr",
    title: "LEVIS++ with the likelihood set beside its own",
    reference: "Di, He, Zhou, Gu (ICML 2023), Algorithm 1, with goalward's likelihood set",
    setting: "linear mixture SSP, costs >= c_min > 0",
    needs: &["B >= B*", "c_min"],
    guarantee: "theta* in both sets at all times, and optimism, with probability 1 - delta, if B >= B*; the regret of LEVIS++ by \
                an argument on its lemmas (determinant: not; scaled: nothing)",
    parameters: &[
        B,
        C_MIN,
        Parameter { name: "delta", default: "0.01", doc: "failure probability, half of it for each set" },
        LAMBDA,
        GAMMA,
        LEVELS,
        RADIUS,
        HORIZON,
        Parameter { default: "true", ..DELTA_SPLIT },
        Parameter { default: "computed", ..NORMS },
        PHI_NORM,
        THETA_NORM,
        PLANNER,
        ROWS,
    ],
    wants_policy: false,
    build: |brief| {
        // the largest cost, also where it is below 1: results do not depend on the user's units
        let unit = brief.problem.largest_cost();
        require_clear(brief.problem)?;
        let (b, oracle) = given_or_true_b(unit, brief)?;
        let c_min = known_c_min(brief)?;
        let oracle = if oracle { vec!["B"] } else { vec![] };
        let mut config = Config::read_in(unit, brief, b, c_min, None, Norms::Computed, oracle)?;
        let delta = config.delta;
        config.delta = 0.5 * delta;
        let paper = LevisPlusPlus::new(brief, config)?;
        let keeper = LikelihoodKeeper::within(brief.problem, &paper.optimist.constraints, 0.5 * delta);
        Ok(Box::new(LevisPlusPlusLr { paper, keeper, delta }))
    },
};

struct LevisPlusPlusLr {
    paper: LevisPlusPlus,
    keeper: LikelihoodKeeper,
    /// All of delta; each set has half of it.
    delta: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    paper: super::levis_plus_plus::Memory,
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

    fn one_norm(&self) -> f64 {
        self.regression.as_ref().map_or(0.0, |set| set.one_norm()).max(self.likelihood.one_norm())
    }
}

impl LevisPlusPlusLr {
    /// Algorithm 1, lines 11 to 18, over both sets; if either is empty the old plan stays.
    fn plan(&mut self, reason: Reason) -> Result<(), Cut> {
        let paper = &mut self.paper;
        let beta = paper.freeze();
        let levels = paper.home.levels();
        let constraints = &paper.optimist.constraints;
        let known = self.keeper.update();
        let ellipsoid = regression_ellipsoid(levels, beta);
        let mut set = known.set.map_err(|_| Emptiness::Contradiction).and_then(|likelihood| {
            if self.keeper.set().lies_in(self.keeper.likelihood(), &ellipsoid) {
                return Ok(Larger { likelihood, regression: None, regression_was_larger: false });
            }
            let regression = regression_set(constraints, levels, beta).map_err(|_| Emptiness::Regression)?;
            Ok(Larger { likelihood, regression: Some(regression), regression_was_larger: false })
        });
        let rate = 1.0 / paper.optimist.standing.t as f64;
        let heading = Heading::of(reason, levels, beta);
        let planned = paper.optimist.plan_over(heading, set.as_mut(), rate, rate);
        paper.normalise();
        planned
    }

    /// Plans; a plan that is cut off leaves both sets' data as they were.
    fn plan_or_owe(&mut self, reason: Reason) -> Observed {
        let kept = self.paper.optimist.keep(|| (self.paper.before_a_plan(), self.keeper.clone()));
        let planned = self.plan(reason);
        let LevisPlusPlus { optimist, home, radii, .. } = &mut self.paper;
        optimist.settle(reason, planned, kept, |before| ((*home, *radii), self.keeper) = before)
    }
}

impl Learner for LevisPlusPlusLr {
    fn act(&mut self, s: State) -> Result<Action> {
        self.paper.act(s)
    }

    fn observe(&mut self, step: &Transition) -> Result<Observed> {
        let paper = &mut self.paper;
        let (pair, t) = paper.optimist.advance(step)?;
        let mut informed = false;
        match pair.map(|pair| (pair, self.keeper.observe(pair, step.next))) {
            Some((pair, Seen::Counted)) => {
                paper.learn(pair, step.next, t);
                informed = self.keeper.informed();
            }
            Some((_, Seen::Impossible)) => paper.optimist.surprise(step),
            None => {}
        }
        let reason = match paper.optimist.due(paper.home.doubled()) {
            Some(Reason::Determinant) => Some(Reason::Determinant),
            _ if informed => Some(Reason::Information),
            other => other,
        };
        let reason = paper.optimist.owed().or(reason);
        Ok(reason.map_or(Observed::Updated, |reason| self.plan_or_owe(reason)))
    }

    fn catch_up(&mut self) -> Result<Observed> {
        Ok(self.paper.optimist.owed().map_or(Observed::Updated, |reason| self.plan_or_owe(reason)))
    }

    fn owes(&self) -> bool {
        self.paper.optimist.owed().is_some()
    }

    fn heed(&mut self, halt: &Halt) {
        self.paper.optimist.heed(halt);
    }

    fn problem(&self) -> Option<&Problem> {
        Some(&self.paper.optimist.problem)
    }

    fn probe(&self, sink: &mut dyn Probe) {
        sink.weights(self.paper.home.sigma_sq());
        probe_estimate(&self.keeper, sink);
        self.paper.optimist.probe(sink);
    }

    fn in_force(&self) -> Map<String, Value> {
        let mut map = self.paper.in_force();
        let regression = map.insert("radius".into(), json!("likelihood"));
        map.insert("regression_radius".into(), json!(regression));
        map.insert("delta".into(), json!(self.delta));
        map
    }

    fn claim(&self) -> Option<Claim> {
        let mut claim = self.paper.claim()?;
        claim.level += self.keeper.set().delta();
        claim.statement = match self.paper.config.radius {
            RadiusKind::Determinant => claim.statement,
            _ => {
                "theta* is in both confidence sets at all times, and no plan's values exceed V*; that the regret is \
                 O~(d B sqrt(K) + d^2 B) is an argument on the lemmas of Theorem 5.1, not a proof written out"
                    .into()
            }
        };
        Some(claim)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&Memory { paper: self.paper.memory(), kept: self.keeper.kept() })
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let Memory { paper, kept } = snapshot.to()?;
        self.paper.check(&paper).within("paper").within("learner")?;
        let keeper = self.keeper.restored(kept).within("kept").within("learner")?;
        check_together(&paper.standing, &keeper).within("paper").within("learner")?;
        self.paper.accept(paper);
        self.keeper = keeper;
        Ok(())
    }

    fn observed(&self) -> Option<u64> {
        self.paper.observed()
    }
}
