//! A node on its own: no equation to solve.

use super::Solver;
use crate::plan::solve::sense::Sense;

impl Solver<'_> {
    /// Each bound is the formula with the bounds of the successors.
    pub(super) fn single(&mut self, s: usize) {
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
}
