//! Support minimisation: min <c, theta> over ellipsoid ∩ polytope, for millions of objectives.

mod active_set;
mod conic;
mod corner;
mod cuts;
mod faces;
mod lanes;
mod large;
mod pivots;
mod settle;
mod starts;
mod survey;
mod vertex;
mod whiten;
mod working;

pub use survey::Survey;

use super::{Cholesky, Polytope, dot, norm};
use active_set::{ActiveSet, End, Held, certified};
use faces::Faces;
use lanes::{Lanes, dot_four, inner};
use starts::Starts;
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

/// The active rows of an objective's last solve, by the set's own numbers: a hint for its next.
pub type Warm = Vec<u32>;

/// One set, millions of objectives.
pub trait SupportMin: Send + Sync {
    /// Minimises <c, theta> over the set.
    fn min(&mut self, c: &[f64], warm: &mut Warm) -> Support;
    /// Where the last minimum is attained, into d numbers.
    fn minimiser(&self, theta: &mut [f64]);
    /// How many solves were handed to the conic solver.
    fn fallbacks(&self) -> u64 {
        0
    }
    /// Whether rows that could bind were left out, so that the set is larger than asked for.
    fn is_relaxed(&self) -> bool {
        false
    }
    /// Adds the fallbacks of copies that did part of the work.
    fn count_fallbacks(&mut self, _more: u64) {}
    /// The same where `known`: the rows of the warm start met in a point of this set. Also whether
    /// the rows that it leaves do.
    fn min_again(&mut self, c: &[f64], warm: &mut Warm, _known: bool) -> (Support, bool) {
        (self.min(c, warm), false)
    }
    /// How many rows can bind.
    fn binding_rows(&self) -> usize {
        0
    }
    /// A number of its own: warm starts of another set are not known to hold.
    fn identity(&self) -> Option<u64> {
        None
    }
    /// Prepares for objectives like those of a survey. Answers stay the same but for rounding.
    fn ready(&mut self, _survey: &Survey) {}
    /// Whether a larger survey, and fewer warm starts, would make it quicker.
    fn is_eager(&self) -> bool {
        false
    }
    /// Whether solves take over what those before knew: only in a sequence that is always the same.
    fn hold(&mut self, _yes: bool) {}
    /// Whether it is one point, taken for the truth: a plan then need not be a lower bound.
    fn is_model(&self) -> bool {
        false
    }
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

/// Ellipsoid ∩ polytope, prepared once and minimised over by a dual active-set method. A radius of
/// zero is a point. A solve costs O(k m) per step and takes about as many steps as rows are active;
/// a warm start saves most. The bound is certified from the multipliers; a solve that stalls, or
/// whose bound and value differ, is handed to Clarabel and counted by
/// [`fallbacks`](SupportMin::fallbacks).
///
/// ```
/// use goalward_numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
/// use goalward_numeric::PolytopeBuilder;
/// let mut builder = PolytopeBuilder::new(2);
/// builder.halfspace(&[-1.0, 0.0], 0.0); // theta_1 >= 0
/// let halfplane = std::sync::Arc::new(builder.finish().unwrap());
/// let disc = Ellipsoid { center: &[0.0, 0.0], shape: &[1.0, 0.0, 0.0, 1.0], radius: 2.0 };
/// let mut set = ConvexSet::new(&halfplane, disc).unwrap();
/// let lowest = set.min(&[1.0, 1.0], &mut Warm::default());
/// assert!((lowest.value + 2.0).abs() < 1e-12 && (lowest.bound + 2.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct ConvexSet {
    set: Arc<Whitened>,
    method: ActiveSet,
    witness: Vec<f64>,
    /// An interval for every free coordinate over the whole polytope.
    bounds: Vec<(f64, f64)>,
    fallbacks: u64,
    stalls: u64,
    /// The reduced objective, and w of norm one.
    c: Vec<f64>,
    w: Vec<Lanes>,
    /// What the multipliers leave of the objective, and L^-1 times it.
    r: Vec<f64>,
    whitened: Vec<Lanes>,
    /// What rounding may have done to the last account.
    rounding: f64,
    z: Vec<f64>,
    in_y: bool,
    /// Working sets that are kept, where many objectives are to come.
    faces: Option<Faces>,
    /// Points to begin at, where the ball hardly matters.
    starts: Option<Arc<Starts>>,
    /// The last minimum is attained where as many rows meet as there are dimensions.
    at_vertex: bool,
    identity: u64,
}

impl ConvexSet {
    /// Fails, with a certificate behind it, if the two do not meet. A shape that is singular to
    /// rounding makes the set larger; an invalid ellipsoid constrains nothing.
    pub fn new(polytope: &Arc<Polytope>, ellipsoid: Ellipsoid) -> Result<Self, Empty> {
        Self::within(polytope, Whitened::new(polytope, ellipsoid)?)
    }

    /// The same for an ellipsoid in hull coordinates, which is factored without rounding.
    pub fn in_hull(polytope: &Arc<Polytope>, ellipsoid: Ellipsoid) -> Result<Self, Empty> {
        Self::within(polytope, Whitened::in_hull(polytope, ellipsoid)?)
    }

