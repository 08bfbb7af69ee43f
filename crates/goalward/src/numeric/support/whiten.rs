//! One set, prepared for many objectives: min w'y over |y| <= 1, G y <= h.

use super::{Ellipsoid, Empty};
use crate::numeric::{Cholesky, Polytope, dot, norm};
use std::sync::Arc;

/// The set {z : |L'(z - z0)| <= rho, A z <= b} in the coordinates y = L'(z - z0) / rho.
///
/// z are the polytope's free coordinates, x = origin + basis z. The rows G have norm one, so that h and every
/// violation are distances in units of the ball; rows that the ball alone satisfies are left out.
#[derive(Clone, Debug)]
pub(super) struct Whitened {
    pub(super) polytope: Arc<Polytope>,
    /// The dimension k of y.
    pub(super) free: usize,
    /// The ellipsoid's centre within the hull.
    pub(super) z0: Vec<f64>,
    /// The ellipsoid's radius within the hull.
    pub(super) rho: f64,
    /// The factor L of S = N' Sigma N.
    pub(super) factor: Cholesky,
    /// G, row-major.
    pub(super) rows: Vec<f64>,
    pub(super) limits: Vec<f64>,
    /// |L^-1 A_i|: multipliers of the rows of G divided by it are multipliers of the rows of A.
    pub(super) sizes: Vec<f64>,
    /// What rounding may have done to h.
    pub(super) noise: Vec<f64>,
    /// The polytope's row behind each row of G.
    pub(super) index: Vec<usize>,
    /// The set is so small that only its centre can be told apart.
    pub(super) point: bool,
}

/// A dual feasible point's account of the objective: for z in the set, c'z = linear + r'z + something >= 0.
pub(super) struct Account {
    /// -b'lambda.
    pub(super) linear: f64,
    /// The least of r'z over the ellipsoid, or over the polytope's bounds if that is more.
    pub(super) rest: f64,
}

impl Whitened {
    /// Fails if the ellipsoid misses the hull, a row, or, when either is a point, the other.
    ///
    /// # Panics
    ///
    /// If the shape is not positive definite.
    pub(super) fn new(polytope: &Arc<Polytope>, ellipsoid: Ellipsoid) -> Result<Self, Empty> {
        let (d, k) = (polytope.dim(), polytope.free());
        let (basis, origin) = (polytope.basis(), polytope.origin());
        let Ellipsoid { center, shape, radius } = ellipsoid;
        let sigma = |v: &[f64], out: &mut [f64]| {
            out.iter_mut().enumerate().for_each(|(i, o)| *o = dot(&shape[i * d..(i + 1) * d], v));
        };
        let onto = |v: &[f64]| -> Vec<f64> {
            (0..k).map(|j| (0..d).map(|i| basis[i * k + j] * v[i]).sum()).collect()
        };
        let mut s = vec![0.0; k * k];
        let mut image = vec![0.0; d];
        for j in 0..k {
            let column: Vec<f64> = (0..d).map(|i| basis[i * k + j]).collect();
            sigma(&column, &mut image);
            onto(&image).iter().enumerate().for_each(|(i, x)| s[i * k + j] = *x);
        }
        let factor = factor(&mut s, k);
        // a second pass sharpens the centre when Sigma is badly conditioned: rho needs it
        let mut z0 = vec![0.0; k];
        let mut off: Vec<f64> = (0..d).map(|i| origin[i] - center[i]).collect();
        let far = norm(&off);
        for _ in 0..2 {
            sigma(&off, &mut image);
            let mut step = onto(&image);
            factor.solve(&mut step);
            z0.iter_mut().zip(&step).for_each(|(z, s)| *z -= s);
            for i in 0..d {
                off[i] = origin[i] + dot(&basis[i * k..(i + 1) * k], &z0) - center[i];
            }
        }
        sigma(&off, &mut image);
        // the distance from the centre to the hull, without the cancellation of e'Se - (N'Se)'S^-1(N'Se)
        let distance = dot(&off, &image).max(0.0).sqrt();
        let widest = (0..d).map(|i| shape[i * d + i]).fold(0.0, f64::max).sqrt();
        let rounding = 1e-13 * widest * (norm(center) + norm(origin) + far);
        if distance > radius * (1.0 + 1e-12) + rounding {
            return Err(Empty::Hull);
        }
        let rho = ((radius - distance) * (radius + distance)).max(0.0).sqrt();
        let mut set = Whitened {
            polytope: Arc::clone(polytope),
            free: k,
            z0,
            rho,
            factor,
            rows: Vec::new(),
            limits: Vec::new(),
            sizes: Vec::new(),
            noise: Vec::new(),
            index: Vec::new(),
            point: false,
        };
        set.take_rows()?;
        Ok(set)
    }

