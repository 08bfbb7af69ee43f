//! What the set says of single coordinates of theta.

use super::Outer;
use crate::estimate::Likelihood;
use crate::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use crate::numeric::{dot, norm};

/// What of a coordinate lies along directions that no kernel sees, beyond rounding.
const HIDDEN: f64 = 1e-9;
/// How much further than where kernels are concerned the set is looked at along those directions.
const FURTHER: f64 = 1e4;

/// A range for every coordinate of theta over all theta in B whose kernels are those of a theta in
/// the set. An end is infinite where B has none: where no kernel sees a direction, only B's extra
/// facts bound it.
pub(super) fn intervals(outer: &Outer, likelihood: &Likelihood) -> Option<Vec<(f64, f64)>> {
    let mut set = outer.within(likelihood).ok()?;
    let hidden = hidden(likelihood);
    let mut beyond = if hidden.is_empty() { None } else { Beyond::new(outer, likelihood) };
    let d = likelihood.polytope().dim();
    let mut side = |i: usize, sign: f64| {
        let mut c = vec![0.0; d];
        c[i] = sign;
        match (hidden.contains(&i), &mut beyond) {
            (false, _) => set.min(&c, &mut Warm::default()).bound,
            (true, Some(beyond)) => beyond.min(likelihood, &c),
            (true, None) => f64::NEG_INFINITY,
        }
    };
    Some((0..d).map(|i| (side(i, 1.0), -side(i, -1.0))).collect())
}

/// The coordinates of theta that transitions cannot tell, however many there are: some direction of
/// B that no kernel sees moves them.
pub(super) fn hidden(likelihood: &Likelihood) -> Vec<usize> {
    let polytope = likelihood.polytope();
    let (k, d) = (polytope.free(), polytope.dim());
    if likelihood.seen_directions() == k {
        return Vec::new();
    }
    let moves = |i: &usize| {
        let row = &polytope.basis()[i * k..(i + 1) * k];
        let lengths = polytope.lengths();
        let row: Vec<f64> = (0..k).map(|j| row[j] / lengths.map_or(1.0, |lengths| lengths[j])).collect();
        let seen = likelihood.seen_part(&row);
        let rest: Vec<f64> = row.iter().zip(&seen).map(|(x, s)| x - s).collect();
        norm(&rest) > HIDDEN
    };
    (0..d).filter(moves).collect()
}

/// The set along directions that no kernel sees: as far as B goes.
struct Beyond {
    set: ConvexSet,
}

impl Beyond {
    /// None if nothing bounds B there, or if B is too large to be turned.
    fn new(outer: &Outer, likelihood: &Likelihood) -> Option<Self> {
        let (polytope, m) = (likelihood.polytope(), likelihood.seen_directions());
        let k = polytope.free();
        if !polytope.is_turned() {
            return None;
        }
        // the ellipsoid knows nothing of these directions but its ridge, which has no share in the
        // others
        let mut shape = outer.shape.clone();
        (m..k).for_each(|j| shape[j * k + j] /= FURTHER * FURTHER);
        let ellipsoid = Ellipsoid { center: &outer.center, shape: &shape, radius: outer.radius };
        let mut set = ConvexSet::in_hull(polytope, ellipsoid).ok()?;
        outer.cut(&mut set);
        Some(Beyond { set })
    }

    /// The least of c'theta; minus infinity where it has none.
    fn min(&mut self, likelihood: &Likelihood, c: &[f64]) -> f64 {
        let (polytope, m) = (likelihood.polytope(), likelihood.seen_directions());
        let k = polytope.free();
        let column = |j: usize| -> Vec<f64> { polytope.basis().chunks_exact(k).map(|row| row[j]).collect() };
        let reduced: Vec<f64> = (0..k).map(|j| dot(&column(j), c)).collect();
        match polytope.recedes(&reduced, m) {
            true => f64::NEG_INFINITY,
            false => self.set.min(c, &mut Warm::default()).bound,
        }
    }
}
