//! The values of the chosen actions and thetas: one linear equation for each state.
//!
//! Few states are eliminated, to rounding. With many, elimination fills in (to the third power of their number where
//! successors lie anywhere), and policy iteration needs no more than a part of the way: Gauss-Seidel sweeps, from the goal
//! outwards, until what is left of the equations is a hundredth of what V is off anyway. Each sweep costs one pass over the chosen
//! actions' successors. The certificate is about V alone, however it was found.

use super::{Devi, Task};
use crate::numeric::dot;
use crate::plan::evaluate::Evaluator;
use crate::problem::State;

/// Up to so many states are eliminated.
const FEW: usize = 1024;
/// The part of V's defect that may be left.
const ENOUGH: f64 = 1e-2;
/// So many sweeps at most: policy iteration goes on from wherever they end.
const SWEEPS: usize = 300;

/// Equations leaving(i) x(i) = charge(i) + sum of weight x(to) over the nodes, which are the states without the goal.
#[derive(Clone, Debug, Default)]
pub(super) struct Equations {
    /// The successors of node i are `first[i]..first[i + 1]`.
    first: Vec<usize>,
    to: Vec<u32>,
    weight: Vec<f64>,
    to_goal: Vec<f64>,
    charge: Vec<f64>,
}

impl Devi {
    /// The values, clamped to [0, B], of V that is off by `defect`; `None` if arithmetic fails.
    pub(super) fn evaluate(&mut self, task: &Task, defect: f64) -> Option<Vec<f64>> {
        let Task { problem, b, .. } = *task;
        let goal = problem.goal();
        let equations = self.equations(task)?;
        let n = equations.charge.len();
        let x = if n <= FEW {
            equations.eliminate()
        } else {
            let start = (0..problem.states()).filter(|&s| s != goal).map(|s| self.v[s]).collect();
            let x = equations.sweep(start, ENOUGH * defect);
            self.equations = equations;
            x
        };
        let value = |s: State| if s == goal { 0.0 } else { x[node(s, goal)].clamp(0.0, b) };
        x.iter().all(|x| x.is_finite()).then(|| (0..problem.states()).map(value).collect())
    }

    fn equations(&mut self, task: &Task) -> Option<Equations> {
        let Task { problem, costs, b, q, .. } = *task;
        let chosen = self.chosen.as_ref()?;
        let (d, goal) = (problem.dim(), problem.goal());
        // kept from call to call: large vectors that come and go leave holes behind
        let mut all = std::mem::take(&mut self.equations);
        all.clear();
        let rows = chosen.pair.iter().flatten().map(|&p| problem.rows(p as usize).len()).sum();
        all.to.reserve_exact(rows);
        all.weight.reserve_exact(rows);
        for s in (0..problem.states()).filter(|&s| s != goal) {
            let (mut rest, mut charge) = (1.0, b);
            // else stopped at the price B
            if let Some(p) = chosen.pair[s] {
                let p = p as usize;
                // what sweeps take off is part of the equations that they are to agree with
                let off = self.leeway.map_or(0.0, |leeway| leeway * problem.off_by(p));
                (rest, charge) = (q, costs[p] - (1.0 - q) * off);
                let theta = &chosen.theta[s * d..(s + 1) * d];
                for (&next, phi) in problem.successors(p).iter().zip(problem.phi(p).chunks_exact(d)) {
                    let weight = (1.0 - q) * dot(phi, theta).max(0.0);
                    match next as State {
                        next if next == goal => rest += weight,
                        next if next != s && weight > 0.0 => {
                            all.to.push(node(next, goal) as u32);
                            all.weight.push(weight);
                        }
                        _ => {}
                    }
                }
            }
            all.first.push(all.to.len());
            all.to_goal.push(rest);
            all.charge.push(charge);
        }
        Some(all)
    }
}

/// The node of a state.
fn node(s: State, goal: State) -> usize {
    if s < goal { s } else { s - 1 }
}

impl Equations {
    fn clear(&mut self) {
        let Equations { first, to, weight, to_goal, charge } = self;
        to.clear();
        [weight, to_goal, charge].into_iter().for_each(Vec::clear);
        first.clear();
        first.push(0);
    }

    fn eliminate(self) -> Vec<f64> {
        let row = |i: usize| {
            let range = self.first[i]..self.first[i + 1];
            self.to[range.clone()].iter().copied().zip(self.weight[range].iter().copied()).collect()
        };
        let rows = (0..self.charge.len()).map(row).collect();
        Evaluator::of_rows(rows, self.to_goal).solve(self.charge)
    }

    /// Sweeps over the nodes in the order of their values, the least first: what is near the goal is known first.
    fn sweep(&self, mut x: Vec<f64>, enough: f64) -> Vec<f64> {
        let n = x.len();
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_unstable_by(|&i, &j| x[i as usize].total_cmp(&x[j as usize]).then(i.cmp(&j)));
        let leaving: Vec<f64> = (0..n)
            .map(|i| self.to_goal[i] + self.weight[self.first[i]..self.first[i + 1]].iter().sum::<f64>())
            .collect();
        for _ in 0..SWEEPS {
            let (mut left, mut largest) = (0.0f64, 0.0f64);
            for &i in &order {
                let i = i as usize;
                let range = self.first[i]..self.first[i + 1];
                let mut sum = self.charge[i];
                for (&to, weight) in self.to[range.clone()].iter().zip(&self.weight[range]) {
                    sum += weight * x[to as usize];
                }
                // what the equation lacked, in units of costs as the defect is
                left = left.max((sum - leaving[i] * x[i]).abs());
                x[i] = sum / leaving[i];
                largest = largest.max(x[i].abs());
            }
            if left <= enough || left <= 1e-15 * largest || !largest.is_finite() {
                break;
            }
        }
        x
    }
}
