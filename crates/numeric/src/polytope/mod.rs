//! A polytope {x : a_i'x = b_i, a_k'x <= b_k} with its equalities eliminated.

mod corners;
mod facts;
mod features;
pub(crate) mod interior;
mod prune;
mod reduce;
mod turn;
mod walk;

use super::{Tall, dot, norm};
use crate::Portable;
pub(crate) use features::Features;
pub use features::Rows;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
pub use turn::Turn;

/// A row that keeps no more than this share of its norm beyond the equalities is left out, and so
/// is an implied equality: its direction would be rounding.
const FAINT: f64 = 1e-9;

/// How far an implied equality may be from the rows that imply it.
const BLUR: f64 = 1e-8;

/// No point satisfies all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct EmptyPolytope {
    /// How it was found.
    pub detail: String,
}

/// How many of the rows that were stated are left, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// Rows as they were stated, equal ones counted each time.
    pub seen: usize,
    /// Rows that are left; where there are too many to be written out, all of them.
    pub kept: usize,
    /// Whether every row that is left is a facet; otherwise looking further was not worthwhile.
    pub complete: bool,
}

/// x = origin + basis z with z free in R^k, subject to rows z <= offsets; every row has norm one.
/// Some point satisfies every row strictly: rows that are tight everywhere became equalities. The
/// polytope may be unbounded, or a point (k = 0).
///
/// Implied rows are dropped while that is cheap ([`pruned`](Self::pruned)). With more than 65,536
/// different feature rows, and too many facets, it keeps the features instead
/// ([`has_features`](Self::has_features)); [`rows`](Self::rows) are then a *core* of them.
///
/// ```
/// use goalward_numeric::PolytopeBuilder;
/// let mut builder = PolytopeBuilder::new(3);
/// builder.equality(&[1.0, 1.0, 1.0], 1.0).unwrap();
/// let minus = |i: usize| [0, 1, 2].map(|j| if i == j { -1.0 } else { 0.0 });
/// (0..3).for_each(|i| builder.halfspace(&minus(i), 0.0));
/// builder.halfspace(&[0.0, 0.0, 1.0], 0.0); // together with theta_3 >= 0 this says theta_3 = 0
/// let segment = builder.finish().unwrap();
/// assert_eq!((segment.dim(), segment.free()), (3, 1));
/// assert!(segment.contains(&[0.25, 0.75, 0.0], 1e-12));
/// assert!(!segment.contains(&[0.25, 0.5, 0.25], 1e-12));
/// ```
#[derive(Clone, Debug)]
pub struct Polytope {
    dim: usize,
    free: usize,
    origin: Vec<f64>,
    basis: Vec<f64>,
    rows: Vec<f64>,
    offsets: Vec<f64>,
    interior: Vec<f64>,
    blur: f64,
    /// The length of each basis vector, unless all have length one.
    lengths: Option<Vec<f64>>,
    features: Option<Features>,
    nearest: (usize, usize),
    pruned: Pruned,
    bounds: OnceLock<Vec<(f64, f64)>>,
    corners: OnceLock<Option<Vec<f64>>>,
}

