//! What an audit found.

use super::account::Decomposition;
use super::inequality::{Broken, Inequality};
use super::moments::{Formula, LevelSums};
use super::whole::WholeB;
use crate::confidence::{Guarantee, Holds};
use crate::learners::Guard;
use serde::Serialize;
use std::collections::BTreeMap;

/// What must hold for a check to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Rests {
    /// Nothing: it is an identity.
    Arithmetic,
    /// The conditions of the guarantee, and luck of its level.
    Guarantee,
    /// Nothing is claimed: it is shown for information.
    Nothing,
}

/// What became of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// It held wherever it was looked at.
    Holds,
    /// It did not, although it should have: all that it rests on was met, or the radius was scaled.
    Violated,
    /// It did not, and need not have: a condition of the guarantee is not met.
    Excused,
    /// There was nothing to look at.
    Unseen,
}

/// One inequality or identity of the theory, and whether it held.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// What must hold.
    pub statement: String,
    /// What it rests on.
    pub rests: Rests,
    /// Whether it held.
    pub verdict: Verdict,
    /// How often it was looked at, and how often it failed.
    pub looks: u64,
    /// How often it failed.
    pub fails: u64,
    /// The least difference between the bound and what it bounds, and its step.
    pub margin: Option<f64>,
    /// The step at which that was met.
    pub margin_at: Option<u64>,
    /// Where it failed first.
    pub first: Option<Broken>,
}

/// A moment level of LEVIS++.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LevelReport {
    /// l, from 0.
    pub level: usize,
    /// The least radius less distance of theta*, and its step.
    pub margin: Option<f64>,
    /// The step at which that was met.
    pub margin_at: Option<u64>,
    /// The least E_l less the error of the estimated variance; none at the top level.
    pub variance_margin: Option<f64>,
    /// R_l, S_l and A_l.
    #[serde(flatten)]
    pub sums: LevelSums,
}

/// What was seen of a learner with a likelihood set.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LikelihoodReport {
    /// m, the directions of B that kernels see.
    pub directions: usize,
    /// delta of the set.
    pub delta: f64,
    /// The largest log-wealth of a bet against theta*; its threshold is ln(1/delta).
    pub log_wealth: Option<f64>,
    /// ln(1/delta).
    pub wealth_threshold: f64,
    /// The threshold r_t less the loss of the fit at the end, in nats.
    pub threshold: f64,
    /// The largest G_t/Gamma_t at a look, which is exact; null for a learner without the theorem.
    pub largest_ratio: Option<f64>,
    /// The step of that look.
    pub largest_ratio_at: Option<u64>,
    /// A bound on G_t/Gamma_t over all steps.
    pub ratio_bound: Option<f64>,
    /// How many looks there were.
    pub looks: u64,
    /// Gamma_T.
    pub gamma: f64,
    /// gamma_hat, the largest certified gap of a fit, in nats.
    pub gamma_hat: f64,
    /// The sum over the steps of Delta_t(theta~_t).
    pub sum_delta: Option<f64>,
    /// E(4G) with the largest bound on G_t, which bounds that.
    pub eluder: Option<f64>,
    /// The bound of Theorem 1 on the regret, in the user's units.
    pub regret_bound: Option<f64>,
    /// The width of the set in every coordinate of theta, as of the last plan.
    pub widths: Option<Vec<f64>>,
}

/// What was recorded during the run, for figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Curve {
    /// Episode, regret, and what was certified of it.
    pub episodes: Vec<(u64, f64, f64)>,
    /// Step, and the share of every set's radius that theta* takes up: 1 is the boundary.
    pub sets: Vec<(u64, Vec<f64>)>,
    /// Step, and the largest G_t/Gamma_t so far: in looks, which is exact, and over all steps,
    /// which is a bound.
    pub ratios: Vec<(u64, f64, f64)>,
    /// Of a guard: episode, ledger, what the ledger may reach before the episode is handed over, and how
    /// many episodes the inner learner has begun. Every episode that was handed over is there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guard: Vec<(u64, f64, f64, u64)>,
}

/// What an audit found in one run; all in the user's units.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuditReport {
    /// The world's id or file.
    pub world: String,
    /// The learner's id.
    pub learner: String,
    /// The seed.
    pub seed: u64,
    /// Finished episodes.
    pub episodes: u64,
    /// Steps.
    pub steps: u64,
    /// What the finished episodes cost.
    pub cost: f64,
    /// V*(start).
    pub optimal_cost: f64,
    /// The regret over finished episodes.
    pub regret: f64,
    /// What the learner certifies of it; null where nothing is.
    pub regret_certified: Option<f64>,
    /// Whether the limit on steps ended the run in the middle of an episode.
    pub truncated: bool,
    /// Which radius was used.
    pub radius: Option<String>,
    /// What is proved, and whether its conditions hold.
    pub guarantee: Option<Guarantee>,
    /// Planning calls.
    pub planner_calls: u64,
    /// The same by what triggered them.
    pub plans: BTreeMap<String, u64>,
    /// Everything that was checked.
    pub checks: Vec<Check>,
    /// The decomposition of the regret; null for a learner without plans over a set of mixtures.
    pub decomposition: Option<Decomposition>,
    /// What stands in the paper's formulas; null for other learners than LEVIS++ and its variants.
    pub formula: Option<Formula>,
    /// What Lemma J says that there are of planning calls, at most.
    pub most_plans: Option<f64>,
    /// The paper's bound on the regret, with its constants.
    pub regret_bound: Option<f64>,
    /// The moment levels.
    pub levels: Vec<LevelReport>,
    /// When the set of level 0 stopped being all of B.
    pub whole_b: Option<WholeB>,
    /// The books of a guarded learner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
    /// The likelihood set.
    pub likelihood: Option<LikelihoodReport>,
    /// For figures.
    pub curve: Curve,
}

impl AuditReport {
    /// The checks that failed although they should have held.
    pub fn violated(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.verdict == Verdict::Violated)
    }
}

pub(super) struct Judge {
    /// Whether a condition of the guarantee is not met, or there is none.
    unfounded: bool,
    scaled: bool,
    pub(super) checks: Vec<Check>,
}

impl Judge {
    pub(super) fn new(guarantee: Option<&Guarantee>, radius: Option<&str>) -> Judge {
        let unfounded = guarantee.is_none_or(|guarantee| guarantee.holds == Holds::No);
        let scaled = radius.is_some_and(|radius| radius.starts_with("scaled:"));
        Judge { unfounded, scaled, checks: Vec::new() }
    }

    pub(super) fn add(&mut self, statement: impl Into<String>, rests: Rests, watch: &Inequality) {
        // a scaled radius is there to be tried: whether the lemmas hold with it is what was asked
        let excused = match rests {
            Rests::Arithmetic => false,
            Rests::Guarantee => self.unfounded && !self.scaled,
            Rests::Nothing => true,
        };
        let verdict = match (watch.looks, watch.fails, excused) {
            (0, ..) => Verdict::Unseen,
            (_, 0, _) => Verdict::Holds,
            (_, _, true) => Verdict::Excused,
            (_, _, false) => Verdict::Violated,
        };
        self.checks.push(Check {
            statement: statement.into(),
            rests,
            verdict,
            looks: watch.looks,
            fails: watch.fails,
            margin: watch.least.map(|(margin, _)| margin).filter(|margin| margin.is_finite()),
            margin_at: watch.least.map(|(_, t)| t),
            first: watch.first,
        });
    }
}
