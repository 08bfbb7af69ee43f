//! The values of the chosen actions and thetas: one linear equation for each state.
//!
//! Few states are eliminated, to rounding. With many, elimination fills in and accuracy is not
//! needed: [`Krylov`]'s method over the states in the order of their values (in large problems,
//! those of the same value from the goal outwards) up to an admissible residual; Gauss-Seidel where
//! that fails.

use super::sweep::is_large;
use super::{Cut, Devi, Task};
use crate::numeric::dot;
use crate::numeric::linear::elimination::Elimination;
use crate::numeric::linear::krylov::Krylov;
use crate::plan::graph::outwards;
use crate::problem::{Problem, State};

/// The most states that are eliminated; fewer if actions have more successors than on a grid.
const FEW: usize = 1024;
const FEW_IN_GENERAL: usize = 100;
const GRID: usize = 6;
const ITERATIONS: usize = 300;
/// Gauss-Seidel sweeps at most: policy iteration goes on from where they end.
const SWEEPS: usize = 300;

#[derive(Clone, Copy)]
pub(super) struct Admissible {
    pub(super) residual: f64,
    /// Every charge is lowered by this.
    pub(super) lowered: f64,
    /// Whether the order of the states is needed afterwards.
    pub(super) ordered: bool,
}

/// Workspace for many states; kept from call to call, unless [`relax`](super::relax) takes over.
#[derive(Clone, Debug, Default)]
pub(super) struct Equations {
    krylov: Krylov,
    /// The states without the goal in the order of their values, in the lower half of each number.
    order: Vec<u64>,
    place: Vec<u32>,
    charge: Vec<f64>,
    x: Vec<f64>,
}

impl Equations {
    pub(super) fn states(&self) -> impl Iterator<Item = State> {
        self.order.iter().map(|&key| state(key))
    }
}

pub(super) fn many(problem: &Problem) -> bool {
    let pairs = problem.pairs();
    let rows = if pairs == 0 { 0 } else { problem.rows(pairs - 1).end };
    let most = if rows > GRID * pairs { FEW_IN_GENERAL } else { FEW };
    problem.states() > most + 1
}

fn state(key: u64) -> State {
    key as u32 as State
}

impl Devi {
    /// V becomes the values of the choices, clamped to [0, B]; whether they are finite.
    pub(super) fn evaluate(&mut self, task: &Task, admissible: Admissible) -> Result<bool, Cut> {
        let finite = match many(task.problem) {
            true => {
                let unordered = is_large(task.problem) && !admissible.ordered;
                unordered && self.relax(task, admissible) || self.solve(task, admissible)
            }
            false => self.eliminate(task),
        };
        self.halt.check()?;
        self.v.iter_mut().for_each(|v| *v = v.clamp(0.0, task.b));
        Ok(finite)
    }

    fn eliminate(&mut self, task: &Task) -> bool {
        let goal = task.problem.goal();
        let (node, state) = (|s: State| s - usize::from(s > goal), |i: usize| i + usize::from(i >= goal));
        let n = self.v.len() - 1;
        let (mut elimination, mut charge) = (Elimination::default(), vec![0.0; n]);
        let done = elimination.eliminate(n, f64::INFINITY, |i, row| {
            let arc = |next, weight| row.push((node(next) as u32, weight));
            let (outside, paid) = self.equation(task, state(i), arc);
            charge[i] = paid;
            outside
        });
        if !done {
            return false;
        }
        let mut x = vec![0.0; n];
        elimination.solve(&mut charge, &mut x);
        x.iter().enumerate().for_each(|(i, &x)| self.v[state(i)] = x);
        x.iter().all(|x| x.is_finite())
    }

    fn solve(&mut self, task: &Task, admissible: Admissible) -> bool {
        let goal = task.problem.goal();
        // no more than one of the two ways holds its equations at a time
        self.arcs = Default::default();
        let mut all = std::mem::take(&mut self.equations);
        let Equations { krylov, order, place, charge, x } = &mut all;
        order.clear();
        if is_large(task.problem) && self.ranks.is_none() {
            let states = outwards(task.problem);
            let mut places = vec![0; states.len()];
            states.iter().enumerate().for_each(|(rank, &s)| places[s as usize] = rank as u32);
            self.ranks = Some((states, places));
        }
        let rank = |s: State| self.ranks.as_ref().map_or(s as u32, |(_, places)| places[s]);
        // non-negative values have the order of their bits
        let key = |s: State| (self.v[s].max(0.0).to_bits() >> 32) << 32 | u64::from(rank(s));
        order.extend((0..self.v.len()).filter(|&s| s != goal).map(key));
        order.sort_unstable();
        if let Some((states, _)) = &self.ranks {
            order.iter_mut().for_each(|key| *key = u64::from(states[*key as u32 as usize]));
        }
        place.resize(self.v.len(), 0);
        order.iter().enumerate().for_each(|(i, &key)| place[state(key)] = i as u32);
        let devi = &*self;
        let chosen = |i: usize| devi.chosen.as_ref().and_then(|chosen| chosen.pair[state(order[i])]);
        let room = |i: usize| chosen(i).map_or(0, |p| task.problem.rows(p as usize).len());
        krylov.load(order.len(), room, |i, row| {
            devi.equation(task, state(order[i]), |next, weight| row.push((place[next], weight))).0
        });
        charge.clear();
        charge.extend(
            (0..order.len())
                .map(|i| chosen(i).map_or(task.b, |p| task.costs[p as usize]) - admissible.lowered),
        );
        x.clear();
        x.extend(order.iter().map(|&key| self.v[state(key)]));
        krylov.heed(&devi.halt);
        krylov.solve_or_relax(charge, x, admissible.residual, ITERATIONS, SWEEPS);
        order.iter().zip(x.iter()).for_each(|(&key, x)| self.v[state(key)] = *x);
        let finite = x.iter().all(|x| x.is_finite());
        self.equations = all;
        finite
    }