impl Polytope {
    /// The dimension d of the space.
    pub fn dim(&self) -> usize {
        self.dim
    }
    /// The dimension k of the affine hull.
    pub fn free(&self) -> usize {
        self.free
    }
    /// A point of the affine hull, the one of least norm.
    pub fn origin(&self) -> &[f64] {
        &self.origin
    }
    /// An orthogonal basis of the hull's directions: d x k, row-major; orthonormal unless turned.
    pub fn basis(&self) -> &[f64] {
        &self.basis
    }
    /// The inequality rows: m x k, row-major, of norm one; a core if there are features.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }
    /// The right-hand sides of the rows.
    pub fn offsets(&self) -> &[f64] {
        &self.offsets
    }
    /// A point of the relative interior in R^d, or the best that rounding shows.
    pub fn interior(&self) -> &[f64] {
        &self.interior
    }
    /// Whether there are more rows than [`rows`](Self::rows) gives: too many to be written out.
    pub fn has_features(&self) -> bool {
        self.features.is_some()
    }
    /// How many rows were seen and how many are left.
    pub fn pruned(&self) -> Pruned {
        self.pruned
    }
    /// The rows beyond [`rows`](Self::rows).
    pub fn features(&self) -> Option<&Features> {
        self.features.as_ref()
    }
    /// The size in memory, in bytes; features belong to the problem.
    pub fn bytes(&self) -> usize {
        size_of_val(self.rows()) + size_of_val(self.offsets())
    }
    /// The same with another way to choose among the rows that are not written out.
    pub fn with_rows(&self, rows: Rows) -> Polytope {
        let features = self.features.clone().map(|features| features.with_limit(rows));
        Polytope { features, ..self.clone() }
    }
    /// The same, of whose rows a confidence set takes all that can bind up to `most`, and of more this
    /// number of those nearest to its centre.
    pub fn with_nearest(&self, most: usize, otherwise: usize) -> Polytope {
        Polytope { nearest: (most, otherwise), ..self.clone() }
    }
    /// How many rows a confidence set takes at most, and how many of more.
    pub fn nearest(&self) -> (usize, usize) {
        self.nearest
    }
    /// The same without its features but with some of their rows written out: a larger polytope.
    pub fn core_with(&self, rows: &[usize]) -> Polytope {
        let mut core = self.core();
        let mut row = vec![0.0; self.free];
        for &i in rows {
            if let Some(b) = self.features.as_ref().and_then(|features| features.row(self, i, &mut row)) {
                core.rows.extend_from_slice(&row);
                core.offsets.push(b);
            }
        }
        core
    }
    /// The same without the rows that are not written out: a larger polytope.
    pub fn core(&self) -> Polytope {
        Polytope { features: None, nearest: (usize::MAX, usize::MAX), ..self.clone() }
    }
    /// Whether x satisfies every equality and every row up to a distance of `tolerance`.
    pub fn contains(&self, x: &[f64], tolerance: f64) -> bool {
        let z = self.coordinates(x);
        let off = (0..self.dim).map(|i| {
            let hull = self.origin[i] + dot(&self.basis[i * self.free..(i + 1) * self.free], &z);
            (x[i] - hull).powi(2)
        });
        off.sum::<f64>().sqrt() <= tolerance
            && (self.offsets.iter().enumerate())
                .all(|(i, b)| dot(&self.rows[i * self.free..(i + 1) * self.free], &z) <= b + tolerance)
            && self.features.as_ref().is_none_or(|features| features.violated(self, &z, tolerance).is_empty())
    }
    /// The coordinates z of x's projection onto the hull.
    pub fn coordinates(&self, x: &[f64]) -> Vec<f64> {
        let mut z = vec![0.0; self.free];
        for i in 0..self.dim {
            let shift = x[i] - self.origin[i];
            z.iter_mut().zip(&self.basis[i * self.free..]).for_each(|(z, n)| *z += shift * n);
        }
        if let Some(lengths) = &self.lengths {
            z.iter_mut().zip(lengths).for_each(|(z, length)| *z /= length * length);
        }
        z
    }
    /// How far a point of all stated rows may be from this polytope, by implied equalities.
    pub fn blur(&self) -> f64 {
        self.blur
    }
    /// An interval for every coordinate of z, computed once.
    pub(crate) fn bounds(&self, compute: impl FnOnce(&Self) -> Vec<(f64, f64)>) -> &[(f64, f64)] {
        self.bounds.get_or_init(|| compute(self))
    }
}

/// Collects rows, then eliminates the equalities.
#[derive(Clone, Debug)]
pub struct PolytopeBuilder {
    dim: usize,
    equalities: Vec<(Vec<f64>, f64)>,
    /// Halfspaces, d + 1 numbers each: a and b.
    halfspaces: Vec<f64>,
    seen: HashMap<u64, u32>,
    features: Option<Arc<Tall>>,
    most: usize,
    stated: usize,
    unpruned: bool,
}

