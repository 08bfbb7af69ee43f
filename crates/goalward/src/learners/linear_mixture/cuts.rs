//! Cuts of the likelihood set where a plan looks at it.

use super::optimist::Met;
use crate::confidence::Region;
use crate::numeric::support::{ConvexSet, Warm};
use crate::plan::{Devi, Task};
use crate::problem::Pair;

/// Objectives that are looked at before a plan.
const OBJECTIVES: usize = 12;
/// An answer may be lower than the set's own by this part of the way to its inside.
const PART: f64 = 0.02;
/// States that are visited less often do not matter.
const RARELY: f64 = 1e-3;
/// What an action counts whose Q is above V by one unit, the largest cost.
const ABOVE: f64 = 10.0;

/// Adds the tangents at the set's own answers to the objectives that matter: those of pairs on the
/// way from the start, the more the oftener they are met, and the less the further they are from
/// being chosen.
pub(super) fn sharpen(region: &Region, set: &mut ConvexSet, met: &Met) {
    let Met { devi, task } = met;
    let mut phi = vec![0.0; task.problem.dim()];
    for p in pairs(devi, task) {
        task.problem.phi_v(p, &devi.v, &mut phi);
        region.sharpen(set, &phi, &mut Warm::default(), PART);
    }
}

/// The pairs that matter most.
fn pairs(devi: &Devi, task: &Task) -> Vec<Pair> {
    let problem = task.problem;
    let visits = devi.visits(task, problem.start());
    let often = visits.iter().enumerate().filter(|(_, visits)| **visits > RARELY);
    let mut pairs: Vec<(f64, Pair)> = often
        .flat_map(|(s, visits)| {
            let above = move |p: Pair| (devi.q[p] - devi.v[s]).max(0.0);
            problem.pairs_of(s).map(move |p| (visits / (1.0 + ABOVE * above(p)), p))
        })
        .collect();
    pairs.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    pairs.into_iter().take(OBJECTIVES).map(|(_, p)| p).collect()
}