    /// The equation of a state other than the goal, without its self-loop: hands out the weights to
    /// other states; returns the goal's weight and the charge.
    fn equation(&self, task: &Task, s: State, mut arc: impl FnMut(State, f64)) -> (f64, f64) {
        let pair = self.chosen.as_ref().and_then(|chosen| chosen.pair[s]);
        let successors = pair.map_or(&[][..], |p| task.problem.successors(p as usize));
        let mut weights = vec![0.0; successors.len()];
        let (outside, paid) = self.row(task, s, &mut weights);
        for (&next, &weight) in successors.iter().zip(&weights).filter(|(_, weight)| **weight > 0.0) {
            arc(next as State, weight);
        }
        (outside, paid)
    }

    /// The same with a weight for each successor of the chosen pair: 0 for the state itself and the goal.
    pub(super) fn row(&self, task: &Task, s: State, weights: &mut [f64]) -> (f64, f64) {
        let Task { problem, b, q, .. } = *task;
        let d = problem.dim();
        let Some((p, theta)) = self
            .chosen
            .as_ref()
            .and_then(|chosen| chosen.pair[s].map(|p| (p as usize, &chosen.theta[s * d..(s + 1) * d])))
        else {
            return (1.0, b); // stopped at the price B
        };
        let successors = problem.successors(p);
        let features = problem.phi(p);
        weights.iter_mut().zip(features.chunks_exact(d)).for_each(|(w, phi)| *w = dot(phi, theta));
        make_distribution(weights, successors, &self.before);
        let mut outside = q;
        for (&next, weight) in successors.iter().zip(weights) {
            *weight = match next as State {
                next if next == problem.goal() => {
                    outside += (1.0 - q) * *weight;
                    0.0
                }
                next if next == s => 0.0,
                _ => (1.0 - q) * *weight,
            };
        }
        (outside, task.costs[p])
    }
}

/// Weights below zero by more than this are no rounding.
const NEGATIVE: f64 = 1e-9;

/// Over a set that was made larger weights may be negative, and a sweep takes the larger of the
/// expectation and the least successor's value. So the least successor gets as much of the positive
/// weights, scaled to one, as makes the expectation of V that of the sweep.
pub(super) fn make_distribution(weights: &mut [f64], successors: &[u32], v: &[f64]) {
    let lacking: f64 = weights.iter().map(|w| (-w).max(0.0)).sum();
    let value = |i: usize| v[successors[i] as usize];
    let expected: f64 = weights.iter().enumerate().map(|(i, w)| w * value(i)).sum();
    weights.iter_mut().for_each(|w| *w = w.max(0.0));
    let least = (0..weights.len()).min_by(|&i, &j| value(i).total_cmp(&value(j)));
    let (Some(least), true) = (least, lacking > NEGATIVE) else { return };
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= total);
    let floor = value(least);
    let positive: f64 = weights.iter().enumerate().map(|(i, w)| w * value(i)).sum();
    if positive > floor {
        let share = ((positive - expected.max(floor)) / (positive - floor)).clamp(0.0, 1.0);
        weights.iter_mut().for_each(|w| *w *= 1.0 - share);
        weights[least] += share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_become_a_distribution_with_the_same_expectation() {
        let v = [0.0, 3.0, 5.0, 9.0];
        for (weights, expected) in [
            ([0.2, 0.3, 0.1, 0.4], 5.0),
            // 0.9 + 3.5 - 1.8 = 2.6
            ([0.2, 0.3, 0.7, -0.2], 2.6),
            // below the least successor's value: that
            ([0.5, 0.6, 0.4, -0.5], 0.0),
        ] {
            let mut made = weights;
            make_distribution(&mut made, &[0, 1, 2, 3], &v);
            let (sum, mean) = (made.iter().sum::<f64>(), made.iter().zip(v).map(|(w, v)| w * v).sum::<f64>());
            assert!(made.iter().all(|w| *w >= 0.0) && (sum - 1.0).abs() < 1e-12, "{made:?}");
            assert!((mean - expected).abs() < 1e-12, "{made:?}: {mean}");
            assert!(weights[3] < 0.0 || made == weights);
        }
        // rounding is cut off, and nothing else is touched
        let mut made = [0.5, 0.5, -1e-17];
        make_distribution(&mut made, &[1, 2, 3], &v);
        assert_eq!(made, [0.5, 0.5, 0.0]);
    }
}
