//! The fast way: one strongly connected block after the other, those that lead nowhere else first.
//!
//! The strongly connected components are solved in topological order: a node on its own by its
//! formula (`single`); a block of a few nodes by policy iteration with dense matrices (`dense`); one
//! of moderate size with sparse elimination, after the nodes without a decision have been
//! eliminated once (`reduced`); a large one as it is (`large`), from a policy that `nearest` finds.
//! Where value iteration settles a block soon (`swept`), that is enough. Else policy iteration uses
//! BiCGSTAB or, where that gets on too slowly, several levels (`levels`). Where all that fails
//! there is value iteration to the end (`resort`). Bounds come from f64 with directed error bounds.

mod block;
mod dense;
mod flat;
mod iterate;
mod large;
mod levels;
mod margin;
mod nearest;
mod reduced;
mod resort;
mod rest;
mod single;
mod swept;

use self::dense::SMALL;
use super::bounds::{self, Proof, Turn};
use super::model::{Choice, Model};
use super::sense::Sense;
use super::values::Values;
use crate::numeric::gauge;
use crate::numeric::linear::dense::Dense;
use crate::numeric::linear::elimination::{Elimination, LastFirst};
use crate::numeric::linear::krylov::Krylov;
use crate::numeric::linear::multilevel::Multilevel;

/// Blocks of more arcs are not eliminated: the rows alone would take too much memory.
const REDUCE_ARCS: usize = 3_000_000;
/// Rounds of policy iteration; it needs a dozen.
const ROUNDS: usize = 100;
/// Nodes between two looks at how far it is.
const SHOWN: usize = 1 << 14;
/// What Krylov's method leaves of the equations in the end.
const FINEST: f64 = 1e-13;

/// No values, or none that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Failed;

/// How the values of a block were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// As it is, each policy as a dense matrix.
    Dense,
    /// After the elimination of the nodes without a decision.
    Reduced,
    /// As it is, by Krylov's method.
    Large,
    /// As it is, on several levels.
    Levels,
    /// By value iteration, and bounds are set.
    Swept,
}

/// The methods for blocks in the order in which they are tried. A test begins with a later one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum First {
    #[default]
    Dense,
    Elimination,
    Settling,
    Krylov,
    Levels,
    Sweeps,
}

/// How the policies of a reduced block are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Evaluation {
    /// By elimination.
    #[default]
    Elimination,
    /// By Krylov's method.
    Krylov,
    /// By elimination at any price.
    Patience,
}

/// Solves block by block; the workspaces are shared by all.
pub(super) struct Solver<'a> {
    model: &'a Model,
    sense: Sense,
    precision: f64,
    values: Values,
    evaluation: Evaluation,
    /// The block at hand without the nodes that have no decision.
    first: Elimination<LastFirst>,
    /// What a policy makes of it.
    second: Elimination<LastFirst>,
    /// What a policy makes of a small block.
    dense: Dense,
    /// What is tried first.
    pub(super) begin: First,
    krylov: Krylov,
    multilevel: Multilevel,
    /// For large blocks: their nodes from the ways out inwards, and the place of each in that
    /// order.
    order: Vec<u32>,
    place: Vec<u32>,
    /// The first node of the block that they are of.
    arranged: Option<usize>,
    /// How small a part of the equations Krylov's method leaves.
    tolerance: f64,
    /// What the values may be, per node; none if nothing is known.
    guess: Vec<f64>,
}

