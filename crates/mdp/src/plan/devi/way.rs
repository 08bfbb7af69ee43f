//! The states that a greedy policy meets from the start, and how often, under its own theta.

use super::evaluate::make_distribution;
use super::{Cut, Halt, Task};
use crate::numeric::dot;
use crate::numeric::support::{SupportMin, Warm};
use crate::problem::State;

/// Sweeps over the states that were met, at most.
const SWEEPS: usize = 32;
/// Visits that were not handed on yet, of one for the start, that no longer matter.
const LITTLE: f64 = 0.02;
/// So few visits to a state are not handed on.
const FEW: f64 = 1e-3;
/// The most rows looked at: each pair, and each row of a minimum, costs the rows that can bind.
const LABOUR: usize = 1 << 20;
const STAYS: f64 = 0.999;

/// A state on the way.
#[derive(Clone, Debug)]
pub struct Met {
    /// Which.
    pub state: State,
    /// How often it is visited, nearly.
    pub visits: f64,
    /// Q of its pairs.
    pub q: Vec<f64>,
    /// The successors of the greedy one, with their probabilities.
    next: Vec<(u32, f64)>,
}

/// What a greedy policy meets from the start.
#[derive(Clone, Debug)]
pub struct Walk {
    /// The states.
    pub met: Vec<Met>,
    /// Whether these are all, up to little: a long way is only followed for its first part.
    pub whole: bool,
}

/// The states that the greedy policy of some values meets from the start; the first of them where
/// looking is laborious. In every sweep states hand on their visits, the highest value first.
pub fn way<S: SupportMin>(task: &Task, set: &mut S, values: &[f64], halt: &Halt) -> Result<Walk, Cut> {
    set.hold(true);
    let way = walk(task, set, values, halt);
    set.hold(false);
    way
}

fn walk<S: SupportMin>(task: &Task, set: &mut S, values: &[f64], halt: &Halt) -> Result<Walk, Cut> {
    let problem = task.problem;
    let (goal, start) = (problem.goal(), problem.start());
    let mut order: Vec<u32> = (0..problem.states() as u32).collect();
    order.sort_unstable_by(|&a, &b| values[b as usize].total_cmp(&values[a as usize]).then(a.cmp(&b)));
    let mut waiting = vec![0.0; problem.states()];
    let mut place: Vec<Option<u32>> = vec![None; problem.states()];
    let (mut stops, mut whole): (Vec<Met>, bool) = (Vec::new(), true);
    let mut affordable = LABOUR / set.binding_rows().max(1);
    waiting[start] = f64::from(u8::from(start != goal));
    for _ in 0..SWEEPS {
        for s in order.iter().map(|&s| s as State) {
            if waiting[s] <= FEW {
                continue;
            }
            halt.check()?;
            if place[s].is_none() {
                let pairs = problem.pairs_of(s).len();
                if pairs > affordable {
                    waiting[s] = 0.0;
                    whole = false;
                    continue;
                }
                affordable -= pairs;
            }
            let at = *place[s].get_or_insert_with(|| {
                stops.push(look(task, set, values, s));
                stops.len() as u32 - 1
            });
            let stop = &mut stops[at as usize];
            // what comes back at once is handed on at once
            let own: f64 = stop.next.iter().filter(|(n, _)| *n as State == s).map(|(_, w)| w).sum();
            let here = waiting[s] / (1.0 - own.min(STAYS));
            stop.visits += here;
            waiting[s] = 0.0;
            for &(next, weight) in stop.next.iter().filter(|(n, _)| ![s, goal].contains(&(*n as State))) {
                waiting[next as State] += here * weight;
            }
        }
        if waiting.iter().sum::<f64>() < LITTLE {
            return Ok(Walk { met: stops, whole });
        }
    }
    Ok(Walk { met: stops, whole: false })
}

fn look<S: SupportMin>(task: &Task, set: &mut S, values: &[f64], s: State) -> Met {
    let Task { problem, costs, q: bonus, .. } = *task;
    let d = problem.dim();
    let (mut phi, mut theta) = (vec![0.0; d], vec![0.0; d]);
    let (mut q, mut best) = (Vec::new(), (f64::INFINITY, None));
    for p in problem.pairs_of(s) {
        problem.phi_v(p, values, &mut phi);
        let value = costs[p] + (1.0 - bonus) * set.min(&phi, &mut Warm::default()).value;
        if value < best.0 {
            best = (value, Some(p));
            set.minimiser(&mut theta);
        }
        q.push(value);
    }
    let next = best.1.map_or(Vec::new(), |p| {
        let successors = problem.successors(p);
        let mut weights: Vec<f64> = problem.phi(p).chunks_exact(d).map(|phi| dot(phi, &theta)).collect();
        make_distribution(&mut weights, successors, values);
        successors.iter().copied().zip(weights).collect()
    });
    Met { state: s, visits: 0.0, q, next }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::support::{ConvexSet, Ellipsoid};
    use crate::plan::{Devi, Planner};
    use crate::problem::tests::grid;

    #[test]
    fn a_long_way_is_followed_for_its_first_part() {
        for (n, whole) in [(4, true), (70, false)] {
            let instance = grid(n);
            let problem = &*instance.problem;
            let d = problem.dim();
            let shape: Vec<f64> = (0..d * d).map(|k| f64::from(u8::from(k % (d + 1) == 0))).collect();
            let center = instance.truth().unwrap().theta().unwrap();
            let ellipsoid = Ellipsoid { center, shape: &shape, radius: 1e-3 };
            let mut set = ConvexSet::new(problem.constraints(), ellipsoid).unwrap();
            let task = Task { problem, costs: problem.costs(), b: 1e6, eps: 1e-3, q: 1e-5 };
            let mut devi = Devi::new(problem);
            devi.plan(&task, &mut set, Planner::Fast, &vec![0.0; problem.states()]);
            let walk = way(&task, &mut set, &devi.v, &Halt::never()).unwrap();
            assert_eq!(walk.whole, whole, "{n}: {} states", walk.met.len());
        }
    }
}
