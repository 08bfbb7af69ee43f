//! A polytope {x : a_i'x = b_i, a_k'x <= b_k} with its equalities eliminated.

use super::{dot, norm};
use std::collections::HashSet;

/// A new equality cannot hold together with those before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contradiction;

/// No point satisfies all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct EmptyPolytope {
    /// How it was found.
    pub detail: String,
}

/// x = origin + basis z with z free in R^k, subject to rows z <= offsets; every row has norm one.
#[derive(Clone, Debug)]
pub struct Polytope {
    dim: usize,
    free: usize,
    origin: Vec<f64>,
    basis: Vec<f64>,
    rows: Vec<f64>,
    offsets: Vec<f64>,
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
    /// An orthonormal basis of the hull's directions: d x k, row-major.
    pub fn basis(&self) -> &[f64] {
        &self.basis
    }
    /// The inequality rows: m x k, row-major, each of norm one.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }
    /// The right-hand sides of the rows.
    pub fn offsets(&self) -> &[f64] {
        &self.offsets
    }
}

/// Collects rows, then eliminates the equalities.
#[derive(Clone, Debug)]
pub struct PolytopeBuilder {
    dim: usize,
    /// Orthonormal equality rows with their right-hand sides.
    equalities: Vec<(Vec<f64>, f64)>,
    halfspaces: Vec<(Vec<f64>, f64)>,
    seen: HashSet<Vec<u64>>,
}

impl PolytopeBuilder {
    /// No rows yet: all of R^d.
    pub fn new(dim: usize) -> Self {
        PolytopeBuilder { dim, equalities: Vec::new(), halfspaces: Vec::new(), seen: HashSet::new() }
    }

    /// Adds a'x = b.
    pub fn equality(&mut self, a: &[f64], b: f64) -> Result<(), Contradiction> {
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
        if left <= 1e-11 * size {
            return if rest.abs() <= 1e-9 * (size + b.abs()) { Ok(()) } else { Err(Contradiction) };
        }
        row.iter_mut().for_each(|r| *r /= left);
        self.equalities.push((row, rest / left));
        Ok(())
    }

    /// Adds a'x <= b.
    pub fn halfspace(&mut self, a: &[f64], b: f64) {
        let mut key: Vec<u64> = a.iter().map(|x| x.to_bits()).collect();
        key.push(b.to_bits());
        if self.seen.insert(key) {
            self.halfspaces.push((a.to_vec(), b));
        }
    }

    /// Eliminates the equalities.
    pub fn finish(self) -> Result<Polytope, EmptyPolytope> {
        let d = self.dim;
        let mut origin = vec![0.0; d];
        for (e, f) in &self.equalities {
            origin.iter_mut().zip(e).for_each(|(o, e)| *o += f * e);
        }
        let mut spanned: Vec<Vec<f64>> = self.equalities.iter().map(|(e, _)| e.clone()).collect();
        let mut directions: Vec<Vec<f64>> = Vec::new();
        for axis in 0..d {
            let mut v = vec![0.0; d];
            v[axis] = 1.0;
            for _ in 0..2 {
                for e in &spanned {
                    let t = dot(e, &v);
                    v.iter_mut().zip(e).for_each(|(v, e)| *v -= t * e);
                }
            }
            let left = norm(&v);
            if left > 1e-7 {
                v.iter_mut().for_each(|v| *v /= left);
                spanned.push(v.clone());
                directions.push(v);
            }
        }
        let free = directions.len();
        let mut basis = vec![0.0; d * free];
        for (k, direction) in directions.iter().enumerate() {
            for i in 0..d {
                basis[i * free + k] = direction[i];
            }
        }
        let (mut rows, mut offsets) = (Vec::new(), Vec::new());
        for (a, b) in &self.halfspaces {
            let reduced: Vec<f64> =
                (0..free).map(|k| (0..d).map(|i| a[i] * basis[i * free + k]).sum()).collect();
            let rest = b - dot(a, &origin);
            let size = norm(&reduced);
            if size <= 1e-11 * norm(a).max(1e-300) {
                if rest < -1e-9 * (1.0 + b.abs()) {
                    return Err(EmptyPolytope { detail: format!("a row is off by {rest} everywhere") });
                }
                continue;
            }
            rows.extend(reduced.iter().map(|r| r / size));
            offsets.push(rest / size);
        }
        Ok(Polytope { dim: d, free, origin, basis, rows, offsets })
    }
}
