//! Cuts of the likelihood set where a plan looks at it.

use crate::confidence::Region;
use crate::numeric::support::{ConvexSet, Warm};
use crate::plan::Met;
use crate::problem::{Pair, Problem};

/// Objectives that are looked at before a plan.
const OBJECTIVES: usize = 12;
/// An answer may be lower than the set's own by this part of the way to its inside.
const PART: f64 = 0.02;
/// What an action counts less for a Q above the least by one unit, the largest cost.
const ABOVE: f64 = 10.0;

/// Adds the tangents at the set's own answers to the objectives that matter: those of pairs on the
/// way from the start, the more the oftener they are met, and the less the further they are from
/// being chosen.
pub(super) fn sharpen(region: &Region, set: &mut ConvexSet, problem: &Problem, v: &[f64], way: &[Met]) {
    let mut phi = vec![0.0; problem.dim()];
    for p in pairs(problem, way) {
        problem.phi_v(p, v, &mut phi);
        region.sharpen(set, &phi, &mut Warm::default(), PART);
    }
}

/// The pairs that matter most.
fn pairs(problem: &Problem, way: &[Met]) -> Vec<Pair> {
    let weighed = way.iter().flat_map(|stop| {
        let least = stop.q.iter().copied().fold(f64::INFINITY, f64::min);
        let weight = move |q: f64| stop.visits / (1.0 + ABOVE * (q - least));
        problem.pairs_of(stop.state).zip(&stop.q).map(move |(p, &q)| (weight(q), p))
    });
    let mut pairs: Vec<(f64, Pair)> = weighed.collect();
    pairs.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    pairs.into_iter().take(OBJECTIVES).map(|(_, p)| p).collect()
}
