//! The likelihood set: valid at the stated level for all times at once, and tight enough to learn
//! in tens of steps.
//!
//! With q_i any distribution over next states fixed before s_{i+1} is seen, prod q_i(s_{i+1}) /
//! p_theta*(s_{i+1}|s_i,a_i) is a non-negative supermartingale that starts at 1. By Ville's
//! inequality
//!
//! C_t = {theta in B : f(theta) <= -sum log q_i(s_{i+1}) + log(1/delta)}
//!
//! contains theta* for all t at once with probability at least 1 - delta, whatever the actions. No
//! B, c_min, T*, norm bound or radius constant enters. [`starts`] counts evidence anew now and then,
//! [`outer`] puts an ellipsoid around the set, and [`region`] knows the set itself: its boundary,
//! the tangents that cut the ellipsoid, and its support points.

mod cone;
mod intervals;
mod keeper;
mod net;
mod outer;
mod region;
mod sharp;
mod starts;
#[cfg(test)]
mod tests;
mod views;

pub use cone::LikelihoodCone;
pub use keeper::{Kept, LikelihoodKeeper};
pub use net::{Look, Net};
pub use outer::Outer;
pub use region::Region;
pub use sharp::SharpSet;

use crate::estimate::{Likelihood, Maximum};
use crate::numeric::Portable;
use crate::numeric::stored::{Flaw, Within, ensure};
use crate::numeric::support::{ConvexSet, Ellipsoid, Empty, SupportMin, Warm};
use outer::Blend;
use serde::{Deserialize, Serialize};
use starts::{Starts, log_sum};

/// The share of the sequential prediction; the rest is the uniform mixture's.
const SEQUENTIAL: f64 = 0.8;

/// The threshold r on f, from two predictions: r = log(1/delta) - log(0.8 e^-Ra + 0.2 e^-Rb).
///
/// * Ra = -sum log q_i of the sequential prediction ([`Likelihood::prediction_loss`]);
/// * Rb = f(theta0) + m log(1 + t/m) + t log(1 + m/t), for any theta0 in B, bounds the loss of the
///   uniform mixture over B: the share e^m of B that is (1-e) theta0 + e B has losses of at most
///   f(theta0) - t log(1-e), and e = m/(m+t) is best.
pub fn likelihood_threshold(likelihood: &Likelihood, loss: f64, delta: f64) -> f64 {
    let (t, m) = (likelihood.total() as f64, likelihood.seen_directions() as f64);
    let price = if t == 0.0 || m == 0.0 { 0.0 } else { m * (t / m).log_1p() + t * (m / t).log_1p() };
    let (ra, rb) = (likelihood.prediction_loss(), loss + price);
    -delta.log_e() - log_sum([SEQUENTIAL.log_e() - ra, (1.0 - SEQUENTIAL).log_e() - rb].into_iter()).0
}

/// Keeps the set, as an ellipsoid around it that tangents cut, from plan to plan: {theta in B :
/// f(theta) <= r}, or what later starts leave of it.
///
/// The set's coverage holds for all times at once, so intervals of probabilities found earlier stay
/// valid: the running intersection of these intervals sharpens later ellipsoids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LikelihoodSet {
    delta: f64,
    starts: Starts,
    /// An upper bound on the probability of every triple, from all sets so far.
    upper: Vec<f64>,
    last: Option<Outer>,
}

/// The set at one time.
#[derive(Debug)]
pub struct Knowledge {
    /// The theta that it is built around: near the maximum of the likelihood.
    pub maximum: Maximum,
    /// The threshold on f.
    pub threshold: f64,
    /// The thresholds on what came after every start; that on f is the first.
    thresholds: Vec<f64>,
    /// Ellipsoid and B.
    pub set: Result<ConvexSet, Contradiction>,
}

/// The data contradict every model in B at the level delta: no theta in B has a loss within the
/// threshold. A wrong model, or luck of probability delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction;