    fn within(polytope: &Arc<Polytope>, set: Whitened) -> Result<Self, Empty> {
        let mut set = Self::prepare(set);
        set.find_witness()?;
        set.bounds.copy_from_slice(bounds(polytope));
        Ok(set)
    }

    fn prepare(set: Whitened) -> Self {
        let k = set.free;
        let (zeros, lanes) = (|| vec![0.0; k], || vec![[0.0; 4]; lanes::width(k)]);
        ConvexSet {
            method: ActiveSet::new(k),
            witness: set.z0.clone(),
            bounds: vec![(f64::NEG_INFINITY, f64::INFINITY); k],
            fallbacks: 0,
            stalls: 0,
            c: zeros(),
            w: lanes(),
            r: zeros(),
            whitened: lanes(),
            rounding: 0.0,
            z: set.z0.clone(),
            in_y: false,
            faces: None,
            starts: None,
            at_vertex: false,
            identity: cuts::fresh(),
            set: Arc::new(set),
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
        let w = &mut self.w.as_flattened_mut()[..k];
        for j in 0..k {
            w[j] = (j..k).map(|i| set.factor.lower()[i * k + j] * (set.z0[i] - inside[i])).sum();
        }
        let size = norm(w);
        if size > 0.0 {
            w.iter_mut().for_each(|w| *w /= size);
        } else {
            w[0] = 1.0;
        }
        match self.method.solve(set, &self.w, std::iter::empty()) {
            End::Empty => return Err(Empty::Apart),
            End::Optimal | End::Touching => set.unwhiten(self.method.y.as_flattened(), &mut self.witness),
            End::Stalled => {
                self.fallbacks += 1;
                self.stalls += 1;
                let (y, multipliers, _) = conic::solve(set, &self.w.as_flattened()[..k]);
                if certified(set, multipliers.iter().copied().enumerate()) {
                    return Err(Empty::Apart);
                }
                set.unwhiten(&y, &mut self.witness);
            }
        }
        self.z.copy_from_slice(&self.witness);
        Ok(())
    }

    /// How many solves of the active-set method took too many steps: a part of the fallbacks.
    pub fn stalls(&self) -> u64 {
        self.stalls
    }

    /// The minimiser of the last solve, in R^d; a point of the set if there was none.
    pub fn theta(&self) -> Vec<f64> {
        let mut theta = vec![0.0; self.set.polytope.dim()];
        self.minimiser(&mut theta);
        theta
    }

    /// The reduced objective's value and certified bound at the method's point.
    #[inline]
    fn account(&mut self, constant: f64, size: f64) -> (f64, f64) {
        let (set, method) = (&self.set, &self.method);
        let multipliers = method.working.rows.iter().zip(&method.lambda).map(|(&i, l)| (i, l * size));
        let account = set.account(&self.c, multipliers, &mut self.r, &mut self.whitened);
        // c'z = -b'lambda + r'z on the rows in W; c'z itself would lose the digits that z0 and rho
        // w'y have in common
        let value = account.linear + account.center + set.rho * inner(&self.whitened, &method.y);
        // multipliers grow without limit as the set becomes a point, and their rounding with them
        self.rounding = account.rounding;
        let ball = account.ball() - self.rounding;
        if value - ball <= 1e-14 * (constant.abs() + value.abs()) {
            return (value, ball);
        }
        (value, account.bound(&self.r, &self.bounds) - self.rounding)
    }

    /// Minimises the reduced objective in `c`; the constant adds to the scale of accuracy.
    fn min_reduced(&mut self, constant: f64, warm: &mut Warm, known: bool) -> (f64, f64, Status) {
        self.set.whiten(&self.c, &mut self.w);
        let size = inner(&self.w, &self.w).sqrt();
        (self.in_y, self.at_vertex) = (false, false);
        if self.set.point {
            let value = dot(&self.c, &self.set.z0);
            self.z.copy_from_slice(&self.set.z0);
            return (value, value - self.set.rho * size, Status::Optimal);
        }
        let inverse = 1.0 / size;
        self.w.iter_mut().for_each(|w| *w = w.map(|w| w * inverse));
        let quick = self.min_quickly(constant, size, warm, known);
        let end = match quick {
            Some(_) => End::Optimal,
            None => {
                let sampled = self.starts.as_ref().filter(|_| warm.is_empty());
                let corner = self.best_corner(warm);
                let given = corner.as_ref().unwrap_or(warm);
                let start = sampled.map_or(&given[..], |starts| starts.rows_of_best(&self.w));
                self.method.solve(&self.set, &self.w, start.iter().map(|&row| row as usize))
            }
        };
        self.in_y = true;
        warm.clear();
        warm.extend(self.method.working.rows.iter().map(|&i| i as u32));
        self.at_vertex = end == End::Optimal && warm.len() == self.set.free;
        if let Some((value, bound)) = quick {
            return (value, bound, Status::Optimal);
        }
        let (value, bound) = self.account(constant, size);
        // the ordinary end, without the trouble of finding z for the scale
        let least = constant.abs() + (self.set.rho * size).min(value.abs());
        if end == End::Optimal && value - bound <= 1e-14 * least {
            return (value, bound.min(value), Status::Optimal);
        }
        self.settle(end, constant, size, value, bound)
    }

    /// The minimum over a set without rows: c'center - rho |L^-1 N'c|. `None` where the objective
    /// is constant on the hull, or not finite.
    fn min_over_ball(&mut self, c: &[f64]) -> Option<Support> {
        let set = &*self.set;
        set.whiten_directly(c, &mut self.w);
        let size = inner(&self.w, &self.w).sqrt();
        let least = 1e-13 * set.norm_bound * set.polytope.stretch() * dot_four(c, c).sqrt();
        if size.is_nan() || size <= least || !size.is_finite() {
            return None;
        }
        let inverse = -1.0 / size;
        for (y, w) in self.method.y.iter_mut().zip(&self.w) {
            *y = w.map(|w| w * inverse);
        }
        self.in_y = true;
        let value = dot_four(c, &set.center) - set.rho * size;
        Some(Support { value, bound: value, status: Status::Optimal })
    }
}

impl SupportMin for ConvexSet {
    fn min(&mut self, c: &[f64], warm: &mut Warm) -> Support {
        self.min_again(c, warm, false).0
    }

