//! The coordinates that likelihoods are computed in: those of B's affine hull.

use super::gram::combine;
use crate::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use crate::numeric::{Polytope, dot, norm};
use crate::problem::{Pair, Problem};
use std::borrow::Cow;
use std::sync::Arc;

/// What estimation must know of a problem, computed once: theta = origin + basis z, with z in R^k.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) problem: Arc<Problem>,
    polytope: Arc<Polytope>,
    /// The coordinates of the fixed interior point of B.
    pub(super) inside: Vec<f64>,
    /// Its slack in every row of B.
    pub(super) room: Vec<f64>,
    /// An orthonormal basis of the directions of B that some kernel sees: m = rank(Phi N) of them.
    pub(super) seen: Vec<Vec<f64>>,
    /// D >= |z - z'| for all z, z' in B, as far as it matters; see [`extent`].
    pub(super) extent: f64,
}

impl Frame {
    /// `polytope` is the problem's B.
    pub(super) fn new(problem: &Arc<Problem>, polytope: &Arc<Polytope>) -> Self {
        let seen = seen_directions(problem);
        let inside = polytope.coordinates(polytope.interior());
        let rows = polytope.rows().chunks_exact(polytope.free().max(1)).zip(polytope.offsets());
        Frame {
            problem: Arc::clone(problem),
            polytope: Arc::clone(polytope),
            room: rows.map(|(row, b)| (b - dot(row, &inside)).max(0.0)).collect(),
            inside,
            extent: extent(polytope, &seen),
            seen,
        }
    }

    pub(super) fn polytope(&self) -> &Arc<Polytope> {
        &self.polytope
    }

    /// The features of a triple.
    pub(super) fn phi(&self, p: Pair, place: usize) -> Cow<'_, [f64]> {
        self.problem.row(self.problem.rows(p).start + place)
    }

    /// phi'theta = constant + row z: the row into k numbers, and the constant.
    pub(super) fn reduce(&self, phi: &[f64], row: &mut [f64]) -> f64 {
        reduce(self.polytope(), phi, row)
    }

    /// The same for a triple, and whether some theta in B gives it a positive probability.
    pub(super) fn row(&self, p: Pair, place: usize, row: &mut [f64]) -> (f64, bool) {
        let phi = self.phi(p, place);
        let constant = self.reduce(&phi, row);
        // a row that is 0 on all of B has no free part left, and rounding for a constant
        let fixed = row.iter().all(|x| *x == 0.0);
        let least = if fixed { 1e-9 * norm(&phi) } else { 0.0 };
        (constant, constant + dot(row, &self.inside) > least)
    }
}

fn reduce(polytope: &Polytope, phi: &[f64], row: &mut [f64]) -> f64 {
    combine(phi, polytope.basis(), row);
    // what rounding leaves of a row that B fixes is not a direction
    if norm(row) <= 1e-11 * norm(phi) {
        row.fill(0.0);
    }
    dot(phi, polytope.origin())
}

/// An orthonormal basis of the span of all rows N'phi: the directions of B that some kernel sees.
fn seen_directions(problem: &Problem) -> Vec<Vec<f64>> {
    let polytope = problem.constraints();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut row = vec![0.0; polytope.free()];
    for p in 0..problem.pairs() {
        for phi in problem.phi(p).chunks_exact(problem.dim()) {
            if basis.len() == polytope.free() {
                return basis;
            }
            reduce(polytope, phi, &mut row);
            let size = norm(&row);
            for _ in 0..2 {
                for e in &basis {
                    let t = dot(e, &row);
                    row.iter_mut().zip(e).for_each(|(r, e)| *r -= t * e);
                }
            }
            let left = norm(&row);
            if size > 0.0 && left > 1e-9 * size {
                basis.push(row.iter().map(|r| r / left).collect());
            }
        }
    }
    basis
}

