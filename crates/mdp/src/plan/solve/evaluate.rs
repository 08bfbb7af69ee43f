//! What the choices of a block are worth: four ways to solve its equations.

use super::block::Block;
use crate::numeric::halt::Halt;
use crate::numeric::linear::dense::Dense;
use crate::numeric::linear::elimination::{Elimination, Outcome};
use crate::numeric::linear::krylov::{Krylov, Solved};
use crate::numeric::linear::multilevel::{Multilevel, News};

/// No values, or none that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed;

/// The equations of a block, v(i) = b(i) + sum of w v(j), in costs of a step.
pub(super) trait Evaluate: Send {
    /// Whether solutions are as accurate as f64 allows, whatever is asked for.
    fn is_exact(&self) -> bool;
    /// How soft the first mixtures of choices are.
    fn softs(&self) -> &'static [f64] {
        &[]
    }
    /// Sweeps in which nodes turn to better choices, between two evaluations: fewer where these are
    /// cheap.
    fn sweeps(&self) -> usize {
        4
    }
    /// Makes ready for the choices at hand.
    fn load(&mut self, block: &Block, news: News) -> Result<(), Failed>;
    /// Solves their equations for a right-hand side, from a guess, until none lacks more than
    /// `enough`.
    fn solve(&mut self, b: Vec<f64>, x: &mut [f64], enough: f64) -> Result<(), Failed>;
}

impl Evaluate for Dense {
    fn is_exact(&self) -> bool {
        true
    }

    fn sweeps(&self) -> usize {
        1
    }

    fn load(&mut self, block: &Block, _: News) -> Result<(), Failed> {
        let n = block.x.len();
        let all: Vec<u32> = (0..n as u32).collect();
        let out = (0..n).map(|i| block.outside(i)).collect();
        self.factor(n, &all, out, |i| block.arcs_of(i as usize)).map_err(|_| Failed)
    }

    fn solve(&mut self, b: Vec<f64>, x: &mut [f64], _: f64) -> Result<(), Failed> {
        x.copy_from_slice(&Dense::solve(self, b));
        Ok(())
    }
}

/// Sparse elimination.
#[derive(Default)]
pub(super) struct Eliminated {
    elimination: Elimination,
    /// Multiplications that are affordable; none: few for each arc.
    pub(super) work: Option<f64>,
}

impl Eliminated {
    /// Few multiplications, and few more for each arc.
    const WORK: f64 = 3e5;
    const WORK_PER_ARC: f64 = 40.0;

    /// With so many multiplications at most.
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

    fn load(&mut self, block: &Block, _: News) -> Result<(), Failed> {
        let n = block.x.len();
        let arcs = || (0..n).map(|i| block.arcs_of(i).count()).sum::<usize>();
        let work = self.work.unwrap_or_else(|| Self::WORK + Self::WORK_PER_ARC * arcs() as f64);
        let row = |i: usize, row: &mut Vec<(u32, f64)>| block.row(i, row);
        let outcome = self.elimination.eliminate(n, work, row);
        (outcome == Outcome::Done).then_some(()).ok_or(Failed)
    }

    fn solve(&mut self, mut b: Vec<f64>, x: &mut [f64], _: f64) -> Result<(), Failed> {
        self.elimination.solve(&mut b, x);
        Ok(())
    }
}

/// BiCGSTAB.
#[derive(Default)]
pub(super) struct Iterated {
    krylov: Krylov,
    /// Iterations for one solution, and how many are left for all.
    pub(super) each: usize,
    pub(super) left: usize,
}

impl Iterated {
    /// With so many iterations for each solution.
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

    fn load(&mut self, block: &Block, _: News) -> Result<(), Failed> {
        let room = |i: usize| block.arcs_of(i).count();
        self.krylov.load(block.x.len(), room, |i, row| {
            block.arcs_of(i).for_each(|(j, w)| row.arc(j as usize, w));
            block.outside(i)
        });
        Ok(())
    }

    fn solve(&mut self, b: Vec<f64>, x: &mut [f64], enough: f64) -> Result<(), Failed> {
        let before = self.krylov.spent();
        let solved = self.krylov.solve(&b, x, enough, self.each.min(self.left));
        self.left = self.left.saturating_sub(self.krylov.spent() - before);
        (solved == Solved::Enough).then_some(()).ok_or(Failed)
    }
}

/// Several levels. Policies that look better than rough values may wait for ever where the wind turns
/// them back. So the first policies are mixtures: each node takes the choices that are nearly as good
/// as its best one. Whatever is greedy for the values of a policy is at least as good, and so is all
/// that follows. Mixtures also flow smoothly, where policies would drive what they do not know yet
/// against each other, and smooth flows are what few levels can follow.
#[derive(Default)]
pub(super) struct Levels {
    multilevel: Multilevel,
    /// The last solution took many cycles.
    slow: bool,
}

impl Levels {
    /// Cycles for one solution; more than so many are slow.
    const CYCLES: usize = 200;
    const SLOW: usize = 12;
    /// The first mixtures, by the loss, in costs of a step, that makes a choice rarer by e; the second
    /// one mixes hardly more than ties, where the first cannot be evaluated.
    const SOFT: [f64; 2] = [0.3, 0.01];

    pub(super) fn new(halt: &Halt) -> Levels {
        let mut levels = Levels::default();
        levels.multilevel.heed(halt);
        levels
    }
}

impl Evaluate for Levels {
    fn is_exact(&self) -> bool {
        false
    }

    fn softs(&self) -> &'static [f64] {
        &Levels::SOFT
    }

    fn load(&mut self, block: &Block, news: News) -> Result<(), Failed> {
        let news = if self.slow && news == News::Few { News::Many } else { news };
        self.multilevel.load(block.x.len(), news, |i, arcs| block.row(i, arcs));
        Ok(())
    }

    fn solve(&mut self, b: Vec<f64>, x: &mut [f64], enough: f64) -> Result<(), Failed> {
        let (solved, cycles) = self.multilevel.solve(&b, x, enough, Levels::CYCLES);
        self.slow = cycles > Levels::SLOW;
        (solved == Solved::Enough).then_some(()).ok_or(Failed)
    }
}
