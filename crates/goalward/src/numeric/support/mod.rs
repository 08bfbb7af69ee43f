//! Support minimisation: min <c, theta> over (ellipsoid ∩ polytope), for one set and millions of objectives.

mod active_set;
mod conic;
mod whiten;
mod working;

pub use conic::Conic;

use super::{Polytope, dot, norm};
use active_set::{ActiveSet, End, certified};
use std::sync::Arc;
use whiten::Whitened;

/// {theta : (theta - center)' shape (theta - center) <= radius^2}.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsoid<'a> {
    /// The centre, d numbers.
    pub center: &'a [f64],
    /// The positive definite matrix Sigma, d x d.
    pub shape: &'a [f64],
    /// The radius beta in the norm of the shape.
    pub radius: f64,
}

/// How a support problem ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Value and bound agree to 1e-9 relative.
    Optimal,
    /// They do not; the bound is still a bound.
    Inaccurate,
}

/// The answer to one support problem.
#[derive(Clone, Copy, Debug)]
pub struct Support {
    /// <c, theta> at the best point found, which lies in the set (to rounding).
    pub value: f64,
    /// A certified lower bound on the minimum, from a dual feasible point.
    pub bound: f64,
    /// How it ended.
    pub status: Status,
}

/// What one objective's last solve leaves for its next: the rows that were active.
#[derive(Clone, Debug, Default)]
pub struct Warm {
    /// The working set.
    pub rows: Vec<u16>,
}

/// One set, millions of objectives.
pub trait SupportMin {
    /// Minimises <c, theta> over the set.
    fn min(&mut self, c: &[f64], warm: &mut Warm) -> Support;
    /// Where the last minimum is attained, into d numbers.
    fn minimiser(&self, theta: &mut [f64]);
    /// How many solves were handed to the conic solver.
    fn fallbacks(&self) -> u64 {
        0
    }
    /// Adds the fallbacks of copies that did part of the work.
    fn count_fallbacks(&mut self, _more: u64) {}
}

/// Ellipsoid and polytope have no point in common: an outcome, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Empty {
    /// The ellipsoid misses the polytope's affine hull.
    Hull,
    /// The ellipsoid is a point, and the polytope does not contain it.
    Point,
    /// They meet the same hull, but multipliers of the rows prove them apart.
    Apart,
}

/// Ellipsoid ∩ polytope, prepared once and minimised over by a dual active-set method.
///
/// Needs a positive definite shape; a radius of zero is a point. One solve costs O(k m) per step and takes about as many
/// steps as rows are active; a warm start saves most of them. The bound is certified from the multipliers whatever
/// happens; a solve that stalls, or whose bound and value differ after one refinement, is handed to Clarabel and
/// counted by [`fallbacks`](SupportMin::fallbacks).
///
/// ```
/// use goalward::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
/// use goalward::numeric::PolytopeBuilder;
/// let mut builder = PolytopeBuilder::new(2);
/// builder.halfspace(&[-1.0, 0.0], 0.0); // theta_1 >= 0
/// let halfplane = std::sync::Arc::new(builder.finish().unwrap());
/// let disc = Ellipsoid { center: &[0.0, 0.0], shape: &[1.0, 0.0, 0.0, 1.0], radius: 2.0 };
/// let mut set = ConvexSet::new(&halfplane, disc).unwrap();
/// let lowest = set.min(&[1.0, 1.0], &mut Warm::default());
/// assert!((lowest.value + 2.0).abs() < 1e-12 && (lowest.bound + 2.0).abs() < 1e-12);
/// assert!((set.theta()[1] + 2.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct ConvexSet {
    set: Whitened,
    method: ActiveSet,
    /// The row of G behind each row of the polytope.
    place: Vec<u32>,
    /// A point of the set.
    witness: Vec<f64>,
    fallbacks: u64,
    c: Vec<f64>,
    w: Vec<f64>,
    r: Vec<f64>,
    z: Vec<f64>,
    scratch: Vec<f64>,
}

impl ConvexSet {
    /// Fails, with a certificate behind it, if the two do not meet.
    ///
    /// # Panics
    ///
    /// If the shape is not positive definite.
    pub fn new(polytope: &Arc<Polytope>, ellipsoid: Ellipsoid) -> Result<Self, Empty> {
        let mut set = Self::prepare(Whitened::new(polytope, ellipsoid)?);
        set.find_witness()?;
        Ok(set)
    }

    fn prepare(set: Whitened) -> Self {
        let k = set.free;
        let mut place = vec![u32::MAX; set.polytope.offsets().len()];
        set.index.iter().enumerate().for_each(|(i, &row)| place[row] = i as u32);
        let zeros = || vec![0.0; k];
        ConvexSet {
            method: ActiveSet::new(k),
            place,
            witness: set.z0.clone(),
            fallbacks: 0,
            c: zeros(),
            w: zeros(),
            r: zeros(),
            z: set.z0.clone(),
            scratch: zeros(),
            set,
        }
    }

