//! An ellipsoid around the likelihood set, by quadratic minorants that tighten each other.

use super::starts::{Starts, log_sum};
use crate::estimate::{Likelihood, Maximum, Term, gram, likelihood_ridge};
use crate::numeric::stored::{Flaw, length};
use crate::numeric::support::{ConvexSet, Ellipsoid, Empty};
use crate::numeric::{Cholesky, Portable, dot, norm};
use serde::{Deserialize, Serialize};

/// {z : |z - center|^2 <= radius^2 in the norm of the shape}, cut by half-spaces, in the coordinates
/// of B's affine hull.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outer {
    pub(super) center: Vec<f64>,
    pub(super) shape: Vec<f64>,
    pub(super) radius: f64,
    /// Tangents of the set that was enclosed, a'z <= b: k numbers and b each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cuts: Vec<f64>,
    /// A point that none of them cuts off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    inside: Vec<f64>,
}

/// What an ellipsoid makes of several starts: log sum exp(x_n) >= sum pi_n x_n + H(pi), whatever the
/// shares pi, so that F <= 0 implies sum pi_n f_n <= sum pi_n r_n - H(pi). That is the set of one
/// likelihood, with weights in the place of counts.
pub(super) struct Blend<'a> {
    starts: &'a Starts,
    shares: Vec<f64>,
    /// The threshold above the loss, both of the blend, where it was made.
    gap: f64,
}

impl<'a> Blend<'a> {
    /// The shares are those that F has at the boundary of the narrowest of the sets, if all
    /// directions are seen alike: f_n - r_n = -gap_n + (t - t_n) x/2 at the x where the first of
    /// them reaches 0.
    pub(super) fn new(
        likelihood: &Likelihood,
        starts: &'a Starts,
        losses: &[f64],
        thresholds: &[f64],
    ) -> Self {
        let gaps: Vec<f64> = losses.iter().zip(thresholds).map(|(f, r)| r - f).collect();
        let seen = starts.lengths(likelihood.total());
        let first = gaps.iter().zip(&seen).filter(|(_, n)| **n > 0.0).map(|(gap, n)| gap / n);
        let x = first.fold(f64::INFINITY, f64::min).clamp(0.0, f64::MAX);
        let (_, shares) = log_sum(gaps.iter().zip(&seen).map(|(gap, n)| n * x - gap));
        let entropy = |share: f64| if share > 0.0 { share * share.log_e() } else { 0.0 };
        let gap = shares.iter().zip(&gaps).map(|(share, gap)| share * gap + entropy(*share)).sum();
        Blend { starts, shares, gap }
    }

    fn weight(&self, triple: usize, n: f64) -> f64 {
        match self.shares.len() {
            1 => n,
            _ => self.starts.since(triple, n).zip(&self.shares).map(|(n, share)| n * share).sum(),
        }
    }
}

/// Passes over the minorants: more gain nothing.
const PASSES: usize = 4;
/// A pass that narrows no probability's interval by this part is the last.
const WORTHWHILE: f64 = 0.05;

/// Contains {theta in B : F(theta) <= 0} and, if `upper` holds bounds that hold for theta*, what
/// these leave of it.
///
/// For p <= hi, -log p >= -log p0 - (p - p0)/p0 + kappa (p - p0)^2 with kappa from [`curvature`];
/// the sum over all triples makes an ellipsoid; it bounds every p, which lowers hi, which tightens
/// the ellipsoid. B takes no part in these bounds: it would narrow the set by another 2 % and cost
/// more than all the rest.
pub(super) fn outer(
    likelihood: &Likelihood,
    at: &Maximum,
    blend: &Blend,
    upper: &mut [f64],
) -> Result<Outer, Empty> {
    let k = at.z.len();
    let mut gap = blend.gap;
    if likelihood.blur() > 0.0 {
        // a theta far out has probabilities that are only known so well, and so has its loss
        let mut slopes = 0.0;
        likelihood
            .each_seen(&at.z, |seen| seen.terms().for_each(|x| slopes += blend.weight(x.index, x.n) / x.p));
        gap += 2.0 * likelihood.blur() * slopes;
    }
    let mut pass = 1;
    loop {
        let mut shape = vec![0.0; k * k];
        let mut gradient = vec![0.0; k];
        likelihood.each_seen(&at.z, |seen| {
            let minorants = seen.terms().map(|Term { index, row, p, n }| {
                let n = blend.weight(index, n);
                (row, -n / p, 2.0 * n * curvature(p, upper[index]))
            });
            gram(minorants, &mut gradient, &mut shape);
        });
        let (outer, factor) = ellipsoid(likelihood, at, gap, shape, gradient)?;
        if pass == PASSES {
            return Ok(outer);
        }
        let mut narrowed = 0f64;
        let inverse = inverse_lower(&factor);
        likelihood.each_seen(&outer.center, |seen| {
            for Term { index, row, p, .. } in seen.terms() {
                let reach = outer.radius * norm_through(&inverse, row) + likelihood.blur();
                let bound = (p + reach) * (1.0 + 1e-9);
                if bound > 0.0 && bound < upper[index] {
                    narrowed = narrowed.max(1.0 - bound / upper[index]);
                    upper[index] = bound;
                }
            }
        });
        if narrowed < WORTHWHILE {
            return Ok(outer);
        }
        pass += 1;
    }
}

