//! Small blocks: policy iteration on the model as it stands, each policy evaluated as a dense
//! matrix. No list of the block is made.

use super::{Failed, Method, ROUNDS, Solver};
use crate::plan::solve::model::Choice;

/// Blocks of more nodes are sparse enough for lists.
pub(super) const SMALL: usize = 32;
/// Sweeps in one improvement of a policy.
const SWEEPS: usize = 2;
/// An improvement counts if it exceeds this part of the value.
const NOISE: f64 = 1e-14;

impl Solver<'_> {
    /// Values and a policy for a small block. It fails if roundings lead to a policy that never
    /// leaves.
    pub(super) fn by_dense(&mut self, start: usize, end: usize) -> Result<Method, Failed> {
        self.enter(start, end)?;
        for _ in 0..ROUNDS {
            let policy: Vec<Choice> = self.values.policy[start..end].iter().map(|&c| c as Choice).collect();
            self.load_dense(start, &policy)?;
            let b = policy.iter().map(|&choice| self.inflow(start, end, choice)).collect();
            let x = self.dense.solve(b);
            self.values.x[start..end].copy_from_slice(&x);
            let changed = self.improve_dense(start, end);
            if !changed {
                self.values.x[start..end].copy_from_slice(&x);
                return Ok(Method::Dense);
            }
        }
        Err(Failed)
    }

    /// The equations of a policy on a small block.
    pub(super) fn load_dense(&mut self, start: usize, policy: &[Choice]) -> Result<(), Failed> {
        let (model, n) = (self.model, policy.len());
        let local = |next: u32| (next as usize).wrapping_sub(start);
        let out = |k: usize| model.arcs(policy[k]).iter().filter(|e| local(e.0) >= n).map(|e| e.1).sum();
        let row = |k: u32| {
            let inside = model.arcs(policy[k as usize]).iter().filter(|e| local(e.0) < n);
            inside.map(|&(next, w)| (local(next) as u32, w))
        };
        let nodes: [u32; SMALL] = std::array::from_fn(|k| k as u32);
        self.dense.factor(n, &nodes[..n], (0..n).map(out).collect(), row).map_err(|_| Failed)
    }

    /// A policy that leaves, and rough values: as if one stayed in a node until one comes that was
    /// settled before.
    fn enter(&mut self, start: usize, end: usize) -> Result<(), Failed> {
        let (model, sense, values) = (self.model, self.sense, &mut self.values);
        let mut left = end - start;
        // what is not in the block is settled
        let mut settled: [bool; SMALL] = std::array::from_fn(|k| k >= end - start);
        while left > 0 {
            let before = left;
            for s in start..end {
                if settled[s - start] {
                    continue;
                }
                let mut best = sense.worst();
                for choice in model.choices(s) {
                    let (mut flow, mut weight) = (model.charge(choice), 0.0);
                    for &(next, w) in model.arcs(choice) {
                        let next = next as usize;
                        if settled.get(next.wrapping_sub(start)).is_none_or(|&settled| settled) {
                            (flow, weight) = (flow + w * values.x[next], weight + w);
                        }
                    }
                    if weight > 0.0 && sense.better(flow / weight, best) {
                        (best, values.policy[s], values.x[s]) = (flow / weight, choice as u32, flow / weight);
                    }
                }
                if best.is_finite() {
                    settled[s - start] = true;
                    left -= 1;
                }
            }
            if left == before {
                return Err(Failed);
            }
        }
        Ok(())
    }

    /// A few Gauss-Seidel sweeps in which nodes turn to choices that gain more than noise; whether
    /// any did.
    fn improve_dense(&mut self, start: usize, end: usize) -> bool {
        let (sigma, mut changed) = (self.sense.sigma(), false);
        for _ in 0..SWEEPS {
            let mut moved = false;
            for s in start..end {
                for choice in self.model.choices(s) {
                    let gain = self.slack(s, choice) / self.model.leaving[choice];
                    if sigma * gain < -NOISE * self.values.x[s].abs() {
                        self.values.x[s] += gain;
                        moved = true;
                        changed |= self.values.policy[s] != choice as u32;
                        self.values.policy[s] = choice as u32;
                    }
                }
            }
            if !moved {
                break;
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::solve::sense::Sense;
    use crate::plan::solve::setup::Setup;
    use crate::plan::solve::tests::against_the_wind;
    use crate::plan::{Objective, Options, solve};

    /// A grid of 24 nodes, the same by lists, and by the exact planner.
    #[test]
    fn a_small_block_needs_no_lists() {
        let (problem, truth) = against_the_wind(5);
        let setup = Setup::new(&problem, &truth, Objective::Min);
        let mut solver = Solver::new(&setup.model, Sense::Least, 1e-9);
        assert_eq!(solver.by_dense(0, 24), Ok(Method::Dense));
        let dense = solver.values.x.clone();
        assert_eq!(solver.by_elimination(0, 24), Ok(Method::Reduced));
        for (node, (x, y)) in dense.iter().zip(&solver.values.x).enumerate() {
            assert!((x - y).abs() <= 1e-12 * y, "{node}: {x} {y}");
        }
        let exact = solve(&problem, &truth, &Options::exact(1e-12)).unwrap();
        for s in 0..24 {
            let x = dense[setup.node_of(s).unwrap() as usize];
            assert!((x - exact.v[s]).abs() <= 1e-12 * x, "{s}: {x}");
        }
    }
}