    fn take_rows(&mut self) -> Result<(), Empty> {
        let k = self.free;
        let place = norm(&self.z0);
        let polytope = Arc::clone(&self.polytope);
        let pairs = || polytope.rows().chunks_exact(k.max(1)).zip(polytope.offsets());
        let mut extent = 0f64;
        let mut g = vec![0.0; k];
        for j in 0..k {
            g.fill(0.0);
            g[j] = 1.0;
            self.factor.solve_lower(&mut g);
            extent = extent.max(self.rho * norm(&g));
        }
        if extent <= 1e-13 * (1.0 + place) {
            self.point = true;
            let inside = pairs().all(|(a, b)| dot(a, &self.z0) <= b + 1e-9 * (1.0 + place + b.abs()));
            return if inside { Ok(()) } else { Err(Empty::Point) };
        }
        for (i, (a, &b)) in pairs().enumerate() {
            g.copy_from_slice(a);
            self.factor.solve_lower(&mut g);
            let size = norm(&g);
            let limit = (b - dot(a, &self.z0)) / (self.rho * size);
            let noise = 8.0 * f64::EPSILON * (b.abs() + place) / (self.rho * size);
            if limit >= 1.0 + noise {
                continue;
            }
            if limit < -1.0 - 1e-10 - noise {
                return Err(Empty::Apart);
            }
            self.rows.extend(g.iter().map(|g| g / size));
            self.limits.push(limit);
            self.sizes.push(size);
            self.noise.push(noise);
            self.index.push(i);
        }
        Ok(())
    }

    /// A row of G.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.free..(i + 1) * self.free]
    }

    /// z = z0 + rho L^-T y.
    pub(super) fn unwhiten(&self, y: &[f64], z: &mut [f64]) {
        z.copy_from_slice(y);
        self.factor.solve_upper(z);
        z.iter_mut().zip(&self.z0).for_each(|(z, z0)| *z = z0 + self.rho * *z);
    }

    /// What multipliers of the rows of G, nonnegative, say about the objective c in z; leaves r = c + A'lambda.
    ///
    /// For A z <= b this is c'z = -lambda'A z + r'z >= -b'lambda + r'z, and r'z is at least r'z0 - rho |L^-1 r| on
    /// the ellipsoid and at least its value at a corner of the polytope's bounds. While the ellipsoid is huge r is
    /// rounding, which only the second keeps small.
    pub(super) fn account(
        &self,
        c: &[f64],
        multipliers: impl Iterator<Item = (usize, f64)>,
        bounds: &[(f64, f64)],
        r: &mut [f64],
        scratch: &mut [f64],
    ) -> Account {
        let k = self.free;
        r.copy_from_slice(c);
        let mut linear = 0.0;
        for (i, multiplier) in multipliers {
            let lambda = multiplier.max(0.0) / self.sizes[i];
            let row = self.index[i];
            linear -= lambda * self.polytope.offsets()[row];
            let a = &self.polytope.rows()[row * k..(row + 1) * k];
            r.iter_mut().zip(a).for_each(|(r, a)| *r += lambda * a);
        }
        let ball = dot(r, &self.z0) - self.rho * self.factor.inverse_norm(r, scratch);
        let corner = r.iter().zip(bounds).map(|(&r, &(low, high))| match r {
            0.0 => 0.0,
            r if r > 0.0 => r * low,
            r => r * high,
        });
        Account { linear, rest: ball.max(corner.sum()) }
    }
}

/// Factors S, which rounding may have pushed off the positive definite matrices.
fn factor(s: &mut [f64], k: usize) -> Cholesky {
    let trace: f64 = (0..k).map(|i| s[i * k + i]).sum();
    let mut lift = 1e-15 * trace;
    while lift <= 1e-9 * trace {
        if let Some(factor) = Cholesky::factor(s, k) {
            return factor;
        }
        (0..k).for_each(|i| s[i * k + i] += lift);
        lift *= 10.0;
    }
    Cholesky::factor(s, k).expect("an ellipsoid's shape is positive definite")
}
