//! The safety net of Theorem 2 in `docs/theory.md`: no plan stays in force that believes what the
//! data since then have refuted.
//!
//! A plan believes, wherever it acts, in some theta~ of its set. The net bounds the squared Hellinger
//! distance of all these from the fit, over all steps so far, and demands a new plan when that may
//! exceed 9 Gamma_t. A step adds at most 1 to a squared distance. So the net looks now and then, and
//! after each look knows how many steps it can wait until the distance of theta~ from theta* could
//! exceed 17 Gamma_t.
//!
//! The look itself takes one pass over what was seen. A parabola above the distance is bounded over
//! the plan's ellipsoid and over B, which covers every theta~ at once. Where that is too rough, the
//! parabola is asked at each theta~, and where that is too rough as well the distance itself, as
//! long as those are few.

use super::{LikelihoodKeeper, LikelihoodSet};
use crate::confidence::{SHARE_OF_SETS, Theory};
use crate::estimate::{Likelihood, Parabola};
use crate::numeric::support::ConvexSet;
use crate::numeric::{Cholesky, dot, norm};
use serde::{Deserialize, Serialize};

/// A theta~ whose squared distance from the fit exceeds this many Gamma_t is refuted.
const REFUTED: f64 = 9.0;
/// Between two looks the squared distance from theta* may grow to this many Gamma_t.
const BETWEEN: f64 = 17.0;
/// A theta of the likelihood set is within Gamma_t of theta*: it can wait this many of them.
const FRESH: f64 = 16.0;

/// The prior's weight in a fit falls by this factor until the fit is near enough to the maximum, and
/// at most `FITS` times.
const SHARPER: f64 = 0.125;
const FITS: u32 = 4;

/// Distances themselves are computed up to this product of points and successors.
const MANY: usize = 1 << 23;

/// Where the net stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Net {
    /// The largest certified gap of a fit so far, in nats.
    gamma_hat: f64,
    /// The steps counted at which it looks again.
    next: u64,
    /// Up to this number of counted steps, plans are made over the likelihood set itself.
    exact_until: u64,
    /// How often it looked, and how often it demanded a plan.
    looks: u64,
    fired: u64,
    /// How often the likelihood set itself was demanded and could not be written out, or a fit was
    /// further than m nats above the maximum.
    missed: u64,
    /// Further plans.
    further: u64,
    /// The largest bound on G_t/Gamma_t that was found.
    most: f64,
}

/// What a look found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// All is well.
    Holds,
    /// What the plan believes may be refuted: plan again.
    Refuted,
}

impl Net {
    /// The constants at the keeper's level.
    pub fn theory(&self, keeper: &LikelihoodKeeper) -> Theory {
        Theory {
            m: keeper.likelihood().seen_directions(),
            delta: keeper.set().delta() / SHARE_OF_SETS,
            weight: keeper.set().uniform_weight(),
            gamma_hat: self.gamma_hat,
        }
    }

    /// Whether it is time to look. Over t steps no squared distance exceeds t. All Gammas are
    /// multiplied by `factor`, which the theorem has at 1.
    pub fn is_due(&self, keeper: &LikelihoodKeeper, factor: f64) -> bool {
        let t = keeper.likelihood().total();
        t >= self.next && t as f64 > BETWEEN * factor * self.theory(keeper).gamma(t)
    }

    /// Looks at a plan, where `believed` finds every theta~ of it, k numbers each. A fit that is not
    /// of all data is renewed, for the look alone: a net that holds changes nothing.
    pub fn look(
        &mut self,
        keeper: &LikelihoodKeeper,
        planned: &mut ConvexSet,
        factor: f64,
        believed: impl FnOnce(&LikelihoodKeeper, &mut ConvexSet) -> Vec<f64>,
    ) -> Look {
        let renewed = keeper.near_enough(planned);
        let keeper = renewed.as_ref().unwrap_or(keeper);
        self.weigh(keeper, planned);
        self.looks += 1;
        let t = keeper.likelihood().total();
        let theory = self.theory(keeper);
        let (gamma0, gamma) = (factor * theory.gamma0(t), factor * theory.gamma(t));
        let limit = REFUTED * gamma;
        let far = keeper.set().farthest_sq(keeper, limit, |keeper| believed(keeper, planned));
        // demands about plans over the set itself can only be counted where distances are known
        self.missed += u64::from(far == f64::INFINITY && self.demands_exact(keeper));
        let from_truth = (far.sqrt() + gamma0.sqrt()).powi(2);
        self.most = self.most.max(from_truth / gamma);
        if far > limit {
            return Look::Refuted;
        }
        self.wait(t, (BETWEEN * gamma - from_truth).max(gamma));
        Look::Holds
    }

