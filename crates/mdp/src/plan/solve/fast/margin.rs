//! Bounds on a block by a margin, where scaling is not enough.

use super::large::ITERATIONS;
use super::{Failed, Method, Solver};
use crate::numeric::linear::krylov::{Goal, Solved};
use crate::plan::solve::bounds::{self, Margin, Side, Turn, Verdict, by_rounds};
use crate::plan::solve::model::Choice;

impl Solver<'_> {
    /// Bounds by a margin; whether they hold. `turn` says whether the policy was evaluated last.
    pub(super) fn by_margin(&mut self, method: Method, turn: Turn, start: usize, end: usize) -> bool {
        let policy: Vec<Choice> =
            self.values.policy[start..end].iter().map(|&choice| choice as Choice).collect();
        let mut block = OfBlock { solver: self, method, start, end };
        // the policy's side first: its equations are the ones at hand
        if block.set(Side::Policy, &policy, turn).is_none() {
            return false;
        }
        by_rounds(&mut block, policy).is_some() && bounds::hold(self.proof(), &self.values, start..end)
    }

    /// A policy's equations with other costs.
    fn margin(
        &mut self,
        method: Method,
        start: usize,
        policy: &[Choice],
        mut need: Vec<f64>,
        turn: Turn,
    ) -> Option<Vec<f64>> {
        let n = policy.len();
        let mut x = vec![0.0; n];
        match method {
            Method::Dense => {
                if turn == Turn::New {
                    self.load_dense(start, policy).ok()?;
                }
                x = self.dense.solve(need);
            }
            Method::Reduced => self.reduced_margin(start, policy, &need, turn, &mut x).ok()?,
            Method::Levels => self.margin_by_levels(start, policy, &need, &mut x).ok()?,
            Method::Large | Method::Swept => {
                if turn == Turn::New {
                    self.leaves(start, policy).then_some(())?;
                    self.load_krylov(start, policy);
                }
                // a rough solution is off by a share of the largest need everywhere
                let floor = 0.1 * need.iter().copied().fold(0.0, f64::max);
                need.iter_mut().for_each(|x| *x += floor);
                let goal = Goal::Relative(1e-3 / (n as f64).sqrt());
                (self.solve_krylov(&need, &mut x, goal, ITERATIONS) == Solved::Enough).then_some(())?;
            }
        }
        x.iter().all(|x| x.is_finite()).then_some(x)
    }

    fn reduced_margin(
        &mut self,
        start: usize,
        policy: &[Choice],
        need: &[f64],
        turn: Turn,
        x: &mut [f64],
    ) -> Result<(), Failed> {
        let n = policy.len();
        let base = self.model.choices(start).start;
        let local: Vec<u32> = policy.iter().map(|&choice| (choice - base) as u32).collect();
        let mut b = vec![0.0; self.first.choices(n - 1).end];
        (0..n).for_each(|k| b[local[k] as usize] = need[k]);
        self.first.forward(&mut b);
        if !self.first.rest().is_empty() {
            match turn {
                Turn::New => self.evaluate(&b, &local, x)?,
                Turn::Same => self.solve_rest(&b, &local, x)?,
            }
        }
        self.first.backward(&b, x);
        Ok(())
    }
}

/// The margin of a block; its bounds are set where they belong.
struct OfBlock<'s, 'a> {
    solver: &'s mut Solver<'a>,
    method: Method,
    start: usize,
    end: usize,
}

impl OfBlock<'_, '_> {
    /// Sets the bounds of one side: x plus or minus the margin of a policy.
    fn set(&mut self, side: Side, policy: &[Choice], turn: Turn) -> Option<()> {
        let (start, end) = (self.start, self.end);
        let (proof, values) = (self.solver.proof(), &self.solver.values);
        let missing = |k: usize| bounds::missing(proof, values, start..end, start + k, policy[k], side);
        let need = (0..end - start).map(|k| 1.5 * missing(k).max(0.0)).collect();
        let margin = self.solver.margin(self.method, start, policy, need, turn)?;
        let values = &mut self.solver.values;
        for (k, m) in margin.iter().enumerate() {
            let x = values.x[start + k];
            match side.is_above(proof.sense) {
                true => values.upper[start + k] = x + m,
                false => values.lower[start + k] = (x - m).max(0.0),
            }
        }
        Some(())
    }
}

impl Margin for OfBlock<'_, '_> {
    type Bound = ();

    fn bound(&mut self, policy: &[Choice], turn: Turn) -> Option<()> {
        self.set(Side::All, policy, turn)
    }

    fn verdict(&self, (): &(), policy: &mut [Choice]) -> Verdict {
        let (proof, values) = (self.solver.proof(), &self.solver.values);
        let bound = if Side::All.is_above(proof.sense) { &values.upper } else { &values.lower };
        proof.verdict(bound, self.start..self.end, policy)
    }
}
