//! A certified lower bound on the least loss of any mixture.
//!
//! f(theta) = -sum n log <phi, theta> is convex and, since counts are whole numbers, standard
//! self-concordant: with g and H its derivatives at x and r = |z - x| in the norm of H,
//!
//! f(z) >= f(x) + g'(z - x) + omega(r), omega(r) = r - log(1 + r).
//!
//! So nothing here depends on how well x was fitted. A poor x gives a low bound, never a wrong one.

use crate::estimate::{Likelihood, Term, gram, likelihood_ridge};
use crate::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use crate::numeric::{Cholesky, Portable, dot};
use std::sync::Arc;

/// What the ridge may take off a squared radius; see [`likelihood_ridge`].
const RIDGE: f64 = 1e-6;
/// A bound that is so near to the loss needs no better one.
const NEAR: f64 = 0.01;
/// The first of the radii that are tried, how they grow, and how many there are.
const FIRST: f64 = 0.05;
const GROWTH: f64 = 1.6;
const RADII: usize = 32;

/// A lower bound on min f over B, from the derivatives at the point z of B; minus infinity where
/// they say nothing.
pub(super) fn least_loss(likelihood: &Likelihood, z: &[f64]) -> f64 {
    let k = z.len();
    let (mut loss, mut steepness) = (0.0, 0.0);
    let (mut gradient, mut hessian) = (vec![0.0; k], vec![0.0; k * k]);
    likelihood.each_seen(z, |seen| {
        for Term { p, n, .. } in seen.terms() {
            loss += if p > 0.0 { -n * p.log_e() } else { f64::INFINITY };
            steepness += n / p;
        }
        gram(
            seen.terms().map(|Term { row, p, n, .. }| (row, -n / p, n / (p * p))),
            &mut gradient,
            &mut hessian,
        );
    });
    if !loss.is_finite() {
        return f64::NEG_INFINITY;
    }
    // every probability is a sum of k + 1 products
    let blur = likelihood.blur() + (k + 2) as f64 * f64::EPSILON;
    let loss = loss - blur * steepness - 1e-12 * loss.abs() - 1e-9;
    if k == 0 {
        return loss;
    }
    let ridge = likelihood_ridge(likelihood.extent());
    (0..k).for_each(|i| hessian[i * k + i] += ridge);
    let Some(factor) = Cholesky::factor(&hessian, k) else { return f64::NEG_INFINITY };
    let free = without_walls(&factor, gradient);
    if free > -NEAR { loss + free } else { loss + free.max(within_walls(likelihood, z, &hessian)) }
}

/// How much less than here f can be anywhere: min over r of -lambda r + omega(r), lambda the
/// gradient's norm.
fn without_walls(factor: &Cholesky, mut gradient: Vec<f64>) -> f64 {
    let before = gradient.clone();
    factor.solve(&mut gradient);
    let lambda = dot(&before, &gradient).max(0.0).sqrt() * (1.0 + 1e-9);
    if lambda < 1.0 { lambda + (-lambda).log_1p() - RIDGE } else { f64::NEG_INFINITY }
}

/// How much less than here f can be in B.
///
/// m(r) is the least g'(z - x) over the points of B no further than r. At the first radius R with
/// m(R) + omega(R) >= 0 no point of the ellipsoid's boundary has a loss below that of x, so none
/// outside has, as f is convex. What is inside lies between two radii a < b that were tried, and
/// there f is at least f(x) + m(b) + omega(a).
fn within_walls(likelihood: &Likelihood, z: &[f64], shape: &[f64]) -> f64 {
    let polytope = likelihood.polytope();
    // rows that are left out make B larger, and the bound lower
    let core = polytope.has_features().then(|| Arc::new(polytope.core()));
    let polytope = core.as_ref().unwrap_or(polytope);
    let theta = likelihood.lift(z);
    let gradient = likelihood.gradient(&theta);
    let here = dot(&gradient, &theta);
    let size: f64 = gradient.iter().zip(&theta).map(|(g, x)| (g * x).abs()).sum();
    let (mut least, mut inner, mut radius) = (0f64, 0.0, FIRST);
    for _ in 0..RADII {
        let Ok(mut set) = ConvexSet::in_hull(polytope, Ellipsoid { center: z, shape, radius }) else {
            return f64::NEG_INFINITY;
        };
        let along = set.min(&gradient, &mut Warm::default()).bound - here - 1e-12 * size;
        least = least.min(along + inner);
        let outer = omega((radius * radius - RIDGE).max(0.0).sqrt());
        if along + outer >= 0.0 {
            return least;
        }
        (inner, radius) = (outer, radius * GROWTH);
    }
    f64::NEG_INFINITY
}

fn omega(r: f64) -> f64 {
    r - r.log_1p()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Stream;
    use crate::parameters::Settings;
    use crate::worlds;

    /// The bound is below the least loss wherever it is made, and close where the point is good.
    #[test]
    fn it_is_a_bound_from_anywhere_and_tight_at_the_maximum() {
        let uniform = "0.2,0.2,0.2,0.2,0.2";
        for (world, key, value) in [
            ("windy-grid", "theta", uniform),
            ("windy-grid", "theta", "1,0,0,0,0"),
            ("windy-grid", "theta", "0,0.5,0.5,0,0"),
            ("random-mixture", "dim", "4"),
            ("hard-instance", "dim", "3"),
        ] {
            let instance = worlds::build(world, &Settings::new().set(key, value)).unwrap();
            let (problem, truth) = (&instance.problem, instance.truth().unwrap());
            let (mut draw, mut data) = (Stream::new(3, &[]), Likelihood::new(problem));
            for t in 1..=2_000u32 {
                let pair = draw.below(problem.pairs() - problem.actions(problem.goal()));
                let _ = data.observe(pair, truth.sample(problem, pair, draw.uniform()));
                if !t.is_power_of_two() && t != 2_000 {
                    continue;
                }
                let best = data.maximum();
                let tight = least_loss(&data, &best.z);
                assert!(
                    tight <= best.loss && tight > best.loss - 1.1 * NEAR,
                    "{world} {t}: {tight} {}",
                    best.loss
                );
                let fitted = least_loss(&data, data.fitted());
                assert!(fitted <= best.loss && fitted > best.loss - 20.0, "{world} {t}: {fitted}");
                let inside = data.polytope().coordinates(data.polytope().interior());
                let far = least_loss(&data, &inside);
                assert!(far <= best.loss + 1e-9, "{world} {t}: {far} from afar");
            }
        }
    }
}