    /// Goes from the centre, if that is outside, towards the polytope's interior.
    fn find_witness(&mut self) -> Result<(), Empty> {
        let set = &self.set;
        if set.point || set.limits.iter().all(|&h| h >= 0.0) {
            return Ok(());
        }
        // w = L'(z0 - interior)
        let inside = set.polytope.coordinates(set.polytope.interior());
        let k = set.free;
        for j in 0..k {
            self.w[j] = (j..k).map(|i| set.factor.lower()[i * k + j] * (set.z0[i] - inside[i])).sum();
        }
        let size = norm(&self.w);
        self.w.iter_mut().for_each(|w| *w /= size);
        match self.method.solve(set, &self.w, std::iter::empty()) {
            End::Empty => return Err(Empty::Apart),
            End::Optimal | End::Touching => set.unwhiten(&self.method.y, &mut self.witness),
            End::Stalled => {
                self.fallbacks += 1;
                let answer = conic::solve(set, &self.w);
                if certified(set, answer.multipliers.iter().copied().enumerate(), &mut self.scratch) {
                    return Err(Empty::Apart);
                }
                set.unwhiten(&answer.y, &mut self.witness);
            }
        }
        self.z.copy_from_slice(&self.witness);
        Ok(())
    }

    /// The minimiser of the last solve, in R^d; a point of the set if there was none.
    pub fn theta(&self) -> Vec<f64> {
        let mut theta = vec![0.0; self.set.polytope.dim()];
        self.minimiser(&mut theta);
        theta
    }

    /// The reduced objective's value and certified bound at the method's point.
    fn account(&mut self, size: f64, bounds: &[(f64, f64)]) -> (f64, f64) {
        let (set, method) = (&self.set, &self.method);
        let multipliers = method.working.rows.iter().zip(&method.lambda).map(|(&i, l)| (i, l * size));
        let account = set.account(&self.c, multipliers, bounds, &mut self.r, &mut self.scratch);
        set.unwhiten(&method.y, &mut self.z);
        // c'z = -b'lambda + r'z on the rows in W; c'z itself would lose the digits that z0 and rho w'y have in common
        (account.linear + dot(&self.r, &self.z), account.linear + account.rest)
    }

    /// The better of both bounds, and Clarabel's point if it says more about the minimum than the method's.
    fn fall_back(&mut self, size: f64, value: f64, bound: f64, bounds: &[(f64, f64)]) -> (f64, f64) {
        self.fallbacks += 1;
        let answer = conic::solve(&self.set, &self.w);
        let multipliers = answer.multipliers.iter().map(|l| l * size).enumerate();
        let account = self.set.account(&self.c, multipliers, bounds, &mut self.r, &mut self.scratch);
        let bound = bound.max(account.linear + account.rest);
        self.set.unwhiten(&answer.y, &mut self.r);
        let other = dot(&self.c, &self.r);
        if answer.solved() && (other - bound).abs() < 0.1 * (value - bound).abs() {
            self.z.copy_from_slice(&self.r);
            return (other, bound);
        }
        (value, bound)
    }

    /// Whether the multipliers' defect r can be undone within W, by multipliers that stay nonnegative: then the vertex
    /// of W is optimal over the whole polytope, and only rounding separates the bound from the value.
    fn is_vertex_optimal(&mut self, size: f64) -> bool {
        let method = &mut self.method;
        if method.working.len() < self.set.free || method.round {
            return false;
        }
        self.scratch.copy_from_slice(&self.r);
        self.set.factor.solve_lower(&mut self.scratch);
        self.scratch.iter_mut().for_each(|w| *w /= size);
        method.outweighs(&self.scratch)
    }