/// A bound on the distance of two points of B, along the directions that some kernel sees.
///
/// Along those B is bounded, since probabilities are. Along the others B may be unbounded: if no row of B sees them
/// either, any two points of B have the same kernels as two that agree there, so they count for nothing. Only extra facts
/// can see them; then the width of B counts, and where that is infinite, a thousand times B's ordinary size: a set that is
/// cut off there misses no kernel unless the extra facts force the truth to be that far out.
fn extent(polytope: &Arc<Polytope>, seen: &[Vec<f64>]) -> f64 {
    let k = polytope.free();
    if k == 0 {
        return 1.0;
    }
    let far = 1e3 * (1.0 + norm(polytope.interior()));
    let Some(mut ruler) = Ruler::new(polytope) else { return far };
    let mut width = |e: &[f64]| {
        let (low, high) = ruler.interval(e);
        ((high - low).max(0.0), ruler.is_bounded((low, high)))
    };
    let mut sum: f64 = seen.iter().map(|e| width(e).0.powi(2)).sum();
    for e in complement(seen, k).iter().filter(|e| facts_see(polytope, e)) {
        let (width, bounded) = width(e);
        sum += if bounded { width } else { far }.powi(2);
    }
    sum.sqrt().max(1e-12)
}

/// A bound on |theta| over B, or over those theta that stand for the others with the same kernels; none where the extra facts
/// leave B unbounded in a direction that only they see.
///
/// |theta|^2 = |origin|^2 + |z|^2, since the origin is the point of least norm; |z|^2 is bounded by intervals along an
/// orthonormal basis. Directions that neither kernels nor facts see count for nothing: B contains a theta without them.
pub(crate) fn largest_norm(problem: &Problem) -> Option<f64> {
    let polytope = problem.constraints();
    let (k, seen) = (polytope.free(), seen_directions(problem));
    let mut sum = dot(polytope.origin(), polytope.origin());
    if k > 0 {
        let mut ruler = Ruler::new(polytope)?;
        let others = complement(&seen, k).into_iter().filter(|e| facts_see(polytope, e));
        for e in seen.iter().cloned().chain(others) {
            let (low, high) = ruler.interval(&e);
            if !ruler.is_bounded((low, high)) {
                return None;
            }
            sum += low.abs().max(high.abs()).powi(2);
        }
    }
    Some(sum.sqrt() * (1.0 + 1e-9))
}

fn facts_see(polytope: &Polytope, e: &[f64]) -> bool {
    polytope.rows().chunks_exact(e.len()).any(|a| dot(a, e).abs() > 1e-9)
}

/// Measures B along directions, within a ball that contains whatever is of ordinary size.
struct Ruler<'a> {
    polytope: &'a Polytope,
    set: ConvexSet,
    radius: f64,
}

impl<'a> Ruler<'a> {
    fn new(polytope: &'a Arc<Polytope>) -> Option<Self> {
        let d = polytope.dim();
        let radius = 1e6 * (1.0 + norm(polytope.interior()));
        let mut identity = vec![0.0; d * d];
        (0..d).for_each(|i| identity[i * d + i] = 1.0);
        let ball = Ellipsoid { center: polytope.interior(), shape: &identity, radius };
        Some(Ruler { polytope, set: ConvexSet::new(polytope, ball).ok()?, radius })
    }

    /// Certified bounds on e'z.
    fn interval(&mut self, e: &[f64]) -> (f64, f64) {
        let polytope = self.polytope;
        let lift = |sign: f64| -> Vec<f64> {
            polytope.basis().chunks_exact(e.len()).map(|n| sign * dot(n, e)).collect()
        };
        let low = self.set.min(&lift(1.0), &mut Warm::default()).bound;
        let high = -self.set.min(&lift(-1.0), &mut Warm::default()).bound;
        (low, high)
    }

    fn is_bounded(&self, (low, high): (f64, f64)) -> bool {
        high - low < 0.1 * self.radius
    }
}

/// Completes orthonormal directions to a basis of R^k, and gives what was added.
fn complement(seen: &[Vec<f64>], k: usize) -> Vec<Vec<f64>> {
    let mut all = seen.to_vec();
    for axis in 0..k {
        let mut e = vec![0.0; k];
        e[axis] = 1.0;
        for _ in 0..2 {
            for other in &all {
                let t = dot(other, &e);
                e.iter_mut().zip(other).for_each(|(e, o)| *e -= t * o);
            }
        }
        let size = norm(&e);
        if all.len() < k && size > 0.5 / (k as f64).sqrt() {
            all.push(e.iter().map(|e| e / size).collect());
        }
    }
    all.split_off(seen.len())
}
