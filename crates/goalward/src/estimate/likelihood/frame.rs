//! The coordinates that likelihoods are computed in: those of B's affine hull, or others that are
//! made for B's proportions.

use super::gram::combine;
use crate::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use crate::numeric::{Polytope, Portable, Turn, dot, norm};
use crate::problem::seen::{Seen, noise};
use crate::problem::{Pair, Problem};
use std::sync::Arc;

/// What estimation must know of a problem, computed once: theta = origin + basis z, with z in R^k.
///
/// Where B is of ordinary size and kernels see all of it, these are the coordinates of B's hull.
/// Otherwise they are turned: the m directions that kernels see come first, each in units of what B
/// can be long along it, and the others after them. A ridge is then as harmless along a direction
/// that features hardly see as along any other. (Not where B keeps its features: these are too many
/// to be turned.)
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
    /// Every theta in B has the kernels of one whose z is no further than this from that of any
    /// given one.
    pub(super) extent: f64,
    /// What rounding may do to a probability over B, beyond what is no matter anywhere.
    pub(super) blur: f64,
}

impl Frame {
    /// `polytope` is the problem's B.
    pub(super) fn new(problem: &Arc<Problem>, polytope: &Arc<Polytope>) -> Self {
        let k = polytope.free();
        let seen = Seen::of(problem);
        let plain = seen.is_ordinary() && seen.directions.len() == k;
        let (polytope, extent, blur) = if plain {
            (Arc::clone(polytope), width(polytope, &seen), 0.0)
        } else if polytope.has_features() {
            (Arc::clone(polytope), reach(problem, &seen), 0.0)
        } else {
            turned(problem, polytope, &seen)
        };
        let axis = |j: usize| (0..k).map(|i| f64::from(u8::from(i == j))).collect();
        let m = seen.directions.len();
        let seen = if polytope.is_turned() { (0..m).map(axis).collect() } else { seen.directions };
        let inside = polytope.coordinates(polytope.interior());
        let rows = polytope.rows().chunks_exact(k.max(1)).zip(polytope.offsets());
        Frame {
            problem: Arc::clone(problem),
            room: rows.map(|(row, b)| (b - dot(row, &inside)).max(0.0)).collect(),
            inside,
            extent,
            blur,
            seen,
            polytope,
        }
    }

    pub(super) fn polytope(&self) -> &Arc<Polytope> {
        &self.polytope
    }

    pub(super) fn phi(&self, p: Pair, place: usize) -> &[f64] {
        self.problem.row(self.problem.rows(p).start + place)
    }

    /// phi'theta = constant + row z: the row into k numbers, and the constant.
    pub(super) fn reduce(&self, phi: &[f64], row: &mut [f64]) -> f64 {
        let polytope = self.polytope();
        combine(phi, polytope.basis(), row);
        // what rounding leaves of a row that B fixes is not a direction
        let least = noise(polytope) * norm(phi);
        match polytope.lengths() {
            None if norm(row) <= least => row.fill(0.0),
            None => {}
            Some(lengths) => {
                // no row sees these
                row[self.seen.len()..].fill(0.0);
                let size =
                    row.iter().zip(lengths).map(|(x, length)| (x / length).powi(2)).sum::<f64>().sqrt();
                if size <= least {
                    row.fill(0.0);
                }
            }
        }
        dot(phi, polytope.origin())
    }

    /// The same for a triple, and whether some theta in B gives it a positive probability.
    pub(super) fn row(&self, p: Pair, place: usize, row: &mut [f64]) -> (f64, bool) {
        let phi = self.phi(p, place);
        let constant = self.reduce(phi, row);
        // a row that is 0 on all of B has no free part left, and rounding for a constant
        let fixed = row.iter().all(|x| *x == 0.0);
        let least = if fixed { 1e-9 * norm(phi) } else { 0.0 };
        (constant, constant + dot(row, &self.inside) > least)
    }
}

