//! Where a plan leads from a state: how often its policy visits every state, under the theta that
//! it believes in.

use super::evaluate::make_distribution;
use super::{Devi, Task};
use crate::numeric::dot;
use crate::problem::{Pair, State};

/// Sweeps over all states at most.
const SWEEPS: usize = 32;
/// Visits that were not handed on yet, of one for the start, that no longer matter.
const LITTLE: f64 = 0.01;

impl Devi {
    /// How often every state is visited on the way from `start`, nearly; states in the order of
    /// their values, the highest first, hand their visits on. Empty unless policy iteration made
    /// the plan.
    pub fn visits(&self, task: &Task, start: State) -> Vec<f64> {
        let (problem, d) = (task.problem, task.problem.dim());
        let Some(chosen) = &self.chosen else { return Vec::new() };
        let mut order: Vec<u32> = (0..problem.states() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.v[b as usize].total_cmp(&self.v[a as usize]).then(a.cmp(&b)));
        let (mut visits, mut waiting) = (vec![0.0; problem.states()], vec![0.0; problem.states()]);
        waiting[start] = 1.0;
        let mut weights = Vec::new();
        for _ in 0..SWEEPS {
            for s in order.iter().map(|&s| s as State).filter(|&s| s != problem.goal()) {
                let Some(p) = chosen.pair[s].map(|p| p as Pair).filter(|_| waiting[s] > 1e-9) else {
                    continue;
                };
                let (successors, theta) = (problem.successors(p), &chosen.theta[s * d..(s + 1) * d]);
                weights.clear();
                weights.extend(problem.phi(p).chunks_exact(d).map(|phi| dot(phi, theta)));
                make_distribution(&mut weights, successors, &self.before);
                // what comes back at once is handed on at once
                let own: f64 =
                    successors.iter().zip(&weights).filter(|(n, _)| **n as State == s).map(|(_, w)| w).sum();
                let here = waiting[s] / (1.0 - own.min(0.999));
                visits[s] += here;
                waiting[s] = 0.0;
                for (&next, weight) in successors.iter().zip(&weights).filter(|(n, _)| **n as State != s) {
                    waiting[next as State] += here * weight;
                }
            }
            waiting[problem.goal()] = 0.0;
            if waiting.iter().sum::<f64>() < LITTLE {
                break;
            }
        }
        visits
    }
}
