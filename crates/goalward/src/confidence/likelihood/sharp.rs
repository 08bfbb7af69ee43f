//! The likelihood set itself with certified bounds, for small problems.

use super::cone::LikelihoodCone;
use super::outer::Outer;
use crate::estimate::Likelihood;
use crate::numeric::support::{ConvexSet, Status, Support, SupportMin, Warm};
use crate::numeric::{Cholesky, dot};
use std::sync::Arc;

/// {theta in B : f(theta) <= r} for planning: the ellipsoid where that is enough, Clarabel and
/// exponential cones where it is not.
///
/// If the ellipsoid's own minimiser lies in the set, it is the answer. Else Clarabel gives a point
/// z0 and multipliers lambda >= 0 of B's rows a'z <= b and mu >= 0 of the threshold. Its dual value
/// is not trusted: whatever z0, lambda and mu are, for every z in the set, f being convex,
///
/// c'z >= c'z + lambda'(A z - b) + mu (f(z) - r) >= c'z + lambda'(A z - b) + mu (f(z0) + f'(z0)(z -
/// z0) - r) = g'z + constant,
///
/// with g = c + A'lambda + mu f'(z0), which is what the solver's residuals left; g'z is bounded
/// over the ellipsoid, which contains the set. Less what rounding may have done to the sum, that is
/// a bound, however inaccurate the solver was. The ellipsoid's own bound is one too; the larger of
/// both is given, so the set is never wider than the ellipsoid.
///
/// Values are the solver's, good to about 1e-8: actions that are closer than that may be told apart
/// by its rounding.
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

    /// A certified lower bound on c'z over the set from multipliers and a point. Any point will do;
    /// Newton steps towards the least of the Lagrangian shrink g where the solver's point and
    /// multipliers do not quite belong together.
    fn certify(&self, c: &[f64], z0: &[f64], walls: &[f64], mu: f64) -> Option<f64> {
        let k = c.len();
        let mu = mu.max(0.0);
        let (mut z, mut best) = (z0.to_vec(), None);
        for _ in 0..4 {
            let Some((loss, gradient)) = self.cone.loss(&z) else { break };
            let (bound, g) = self.tangent(c, &z, (loss, &gradient), walls, mu)?;
            if bound.is_finite() && best.is_none_or(|best| bound > best) {
                best = Some(bound);
            }
            let mut hessian = self.cone.hessian(&z);
            let trace: f64 = (0..k).map(|i| hessian[i * k + i]).sum();
            (0..k).for_each(|i| hessian[i * k + i] += 1e-12 * trace);
            let Some(factor) = Cholesky::factor(&hessian, k).filter(|_| mu > 0.0) else { break };
            let mut step = g;
            factor.solve(&mut step);
            z.iter_mut().zip(&step).for_each(|(z, s)| *z -= s / mu);
        }
        best
    }

    /// The bound from the tangent of f at z, and g.
    fn tangent(
        &self,
        c: &[f64],
        z: &[f64],
        (loss, gradient): (f64, &[f64]),
        walls: &[f64],
        mu: f64,
    ) -> Option<(f64, Vec<f64>)> {
        let (outer, factor) = &*self.outer;
        let polytope = self.cone.polytope();
        let mut g: Vec<f64> = c.iter().zip(gradient).map(|(c, f)| c + mu * f).collect();
        let slope = dot(gradient, z);
        let mut constant = mu * (loss - slope - self.cone.threshold());
        let mut size = mu * (loss.abs() + slope.abs() + self.cone.threshold().abs());
        let rows = polytope.rows().chunks_exact(c.len()).zip(polytope.offsets());
        for ((row, b), lambda) in rows.zip(walls).filter(|(_, lambda)| **lambda > 0.0) {
            g.iter_mut().zip(row).for_each(|(g, x)| *g += lambda * x);
            constant -= lambda * b;
            size += lambda * (b.abs() + dot(row, z).abs());
        }
        let spread = outer.radius * factor.as_ref()?.inverse_norm(&g, &mut vec![0.0; c.len()]);
        let rounding = 1e-13 * (size + dot(c, z).abs());
        Some((constant + dot(&g, &outer.center) - spread - rounding, g))
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

    /// The likelihood's own bounds use the rows of B that are written out.
    fn is_relaxed(&self) -> bool {
        self.within.is_relaxed() || self.cone.polytope().has_features()
    }

    fn count_fallbacks(&mut self, more: u64) {
        self.within.count_fallbacks(more);
    }

    fn one_norm(&self) -> f64 {
        self.within.one_norm()
    }
}
