//! One strongly connected block after the other, those that lead nowhere else first: values, a policy and bounds.

use super::super::krylov::{Goal, Krylov};
use super::super::model::{Choice, Model};
use super::bounds;
use super::decide::{Evaluation, FINEST};
use super::reduce::Reduction;
use super::{Sense, Values};

/// Blocks of more arcs are not eliminated, if nothing else is said: the rows alone would take too much memory.
const REDUCE_ARCS: usize = 3_000_000;
/// Rounds of policy iteration; it needs a dozen.
pub(super) const ROUNDS: usize = 100;
/// Rounds of policy iteration for a margin.
const MARGIN_ROUNDS: usize = 30;

/// Solves block by block; the workspaces are shared by all.
pub(super) struct Solver<'a> {
    pub(super) model: &'a Model,
    pub(super) sense: Sense,
    pub(super) precision: f64,
    pub(super) values: Values,
    pub(super) evaluation: Evaluation,
    /// The block at hand without the nodes that have no decision.
    pub(super) first: Reduction,
    /// What a policy makes of it.
    pub(super) second: Reduction,
    /// Blocks of more arcs are not eliminated.
    pub(super) reduce_arcs: usize,
    pub(super) krylov: Krylov,
    /// For blocks too large for elimination: their nodes from the ways out inwards, and the place of each in that order.
    pub(super) order: Vec<u32>,
    pub(super) place: Vec<u32>,
    /// How small a part of the equations it leaves.
    pub(super) tolerance: f64,
}