/// The number of different feature rows that are written out, unless a test sets another.
const MOST: usize = 1 << 16;

/// A value that equal numbers share; others almost never.
fn hash(numbers: impl Iterator<Item = f64>) -> u64 {
    // 0 and -0 are the same number
    numbers.fold(0, |h: u64, x| (h.rotate_left(23) ^ (x + 0.0).to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// A value that rows of one direction share; none for rows too small or too large to have one.
fn direction(phi: &[f64]) -> Option<u64> {
    let size = norm(phi);
    // to 2^-44: multiples of a row differ by rounding
    let key = || hash(phi.iter().map(|x| (x / size * 44f64.exp_2()).round()));
    (size.is_finite() && size > 1e-150).then(key)
}

/// Whether one row is a positive multiple of another, to rounding.
pub(crate) fn parallel(a: &[f64], b: &[f64]) -> bool {
    let size = norm(a);
    let scale = size / norm(b);
    a.iter().zip(b).all(|(x, y)| (x - scale * y).abs() <= 4.0 * f64::EPSILON * size)
}

impl PolytopeBuilder {
    /// No rows yet: all of R^d.
    pub fn new(dim: usize) -> Self {
        PolytopeBuilder {
            dim,
            equalities: Vec::new(),
            halfspaces: Vec::new(),
            seen: HashMap::new(),
            features: None,
            most: MOST,
            stated: 0,
            unpruned: false,
        }
    }

    /// Writes out at most this number of different feature rows, instead of 65,536.
    pub fn at_most(mut self, rows: usize) -> Self {
        self.most = rows;
        self
    }

    /// Keeps rows that the others imply.
    pub fn unpruned(mut self) -> Self {
        self.unpruned = true;
        self
    }

    /// Adds a'x = b; fails if that contradicts the equalities before it.
    pub fn equality(&mut self, a: &[f64], b: f64) -> Result<(), EmptyPolytope> {
        self.equality_beyond(1e-11, a, b)
    }

    /// Adds a'x = b, unless all but a share of a is spanned by the equalities before it.
    fn equality_beyond(&mut self, share: f64, a: &[f64], b: f64) -> Result<(), EmptyPolytope> {
        let size = norm(a).max(f64::MIN_POSITIVE);
        let (mut row, mut rest) = (a.to_vec(), b);
        // Gram-Schmidt, twice, for orthogonality to machine precision
        for _ in 0..2 {
            for (e, f) in &self.equalities {
                let t = dot(e, &row);
                row.iter_mut().zip(e).for_each(|(r, e)| *r -= t * e);
                rest -= t * f;
            }
        }
        let left = norm(&row);
        if left <= share * size {
            let holds = rest.abs() <= (1e-9 + 1e3 * left) * (size + b.abs());
            let detail = || format!("an equality is off by {rest} from those before it");
            return if holds { Ok(()) } else { Err(EmptyPolytope { detail: detail() }) };
        }
        row.iter_mut().for_each(|r| *r /= left);
        self.equalities.push((row, rest / left));
        Ok(())
    }

    /// Adds a'x <= b.
    pub fn halfspace(&mut self, a: &[f64], b: f64) {
        self.stated += 1;
        self.is_new(a, b);
    }

    /// Adds a'x <= b and says whether it was not there yet.
    fn is_new(&mut self, a: &[f64], b: f64) -> bool {
        let key = hash(a.iter().copied().chain([b]));
        let width = self.dim + 1;
        let number = (self.halfspaces.len() / width) as u32;
        if let Some(&same) = self.seen.get(&key) {
            let same = &self.halfspaces[same as usize * width..][..width];
            if same[..self.dim] == *a && same[self.dim] == b {
                return false;
            }
        }
        self.seen.insert(key, number);
        self.halfspaces.extend_from_slice(a);
        self.halfspaces.push(b);
        true
    }

    /// Adds phi'x >= 0 for every row phi, once for each direction, unless facts imply it. Where too
    /// many remain, the features are kept by reference.
    pub fn no_less_than_zero(&mut self, features: &Arc<Tall>) {
        self.stated += features.rows();
        if let Some(before) = self.features.replace(Arc::clone(features)) {
            self.write_out(&Features::new(before, Rows::default()));
        }
    }

    /// Eliminates equalities, merges parallel rows and drops rows that the others imply.
    pub fn finish(mut self) -> Result<Polytope, EmptyPolytope> {
        let (seen, unpruned) = (self.stated, self.unpruned);
        let mut polytope = match self.features.take() {
            None => self.finish_rows(),
            Some(features) => features::finish(self, features),
        }?;
        polytope.pruned.seen = seen;
        if unpruned {
            polytope.pruned = polytope.unpruned();
        } else {
            polytope.prune();
        }
        Ok(polytope)
    }

    fn finish_rows(mut self) -> Result<Polytope, EmptyPolytope> {
        let stated = self.equalities.len();
        loop {
            let mut hull = self.hull();
            hull.blur = if self.equalities.len() > stated { BLUR } else { 0.0 };
            let mut tight = hull.reduce(&self.halfspaces)?;
            let mut inside = Vec::new();
            if tight.is_empty() && hull.free > 0 {
                (inside, tight) = interior::search(&hull.rows, &hull.offsets, hull.free)?;
            }
            if tight.is_empty() {
                return Ok(hull.around(&inside));
            }
            for row in tight {
                let a = &hull.rows[row * hull.free..(row + 1) * hull.free];
                let lifted: Vec<f64> =
                    hull.basis.chunks_exact(hull.free).map(|direction| dot(direction, a)).collect();
                let b = hull.offsets[row] + dot(&lifted, &hull.origin);
                if self.equality_beyond(1e-6, &lifted, b).is_err() {
                    // either no point satisfies all rows, or one of these was not tight after all
                    return interior::decide(&hull.rows, &hull.offsets, hull.free).map(|z| hull.around(&z));
                }
            }
        }
    }

    fn hull(&self) -> Polytope {
        let d = self.dim;
        let mut origin = vec![0.0; d];
        for (e, f) in &self.equalities {
            origin.iter_mut().zip(e).for_each(|(o, e)| *o += f * e);
        }
        let mut spanned: Vec<Vec<f64>> = self.equalities.iter().map(|(e, _)| e.clone()).collect();
        let free = d - spanned.len();
        let mut left: Vec<usize> = (0..d).collect();
        let mut directions: Vec<Vec<f64>> = Vec::new();
        while directions.len() < free {
            // the axis that sticks out furthest: the first that sticks out at all may do so by
            // rounding only
            let out = |axis: usize| 1.0 - spanned.iter().map(|e| e[axis] * e[axis]).sum::<f64>();
            let further = |best, i| if out(left[i]) > out(left[best]) + 1e-6 { i } else { best };
            let place = (0..left.len()).fold(0, further);
            let mut v = vec![0.0; d];
            v[left.remove(place)] = 1.0;
            for _ in 0..2 {
                for e in &spanned {
                    let t = dot(e, &v);
                    v.iter_mut().zip(e).for_each(|(v, e)| *v -= t * e);
                }
                let size = norm(&v);
                v.iter_mut().for_each(|v| *v /= size);
            }
            spanned.push(v.clone());
            directions.push(v);
        }
        let mut basis = vec![0.0; d * free];
        for (k, direction) in directions.iter().enumerate() {
            for i in 0..d {
                basis[i * free + k] = direction[i];
            }
        }
        Polytope {
            dim: d,
            free,
            origin,
            basis,
            rows: Vec::new(),
            offsets: Vec::new(),
            interior: Vec::new(),
            blur: 0.0,
            lengths: None,
            features: None,
            nearest: (usize::MAX, usize::MAX),
            pruned: Pruned { seen: 0, kept: 0, complete: false },
            bounds: OnceLock::new(),
            corners: OnceLock::new(),
        }
    }
}

#[cfg(test)]
mod tests;