/// An ellipsoid around the set, before it is known whether it meets B.
#[derive(Debug)]
pub struct Enclosed {
    around: Maximum,
    thresholds: Vec<f64>,
    /// F there, and the shares of the starts in it.
    excess: (f64, Vec<f64>),
    upper: Vec<f64>,
    outer: Result<Outer, Empty>,
}

impl LikelihoodSet {
    /// All of B. Evidence is counted from the first step alone.
    pub fn new(delta: f64) -> Self {
        LikelihoodSet { delta, starts: Starts::default(), upper: Vec::new(), last: None }
    }

    /// The same with evidence that is also counted anew from later steps.
    pub fn restarting(delta: f64) -> Self {
        LikelihoodSet { starts: Starts::again(), ..LikelihoodSet::new(delta) }
    }

    /// Takes note of a transition that the likelihood has just counted.
    pub fn follow(&mut self, likelihood: &Likelihood) {
        self.starts.follow(likelihood);
    }

    /// Rebuilds the set from all data. A contradiction leaves the last valid one in force.
    pub fn update(&mut self, likelihood: &Likelihood) -> Knowledge {
        let enclosed = self.enclose(likelihood);
        self.accept(likelihood, enclosed)
    }

    /// The ellipsoid around the set of all data so far, around the fitted theta: any point of B will
    /// do, near the maximum.
    pub fn enclose(&self, likelihood: &Likelihood) -> Enclosed {
        let around = likelihood.predicting();
        let thresholds = self.starts.thresholds(likelihood, around.loss, self.delta);
        let losses = match self.starts.len() {
            1 => vec![around.loss],
            _ => self.starts.losses(likelihood, &around.theta),
        };
        let excess = log_sum(losses.iter().zip(&thresholds).map(|(f, r)| f - r));
        let mut upper = self.upper.clone();
        upper.resize(likelihood.triples(), 1.0);
        let blend = Blend::new(likelihood, &self.starts, &losses, &thresholds);
        let outer = outer::outer(likelihood, &around, &blend, &mut upper);
        Enclosed { around, thresholds, excess, upper, outer }
    }

    /// Makes the support solver's set of it, and keeps it unless it is empty.
    pub fn accept(&mut self, likelihood: &Likelihood, enclosed: Enclosed) -> Knowledge {
        let Enclosed { around, thresholds, excess, upper, outer } = enclosed;
        let set = outer.map_err(|_| Contradiction).and_then(|outer| {
            let mut set = outer.within(likelihood).map_err(|_| Contradiction)?;
            // F is convex: nowhere in the set is it below its tangent
            if excess.0 > 0.0 && self.least_excess(likelihood, &around, &excess, &mut set) > 0.0 {
                return Err(Contradiction);
            }
            self.last = Some(outer);
            self.upper = upper;
            Ok(set)
        });
        Knowledge { maximum: around, threshold: thresholds[0], thresholds, set }
    }

    /// A certified lower bound on F over a set, from the tangent at a point.
    fn least_excess(
        &self,
        likelihood: &Likelihood,
        at: &Maximum,
        (excess, shares): &(f64, Vec<f64>),
        set: &mut ConvexSet,
    ) -> f64 {
        let count = |triple, n| self.starts.since(triple, n).zip(shares).map(|(n, share)| n * share).sum();
        let gradient = likelihood.gradient_with(&at.theta, count);
        let here: f64 = gradient.iter().zip(&at.theta).map(|(g, x)| g * x).sum();
        let size: f64 = gradient.iter().zip(&at.theta).map(|(g, x)| (g * x).abs()).sum();
        let rounding = 1e-12 * (size + at.loss.abs() + excess.abs());
        excess - here + set.min(&gradient, &mut Warm::default()).bound - rounding
    }

    /// The set itself, where it was not empty and is small enough to be written out.
    pub fn region(&self, likelihood: &Likelihood, known: &Knowledge) -> Option<Region> {
        Region::new(likelihood, &self.starts, &known.thresholds, &known.maximum.z)
    }