    /// A plan is demanded.
    pub fn fire(&mut self) {
        self.fired += 1;
    }

    /// Until the time has doubled, plans are to be made over the likelihood set itself.
    pub fn demand_exact(&mut self, keeper: &LikelihoodKeeper) {
        self.exact_until = 2 * keeper.likelihood().total();
    }

    fn wait(&mut self, t: u64, steps: f64) {
        // a number of steps that no run reaches is as good as any larger one
        self.next = t + steps.clamp(1.0, 1e18) as u64;
    }

    /// Takes note of a plan over the likelihood set itself, which counts on a fit within m nats. With
    /// a worse one it is looked at like any other plan.
    pub fn planned_exactly(&mut self, keeper: &LikelihoodKeeper, planned: &mut ConvexSet, factor: f64) {
        if self.demands_exact(keeper) || keeper.is_near(planned) {
            self.weigh(keeper, planned);
            let t = keeper.likelihood().total();
            self.wait(t, FRESH * factor * self.theory(keeper).gamma(t));
        } else {
            self.planned(keeper);
        }
    }

    /// Takes note of a plan over what encloses the likelihood set. The proof asks nothing of the fit
    /// until the net looks.
    pub fn planned(&mut self, keeper: &LikelihoodKeeper) {
        // where the set itself cannot be had, no plan is better until the time has doubled
        self.next = self.exact_until.max(keeper.likelihood().total() + 1);
    }

    /// The steps counted at which it looks again, at the earliest.
    pub fn next_look(&self) -> u64 {
        self.next
    }

    /// Whether plans are to be made over the likelihood set itself.
    pub fn demands_exact(&self, keeper: &LikelihoodKeeper) -> bool {
        keeper.likelihood().total() < self.exact_until
    }

    /// The set itself was demanded, and could not be had.
    pub fn record_failure(&mut self) {
        self.missed += 1;
    }

    /// How often that was so.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// Whether the theorem leaves room for a plan that it does not ask for.
    pub fn within_budget(&self, keeper: &LikelihoodKeeper) -> bool {
        (self.further as f64) < self.theory(keeper).further_plans(keeper.likelihood().total())
    }

    /// Such a plan was made.
    pub fn spend(&mut self) {
        self.further += 1;
    }

    /// How often it demanded a plan.
    pub fn fired(&self) -> u64 {
        self.fired
    }

    /// The largest bound on G_t/Gamma_t that a look found, and how many looks there were.
    pub fn largest_ratio(&self) -> (f64, u64) {
        (self.most, self.looks)
    }

    fn weigh(&mut self, keeper: &LikelihoodKeeper, planned: &mut ConvexSet) {
        let gap = keeper.gap(planned);
        self.missed += u64::from(gap > keeper.room());
        self.gamma_hat = self.gamma_hat.max(gap);
    }
}

impl LikelihoodKeeper {
    fn gap(&self, planned: &mut ConvexSet) -> f64 {
        self.set().gap_of_fit(self.likelihood(), planned)
    }

    /// What the theorem leaves a fit, in nats: m.
    fn room(&self) -> f64 {
        self.likelihood().seen_directions() as f64
    }

    /// Whether the fit is at most m nats above the maximum.
    fn is_near(&self, planned: &mut ConvexSet) -> bool {
        self.gap(planned) <= self.room()
    }

    /// A copy whose fit knows the data and is at most m nats above the maximum, if that can be had
    /// and this one's is not.
    pub(crate) fn near_enough(&self, planned: &mut ConvexSet) -> Option<LikelihoodKeeper> {
        let mut copy = self.refitted();
        for fits in 1..=FITS {
            if copy.as_ref().unwrap_or(self).is_near(planned) {
                break;
            }
            copy = Some(self.sharpened(SHARPER.powi(fits as i32)));
        }
        copy
    }
}