impl<'a> Solver<'a> {
    pub(super) fn new(model: &'a Model, sense: Sense, precision: f64) -> Solver<'a> {
        let n = model.nodes + 1;
        let values = Values {
            x: vec![0.0; n],
            lower: vec![0.0; n],
            upper: vec![0.0; n],
            policy: (0..model.nodes).map(|s| model.choices(s).start as u32).collect(),
            wide: false,
        };
        Solver {
            model,
            sense,
            precision,
            values,
            first: Reduction::default(),
            second: Reduction::default(),
            reduce_arcs: REDUCE_ARCS,
            krylov: Krylov::default(),
            order: Vec::new(),
            place: Vec::new(),
            tolerance: FINEST,
            evaluation: Evaluation::default(),
        }
    }

    /// All blocks, given by their ends.
    pub(super) fn run(mut self, ends: &[u32]) -> Values {
        let mut start = 0;
        for &end in ends {
            let end = end as usize;
            if end - start == 1 {
                self.single(start);
            } else {
                self.block(start, end);
            }
            start = end;
        }
        self.values
    }

    /// A node on its own: no equation to solve, each bound is the formula with the bounds of the successors.
    fn single(&mut self, s: usize) {
        let (model, sense, values) = (self.model, self.sense, &mut self.values);
        let (mut best, mut all) = (sense.worst(), sense.worst());
        let mut by_policy = 0.0;
        for choice in model.choices(s) {
            let arcs = model.arcs(choice);
            let charge = model.charge(choice);
            let (mut x, mut lower, mut upper) = (charge, charge, charge);
            for &(next, w) in arcs {
                x += w * values.x[next as usize];
                lower += w * values.lower[next as usize];
                upper += w * values.upper[next as usize];
            }
            // k + 4 roundings, each relative, of numbers that are not negative
            let roundings = (arcs.len() + 8) as f64 * f64::EPSILON;
            let leaving = model.leaving[choice];
            let down = lower / leaving * (1.0 - roundings);
            let down = if down < 1e-290 { 0.0 } else { down };
            let zero = upper == 0.0 && arcs.iter().all(|e| values.upper[e.0 as usize] == 0.0);
            let up = if zero { 0.0 } else { upper / leaving * (1.0 + roundings) + 1e-300 };
            let (own, other) = if sense == Sense::Least { (up, down) } else { (down, up) };
            if sense.better(x / leaving, best) {
                (best, by_policy, values.policy[s]) = (x / leaving, own, choice as u32);
            }
            if sense.better(other, all) {
                all = other;
            }
        }
        let (lower, upper) = if sense == Sense::Least { (all, by_policy) } else { (by_policy, all) };
        (values.lower[s], values.upper[s]) = (lower, upper);
        values.x[s] = best.max(lower).min(upper);
        values.wide |= upper - lower > self.precision * upper;
    }

    fn block(&mut self, start: usize, end: usize) {
        let model = self.model;
        let arcs: usize = (start..end).flat_map(|s| model.choices(s)).map(|c| model.arcs(c).len()).sum();
        let reduced = arcs <= self.reduce_arcs;
        let done = if reduced { self.by_elimination(start, end) } else { self.by_krylov(start, end) };
        // elimination may have met a policy that f64 cannot hold the costs of
        let (done, reduced) =
            if done || !reduced { (done, reduced) } else { (self.by_krylov(start, end), false) };
        // the widest that scaling can prove is better than nothing
        let widest = 1.0 / self.precision;
        if done
            && (self.scaled(start, end, 1.0)
                || self.by_margin(reduced, start, end)
                || self.scaled(start, end, widest))
        {
            let values = &mut self.values;
            let precision = self.precision;
            values.wide |=
                (start..end).any(|s| values.upper[s] - values.lower[s] > precision * values.upper[s]);
            return;
        }
        // nothing is proven: bounds that always hold
        self.values.wide = true;
        let policy = self.nearest_exit(start, end).policy;
        for s in start..end {
            self.values.lower[s] = 0.0;
            self.values.upper[s] = f64::INFINITY;
            self.values.policy[s] = policy[s - start] as u32;
        }
    }

    /// What a choice pays and brings from the blocks before.
    pub(super) fn inflow(&self, start: usize, end: usize, choice: Choice) -> f64 {
        let arcs = self.model.arcs(choice).iter();
        let outside = arcs.filter(|e| !(start..end).contains(&(e.0 as usize)));
        outside.fold(self.model.charge(choice), |b, &(e, w)| b + w * self.values.x[e as usize])
    }

    /// Bounds by scaling to a share of the precision; `false` if that proves nothing.
    pub(super) fn scaled(&mut self, start: usize, end: usize, share: f64) -> bool {
        let precision = share * self.precision;
        bounds::by_scaling(self.model, self.sense, precision, &mut self.values, start, end)
    }

    fn by_margin(&mut self, reduced: bool, start: usize, end: usize) -> bool {
        let (model, sense) = (self.model, self.sense);
        let n = end - start;
        let mut policy: Vec<Choice> =
            self.values.policy[start..end].iter().map(|&choice| choice as Choice).collect();
        // the policy's side first: its equations are the ones at hand
        let need = |values: &Values, policy: &[Choice], own: bool| -> Vec<f64> {
            let missing =
                |k: usize| bounds::missing(model, sense, values, (start, end), start + k, policy[k], own);
            (0..n).map(|k| 1.5 * missing(k).max(0.0)).collect()
        };
        let Some(margin) = self.margin(reduced, start, &policy, need(&self.values, &policy, true), false)
        else {
            return false;
        };
        let least = sense == Sense::Least;
        self.set(start, &margin, least);
        for round in 0..MARGIN_ROUNDS {
            let needs = need(&self.values, &policy, false);
            let Some(margin) = self.margin(reduced, start, &policy, needs, round > 0) else { return false };
            self.set(start, &margin, !least);
            let bound = if least { &self.values.lower } else { &self.values.upper };
            if !bounds::violators(model, sense, bound, start, end, &mut policy) {
                return bounds::hold(model, sense, &self.values, start, end);
            }
        }
        false
    }

    /// The upper or the lower bounds of a block: x plus or minus a margin.
    fn set(&mut self, start: usize, margin: &[f64], above: bool) {
        for (k, m) in margin.iter().enumerate() {
            let x = self.values.x[start + k];
            match above {
                true => self.values.upper[start + k] = x + m,
                false => self.values.lower[start + k] = (x - m).max(0.0),
            }
        }
    }

    /// The policy's equations with other costs; `fresh` says that the policy is not the one solved last.
    fn margin(
        &mut self,
        reduced: bool,
        start: usize,
        policy: &[Choice],
        mut need: Vec<f64>,
        fresh: bool,
    ) -> Option<Vec<f64>> {
        let n = policy.len();
        let mut x = vec![0.0; n];
        if reduced {
            let base = self.model.choices(start).start;
            let local: Vec<u32> = policy.iter().map(|&choice| (choice - base) as u32).collect();
            let mut b = vec![0.0; self.first.choices(n - 1).end];
            (0..n).for_each(|k| b[local[k] as usize] = need[k]);
            self.first.forward(&mut b);
            if !self.first.rest.is_empty() {
                let solved = match fresh {
                    true => self.evaluate(&b, &local, &mut x),
                    false => self.solve_rest(&b, &local, &mut x),
                };
                solved.then_some(())?;
            }
            self.first.backward(&b, &mut x);
        } else {
            if fresh {
                self.leaves(start, policy).then_some(())?;
                self.load_krylov(start, policy);
            }
            // a rough solution is off by a share of the largest need everywhere
            let floor = 0.1 * need.iter().copied().fold(0.0, f64::max);
            need.iter_mut().for_each(|x| *x += floor);
            let goal = Goal::Relative(1e-3 / (n as f64).sqrt());
            self.solve_krylov(&need, &mut x, goal).then_some(())?;
        }
        x.iter().all(|x| x.is_finite()).then_some(x)
    }
}
