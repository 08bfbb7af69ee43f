//! The ellipsoid within the polytope's hull.

use super::Whitened;
use crate::support::{Ellipsoid, Empty, bounds};
use crate::{Cholesky, Polytope, Portable, dot, norm};
use std::sync::Arc;

impl Whitened {
    /// Fails if the ellipsoid misses the hull, a row, or, when either is a point, the other. An
    /// invalid ellipsoid (a negative eigenvalue, a NaN) constrains nothing.
    pub(in crate::support) fn new(polytope: &Arc<Polytope>, ellipsoid: Ellipsoid) -> Result<Self, Empty> {
        let (d, k) = (polytope.dim(), polytope.free());
        let Ellipsoid { center, shape, radius } = ellipsoid;
        if radius < 0.0 {
            return Err(Empty::Hull);
        }
        let finite = radius.is_finite() && center.iter().chain(shape).all(|x| x.is_finite());
        let factored = if finite { factor_within(polytope, shape, radius) } else { None };
        let Some((factor, lift, anchor, reach)) = factored else { return Self::unbounded(polytope) };
        let (basis, origin) = (polytope.basis(), polytope.origin());
        let sigma = |v: &[f64], out: &mut [f64]| {
            out.iter_mut().enumerate().for_each(|(i, o)| *o = dot(&shape[i * d..(i + 1) * d], v));
        };
        let offset = |z: &[f64]| -> Vec<f64> {
            (0..d).map(|i| origin[i] + dot(&basis[i * k..(i + 1) * k], z) - center[i]).collect()
        };
        let mut z0 = anchor.clone();
        let mut off = offset(&z0);
        let far = norm(&off);
        let mut image = vec![0.0; d];
        // a second pass sharpens the centre when Sigma is badly conditioned: rho needs it
        for _ in 0..2 {
            sigma(&off, &mut image);
            let mut step: Vec<f64> = (0..k)
                .map(|j| {
                    (0..d).map(|i| basis[i * k + j] * image[i]).sum::<f64>() + lift * (z0[j] - anchor[j])
                })
                .collect();
            factor.solve(&mut step);
            z0.iter_mut().zip(&step).for_each(|(z, s)| *z -= s);
            off = offset(&z0);
        }
        sigma(&off, &mut image);
        // the distance from the centre to the hull, without the cancellation of e'Se -
        // (N'Se)'S^-1(N'Se)
        let moved: f64 = z0.iter().zip(&anchor).map(|(z, a)| (z - a) * (z - a)).sum();
        let distance = (dot(&off, &image).max(0.0) + lift * moved).sqrt();
        // on the polytope |z - anchor| <= reach, so that the lift costs its points no more than
        // lift reach^2; the second of these is for rounding in S
        let radius = radius.hypotenuse((2.0 * lift).sqrt() * reach);
        let widest = (0..d).map(|i| shape[i * d + i]).fold(lift, f64::max).sqrt();
        let rounding = 1e-13 * widest * (norm(center) + norm(origin) + far);
        if distance > radius * (1.0 + 1e-12) + rounding + widest * polytope.blur() {
            return Err(Empty::Hull);
        }
        // near the hull's edge rounding in the distance is magnified: towards the larger set
        let distance = (distance - 1e-2 * rounding).max(0.0);
        let rho = ((radius - distance) * (radius + distance)).max(0.0).sqrt();
        Self::assemble(polytope, factor, z0, rho)
    }

    /// The same for an ellipsoid in the coordinates of the hull, whose shape is factored as it is.
    pub(in crate::support) fn in_hull(polytope: &Arc<Polytope>, ellipsoid: Ellipsoid) -> Result<Self, Empty> {
        let Ellipsoid { center, shape, radius } = ellipsoid;
        if radius < 0.0 {
            return Err(Empty::Hull);
        }
        let finite = radius.is_finite() && center.iter().chain(shape).all(|x| x.is_finite());
        match Cholesky::factor(shape, center.len()).filter(|_| finite) {
            Some(factor) => Self::assemble(polytope, factor, center.to_vec(), radius),
            None => Self::unbounded(polytope),
        }
    }

    fn unbounded(polytope: &Arc<Polytope>) -> Result<Self, Empty> {
        let (anchor, reach) = ball_around(polytope);
        Self::assemble(polytope, Cholesky::scaled_identity(anchor.len(), 1.0), anchor, reach)
    }
}

/// The factor of S + tau I, S = N' Sigma N, with tau > 0 where S is singular to rounding; then also
/// the centre and radius of a ball around the polytope. `None` if negative eigenvalues are more
/// than rounding.
fn factor_within(
    polytope: &Arc<Polytope>,
    shape: &[f64],
    radius: f64,
) -> Option<(Cholesky, f64, Vec<f64>, f64)> {
    let (d, k) = (polytope.dim(), polytope.free());
    let basis = polytope.basis();
    let mut s = vec![0.0; k * k];
    for j in 0..k {
        let column: Vec<f64> = (0..d).map(|i| basis[i * k + j]).collect();
        let image: Vec<f64> = shape.chunks_exact(d).map(|row| dot(row, &column)).collect();
        for i in 0..k {
            s[i * k + j] = (0..d).map(|l| basis[l * k + i] * image[l]).sum();
        }
    }
    let trace: f64 = (0..k).map(|i| s[i * k + i]).sum();
    if k > 0 && trace <= 0.0 {
        return None;
    }
    // a pivot of the size of S's rounding may have any true value
    let rounding = 4.0 * k as f64 * f64::EPSILON * trace;
    let sound = |f: &Cholesky| (0..k).all(|i| f.lower()[i * k + i].powi(2) > rounding);
    if let Some(factor) = Cholesky::factor(&s, k).filter(sound) {
        return Some((factor, 0.0, vec![0.0; k], 0.0));
    }
    let (anchor, mut reach) = ball_around(polytope);
    let mut lift = 4.0 * rounding;
    while lift <= 1e-9 * trace {
        let mut lifted = s.clone();
        (0..k).for_each(|i| lifted[i * k + i] += lift);
        if let Some(factor) = Cholesky::factor(&lifted, k).filter(sound) {
            // an ellipsoid that reaches further than this in an unbounded polytope has no
            // length a number can tell
            reach = reach.min(1e3 * radius / lift.sqrt() + 1e3 * (1.0 + norm(&anchor)));
            return Some((factor, lift, anchor, reach));
        }
        lift *= 10.0;
    }
    None
}

/// A ball that contains the polytope or, if that is unbounded, whatever of it is of ordinary size.
fn ball_around(polytope: &Arc<Polytope>) -> (Vec<f64>, f64) {
    let anchor = polytope.coordinates(polytope.interior());
    let square: f64 =
        bounds(polytope).iter().zip(&anchor).map(|(&(low, high), a)| (a - low).max(high - a).powi(2)).sum();
    let ordinary = 1e8 * (1.0 + norm(&anchor));
    (anchor, (square.sqrt() * (1.0 + 1e-9) + 1e-12).min(ordinary))
}
