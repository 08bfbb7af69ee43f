//! The likelihood set as a value that can be asked: of all data so far, and of the last plan.

use super::{LikelihoodKeeper, likelihood_threshold};
use crate::confidence::guarantee::{Assumption, Claim};
use crate::confidence::set::{ConfidenceSet, Memo, Size};
use crate::numeric::support::SupportMin;

/// {theta in B : f(theta) <= r} of all data so far: the set itself, not the ellipsoid around it.
pub struct LikelihoodNow<'a>(&'a LikelihoodKeeper);

/// The ellipsoid around the set that the last plan was made over.
pub struct LikelihoodPlanned<'a>(&'a LikelihoodKeeper);

impl LikelihoodKeeper {
    /// The set of all data so far.
    pub fn now(&self) -> LikelihoodNow<'_> {
        LikelihoodNow(self)
    }

    /// The set that the last plan was made over.
    pub fn planned(&self) -> LikelihoodPlanned<'_> {
        LikelihoodPlanned(self)
    }
}

const KIND: &str = "likelihood";

fn claim(keeper: &LikelihoodKeeper) -> Claim {
    Claim {
        statement: "theta* is in every likelihood set at all times".into(),
        level: keeper.set().delta(),
        assumptions: vec![Assumption::Mixture],
    }
}

impl LikelihoodNow<'_> {
    fn threshold(&self, least: f64) -> f64 {
        likelihood_threshold(self.0.likelihood(), least, self.0.set().delta())
    }
}

#[doc(hidden)]
impl ConfidenceSet for LikelihoodNow<'_> {
    fn kind(&self) -> String {
        KIND.into()
    }

    fn size(&self) -> Size {
        let least = self.0.likelihood().maximum().loss;
        Size::Nats(self.threshold(least) - least)
    }

    fn margin(&self, theta: &[f64]) -> f64 {
        let least = self.0.likelihood().maximum().loss;
        self.threshold(least) - self.0.likelihood().loss(theta)
    }

    /// Exact at every step, with few fits. The threshold grows with the least loss, so that a lower
    /// bound on that decides most steps. The least loss never falls, so that a step raises the
    /// distance from it by at most what it adds to the loss of theta.
    fn still_contains(&self, theta: &[f64], memo: &mut Memo) -> bool {
        let loss = self.0.likelihood().loss(theta);
        memo.above_least += loss - memo.loss;
        memo.loss = loss;
        if loss <= self.threshold(loss - memo.above_least) {
            return true;
        }
        let least = self.0.likelihood().maximum().loss;
        memo.above_least = loss - least;
        loss <= self.threshold(least)
    }

    fn claim(&self) -> Claim {
        claim(self.0)
    }

    fn support(&self) -> Option<Box<dyn SupportMin + '_>> {
        self.0.clone().update().set.ok().map(|set| Box::new(set) as Box<dyn SupportMin>)
    }
}

#[doc(hidden)]
impl ConfidenceSet for LikelihoodPlanned<'_> {
    fn kind(&self) -> String {
        KIND.into()
    }

    fn size(&self) -> Size {
        Size::Radius(self.0.set().radius().unwrap_or(f64::INFINITY))
    }

    /// A plan that found a contradiction kept the last set. It also said that no theta explains the
    /// data, which is wrong of one whose loss is within the threshold.
    fn margin(&self, theta: &[f64]) -> f64 {
        match self.0.contradicted() {
            Some(threshold) if self.0.likelihood().loss(theta) <= threshold => f64::NEG_INFINITY,
            _ => self.0.set().margin(self.0.likelihood(), theta),
        }
    }

    fn claim(&self) -> Claim {
        claim(self.0)
    }

    fn support(&self) -> Option<Box<dyn SupportMin + '_>> {
        self.0.set().last(self.0.likelihood()).map(|set| Box::new(set) as Box<dyn SupportMin>)
    }
}