/// L^-1 row by row, each from its first entry to the diagonal: a division for each entry of every
/// row would take longer than all the rest.
fn inverse_lower(factor: &Cholesky) -> Vec<f64> {
    let k = factor.dim();
    let (mut inverse, mut column) = (vec![0.0; k * k], vec![0.0; k]);
    for j in 0..k {
        column.fill(0.0);
        column[j] = 1.0;
        factor.solve_lower(&mut column);
        (j..k).for_each(|i| inverse[i * k + j] = column[i]);
    }
    inverse
}

/// |L^-1 x|.
fn norm_through(inverse: &[f64], x: &[f64]) -> f64 {
    let rows = inverse.chunks_exact(x.len().max(1)).enumerate();
    rows.map(|(i, row)| dot(&row[..=i], &x[..=i]).powi(2)).sum::<f64>().sqrt()
}

/// {z : g'(z - z0) + (z - z0)' H (z - z0)/2 <= gap} with the ridge that makes H definite.
///
/// Whatever step s the factor gives for g, H_r = H + rho I and c = z0 - s: for z in the set that is
/// no further than D from z0,
///
/// (z - c)' H_r (z - c) <= 2 gap + rho D^2 + s' H_r s + 2 (H_r s - g)'(z - z0),
///
/// so that an inexact step costs no point of the set; nor does rounding in the factor, which is
/// added for all of the way from c.
fn ellipsoid(
    likelihood: &Likelihood,
    at: &Maximum,
    gap: f64,
    mut shape: Vec<f64>,
    gradient: Vec<f64>,
) -> Result<(Outer, Cholesky), Empty> {
    let k = at.z.len();
    let trace: f64 = (0..k).map(|i| shape[i * k + i]).sum();
    let extent = likelihood.extent();
    // a hundredth of the squared radius widens the set by half a percent, and keeps an ellipsoid
    // that knows only some directions from being a needle that the support solver cannot hold
    let mut rho = likelihood_ridge(extent).max(0.02 * gap / (extent * extent)).max(1e-14 * trace);
    (0..k).for_each(|i| shape[i * k + i] += rho);
    let factor = loop {
        match Cholesky::factor(&shape, k) {
            Some(factor) => break factor,
            None if !rho.is_finite() => return Err(Empty::Apart),
            None => {
                (0..k).for_each(|i| shape[i * k + i] += rho);
                rho *= 2.0;
            }
        }
    };
    let mut step = gradient.clone();
    factor.solve(&mut step);
    let image: Vec<f64> = (0..k).map(|i| dot(&shape[i * k..(i + 1) * k], &step)).collect();
    let missed: f64 = image.iter().zip(&gradient).map(|(x, g)| (x - g).powi(2)).sum::<f64>().sqrt();
    let way = extent + norm(&step);
    let rounding = 2.0 * missed * extent + 4e-15 * trace * way * way;
    let squared = 2.0 * gap + rho * extent * extent + dot(&step, &image) + rounding;
    if squared.is_nan() || squared < 0.0 {
        return Err(Empty::Apart);
    }
    let center = at.z.iter().zip(&step).map(|(z, s)| z - s).collect();
    let radius = squared.sqrt() * (1.0 + 1e-9);
    Ok((Outer { center, shape, radius, cuts: Vec::new(), inside: Vec::new() }, factor))
}

/// kappa = (x - log(1 + x)) / (hi - p0)^2, x = hi/p0 - 1: the most for which the minorant holds up
/// to hi. The quotient falls in hi, so that it holds also when hi < p0.
pub(super) fn curvature(p: f64, hi: f64) -> f64 {
    let x = hi / p - 1.0;
    let quotient = if x.abs() < 1e-3 {
        0.5 - x / 3.0 + x * x / 4.0 - x * x * x / 5.0
    } else {
        (x - x.log_1p()) / (x * x)
    };
    // rounding must not make a bound of it that is no bound
    quotient * (1.0 - 1e-9) / (p * p)
}

