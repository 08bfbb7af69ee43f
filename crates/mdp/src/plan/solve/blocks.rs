//! One strongly connected block after another, the last ones first, in f64. The table in
//! [`solve`](super) says which method answers for which block.

use super::block::Block;
use super::bounds::{Proof, Side, WIDEST};
use super::evaluate::{Eliminated, Evaluate, Iterated};
use super::iterate::{iterate, margin, settle};
use super::model::Model;
use super::values::{Sense, Values};
use crate::numeric::halt::Halt;
use crate::numeric::linear::dense::Dense;
use crate::numeric::linear::parts;
use std::ops::Range;

/// Nodes between two looks at how far it is.
const SHOWN: usize = 1 << 14;
/// What equations may lack, in costs of a step, relative to the precision.
const ENOUGH: f64 = 0.05;
/// Krylov iterations for one policy, and for all policies times the nodes.
const ITERATIONS: usize = 3000;
const ITERATIONS_BY_NODES: usize = 2_000_000_000;
/// Multiplications of an elimination where all else fails.
const LAST_WORK: f64 = 6e9;

/// How the values of a block are found, in the order in which that is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Method {
    Dense,
    /// Value iteration, where it settles soon.
    Settling,
    Elimination,
    Krylov,
    Patience,
}

impl Method {
    pub(super) const ALL: [Method; 5] =
        [Method::Dense, Method::Settling, Method::Elimination, Method::Krylov, Method::Patience];

    fn suits(self, block: &Block) -> bool {
        let (n, arcs) = (block.x.len(), block.arcs());
        match self {
            Method::Dense => n <= 32,
            Method::Settling => n >= 400 && block.decisions() >= 400,
            // its rows take much memory
            Method::Elimination => arcs <= 3_000_000,
            Method::Krylov => true,
            Method::Patience => n <= 4000,
        }
    }
}

struct Evaluators {
    dense: Dense,
    eliminated: Eliminated,
    iterated: Iterated,
}

impl Evaluators {
    /// The evaluator of a method on a block of this size; that of value iteration is for its margins.
    fn get(&mut self, method: Method, nodes: usize) -> &mut dyn Evaluate {
        match method {
            Method::Dense => &mut self.dense,
            Method::Elimination | Method::Patience => {
                self.eliminated.work = (method == Method::Patience).then_some(LAST_WORK);
                &mut self.eliminated
            }
            Method::Krylov | Method::Settling => {
                self.iterated.left = (ITERATIONS_BY_NODES / nodes).max(ITERATIONS);
                &mut self.iterated
            }
        }
    }
}

/// Solves block by block; the workspaces are shared by all.
pub(super) struct Solver<'a> {
    model: &'a Model,
    sense: Sense,
    precision: f64,
    halt: &'a Halt,
    values: Values,
    /// What the values may be, per node; none if nothing is known.
    guess: Vec<f64>,
    block: Block,
    by: Evaluators,
    /// The methods that are tried: a test leaves some out.
    pub(super) methods: Vec<Method>,
}

