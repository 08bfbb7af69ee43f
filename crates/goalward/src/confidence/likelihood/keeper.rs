//! What a learner with a likelihood set does between two plans: count, predict, refit, and know
//! when to plan again.

use super::{Enclosed, Knowledge, LikelihoodSet, Region};
use crate::Result;
use crate::estimate::{Counts, Likelihood, Seen};
use crate::numeric::stored::{Flaw, Within};
use crate::numeric::support::ConvexSet;
use crate::numeric::{Cholesky, Polytope, Portable};
use crate::problem::{Pair, Problem, State};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The likelihood, the set, and the information that past plans had: all that is kept of what was
/// seen.
///
/// It says how much was learnt since the last plan: in all, by log det(Fisher information + rho I)
/// and its maximum over past plans (the estimate that it is computed at moves, and a comparison
/// with the last plan alone could oscillate), and about one theta.
///
/// **Time**: O(nnz of the row + k^2) a step, and, amortised, O(k^2) for refits: between two of them
/// the data grow by a 64th at least. A plan takes up to eight passes over the triples seen besides,
/// O(k^2) for each triple. In all there are O(k log t) plans, most of them early: at most O(k^3 log
/// t) a step for all passes, however many triples there are, and O(k^3) where the information grows
/// as the data do, since t then grows by a factor of about 2^(1/k) from one plan to the next.
///
/// **Memory**: that of the [`Likelihood`], and 8 bytes more per triple; a copy of these while a
/// plan is made.
#[derive(Clone, Debug)]
pub struct LikelihoodKeeper {
    likelihood: Likelihood,
    set: LikelihoodSet,
    /// The largest log-information of past plans.
    most_informed: Option<f64>,
    /// The information of the last plan.
    planned: Option<Cholesky>,
    /// The threshold of the last plan, if the data contradicted every model there.
    contradicted: Option<f64>,
}

/// The state of a [`LikelihoodKeeper`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    counts: Counts,
    set: LikelihoodSet,
    most_informed: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    planned: Option<Cholesky>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contradicted: Option<f64>,
}

impl LikelihoodKeeper {
    /// No data; a failure probability of delta for all times at once.
    pub fn new(problem: &Arc<Problem>, delta: f64) -> Self {
        Self::within(problem, problem.constraints(), delta)
    }

    /// The same; `constraints` is the problem's B, perhaps [with another
    /// choice](Polytope::with_rows) among its rows.
    pub fn within(problem: &Arc<Problem>, constraints: &Arc<Polytope>, delta: f64) -> Self {
        LikelihoodKeeper {
            likelihood: Likelihood::within(problem, constraints),
            set: LikelihoodSet::new(delta),
            most_informed: None,
            planned: None,
            contradicted: None,
        }
    }

    /// The same with evidence that is also counted anew from later steps.
    pub fn restarting(self) -> Self {
        LikelihoodKeeper { set: LikelihoodSet::restarting(self.set.delta()), ..self }
    }

    /// Adds a transition.
    pub fn observe(&mut self, p: Pair, next: State) -> Seen {
        let seen = self.likelihood.observe(p, next);
        if seen == Seen::Counted {
            self.set.follow(&self.likelihood);
        }
        seen
    }

    /// Whether the information has grown by this factor. The running update weighs new data by an
    /// old estimate; before it says yes, it looks again with an estimate that knows them, unless
    /// they are few.
    pub fn informed(&mut self, factor: f64) -> bool {
        let limit = self.most_informed.unwrap_or(f64::NEG_INFINITY) + factor.log_e();
        if self.likelihood.log_information() >= limit && !self.likelihood.is_fitted() {
            self.likelihood.fit();
        }
        self.likelihood.total() > 0 && self.likelihood.log_information() >= limit
    }

    /// How much larger the determinant of the information is than at the last plan, as a logarithm.
    pub(crate) fn growth(&self) -> f64 {
        self.planned.as_ref().map_or(f64::INFINITY, |then| self.likelihood.log_information() - then.log_det())
    }