    fn min_again(&mut self, c: &[f64], warm: &mut Warm, known: bool) -> (Support, bool) {
        self.at_vertex = false;
        if self.set.limits.is_empty()
            && !self.set.point
            && let Some(answer) = self.min_over_ball(c)
        {
            warm.clear();
            return (answer, false);
        }
        let constant = self.set.reduce(c, &mut self.c);
        let whole = dot_four(c, c);
        if !whole.is_finite() {
            // no answer, but no lie either
            let (value, bound) = (f64::NAN, f64::NEG_INFINITY);
            return (Support { value, bound, status: Status::Inaccurate }, false);
        }
        if dot_four(&self.c, &self.c) <= 16.0 * f64::EPSILON * f64::EPSILON * whole {
            // constant on the hull: the remainder of c is rounding, any point will do
            self.z.copy_from_slice(&self.witness);
            self.in_y = false;
            let account = self.set.account(&self.c, std::iter::empty(), &mut self.r, &mut self.whitened);
            let value = constant + dot(&self.c, &self.z);
            let bound = (constant + account.bound(&self.r, &self.bounds)).min(value);
            return (Support { value, bound, status: Status::Optimal }, false);
        }
        let (value, bound, status) = self.min_reduced(constant, warm, known);
        (Support { value: constant + value, bound: constant + bound, status }, self.at_vertex)
    }

    fn minimiser(&self, theta: &mut [f64]) {
        if !self.in_y {
            return expand(&self.set.polytope, &self.z, theta);
        }
        if self.faces.is_some() || self.starts.is_some() {
            return self.set.place(&self.method.y, theta);
        }
        let mut z = self.z.clone();
        self.set.unwhiten(self.method.y.as_flattened(), &mut z);
        expand(&self.set.polytope, &z, theta);
    }

    fn fallbacks(&self) -> u64 {
        self.fallbacks
    }

    fn count_fallbacks(&mut self, more: u64) {
        self.fallbacks += more;
    }

    fn identity(&self) -> Option<u64> {
        Some(self.identity)
    }

    fn ready(&mut self, survey: &Survey) {
        self.make_ready(survey);
    }

    fn is_eager(&self) -> bool {
        self.starts.is_some()
    }

    fn binding_rows(&self) -> usize {
        self.set.limits.len()
    }

    fn hold(&mut self, yes: bool) {
        self.method.held = if yes { Held::Nothing } else { Held::Unwanted };
    }

    fn is_relaxed(&self) -> bool {
        self.set.relaxed
    }
}

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
        // a ball that contains whatever is of ordinary size: where it constrains the answer, the
        // polytope does not
        let mut radius = 1e6 * (1.0 + norm(polytope.interior()));
        let (d, core) = (polytope.dim(), Arc::new(polytope.core()));
        let set = if polytope.is_turned() {
            // a ball of its own coordinates
            let inside = polytope.coordinates(polytope.interior());
            radius = 1e6 * (1.0 + norm(&inside));
            Whitened::assemble(&core, Cholesky::scaled_identity(k, 1.0), inside, radius)
        } else {
            let mut identity = vec![0.0; d * d];
            (0..d).for_each(|i| identity[i * d + i] = 1.0);
            Whitened::new(&core, Ellipsoid { center: polytope.interior(), shape: &identity, radius })
        };
        let Ok(set) = set else { return intervals };
        let mut set = ConvexSet::prepare(set);
        for j in 0..k {
            let mut side = |sign: f64| {
                set.c.fill(0.0);
                set.c[j] = sign;
                // a bound whatever its status
                let (_, bound, _) = set.min_reduced(0.0, &mut Warm::default(), false);
                if bound > -0.1 * radius { bound - 1e-9 * (1.0 + bound.abs()) } else { f64::NEG_INFINITY }
            };
            intervals[j] = (side(1.0), -side(-1.0));
        }
        intervals
    })
}

#[cfg(test)]
mod tests;
