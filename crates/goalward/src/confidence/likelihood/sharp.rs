//! The likelihood set itself with certified bounds, for small problems.

use super::cone::LikelihoodCone;
use super::outer::Outer;
use crate::estimate::Likelihood;
use crate::numeric::support::{ConvexSet, Status, Support, SupportMin, Warm};
use crate::numeric::{Cholesky, dot};
use std::sync::Arc;

/// {theta in B : f(theta) <= r} for planning: the ellipsoid where that is enough, Clarabel and exponential cones where it is not.
///
/// If the ellipsoid's own minimiser lies in the set, it is the answer. Else Clarabel gives a point z0 and multipliers
/// lambda >= 0 of B's rows a'z <= b and mu >= 0 of the threshold. Its dual value is not trusted: whatever z0, lambda and mu are, for every z
/// in the set, f being convex,
///
/// c'z >= c'z + lambda'(A z - b) + mu (f(z) - r) >= c'z + lambda'(A z - b) + mu (f(z0) + f'(z0)(z - z0) - r) = g'z + constant,
///
/// with g = c + A'lambda + mu f'(z0), which is what the solver's residuals left; g'z is bounded over the ellipsoid, which
/// contains the set. Less what rounding may have done to the sum, that is a bound, however inaccurate the solver was. The
/// ellipsoid's own bound is one too; the larger of both is given, so the set is never wider than the ellipsoid.
///
/// Values are the solver's, good to about 1e-8: actions that are closer than that may be told apart by its rounding.
#[derive(Clone, Debug)]
pub struct SharpSet {
    cone: Arc<LikelihoodCone>,
    outer: Arc<(Outer, Option<Cholesky>)>,
    within: ConvexSet,
    /// The last minimiser, unless it is the ellipsoid's.
    theta: Vec<f64>,
    is_ellipsoids: bool,
}

impl SharpSet {
    /// The set with threshold r, given the ellipsoid around it.
    pub(super) fn new(likelihood: &Likelihood, r: f64, outer: &Outer, within: ConvexSet) -> Self {
        let factor = Cholesky::factor(&outer.shape, outer.center.len());
        SharpSet {
            cone: Arc::new(LikelihoodCone::new(likelihood, r)),
            outer: Arc::new((outer.clone(), factor)),
            theta: within.theta(),
            within,
            is_ellipsoids: true,
        }
    }

    /// A certified lower bound on c'z over the set from multipliers and a point.
    fn certify(&self, c: &[f64], z0: &[f64], walls: &[f64], mu: f64) -> Option<f64> {
        let (outer, factor) = &*self.outer;
        let (polytope, mu) = (self.cone.polytope(), mu.max(0.0));
        let (loss, gradient) = self.cone.loss(z0)?;
        let mut g: Vec<f64> = c.iter().zip(&gradient).map(|(c, f)| c + mu * f).collect();
        let slope = dot(&gradient, z0);
        let mut constant = mu * (loss - slope - self.cone.threshold());
        let mut size = mu * (loss.abs() + slope.abs() + self.cone.threshold().abs());
        let rows = polytope.rows().chunks_exact(c.len()).zip(polytope.offsets());
        for ((row, b), lambda) in rows.zip(walls).filter(|(_, lambda)| **lambda > 0.0) {
            g.iter_mut().zip(row).for_each(|(g, x)| *g += lambda * x);
            constant -= lambda * b;
            size += lambda * (b.abs() + dot(row, z0).abs());
        }
        let at_center = dot(&g, &outer.center);
        let spread = outer.radius * factor.as_ref()?.inverse_norm(&g, &mut vec![0.0; c.len()]);
        let bound = constant + at_center - spread - 1e-13 * (size + dot(c, z0).abs());
        bound.is_finite().then_some(bound)
    }
}

impl SupportMin for SharpSet {
    fn min(&mut self, c: &[f64], warm: &mut Warm) -> Support {
        let first = self.within.min(c, warm);
        self.is_ellipsoids = true;
        self.within.minimiser(&mut self.theta);
        let cone = Arc::clone(&self.cone);
        let polytope = cone.polytope();
        let inside = |z: &[f64]| cone.loss(z).is_some_and(|(loss, _)| loss <= cone.threshold());
        if polytope.free() == 0 || inside(&polytope.coordinates(&self.theta)) {
            return first;
        }
        let reduced = cone.reduce(c);
        let answer = cone.solve(&reduced);
        let constant = dot(c, polytope.origin());
        let certified = self.certify(&reduced, &answer.z, &answer.walls, answer.threshold);
        let bound = certified.map_or(first.bound, |bound| first.bound.max(constant + bound));
        if !answer.solved {
            let value = first.value.max(bound);
            return Support { value, bound, status: Status::Inaccurate };
        }
        let k = reduced.len();
        for (i, theta) in self.theta.iter_mut().enumerate() {
            *theta = polytope.origin()[i] + dot(&polytope.basis()[i * k..(i + 1) * k], &answer.z);
        }
        self.is_ellipsoids = false;
        let value = (constant + answer.value).max(bound);
        let close = value - bound <= 1e-6 * (constant.abs() + value.abs()).max(1e-3);
        Support { value, bound, status: if close { Status::Optimal } else { Status::Inaccurate } }
    }

    fn minimiser(&self, theta: &mut [f64]) {
        match self.is_ellipsoids {
            true => self.within.minimiser(theta),
            false => theta.copy_from_slice(&self.theta),
        }
    }

    fn fallbacks(&self) -> u64 {
        self.within.fallbacks()
    }

    fn count_fallbacks(&mut self, more: u64) {
        self.within.count_fallbacks(more);
    }
}
