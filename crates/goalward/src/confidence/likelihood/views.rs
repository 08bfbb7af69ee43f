//! The likelihood set as a value that can be asked: of all data so far, and of the last plan.

use super::{LikelihoodKeeper, SharpSet, likelihood_threshold};
use crate::confidence::set::{ConfidenceSet, Memo, Size, is_in_b};
use crate::confidence::{Assumption, Claim, Kind};
use crate::numeric::support::SupportMin;

/// {theta in B : F(theta) <= 0} of all data so far: the set itself, not the ellipsoid around it.
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
    let text = "the true weights are in every likelihood set at all times";
    Claim::under(vec![Assumption::Mixture]).states(Kind::Set, text, keeper.set().delta())
}

impl LikelihoodNow<'_> {
    /// How far inside theta is if the least loss were this.
    fn inside(&self, theta: &[f64], least: f64) -> f64 {
        self.0.set().evidence_margin(self.0.likelihood(), theta, least)
    }
}

impl ConfidenceSet for LikelihoodNow<'_> {
    fn kind(&self) -> String {
        KIND.into()
    }

    fn size(&self) -> Size {
        let least = self.0.likelihood().maximum().loss;
        Size::Nats(likelihood_threshold(self.0.likelihood(), least, self.0.set().delta()) - least)
    }

    fn margin(&self, theta: &[f64]) -> f64 {
        match is_in_b(self.0.likelihood().problem(), theta) {
            true => self.inside(theta, self.0.likelihood().maximum().loss),
            false => f64::NEG_INFINITY,
        }
    }

    /// Exact at every step, with few fits. The threshold grows with the least loss, so that a lower
    /// bound on that decides most steps. The least loss never falls, so that a step raises the
    /// distance from it by at most what it adds to the loss of theta.
    fn still_contains(&self, theta: &[f64], memo: &mut Memo) -> bool {
        let loss = self.0.likelihood().loss(theta);
        memo.above_least += loss - memo.loss;
        memo.loss = loss;
        if self.inside(theta, loss - memo.above_least) >= 0.0 {
            return true;
        }
        let least = self.0.likelihood().maximum().loss;
        memo.above_least = loss - least;
        self.inside(theta, least) >= 0.0
    }

    fn claim(&self) -> Claim {
        claim(self.0)
    }

    fn support(&self) -> Option<Box<dyn SupportMin + '_>> {
        let mut keeper = self.0.clone();
        let known = keeper.update();
        let region = keeper.region(&known);
        let set = known.set.ok()?;
        Some(match region {
            Some(region) => Box::new(SharpSet::new(region, set)),
            None => Box::new(set),
        })
    }
}

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
        if !is_in_b(self.0.likelihood().problem(), theta) {
            return f64::NEG_INFINITY;
        }
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