    /// Minimises the reduced objective in `c`; the constant only adds to the scale that accuracy is measured by.
    fn min_reduced(&mut self, constant: f64, warm: &mut Warm, bounds: &[(f64, f64)]) -> (f64, f64, Status) {
        self.w.copy_from_slice(&self.c);
        self.set.factor.solve_lower(&mut self.w);
        let size = norm(&self.w);
        if self.set.point {
            let value = dot(&self.c, &self.set.z0);
            return (value, value - self.set.rho * size, Status::Optimal);
        }
        self.w.iter_mut().for_each(|w| *w /= size);
        let place = &self.place;
        let start = warm.rows.iter().filter_map(|&row| place.get(row as usize)).map(|&i| i as usize);
        let end = self.method.solve(&self.set, &self.w, start);
        let (mut value, mut bound) = self.account(size, bounds);
        let scale = constant.abs() + norm(&self.c) * norm(&self.z) + (self.set.rho * size).min(value.abs());
        let close = |value: f64, bound: f64| value - bound <= 1e-9 * scale;
        if end == End::Optimal && !close(value, bound) {
            self.method.refine(&self.set, &self.w);
            (value, bound) = self.account(size, bounds);
        }
        if end == End::Optimal && bound < value && self.is_vertex_optimal(size) {
            bound = value;
        }
        if end == End::Touching {
            for exponent in 1..=10 {
                self.method.press(10f64.powi(exponent));
                bound = bound.max(self.account(size, bounds).1);
            }
            // the multipliers are huge here and would drown the value
            value = dot(&self.c, &self.z);
        }
        if matches!(end, End::Stalled | End::Empty) {
            self.z.copy_from_slice(&self.witness);
            value = dot(&self.c, &self.z);
        }
        // Clarabel knows no better where the set is thinner than rounding
        if end == End::Stalled || end == End::Optimal && !close(value, bound) {
            (value, bound) = self.fall_back(size, value, bound, bounds);
        }
        warm.rows.clear();
        if self.place.len() <= 1 << 16 {
            warm.rows.extend(self.method.working.rows.iter().map(|&i| self.set.index[i] as u16));
        }
        // a set that is empty by less than rounding has bounds beyond its point
        bound = bound.min(value);
        let status = if close(value, bound) { Status::Optimal } else { Status::Inaccurate };
        (value, bound, status)
    }
}

impl SupportMin for ConvexSet {
    fn min(&mut self, c: &[f64], warm: &mut Warm) -> Support {
        let polytope = Arc::clone(&self.set.polytope);
        let constant = reduce(&polytope, c, &mut self.c);
        let bounds = bounds(&polytope);
        let whole = norm(c);
        if norm(&self.c) <= 4.0 * f64::EPSILON * whole {
            // constant on the hull: what is left of c is rounding, any point will do
            self.z.copy_from_slice(&self.witness);
            let account =
                self.set.account(&self.c, std::iter::empty(), bounds, &mut self.r, &mut self.scratch);
            let value = constant + dot(&self.c, &self.z);
            return Support { value, bound: (constant + account.rest).min(value), status: Status::Optimal };
        }
        let (value, bound, status) = self.min_reduced(constant, warm, bounds);
        Support { value: constant + value, bound: constant + bound, status }
    }

    fn minimiser(&self, theta: &mut [f64]) {
        expand(&self.set.polytope, &self.z, theta);
    }

    fn fallbacks(&self) -> u64 {
        self.fallbacks
    }

    fn count_fallbacks(&mut self, more: u64) {
        self.fallbacks += more;
    }
}

/// The scalar product in four running sums: the solver's time goes here, and one sum would wait for itself.
fn inner(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (x, y) in a.iter().zip(b) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + dot(a_rest, b_rest)
}

/// N'c, and the constant c'origin.
fn reduce(polytope: &Polytope, c: &[f64], out: &mut [f64]) -> f64 {
    out.fill(0.0);
    for (n, &c) in polytope.basis().chunks_exact(out.len().max(1)).zip(c) {
        out.iter_mut().zip(n).for_each(|(o, n)| *o += c * n);
    }
    dot(c, polytope.origin())
}

/// theta = origin + N z.
fn expand(polytope: &Polytope, z: &[f64], theta: &mut [f64]) {
    let k = z.len();
    for (i, theta) in theta.iter_mut().enumerate() {
        *theta = polytope.origin()[i] + dot(&polytope.basis()[i * k..(i + 1) * k], z);
    }
}

/// An interval for every free coordinate over the whole polytope, found once per polytope.
fn bounds(polytope: &Arc<Polytope>) -> &[(f64, f64)] {
    polytope.bounds(|polytope| {
        let (k, m) = (polytope.free(), polytope.offsets().len());
        let mut intervals = vec![(f64::NEG_INFINITY, f64::INFINITY); k];
        if 4.0 * m as f64 * (k as f64).powi(3) > 2e9 {
            return intervals;
        }
        // a ball that contains whatever is of ordinary size: where it constrains the answer, the polytope does not
        let radius = 1e6 * (1.0 + norm(polytope.interior()));
        let d = polytope.dim();
        let mut identity = vec![0.0; d * d];
        (0..d).for_each(|i| identity[i * d + i] = 1.0);
        let ball = Ellipsoid { center: polytope.interior(), shape: &identity, radius };
        let Ok(set) = Whitened::new(&Arc::new(polytope.clone()), ball) else { return intervals };
        let mut set = ConvexSet::prepare(set);
        let unknown = intervals.clone();
        for j in 0..k {
            let mut side = |sign: f64| {
                set.c.fill(0.0);
                set.c[j] = sign;
                // a bound whatever its status
                let (_, bound, _) = set.min_reduced(0.0, &mut Warm::default(), &unknown);
                if bound > -0.1 * radius { bound - 1e-9 * (1.0 + bound.abs()) } else { f64::NEG_INFINITY }
            };
            intervals[j] = (side(1.0), -side(-1.0));
        }
        intervals
    })
}

#[cfg(test)]
mod tests;
