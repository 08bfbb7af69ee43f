//! DEVI, discounted extended value iteration over a confidence set: Algorithm 2 of the paper.

use crate::numeric::support::{SupportMin, Warm};
use crate::problem::Problem;

/// The optimistic planner, with the tables of its last call.
///
/// It iterates (L V)(s) = min(B, min_a c(s,a) + (1 - q) min over theta in C ∩ B of <theta, phi_V(s,a)>), (L V)(goal) = 0, from
/// V = 0 until |V - V_before| < eps. Readings of the print:
/// * D1: the loop tests |V^(i) - V^(i-1)|, with V^(-1) infinite, so there is at least one sweep;
/// * D2, D3: it returns the last Q computed, and V its minimum;
/// * A14: V is clamped at B inside every sweep: L stays monotone, a contraction and, as V* <= B, optimistic.
///
/// V comes from certified lower bounds, so an inexact support problem never breaks optimism. Q, from which actions are
/// chosen, comes from primal values: a bound may be off by rounding, which would break ties.
///
/// **Cost**: sweeps x pairs support problems; the number of sweeps is about T* log(1/eps), at most log(B/eps)/q.
#[derive(Clone, Debug)]
pub struct Devi {
    /// Q per pair, from primal values.
    pub q: Vec<f64>,
    /// V per state, from certified bounds, in [0, B].
    pub v: Vec<f64>,
    before: Vec<f64>,
    phi: Vec<f64>,
    warm: Vec<Warm>,
}

/// How a planning call went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Convergence {
    /// Sweeps made.
    pub sweeps: u64,
    /// |V - V_before| after the last one.
    pub change: f64,
}

impl Devi {
    /// Buffers for a problem.
    pub fn new(problem: &Problem) -> Self {
        let (states, pairs) = (problem.states(), problem.pairs());
        Devi {
            q: vec![0.0; pairs],
            v: vec![0.0; states],
            before: vec![0.0; states],
            phi: vec![0.0; pairs * problem.dim()],
            warm: vec![Warm::default(); pairs],
        }
    }

    /// Plans over a set that is not empty, with costs per pair, the bound B on values, and the paper's eps and q.
    pub fn plan(
        &mut self,
        problem: &Problem,
        costs: &[f64],
        b: f64,
        set: &mut dyn SupportMin,
        eps: f64,
        q: f64,
    ) -> Convergence {
        self.q.fill(0.0);
        self.v.fill(0.0);
        // a planning call must depend on its set alone, not on calls before it: a resumed run has not made those
        self.warm.iter_mut().for_each(|w| w.rows.clear());
        let mut sweeps = 0;
        loop {
            std::mem::swap(&mut self.v, &mut self.before);
            self.sweep(problem, costs, b, set, q);
            sweeps += 1;
            let change = self.v.iter().zip(&self.before).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            if change < eps {
                return Convergence { sweeps, change };
            }
        }
    }

    /// One application of L: `before` to `v`, with `q`.
    fn sweep(&mut self, problem: &Problem, costs: &[f64], b: f64, set: &mut dyn SupportMin, q: f64) {
        let d = problem.dim();
        problem.phi_v_all(&self.before, &mut self.phi);
        for s in 0..problem.states() {
            if s == problem.goal() {
                self.v[s] = 0.0;
                continue;
            }
            let mut least = b;
            for p in problem.pairs_of(s) {
                // whatever theta in B, the expectation is at least the smallest successor's value
                let floor = problem.successors(p).iter().map(|&n| self.before[n as usize]);
                let floor = floor.fold(f64::INFINITY, f64::min);
                let support = set.min(&self.phi[p * d..(p + 1) * d], &mut self.warm[p]);
                let bound = support.bound.max(floor);
                self.q[p] = costs[p] + (1.0 - q) * support.value.max(bound);
                least = least.min(costs[p] + (1.0 - q) * bound);
            }
            self.v[s] = least;
        }
    }
}