    /// How many nats the data since the last plan have against a point of B's hull: what they add
    /// to (z - fit)' information (z - fit)/2. Leaves z - fit in its place.
    pub(crate) fn gained(&self, z: &mut [f64]) -> f64 {
        z.iter_mut().zip(self.likelihood.fitted()).for_each(|(z, fit)| *z -= fit);
        let nats = |information: &Cholesky| 0.5 * information.norm_sq(z);
        nats(self.likelihood.information()) - self.planned.as_ref().map_or(0.0, nats)
    }

    /// Fits theta to the data, if it does not know nearly all of them.
    fn refit(&mut self) {
        if !self.likelihood.is_fitted() {
            self.likelihood.fit();
        }
    }

    /// A copy that is fitted, if this one is not.
    pub(super) fn refitted(&self) -> Option<LikelihoodKeeper> {
        (!self.likelihood.is_fitted()).then(|| self.sharpened(1.0))
    }

    /// A copy that is fitted to all data, with a part of the prior's weight.
    pub(super) fn sharpened(&self, part: f64) -> LikelihoodKeeper {
        let mut copy = self.clone();
        copy.likelihood.fit_with(part);
        copy
    }

    /// Rebuilds the set for a plan.
    pub fn update(&mut self) -> Knowledge {
        let enclosed = self.enclose();
        self.accept(enclosed)
    }

    /// The first half of [`update`](Self::update): refits where needed, and puts an ellipsoid
    /// around the set.
    pub fn enclose(&mut self) -> Enclosed {
        self.refit();
        let now = self.likelihood.log_information();
        self.most_informed = Some(self.most_informed.map_or(now, |before| before.max(now)));
        self.planned = Some(self.likelihood.information().clone());
        self.set.enclose(&self.likelihood)
    }

    /// The second half: makes the support solver's set of it.
    pub fn accept(&mut self, enclosed: Enclosed) -> Knowledge {
        let known = self.set.accept(&self.likelihood, enclosed);
        self.contradicted = known.set.is_err().then_some(known.threshold);
        known
    }

    pub(super) fn contradicted(&self) -> Option<f64> {
        self.contradicted
    }

    /// The likelihood of all that was seen.
    pub fn likelihood(&self) -> &Likelihood {
        &self.likelihood
    }

    /// The set itself, of a time at which the keeper was updated.
    pub fn region(&self, known: &Knowledge) -> Option<Region> {
        self.set.region(&self.likelihood, known)
    }

    /// Keeps the cuts that a plan made of its set.
    pub fn keep_cuts(&mut self, set: &ConvexSet) {
        self.set.keep_cuts(set);
    }

    /// The set of the last plan.
    pub fn set(&self) -> &LikelihoodSet {
        &self.set
    }

    /// What is kept of the data, in bytes, with what is reserved.
    pub fn bytes(&self) -> usize {
        self.likelihood.bytes() + self.set.bytes()
    }

    /// Its state.
    pub fn kept(&self) -> Kept {
        Kept {
            counts: self.likelihood.counts(),
            set: self.set.clone(),
            most_informed: self.most_informed,
            planned: self.planned.clone(),
            contradicted: self.contradicted,
        }
    }

    /// Restores a state of the same problem and level. A state of another shape is refused, and
    /// changes nothing.
    pub fn restore(&mut self, kept: Kept) -> Result<()> {
        *self = self.restored(kept)?;
        Ok(())
    }

    /// The keeper with a state of the same problem and level; the flaw of a state of another shape.
    pub(crate) fn restored(&self, kept: Kept) -> Result<LikelihoodKeeper, Flaw> {
        let likelihood = self.likelihood.restored(kept.counts).within("counts")?;
        kept.set.check(&likelihood, &self.set).within("set")?;
        let Kept { set, most_informed, planned, contradicted, .. } = kept;
        let k = likelihood.polytope().free();
        planned.as_ref().map_or(Ok(()), |then| then.check(k)).within("planned")?;
        Ok(LikelihoodKeeper { likelihood, set, most_informed, planned, contradicted })
    }
}
