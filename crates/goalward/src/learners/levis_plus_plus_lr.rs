//! LEVIS++ with the likelihood set: the paper's algorithm, and a second set that is tight from the first steps on.
//!
//! # What it does
//!
//! All that [LEVIS++](super::levis_plus_plus) does, with half of delta; with the other half it keeps the likelihood set
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
//! call it `regression_radius`: their `radius` is `likelihood`.
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
//! Validity and optimism: with probability at least 1 - delta/2 - (2L+1) delta/2 (with `delta_split`: 1 - delta) theta* is in both
//! sets at all times; then both lower bounds m1 (regression) and m2 (likelihood) are below P V. max(m1, m2) is monotone and, times 1 - q, a
//! contraction, so DEVI converges as before and V_j <= V*.
//!
//! That the paper's bound on the Bellman error carries over: its argument "the minimising theta lies in C" is replaced, on the upper
//! side, by P V - (1-q) max(m1, m2) <= P V - (1-q) m1 <= 2 beta |phi_V| in the norm of Sigma^-1, plus q B; on the lower side
//! (1-q) max(m1, m2) - P V <= 0 by optimism, and DEVI's residual adds at most eps_j. The O(d log T) plans that information adds
//! cost O(B) each, as every plan does in the paper's proof. This is an argument on the level of the paper's lemmas, not a proof
//! written out; nothing is claimed of a `scaled` regression radius.

use super::levis_plus_plus::{
    B, C_MIN, Config, DELTA_SPLIT, GAMMA, HORIZON, LAMBDA, LEVELS, LevisPlusPlus, PHI_NORM, PLANNER, RADIUS,
    THETA_NORM, known_c_min,
};
use super::lr::{check_together, probe_estimate};
use super::optimist::{Heading, ROWS, given_or_oracle, regression_ellipsoid, regression_set};
use super::{Emptiness, Learner, LearnerEntry, Observed, Probe, Reason, Snapshot, Transition};
use crate::Result;
use crate::confidence::{Kept, LikelihoodKeeper};
use crate::estimate::Seen;
use crate::numeric::stored::Within;
use crate::numeric::support::{ConvexSet, Status, Support, SupportMin, Warm};
use crate::problem::{Action, State};
use crate::registry::Parameter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(super) const ENTRY: LearnerEntry = LearnerEntry {
    id: "levis++lr",
    title: "LEVIS++ with the likelihood set beside its own",
    reference: "Di, He, Zhou, Gu (ICML 2023), Algorithm 1, with goalward's likelihood set",
    setting: "linear mixture SSP, costs >= c_min > 0",
    needs: &["B >= B*", "c_min"],
    guarantee: "validity and optimism; the regret of LEVIS++ by an argument on its lemmas (printed and data radius; scaled: none)",
    parameters: &[
        B,
        C_MIN,
        Parameter { name: "delta", default: "0.01", doc: "failure probability, half of it for each set" },
        LAMBDA,
        GAMMA,
        LEVELS,
        RADIUS,
        HORIZON,
        DELTA_SPLIT,
        PHI_NORM,
        THETA_NORM,
        PLANNER,
        ROWS,
    ],
    wants_policy: false,
    build: |brief| {
        let (b, oracle) = given_or_oracle(brief, "B", brief.told.b_star)?;
        let c_min = known_c_min(brief)?;
        let mut config = Config::read(brief, b, c_min, None, if oracle { vec!["B"] } else { vec![] })?;
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
    fn plan(&mut self, reason: Reason) {
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
        paper.optimist.plan_over(heading, set.as_mut(), rate, rate);
        paper.normalise();
    }
}

impl Learner for LevisPlusPlusLr {
    fn act(&mut self, s: State) -> Action {
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
        match reason {
            None => Ok(Observed::Updated),
            Some(reason) => {
                self.plan(reason);
                Ok(Observed::Planned)
            }
        }
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