impl<'a> Solver<'a> {
    pub(super) fn new(model: &'a Model, sense: Sense, precision: f64, halt: &'a Halt) -> Solver<'a> {
        let zeros = || vec![0.0; model.nodes + 1];
        let policy = (0..model.nodes).map(|s| model.choices(s).start as u32).collect();
        Solver {
            model,
            sense,
            precision,
            halt,
            values: Values { x: zeros(), lower: zeros(), upper: zeros(), policy },
            guess: Vec::new(),
            block: Block::default(),
            by: Evaluators {
                dense: Dense::default(),
                eliminated: Eliminated::new(LAST_WORK, halt),
                iterated: Iterated::new(ITERATIONS, halt),
            },
            methods: Method::ALL.to_vec(),
        }
    }

    /// Takes guesses at the values of nodes: large blocks are solved sooner from good ones.
    pub(super) fn guess(&mut self, guesses: impl Iterator<Item = (u32, f64)>) {
        self.guess = vec![0.0; self.model.nodes + 1];
        guesses.for_each(|(node, guess)| self.guess[node as usize] = guess);
    }

    pub(super) fn run(mut self, ends: &[u32]) -> Values {
        let (mut start, mut shown) = (0, 0);
        for &end in ends {
            let end = end as usize;
            match end - start {
                1 => self.single(start),
                _ => self.block(start..end),
            }
            if end - start >= SHOWN || end / SHOWN > start / SHOWN {
                self.halt.solved((end - shown) as u64);
                shown = end;
                if self.halt.asked() {
                    break;
                }
            }
            start = end;
        }
        self.values
    }

    /// A node on its own: each bound is the formula with the bounds of the successors.
    fn single(&mut self, s: usize) {
        let (model, sigma, values) = (self.model, self.sense.sigma(), &mut self.values);
        let (mut best, mut all, mut by_policy) = (f64::INFINITY, f64::INFINITY, 0.0);
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
            let (own, other) = if self.sense == Sense::Least { (up, down) } else { (down, up) };
            if sigma * x / leaving < best {
                (best, by_policy, values.policy[s]) = (sigma * x / leaving, own, choice as u32);
            }
            all = all.min(sigma * other);
        }
        let all = sigma * all;
        let (lower, upper) = if self.sense == Sense::Least { (all, by_policy) } else { (by_policy, all) };
        (values.lower[s], values.upper[s]) = (lower, upper);
        values.x[s] = (sigma * best).max(lower).min(upper);
    }

    /// The first method that finds values; what they prove.
    fn block(&mut self, nodes: Range<usize>) {
        self.block.load(self.model, self.sense, nodes.clone(), &self.values.x);
        if let Some(guess) = self.guess.get(nodes.clone()) {
            self.block.guess(guess);
        }
        for at in 0..self.methods.len() {
            let method = self.methods[at];
            if method.suits(&self.block) && self.find(method, nodes.clone()) {
                if method == Method::Settling || self.prove(method, nodes.clone()) {
                    return;
                }
                break;
            }
        }
        // bounds that always hold
        self.block.begin();
        self.keep();
        self.values.lower[nodes.clone()].fill(0.0);
        self.values.upper[nodes].fill(f64::INFINITY);
    }

    fn find(&mut self, method: Method, nodes: Range<usize>) -> bool {
        if method == Method::Settling {
            return self.settle(nodes);
        }
        if method == Method::Krylov {
            // a policy that is greedy for values that hardly spread leaves almost never
            self.block.begin();
        }
        let Solver { block, by, precision, halt, .. } = self;
        let by = by.get(method, nodes.len());
        let mut run = || iterate(block, by, ENOUGH * *precision, halt);
        // on a thread of the pool: many short parallel sections would wake it up each time
        let found = if parts::is_long(nodes.len()) { rayon::scope(|_| run()) } else { run() };
        match found {
            true => self.keep(),
            false => self.block.begin(),
        }
        found
    }

    fn settle(&mut self, nodes: Range<usize>) -> bool {
        let mut goal = ENOUGH * self.precision.max(1e-12);
        for _ in 0..2 {
            if !settle(&mut self.block, goal, self.halt) {
                break;
            }
            self.keep();
            let proper = self.sense == Sense::Greatest || self.block.leaves();
            let half = 0.5 * WIDEST * self.precision;
            let free = || nodes.clone().any(|s| self.model.charge(self.values.policy[s] as usize) <= 0.0);
            let margin = proper && free();
            let proven = Side::BOTH.into_iter().all(|side| {
                self.by_scaling(side, half, nodes.clone())
                    || (margin && self.by_margin(side, Method::Settling, nodes.clone()))
            });
            if proper && proven && self.is_narrow(nodes.clone()) {
                return true;
            }
            goal *= 1e-3;
        }
        if !self.block.leaves() {
            self.block.begin();
        }
        false
    }

    fn keep(&mut self) {
        let Solver { block, values, .. } = self;
        for ((&s, &x), choice) in block.nodes().iter().zip(&block.x).zip(block.taken()) {
            (values.x[s as usize], values.policy[s as usize]) = (x, choice as u32);
        }
    }

    /// Bounds from values: as close as was asked for, or as close as can be.
    fn prove(&mut self, method: Method, nodes: Range<usize>) -> bool {
        Side::BOTH.into_iter().all(|side| {
            self.by_scaling(side, WIDEST * self.precision, nodes.clone())
                || self.by_margin(side, method, nodes.clone())
                || self.by_scaling(side, WIDEST, nodes.clone())
        })
    }

    fn proof(&self) -> Proof<'a> {
        Proof { model: self.model, sense: self.sense, care: 1.0 }
    }

    fn by_scaling(&mut self, side: Side, most: f64, nodes: Range<usize>) -> bool {
        self.proof().by_scaling(side, most, &mut self.values, nodes)
    }

    fn by_margin(&mut self, side: Side, method: Method, nodes: Range<usize>) -> bool {
        let (proof, Solver { block, by, values, .. }) = (self.proof(), self);
        let by = by.get(method, nodes.len());
        proof.by_margin(side, values, nodes, |policy, need| margin(block, by, proof.model, policy, &need))
    }

    fn is_narrow(&self, mut nodes: Range<usize>) -> bool {
        let Values { lower, upper, .. } = &self.values;
        nodes.all(|s| upper[s] - lower[s] <= self.precision * upper[s])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::solve::setup::Setup;
    use crate::plan::solve::tests::{against_the_wind, problem};
    use crate::plan::{Objective, Options, solve};

    /// Sixty states in a ring, each with a short step of cost 1 and a long one of cost 2, and a trap
    /// for probabilities. One step in four leads out.
    #[test]
    fn a_block_that_leaves_soon_is_settled() {
        let (n, never) = (60, Halt::never());
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
            let mut solver = Solver::new(&setup.model, Sense::of(objective), 1e-9, &never);
            let end = setup.ends[setup.ends.len() - 1] as usize;
            solver.block.load(&setup.model, Sense::of(objective), end - n..end, &solver.values.x);
            assert!(solver.settle(end - n..end), "{objective:?}");
            assert!(solver.is_narrow(end - n..end));
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
        let (n, never) = (setup.model.nodes, Halt::never());
        let mut solver = Solver::new(&setup.model, Sense::Least, 1e-9, &never);
        solver.block.load(&setup.model, Sense::Least, 0..n, &solver.values.x);
        assert!(!solver.settle(0..n));
        assert!(solver.find(Method::Elimination, 0..n) || solver.find(Method::Krylov, 0..n));
    }

    /// A grid of 24 nodes as a dense matrix, by lists, and in 30 digits.
    #[test]
    fn a_small_block_is_the_same_by_either_elimination() {
        let (problem, truth) = against_the_wind(5);
        let setup = Setup::new(&problem, &truth, Objective::Min);
        let never = Halt::never();
        let exact = solve(&problem, &truth, &Options::exact(1e-12)).unwrap();
        for method in [Method::Dense, Method::Elimination] {
            let mut solver = Solver::new(&setup.model, Sense::Least, 1e-9, &never);
            solver.block.load(&setup.model, Sense::Least, 0..24, &solver.values.x);
            assert!(solver.find(method, 0..24));
            for s in 0..24 {
                let x = solver.values.x[setup.node_of(s).unwrap() as usize];
                assert!((x - exact.v[s]).abs() <= 1e-12 * x, "{method:?} {s}: {x}");
            }
        }
    }
}
