//! Confidence sets of regressions: ellipsoids around an estimate, cut with B.
//!
//! A rule has all that its radius is computed from: the dimension d (`dim`), the user's units per unit
//! of the theory (`unit`), the bounds on values, costs, |phi_V| and |theta*| (`b`, `c_min`, `phi_norm`,
//! `theta_norm`), what is added to every cost (`rho`), the failure probability as given (`delta`), the
//! ridge (`lambda`), and which radius it is. Costs and bounds are in the theory's units.

mod bernstein;
mod layered;
mod moments;
mod plain;

pub(crate) use bernstein::BernsteinRule;
pub(crate) use layered::LayerRule;
pub(crate) use moments::{MomentRule, Perturbation};
pub(crate) use plain::PlainRule;

use super::radius::RadiusKind;
use super::set::{ConfidenceSet, Size, is_in_b};
use super::{Assumption, Claim, Condition, Kind, norms};
use crate::numeric::support::{ConvexSet, Ellipsoid, Empty, SupportMin};
use crate::numeric::{Polytope, dot};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How the radius of a regression's ellipsoid is computed: all that is fixed before the data.
pub(crate) trait RadiusRule {
    /// Which radius it is.
    fn kind(&self) -> RadiusKind;
    /// The probability with which a set may ever lose theta*.
    fn level(&self) -> f64;
    /// What that takes.
    fn assumptions(&self, problem: &Problem) -> Vec<Assumption>;
    /// What is proved of its learner.
    fn claim(&self, problem: &Problem) -> Claim;
}

/// Halvings of the distance between an estimate and B.
const BISECTIONS: usize = 48;

/// {theta : |theta - center| <= radius in the norm of shape}.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ellipse {
    /// The estimate.
    pub center: Vec<f64>,
    /// Sigma, row by row.
    pub shape: Vec<f64>,
    /// beta.
    pub radius: f64,
}

impl Ellipse {
    /// As the support solver takes it.
    pub(crate) fn view(&self) -> Ellipsoid<'_> {
        Ellipsoid { center: &self.center, shape: &self.shape, radius: self.radius }
    }

    pub(crate) fn within(&self, b: &Arc<Polytope>) -> Result<ConvexSet, Empty> {
        ConvexSet::new(b, self.view())
    }

    /// As [`within`](Self::within), with the least radius that reaches B, to about 1e-12: what is
    /// left is the point of B nearest to the centre, and what is within a millionth of its distance.
    pub(crate) fn nearest(&self, b: &Arc<Polytope>) -> Result<ConvexSet, Empty> {
        let of = |radius: f64| ConvexSet::new(b, Ellipsoid { radius, ..self.view() });
        let (mut short, mut enough) = (0.0, self.distance(b.interior()));
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (short + enough);
            match of(middle) {
                Ok(_) => enough = middle,
                Err(_) => short = middle,
            }
        }
        // rounding may have put the boundary a little off
        (0..4)
            .map(|i| of(enough * (1.0 + 1e-12 * 10f64.powi(3 * i))))
            .find(Result::is_ok)
            .unwrap_or_else(|| of(2.0 * self.distance(b.interior())))
    }

    /// |theta - center| in the norm of shape.
    fn distance(&self, theta: &[f64]) -> f64 {
        let off: Vec<f64> = theta.iter().zip(&self.center).map(|(x, y)| x - y).collect();
        let rows = self.shape.chunks_exact(off.len());
        off.iter().zip(rows).map(|(x, row)| x * dot(row, &off)).sum::<f64>().max(0.0).sqrt()
    }
}

/// A regression's confidence set: an ellipsoid, B, and the rule that its radius comes from.
pub(crate) struct RegressionSet<'a> {
    /// The ellipsoid.
    pub ellipse: Ellipse,
    /// Where the radius comes from.
    pub rule: &'a dyn RadiusRule,
    /// The problem that it is about.
    pub problem: &'a Problem,
    /// Its B.
    pub constraints: &'a Arc<Polytope>,
}

impl ConfidenceSet for RegressionSet<'_> {
    fn kind(&self) -> String {
        self.rule.kind().to_string()
    }

    fn size(&self) -> Size {
        Size::Radius(self.ellipse.radius)
    }

    fn margin(&self, theta: &[f64]) -> f64 {
        match is_in_b(self.problem, theta) {
            true => self.ellipse.radius - self.ellipse.distance(theta),
            false => f64::NEG_INFINITY,
        }
    }

    fn claim(&self) -> Claim {
        let text = "the true weights are in every confidence set of this regression";
        Claim::under(self.rule.assumptions(self.problem)).states(Kind::Set, text, self.rule.level())
    }

    fn support(&self) -> Option<Box<dyn SupportMin + '_>> {
        self.ellipse.within(self.constraints).ok().map(|set| Box::new(set) as Box<dyn SupportMin>)
    }
}

/// That B and its rho, in the user's units, bound the values, that the truth is a mixture, and that
/// the norm bounds |theta*|.
fn mixture(problem: &Problem, (b, rho): (f64, f64), theta_norm: f64) -> Vec<Assumption> {
    let over_b = norms::theta_norm(problem);
    vec![
        Assumption::BoundsValues { b, rho },
        Assumption::Mixture,
        Assumption::ThetaNorm { factor: (1.0, ""), bound: theta_norm, over_b },
    ]
}

/// What the regret theorems of Min et al. assume of costs and of B, in the theory's units.
fn levis_needs(problem: &Problem, rho: f64, b: f64) -> Vec<Assumption> {
    let positive = problem.min_cost() > 0.0 || rho > 0.0;
    let one = Condition::at_least("B >= 1 in units of the largest cost", Some(b), Some(1.0));
    vec![
        Assumption::settled("every cost off the goal is positive, or rho is", positive),
        Assumption::Settled(one),
    ]
}

/// "The radius is not scaled" where it is.
fn unscaled(kind: RadiusKind) -> Option<Assumption> {
    let RadiusKind::Scaled(x) = kind else { return None };
    Some(Assumption::settled(format!("the radius is not scaled (by {x})"), false))
}