impl<'a> Solver<'a> {
    /// Nothing is solved yet.
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
            first: Elimination::default(),
            second: Elimination::default(),
            dense: Dense::default(),
            begin: First::default(),
            krylov: Krylov::default(),
            multilevel: Multilevel::default(),
            order: Vec::new(),
            place: Vec::new(),
            arranged: None,
            tolerance: FINEST,
            guess: Vec::new(),
            evaluation: Evaluation::default(),
        }
    }

    /// Takes guesses at the values of nodes: large blocks are solved sooner from good ones.
    pub(super) fn guess(&mut self, guesses: impl Iterator<Item = (u32, f64)>) {
        self.guess = vec![0.0; self.model.nodes + 1];
        guesses.for_each(|(node, guess)| self.guess[node as usize] = guess);
    }

    /// All blocks, given by their ends.
    pub(super) fn run(mut self, ends: &[u32]) -> Values {
        let (mut start, mut shown) = (0, 0);
        for &end in ends {
            let end = end as usize;
            if end - start == 1 {
                self.single(start);
            } else {
                self.block(start, end);
            }
            if end - start >= SHOWN || end / SHOWN > start / SHOWN {
                gauge::solved((end - shown) as u64);
                shown = end;
            }
            start = end;
        }
        self.values
    }

    fn block(&mut self, start: usize, end: usize) {
        // the widest that scaling can prove is better than nothing
        let widest = 1.0 / self.precision;
        if let Ok(method) = self.find(start, end)
            && (method == Method::Swept
                || self.scaled(start, end, 1.0)
                || self.by_margin(method, Turn::Same, start, end)
                || self.scaled(start, end, widest))
        {
            self.values.wide |= !self.is_narrow(start, end);
            return;
        }
        self.by_sweeps(start, end);
    }

    /// Whether a block's bounds are as close as was asked for.
    fn is_narrow(&self, start: usize, end: usize) -> bool {
        let Values { lower, upper, .. } = &self.values;
        (start..end).all(|s| upper[s] - lower[s] <= self.precision * upper[s])
    }

    /// Values and a policy for a block.
    fn find(&mut self, start: usize, end: usize) -> Result<Method, Failed> {
        if end - start <= SMALL
            && self.begin == First::Dense
            && let Ok(method) = self.by_dense(start, end)
        {
            return Ok(method);
        }
        let small = self.arcs(start, end) <= REDUCE_ARCS && self.begin <= First::Elimination;
        if small && let Ok(method) = self.by_elimination(start, end) {
            return Ok(method);
        }
        // elimination may have met a policy that f64 cannot hold the costs of
        self.as_it_is(start, end)
    }

    /// How many arcs the choices of a block have.
    fn arcs(&self, start: usize, end: usize) -> usize {
        let model = self.model;
        (start..end).flat_map(|s| model.choices(s)).map(|c| model.arcs(c).len()).sum()
    }

    /// What a choice pays and brings from the blocks before.
    fn inflow(&self, start: usize, end: usize, choice: Choice) -> f64 {
        let arcs = self.model.arcs(choice).iter();
        let outside = arcs.filter(|e| !(start..end).contains(&(e.0 as usize)));
        outside.fold(self.model.charge(choice), |b, &(e, w)| b + w * self.values.x[e as usize])
    }

    /// What is proven of blocks: their bounds are checked as computed.
    fn proof(&self) -> Proof<'a> {
        Proof { model: self.model, sense: self.sense, care: 1.0 }
    }

    /// Bounds by scaling to a share of the precision; whether they hold.
    fn scaled(&mut self, start: usize, end: usize, share: f64) -> bool {
        bounds::by_scaling(self.proof(), share * self.precision, &mut self.values, start..end)
    }

    /// Whether a policy leaves a block from everywhere.
    fn leaves(&self, start: usize, policy: &[Choice]) -> bool {
        let n = policy.len();
        let local = |next: u32| Some((next as usize).wrapping_sub(start)).filter(|&j| j < n);
        let mut first = vec![0u32; n + 2];
        for &choice in policy {
            self.model.arcs(choice).iter().filter_map(|e| local(e.0)).for_each(|j| first[j + 2] += 1);
        }
        (2..n + 2).for_each(|j| first[j] += first[j - 1]);
        let mut into = vec![0u32; first[n + 1] as usize];
        let (mut reached, mut queue) = (vec![false; n], Vec::with_capacity(n));
        for (s, &choice) in policy.iter().enumerate() {
            for &(next, _) in self.model.arcs(choice) {
                match local(next) {
                    Some(j) => {
                        into[first[j + 1] as usize] = s as u32;
                        first[j + 1] += 1;
                    }
                    None if !reached[s] => {
                        reached[s] = true;
                        queue.push(s);
                    }
                    None => {}
                }
            }
        }
        let mut at = 0;
        while at < queue.len() {
            for &s in &into[first[queue[at]] as usize..first[queue[at] + 1] as usize] {
                if !std::mem::replace(&mut reached[s as usize], true) {
                    queue.push(s as usize);
                }
            }
            at += 1;
        }
        queue.len() == n
    }
}
