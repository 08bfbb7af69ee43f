//! When a confidence set stops being all of B: until then a learner knows nothing that it did not
//! know before.

use super::super::Arena;
use crate::confidence::theta_norm;
use crate::learners::Levels;
use crate::numeric::dot;
use crate::numeric::support::{ConvexSet, Ellipsoid, SupportMin, Warm};
use serde::Serialize;

/// Rounds of the ascent from one beginning; each ends in a corner of B that is further away.
const ROUNDS: usize = 16;
const LONGEST: f64 = 1e18;

/// What is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WholeB {
    /// The step of the first plan over a set of level 0 that is not all of B; none while it is.
    pub until: Option<u64>,
    /// How far the farthest corner of B that was found is from the estimate at the last plan, in
    /// the norm of Sigma: the set is not all of B when that exceeds the radius.
    pub farthest: f64,
    /// The radius of the last plan.
    pub radius: f64,
    /// The steps that the printed radius would need, if Sigma went on to grow as it did on average
    /// until the last plan; none if it does not grow there.
    pub printed_needs: Option<f64>,
}

pub(super) struct Whole {
    /// B, in a ball that is far larger.
    all: Option<ConvexSet>,
    pub(super) found: Option<WholeB>,
}

impl Whole {
    pub(super) fn new(arena: &Arena) -> Whole {
        let (problem, d) = (arena.problem(), arena.problem().dim());
        let polytope = problem.constraints();
        let mut identity = vec![0.0; d * d];
        (0..d).for_each(|i| identity[i * d + i] = 1.0);
        // where B has no end, no set is all of it
        let all = theta_norm(problem).and_then(|norm| {
            let radius = f64::max(1e4, 4.0 * norm);
            ConvexSet::new(polytope, Ellipsoid { center: polytope.interior(), shape: &identity, radius }).ok()
        });
        Whole { all, found: None }
    }

    pub(super) fn plan(&mut self, t: u64, shown: &Levels) {
        let Some(all) = &mut self.all else { return };
        let (center, sigma) = shown.regression(0);
        let mut radii = Vec::new();
        shown.radii(&mut radii);
        let (corner, square) = farthest(all, &center, sigma);
        let until = self.found.and_then(|found| found.until);
        let until = until.or((square.sqrt() > radii[0]).then_some(t));
        let off: Vec<f64> = corner.iter().zip(&center).map(|(x, y)| x - y).collect();
        let ridge = shown.lambda() * dot(&off, &off);
        let printed_needs = needs(t, ridge, square - ridge, |t| shown.printed_radius(t));
        self.found = Some(WholeB { until, farthest: square.sqrt(), radius: radii[0], printed_needs });
    }
}

/// The steps after which ridge + growth t/t_j exceeds the square of the radius.
fn needs(t_j: u64, ridge: f64, growth: f64, radius: impl Fn(u64) -> f64) -> Option<f64> {
    let slope = growth / t_j.max(1) as f64;
    let enough = |t: f64| ridge + slope * t > radius(t as u64).powi(2);
    let mut high = 1.0;
    while !enough(high) {
        high *= 2.0;
        if high > LONGEST || slope <= 0.0 {
            return None;
        }
    }
    let mut low = high / 2.0;
    while high - low > 1.0 && high / low > 1.0 + 1e-12 {
        let middle = 0.5 * (low + high);
        *(if enough(middle) { &mut high } else { &mut low }) = middle;
    }
    Some(high.ceil())
}

/// The farthest corner that an ascent finds from every direction of the coordinates, and its
/// squared distance. Linear bounds of a convex function lead uphill from corner to corner.
fn farthest(all: &mut ConvexSet, center: &[f64], sigma: &[f64]) -> (Vec<f64>, f64) {
    let d = center.len();
    let mut best = (center.to_vec(), 0.0);
    let mut corner = vec![0.0; d];
    for begin in 0..2 * d {
        let mut direction = vec![0.0; d];
        direction[begin / 2] = if begin % 2 == 0 { 1.0 } else { -1.0 };
        let mut reached = -1.0;
        for _ in 0..ROUNDS {
            all.min(&direction, &mut Warm::default());
            all.minimiser(&mut corner);
            let off: Vec<f64> = corner.iter().zip(center).map(|(x, y)| x - y).collect();
            let image: Vec<f64> = sigma.chunks_exact(d).map(|row| dot(row, &off)).collect();
            let square = dot(&off, &image);
            if square <= reached * (1.0 + 1e-12) {
                break;
            }
            reached = square;
            if square > best.1 {
                best = (corner.clone(), square);
            }
            direction = image.iter().map(|x| -x).collect();
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_needed_are_where_the_growth_overtakes_the_radius() {
        // 1 + 2t > 100 from t = 50 on
        assert_eq!(needs(10, 1.0, 20.0, |_| 10.0), Some(50.0));
        assert_eq!(needs(10, 1.0, 0.0, |_| 10.0), None);
        assert_eq!(needs(10, 200.0, 1.0, |_| 10.0), Some(1.0));
    }
}