/// B in units of its own proportions, how far it reaches then, and what rounding does there.
fn turned(problem: &Problem, polytope: &Polytope, seen: &Seen) -> (Arc<Polytope>, f64, f64) {
    let (k, m) = (polytope.free(), seen.directions.len());
    let mut turn = Turn {
        directions: seen.directions.iter().cloned().chain(seen.others(k)).collect(),
        lengths: seen.reach.iter().copied().chain(std::iter::repeat_n(1.0, k - m)).collect(),
        hidden: m,
        facts: facts(problem),
    };
    let (longest, largest) = (norm(&seen.reach), largest_features(problem));
    let blur = 8.0 * f64::EPSILON * largest * (longest + norm(polytope.interior()));
    // B leaves out rows that its equalities nearly span; where B is long they matter
    let faint = |turn: &Turn| -> Vec<(Vec<f64>, f64, f64)> {
        let mut row = vec![0.0; k];
        let rows = (0..problem.pairs()).flat_map(|p| problem.rows(p));
        rows.filter_map(|i| {
            let phi = problem.row(i);
            combine(phi, polytope.basis(), &mut row);
            let (size, whole) = (norm(&row), norm(phi));
            if size <= noise(polytope) * whole || size > 1e-7 * whole {
                return None;
            }
            let minus: Vec<f64> = turn.row(&row).iter().map(|x| -x).collect();
            Some((minus, dot(phi, polytope.origin()), blur + polytope.blur() * whole))
        })
        .collect()
    };
    let first = polytope.turned(&turn, faint(&turn).into_iter());
    // every coordinate of B that kernels see lies in an interval of length one
    let across = (m as f64).sqrt();
    let aside = across * slope(first.rows(), &turn_axes(m, k));
    if aside > 1.0 {
        turn.lengths[m..].fill(aside);
        let second = polytope.turned(&turn, faint(&turn).into_iter());
        return (Arc::new(second), across.hypotenuse(1.0), blur);
    }
    (Arc::new(first), across.hypotenuse(aside).max(1.0), blur)
}

fn turn_axes(m: usize, k: usize) -> Vec<Vec<f64>> {
    (m..k).map(|j| (0..k).map(|i| f64::from(u8::from(i == j))).collect()).collect()
}

/// The largest norm of a row of features.
fn largest_features(problem: &Problem) -> f64 {
    let pairs = (0..problem.pairs()).map(|p| problem.phi(p));
    pairs.flat_map(|phi| phi.chunks_exact(problem.dim()).map(norm).collect::<Vec<_>>()).fold(0.0, f64::max)
}

/// A bound on the distance of two points of B, whose kernels see all of it, where it is of ordinary
/// size: then it lies within the ruler's ball.
fn width(polytope: &Arc<Polytope>, seen: &Seen) -> f64 {
    if polytope.free() == 0 {
        return 1.0;
    }
    let ruler = if is_laborious(seen.directions.len(), polytope.free(), polytope.offsets().len()) {
        None
    } else {
        Ruler::new(polytope, seen)
    };
    let Some(mut ruler) = ruler else { return norm(&seen.reach) };
    let mut width = |e: &Vec<f64>| {
        let (low, high) = ruler.interval(e);
        (high - low).max(0.0)
    };
    seen.directions.iter().map(|e| width(e).powi(2)).sum::<f64>().sqrt().max(1e-12)
}

/// Measuring B along all directions may take this many products. Beyond that, B's reach is used.
const LABORIOUS: usize = 1 << 31;

/// Whether that would take more: twice for each direction, about as many steps as there are
/// dimensions, each of which looks at a factor and at all rows.
fn is_laborious(directions: usize, k: usize, rows: usize) -> bool {
    [directions, k, k, k + rows].into_iter().fold(2, usize::saturating_mul) > LABORIOUS
}

/// The same for any B, from what rows of features say alone.
fn reach(problem: &Problem, seen: &Seen) -> f64 {
    let (across, hidden) = (norm(&seen.reach), seen.others(problem.constraints().free()));
    across.hypotenuse(across * slope(&facts(problem).concat(), &hidden)).max(1e-12)
}

/// The extra facts as rows of norm one in the coordinates of B's hull. They alone can tell apart
/// what no kernel does.
fn facts(problem: &Problem) -> Vec<Vec<f64>> {
    let polytope = problem.constraints();
    let rows = problem.extra().iter().map(|fact| {
        let mut row = vec![0.0; polytope.free()];
        combine(&fact.a, polytope.basis(), &mut row);
        let (size, least) = (norm(&row), noise(polytope) * norm(&fact.a));
        row.iter_mut().for_each(|x| *x /= size);
        (size > least).then_some(row)
    });
    rows.flatten().collect()
}

/// The most sets of rows that [`slope`] looks at.
const SETS: usize = 50_000;

