//! Cuts of the likelihood set where a plan looks at it.

use crate::confidence::Region;
use crate::numeric::support::{ConvexSet, Warm};
use crate::plan::{Met, Walk};
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
///
/// None where only a part of the way was followed: a plan that knows this part better than all else
/// believes that another way is shorter, and the next one that the first is.
pub(super) fn sharpen(region: &Region, set: &mut ConvexSet, problem: &Problem, v: &[f64], way: &Walk) {
    if !way.whole {
        return;
    }
    let mut phi = vec![0.0; problem.dim()];
    for p in pairs(problem, &way.met) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confidence::LikelihoodKeeper;
    use crate::plan::{Halt, Task, way};
    use crate::{Settings, worlds};

    #[test]
    fn a_way_that_is_known_in_part_makes_no_cuts() {
        let problem = worlds::build("windy-grid", &Settings::new().set("n", 3)).unwrap().problem;
        let mut keeper = LikelihoodKeeper::new(&problem, 0.01);
        for p in (0..24).cycle().take(200) {
            let _ = keeper.observe(p, problem.successors(p)[p % problem.successors(p).len()] as usize);
        }
        let known = keeper.update();
        let region = keeper.region(&known).unwrap();
        let mut set = known.set.unwrap();
        let task = Task { problem: &problem, costs: problem.costs(), b: 1e6, eps: 1e-2, q: 1e-5 };
        let v: Vec<f64> = (0..9).map(|s| 2.0 * f64::from(4 - s / 3 - s % 3)).collect();
        let all = way(&task, &mut set, &v, &Halt::never()).unwrap();
        assert!(all.whole);
        let (part, before) = (Walk { whole: false, ..all.clone() }, set.rows());
        sharpen(&region, &mut set, &problem, &v, &part);
        assert_eq!(set.rows(), before);
        sharpen(&region, &mut set, &problem, &v, &all);
        assert!(set.rows() > before);
    }
}