    /// Keeps the cuts that a plan made, with the ellipsoid that they belong to.
    pub(crate) fn keep_cuts(&mut self, set: &ConvexSet) {
        if let Some(outer) = &mut self.last {
            outer.keep_cuts(set);
        }
    }

    /// How far theta of B is inside of what the data leave: r - f(theta) where evidence is counted
    /// from the first step alone. `loss` is that of some theta in B, the less the better.
    pub(crate) fn evidence_margin(&self, likelihood: &Likelihood, theta: &[f64], loss: f64) -> f64 {
        let thresholds = self.starts.thresholds(likelihood, loss, self.delta);
        -self.starts.excess(likelihood, theta, &thresholds)
    }

    /// The last valid ellipsoid within B; none before the first update.
    pub fn last(&self, likelihood: &Likelihood) -> Option<ConvexSet> {
        self.last.as_ref().and_then(|outer| outer.within(likelihood).ok())
    }

    /// How far inside the last valid ellipsoid a theta of B is, or one with the same kernels where
    /// these do not determine theta. Before the first update the set is all of B.
    pub fn margin(&self, likelihood: &Likelihood, theta: &[f64]) -> f64 {
        let z = likelihood.polytope().coordinates(theta);
        self.last.as_ref().map_or(f64::INFINITY, |outer| outer.margin(likelihood, &z))
    }

    /// The radius of the last valid ellipsoid, in the norm of its shape.
    pub fn radius(&self) -> Option<f64> {
        self.last.as_ref().map(|outer| outer.radius)
    }

    fn check(&self, likelihood: &Likelihood, own: &LikelihoodSet) -> Result<(), Flaw> {
        let delta = own.delta;
        ensure(self.delta == delta, "delta", || format!("{:e}, but the run has {delta:e}", self.delta))?;
        self.starts.check(&own.starts, likelihood).within("starts")?;
        ensure(self.upper.len() <= likelihood.triples(), "upper", || "there are fewer triples".into())?;
        self.last.as_ref().map_or(Ok(()), |outer| outer.check(likelihood.polytope().free())).within("last")
    }

    /// What is kept per triple, in bytes, with what is reserved.
    pub fn bytes(&self) -> usize {
        8 * self.upper.capacity() + self.starts.bytes()
    }

    /// Whether evidence is also counted anew from later steps.
    pub(crate) fn starts_anew(&self) -> bool {
        self.starts.weight_of_all() < 1.0
    }

    /// The failure probability.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// Whether an ellipsoid surely contains what the last valid set says of kernels: then its own
    /// lower bounds are not above this set's. Two sufficient conditions, by the triangle
    /// inequality: it contains the ellipsoid, or it contains all of B as far as kernels see it.
    pub fn lies_in(&self, likelihood: &Likelihood, other: &Ellipsoid) -> bool {
        self.last.as_ref().is_some_and(|outer| outer.lies_in(likelihood, other))
    }

    /// An interval for every coordinate of theta: certified bounds over the last valid ellipsoid
    /// within B and, where no kernel sees a direction, over all that B leaves along it. An end is
    /// infinite where B has none.
    pub fn intervals(&self, likelihood: &Likelihood) -> Option<Vec<(f64, f64)>> {
        self.last.as_ref().and_then(|outer| intervals::intervals(outer, likelihood))
    }
}

/// The coordinates of theta that cannot be learnt from transitions, however many: directions of B
/// that no kernel sees move them.
pub(crate) fn hidden_coordinates(likelihood: &Likelihood) -> Vec<usize> {
    intervals::hidden(likelihood)
}

/// Whether theta is in the set itself, not only in the ellipsoid around it: what a study of
/// coverage asks after every step.
pub fn likelihood_covers(likelihood: &Likelihood, delta: f64, theta: &[f64]) -> bool {
    likelihood.loss(theta) <= likelihood_threshold(likelihood, likelihood.maximum().loss, delta)
}
