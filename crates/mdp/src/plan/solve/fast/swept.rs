//! Blocks that value iteration settles soon, and what it proves of them.

use super::flat::{Flat, Source, Swept};
use super::nearest::Nearest;
use super::{Method, Solver};
use crate::plan::solve::bounds::Turn;
use crate::plan::solve::sense::Sense;
use std::ops::Range;

/// A block as it is; choices are numbered from its first.
struct AsItIs<'s, 'a> {
    solver: &'s Solver<'a>,
    start: usize,
    end: usize,
    base: usize,
}

impl Source for AsItIs<'_, '_> {
    fn choices(&self, node: usize) -> Range<usize> {
        let choices = self.solver.model.choices(self.start + node);
        choices.start - self.base..choices.end - self.base
    }
    fn arcs(&self, choice: usize) -> impl Iterator<Item = (u32, f64)> {
        let n = self.end - self.start;
        let arcs = self.solver.model.arcs(self.base + choice).iter();
        let local = arcs.map(|&(next, w)| ((next as usize).wrapping_sub(self.start), w));
        local.filter(move |arc| arc.0 < n).map(|(next, w)| (next as u32, w))
    }
    fn inflow(&self, choice: usize) -> f64 {
        self.solver.inflow(self.start, self.end, self.base + choice)
    }
    fn leaving(&self, choice: usize) -> f64 {
        self.solver.model.leaving[self.base + choice]
    }
    fn charge(&self, choice: usize) -> f64 {
        self.solver.model.charge(self.base + choice)
    }
}

impl Solver<'_> {
    /// Value iteration on a block as it is, in the order at hand, until its values are proven.
    pub(super) fn settle_as_it_is(&mut self, start: usize, end: usize, near: &Nearest) -> Swept {
        let base = self.model.choices(start).start;
        let mut policy: Vec<u32> = near.policy.iter().map(|&choice| (choice - base) as u32).collect();
        let mut x = near.rough.clone();
        let source = AsItIs { solver: self, start, end, base };
        let mut flat = Flat::new(&source, self.sense.sigma(), &near.order, &policy, &x);
        self.prove_swept(start, end, &mut flat, |solver, flat| {
            flat.tell(&near.order, &mut policy, &mut x);
            solver.keep(start, &x, &policy);
        })
    }

    /// Value iteration until its values are proven; `keep` takes them to where they belong.
    pub(super) fn prove_swept(
        &mut self,
        start: usize,
        end: usize,
        flat: &mut Flat,
        mut keep: impl FnMut(&mut Self, &Flat),
    ) -> Swept {
        let mut goal = 0.05 * self.precision.max(1e-12);
        for _ in 0..2 {
            let swept = flat.sweep(goal);
            keep(self, flat);
            if swept == Swept::Slow {
                break;
            }
            let proper = self.sense == Sense::Greatest || self.leaves_as_chosen(start, end);
            if proper && (self.scaled(start, end, 0.5) || self.margin_of_swept(start, end)) {
                return Swept::Settled;
            }
            goal *= 1e-3;
        }
        Swept::Slow
    }

    /// Bounds by a margin where steps cost nothing, if they are as close as was asked for.
    fn margin_of_swept(&mut self, start: usize, end: usize) -> bool {
        let model = self.model;
        if (start..end).all(|s| model.charge(self.values.policy[s] as usize) > 0.0) {
            return false;
        }
        if self.arranged != Some(start) {
            let order = self.nearest_exit(start, end).order;
            self.arrange(start, &order);
        }
        self.by_margin(Method::Swept, Turn::New, start, end) && self.is_narrow(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Objective;
    use crate::plan::solve::setup::Setup;
    use crate::plan::solve::tests::{against_the_wind, problem};

    /// Sixty states in a ring, each with a short step of cost 1 and a long one of cost 2, and a trap
    /// for probabilities. One step in four leads out.
    #[test]
    fn a_block_that_leaves_soon_is_settled_as_it_is() {
        let n = 60;
        for objective in [Objective::Min, Objective::Max, Objective::Reach] {
            let lossy = if objective == Objective::Reach { 0.125 } else { 0.0 };
            let mut rows = Vec::new();
            for s in 0..n {
                for (cost, far) in [(1.0, 1), (2.0, 7)] {
                    // the goal is the last state, the trap the one before it
                    let next = vec![((s + far) % n, 0.75), (n + 1, 0.25 - lossy), (n, lossy)];
                    rows.push((s, cost, next));
                }
            }
            rows.push((n, 1.0, vec![(n, 1.0)]));
            let rows: Vec<_> = rows.iter().map(|(s, cost, next)| (*s, *cost, &next[..])).collect();
            let (problem, truth) = problem(n + 2, &rows);
            let setup = Setup::new(&problem, &truth, objective);
            let mut solver = Solver::new(&setup.model, Sense::of(objective), 1e-9);
            let end = setup.ends[setup.ends.len() - 1] as usize;
            let near = solver.nearest_exit(end - n, end);
            solver.arrange(end - n, &near.order);
            assert_eq!(solver.settle_as_it_is(end - n, end, &near), Swept::Settled, "{objective:?}");
            assert!(solver.is_narrow(end - n, end));
            // four steps, of cost 1 or 2; the trap takes half
            let known = match objective {
                Objective::Min => 4.0,
                Objective::Max => 8.0,
                Objective::Reach => 0.5,
            };
            for s in 0..n {
                let node = setup.node_of(s).unwrap() as usize;
                let (lower, upper) = (solver.values.lower[node], solver.values.upper[node]);
                assert!(lower <= known && known <= upper, "{objective:?} {s}: {lower} {upper}");
            }
        }
    }

    /// A block that is slow says so, and has promised nothing.
    #[test]
    fn a_slow_block_is_left_to_others() {
        let (problem, truth) = against_the_wind(40);
        let setup = Setup::new(&problem, &truth, Objective::Min);
        let mut solver = Solver::new(&setup.model, Sense::Least, 1e-9);
        let n = setup.model.nodes;
        let near = solver.nearest_exit(0, n);
        solver.arrange(0, &near.order);
        assert_eq!(solver.settle_as_it_is(0, n, &near), Swept::Slow);
        assert!(solver.find(0, n).is_ok());
    }
}