/// How far along the directions that no kernel sees a point of B must go at most, for each unit of
/// the way along the others, so that it stays in B.
///
/// Only extra facts can see these directions. Let z0 be in B and s a point that differs from z0
/// along directions that kernels see, by at most D, and that has the kernels of some point of B.
/// The nearest point of B with these kernels is a projection: on linearly independent rows I whose
/// parts A_I along the hidden directions span the way, at a distance of at most |v_I| / sigma(A_I),
/// with v_i <= |a_i| D the excess of row i at s and sigma the least singular value. The largest
/// quotient over all such I is the answer, without D.
fn slope(rows: &[f64], hidden: &[Vec<f64>]) -> f64 {
    let k = hidden.first().map_or(1, Vec::len);
    let parts = rows.chunks_exact(k).map(|a| {
        let along: Vec<f64> = hidden.iter().map(|e| dot(e, a)).collect();
        let rest = (dot(a, a) - dot(&along, &along)).max(0.0).sqrt();
        (along, rest)
    });
    let facts: Vec<(Vec<f64>, f64)> = parts.filter(|(along, _)| norm(along) > 1e-12).collect();
    let mut steepest = 0f64;
    let mut sets: Vec<Vec<usize>> = (0..facts.len()).map(|i| vec![i]).collect();
    let (mut looked, mut all) = (0, true);
    for _ in 0..hidden.len() {
        let mut larger = Vec::new();
        for set in sets {
            looked += 1;
            let rows = nalgebra::DMatrix::from_fn(set.len(), hidden.len(), |i, j| facts[set[i]].0[j]);
            let singular = rows.singular_values();
            let (least, most) = (singular.min(), singular.max());
            if least <= 1e-12 * most {
                continue; // dependent
            }
            let excess = set.iter().map(|&i| facts[i].1.powi(2)).sum::<f64>().sqrt();
            steepest = steepest.max(excess / least);
            let last = set.last().map_or(0, |last| last + 1);
            if set.len() < hidden.len() {
                all &= looked + larger.len() < SETS;
                let more = if all { last..facts.len() } else { 0..0 };
                larger.extend(more.map(|i| [&set[..], &[i]].concat()));
            }
        }
        sets = larger;
    }
    if !all {
        // more facts than can be looked at: a thousand times B's ordinary size, unless they are
        // steeper than that
        return steepest.max(1e3);
    }
    steepest * (1.0 + 1e-9)
}

/// A bound on |theta| over B, or over those theta that stand for the others with the same kernels;
/// none where the extra facts leave B unbounded in a direction that only they see.
///
/// |theta|^2 = |origin|^2 + |z|^2, since the origin is the point of least norm; |z|^2 is bounded by
/// intervals along an orthonormal basis. Directions that neither kernels nor facts see count for
/// nothing: B contains a theta without them.
pub(crate) fn largest_norm(problem: &Problem) -> Option<f64> {
    let polytope = problem.constraints();
    let (k, seen) = (polytope.free(), Seen::of(problem));
    let mut sum = dot(polytope.origin(), polytope.origin());
    if k > 0 {
        let mut ruler = Ruler::new(polytope, &seen)?;
        let inside = polytope.coordinates(polytope.interior());
        let facts = facts(problem);
        let facts_see = |e: &&Vec<f64>| facts.iter().any(|a| dot(a, e).abs() > 1e-9);
        let laborious = is_laborious(seen.directions.len(), k, polytope.offsets().len());
        for (e, reach) in seen.directions.iter().zip(&seen.reach) {
            let (all, here) = ((f64::NEG_INFINITY, f64::INFINITY), dot(e, &inside));
            let (low, high) = if laborious { all } else { ruler.interval(e) };
            let (low, high) = (low.max(here - reach), high.min(here + reach));
            sum += low.abs().max(high.abs()).powi(2);
        }
        for e in seen.others(k).iter().filter(facts_see) {
            let (low, high) = ruler.interval(e);
            if !ruler.is_bounded((low, high)) {
                return None;
            }
            sum += low.abs().max(high.abs()).powi(2);
        }
    }
    Some(sum.sqrt() * (1.0 + 1e-9))
}

/// Measures B along directions, within a ball that contains all of it that kernels see.
struct Ruler<'a> {
    polytope: &'a Polytope,
    set: ConvexSet,
    radius: f64,
}

impl<'a> Ruler<'a> {
    fn new(polytope: &'a Arc<Polytope>, seen: &Seen) -> Option<Self> {
        let d = polytope.dim();
        // B is no longer than its reach; what facts alone see may be
        let radius = f64::max(1e6 * (1.0 + norm(polytope.interior())), 1e2 * norm(&seen.reach));
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

/// What is known before any data, as information: theta lies in B, which is no longer than D. Data
/// that say less than that are no reason to plan.
pub(super) fn prior(extent: f64) -> f64 {
    16.0 / (extent * extent)
}

/// rho = 1e-6/D^2: what the ridge adds to a squared radius is at most 1e-6.
pub(crate) fn ridge(extent: f64) -> f64 {
    1e-6 / (extent * extent)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of making a learner grows as the fourth power of the dimension up to a limit.
    #[test]
    fn b_is_measured_where_that_does_not_take_long() {
        assert!(!is_laborious(9, 9, 65_536) && !is_laborious(63, 63, 1_000));
        assert!(is_laborious(299, 299, 600) && is_laborious(599, 599, 600));
    }
}