impl LikelihoodSet {
    /// The share of the uniform mixture over B in the threshold.
    pub(crate) fn uniform_weight(&self) -> f64 {
        (1.0 - super::SEQUENTIAL) * self.starts.weight_of_all()
    }

    /// How far the loss of the fit is above that of any theta in a set, at most: f is convex, and
    /// nowhere below its tangent at the fit.
    fn gap_of_fit(&self, likelihood: &crate::estimate::Likelihood, set: &mut ConvexSet) -> f64 {
        let fit = likelihood.predicting();
        (-self.least_excess(likelihood, &fit, &(0.0, vec![1.0]), set)).max(0.0)
    }

    /// At least the squared distance from the fit of every theta of B in the last valid ellipsoid;
    /// where that is beyond the limit, of every one that is believed.
    fn farthest_sq(
        &self,
        keeper: &LikelihoodKeeper,
        limit: f64,
        believed: impl FnOnce(&LikelihoodKeeper) -> Vec<f64>,
    ) -> f64 {
        let likelihood = keeper.likelihood();
        let Some(outer) = &self.last else { return f64::INFINITY };
        let k = outer.center.len();
        let Some(factor) = Cholesky::factor(&outer.shape, k) else { return f64::INFINITY };
        let off: Vec<f64> = outer.center.iter().zip(likelihood.fitted()).map(|(c, x)| c - x).collect();
        let mut room = vec![0.0; k];
        let mut reach =
            |row: &[f64]| dot(row, &off).abs() + outer.radius * factor.inverse_norm(row, &mut room);
        let parabola = likelihood.above_distance(&mut reach);
        let Parabola { rest, slope, square } = &parabola;
        let along = dot(slope, &off) + outer.radius * factor.inverse_norm(slope, &mut vec![0.0; k]);
        let curved = (parabola.curved(&off).sqrt() + outer.radius * relative(&factor, square).sqrt()).powi(2);
        // B is no longer than this, where the ellipsoid may be
        let extent = likelihood.extent();
        let in_b = norm(slope) * extent + norm(square) * extent * extent;
        // what rounding may have taken from sums of t terms
        let lost = 1e-12 * likelihood.total() as f64;
        let far = (rest + (along + curved).min(in_b)).max(0.0) + lost;
        if far <= limit { far } else { farthest_of(likelihood, &parabola, &believed(keeper), limit) + lost }
    }
}

/// At least the largest squared distance from the fit of some points, k numbers each: by the
/// parabola, and beyond the limit by the distance itself, if there are few such points.
fn farthest_of(likelihood: &Likelihood, parabola: &Parabola, points: &[f64], limit: f64) -> f64 {
    let fit = likelihood.fitted();
    let (mut most, mut doubtful): (f64, Vec<f64>) = (0.0, Vec::new());
    for z in points.chunks_exact(fit.len().max(1)) {
        let v: Vec<f64> = z.iter().zip(fit).map(|(z, fit)| z - fit).collect();
        let above = parabola.at(&v).max(0.0);
        if above <= limit {
            most = most.max(above);
        } else {
            doubtful.extend_from_slice(z);
        }
    }
    let work = (doubtful.len() / fit.len().max(1)).saturating_mul(likelihood.successors_of_visited());
    match work <= MANY {
        true => likelihood.distances(&doubtful).into_iter().fold(most, f64::max),
        false => f64::INFINITY,
    }
}

/// At least the largest v' square v with |v| = 1 in the factor's norm: the Frobenius norm of L^-1
/// square L^-T.
fn relative(factor: &Cholesky, square: &[f64]) -> f64 {
    let k = factor.dim();
    let mut columns: Vec<Vec<f64>> = square.chunks_exact(k.max(1)).map(<[f64]>::to_vec).collect();
    columns.iter_mut().for_each(|column| factor.solve_lower(column));
    let mut total = 0.0;
    for i in 0..k {
        let mut row: Vec<f64> = columns.iter().map(|column| column[i]).collect();
        factor.solve_lower(&mut row);
        total += dot(&row, &row);
    }
    total.sqrt()
}