impl Outer {
    pub(super) fn check(&self, k: usize) -> Result<(), Flaw> {
        length("center", &self.center, k)?;
        length("shape", &self.shape, k * k)?;
        let count = self.cuts.len() / (k + 1);
        length("cuts", &self.cuts, count * (k + 1))?;
        length("inside", &self.inside, if count > 0 { k } else { self.inside.len() })
    }

    /// How far inside the ellipsoid the nearest point is that has the kernels of this one of B's
    /// hull.
    pub(super) fn margin(&self, likelihood: &Likelihood, z: &[f64]) -> f64 {
        let k = z.len();
        let off: Vec<f64> = z.iter().zip(&self.center).map(|(z, c)| z - c).collect();
        let off = likelihood.seen_part(&off);
        let squared: f64 = (0..k).map(|i| off[i] * dot(&self.shape[i * k..(i + 1) * k], &off)).sum();
        let margin = self.radius - squared.max(0.0).sqrt();
        let Some(factor) = Cholesky::factor(&self.shape, k).filter(|_| !self.cuts.is_empty()) else {
            return margin;
        };
        let mut scratch = vec![0.0; k];
        let slacks = self.cuts().map(|(a, b)| {
            let slack = b - dot(a, &self.center) - dot(a, &off);
            slack / factor.inverse_norm(a, &mut scratch).max(f64::MIN_POSITIVE)
        });
        slacks.fold(margin, f64::min)
    }

    fn cuts(&self) -> impl Iterator<Item = (&[f64], f64)> {
        let k = self.center.len();
        self.cuts.chunks_exact(k + 1).map(move |cut| (&cut[..k], cut[k]))
    }

    /// Takes over the cuts of the support solver's set.
    pub(super) fn keep_cuts(&mut self, set: &ConvexSet) {
        self.cuts.clear();
        self.inside = set.point();
        set.each_cut(|a, b| {
            self.cuts.extend_from_slice(a);
            self.cuts.push(b);
        });
    }

    /// The ellipsoid within B, with its cuts.
    pub(super) fn within(&self, likelihood: &Likelihood) -> Result<ConvexSet, Empty> {
        let Outer { center, shape, radius, .. } = self;
        let ellipsoid = Ellipsoid { center, shape, radius: *radius };
        let mut set = ConvexSet::in_hull(likelihood.polytope(), ellipsoid)?;
        self.cut(&mut set);
        Ok(set)
    }

    pub(super) fn cut(&self, set: &mut ConvexSet) {
        self.cuts().for_each(|(a, b)| set.cut(a, b));
        if !self.cuts.is_empty() {
            set.witness(&self.inside);
        }
    }

    /// See [`LikelihoodSet::lies_in`](super::LikelihoodSet::lies_in).
    pub(super) fn lies_in(&self, likelihood: &Likelihood, other: &Ellipsoid) -> bool {
        let polytope = likelihood.polytope();
        let (d, k) = (polytope.dim(), polytope.free());
        let n = polytope.basis();
        // S = N' Sigma N, by way of Sigma N: d k (d + k) products
        let mut s = vec![0.0; k * k];
        let mut image = vec![0.0; k];
        for (n_i, row) in n.chunks_exact(k.max(1)).zip(other.shape.chunks_exact(d)) {
            image.fill(0.0);
            for (n_j, &entry) in n.chunks_exact(k.max(1)).zip(row) {
                image.iter_mut().zip(n_j).for_each(|(x, n)| *x += entry * n);
            }
            for (s, &weight) in s.chunks_exact_mut(k).zip(n_i) {
                s.iter_mut().zip(&image).for_each(|(s, x)| *s += weight * x);
            }
        }
        let distance = |theta: &[f64]| {
            let off: Vec<f64> = theta.iter().zip(other.center).map(|(x, c)| x - c).collect();
            (0..d).map(|i| off[i] * dot(&other.shape[i * d..(i + 1) * d], &off)).sum::<f64>().max(0.0).sqrt()
        };
        let Some(factor) = Cholesky::factor(&self.shape, k) else { return false };
        // traces instead of largest eigenvalues
        let mut relative = 0.0;
        for a in 0..k {
            let mut column: Vec<f64> = (0..k).map(|b| s[b * k + a]).collect();
            factor.solve(&mut column);
            relative += column[a];
        }
        let trace: f64 = (0..k).map(|a| s[a * k + a]).sum();
        let by_ellipsoid = distance(&likelihood.lift(&self.center)) + self.radius * relative.max(0.0).sqrt();
        let by_b = distance(polytope.interior()) + likelihood.extent() * trace.max(0.0).sqrt();
        by_ellipsoid.min(by_b) <= other.radius * (1.0 - 1e-9)
    }
}
