//! What the choices of a block are worth: three ways to solve its equations.

use super::block::Block;
use crate::numeric::halt::Halt;
use crate::numeric::linear::dense::Dense;
use crate::numeric::linear::elimination::Elimination;
use crate::numeric::linear::krylov::Krylov;

/// The equations of a block, v(i) = b(i) + sum of w v(j), in costs of a step.
pub(super) trait Evaluate: Send {
    /// Whether solutions are as accurate as f64 allows, whatever is asked for.
    fn is_exact(&self) -> bool;
    /// Sweeps that improve choices between two evaluations: fewer where these are cheap.
    fn sweeps(&self) -> usize {
        4
    }
    fn load(&mut self, block: &Block) -> bool;
    /// Solves for a right-hand side, from a guess, until every residual is at most `enough`.
    fn solve(&mut self, b: Vec<f64>, x: &mut [f64], enough: f64) -> bool;
}

impl Evaluate for Dense {
    fn is_exact(&self) -> bool {
        true
    }

    fn sweeps(&self) -> usize {
        1
    }

    fn load(&mut self, block: &Block) -> bool {
        let n = block.x.len();
        let all: Vec<u32> = (0..n as u32).collect();
        let out = (0..n).map(|i| block.outside(i)).collect();
        self.factor(n, &all, out, |i| block.arcs_of(i as usize), &Halt::never())
    }

    fn solve(&mut self, b: Vec<f64>, x: &mut [f64], _: f64) -> bool {
        x.copy_from_slice(&Dense::solve(self, b));
        true
    }
}

#[derive(Default)]
pub(super) struct Eliminated {
    elimination: Elimination,
    /// The most multiplications; none: few for each arc.
    pub(super) work: Option<f64>,
}

impl Eliminated {
    /// Few multiplications, and few more for each arc.
    const WORK: f64 = 3e5;
    const WORK_PER_ARC: f64 = 40.0;

    pub(super) fn new(work: f64, halt: &Halt) -> Eliminated {
        let mut eliminated = Eliminated { work: Some(work), ..Eliminated::default() };
        eliminated.elimination.heed(halt);
        eliminated
    }
}

impl Evaluate for Eliminated {
    fn is_exact(&self) -> bool {
        true
    }

    fn load(&mut self, block: &Block) -> bool {
        let n = block.x.len();
        let arcs = || (0..n).map(|i| block.arcs_of(i).count()).sum::<usize>();
        let work = self.work.unwrap_or_else(|| Self::WORK + Self::WORK_PER_ARC * arcs() as f64);
        self.elimination.eliminate(n, work, |i, row| block.row(i, row))
    }

    fn solve(&mut self, mut b: Vec<f64>, x: &mut [f64], _: f64) -> bool {
        self.elimination.solve(&mut b, x);
        true
    }
}

#[derive(Default)]
pub(super) struct Iterated {
    krylov: Krylov,
    /// Iterations for one solution, and how many are left for all.
    each: usize,
    pub(super) left: usize,
}

impl Iterated {
    pub(super) fn new(each: usize, halt: &Halt) -> Iterated {
        let mut iterated = Iterated { each, left: usize::MAX, ..Iterated::default() };
        iterated.krylov.heed(halt);
        iterated
    }
}

impl Evaluate for Iterated {
    fn is_exact(&self) -> bool {
        false
    }

    fn load(&mut self, block: &Block) -> bool {
        let room = |i: usize| block.arcs_of(i).count();
        self.krylov.load(block.x.len(), room, |i, row| block.row(i, row));
        true
    }

    fn solve(&mut self, b: Vec<f64>, x: &mut [f64], enough: f64) -> bool {
        let before = self.krylov.spent();
        let solved = self.krylov.solve(&b, x, enough, self.each.min(self.left));
        self.left = self.left.saturating_sub(self.krylov.spent() - before);
        solved
    }
}
