//! A policy's equations on chains that mix slowly, such as long corridors and large grids, where
//! Krylov's method alone takes ever more iterations.
//!
//! Nodes that lead to each other form groups, the nodes of a smaller chain, until a few dozen are
//! eliminated. A group's equation is the sum of its nodes' equations by their `shares`; its
//! solution corrects all its nodes alike. One such cycle is the preconditioner of GCR (Eisenstat,
//! Elman and Schultz, 1983).
//!
//! **Reference.** Notay, An aggregation-based algebraic multigrid method (2010), with other groups
//! and shares.
//!
//! **Cost.** A cycle reads the arcs of the first level about eight times. Memory: 24 bytes per arc
//! and 250 per node. Nodes should come in the order of their distance from the outside.

mod cycle;
mod groups;
mod level;
mod shares;
#[cfg(test)]
mod tests;

use super::dense::Dense;
use super::parts::{self, dot, largest, scale, subtract};
use crate::halt::Halt;
use cycle::cycle;
use level::Level;
use shares::settle;

/// The number of nodes eliminated.
const FEW: usize = 100;
const DIRECTIONS: usize = 8;
/// Iterations between looks at how fast it gets on.
const LOOK: usize = 12;
/// Progress is sufficient if this number of iterations reduces the residual to this part.
const PACE: f64 = 1e-3;
/// Cycles for the shares where it does not.
const MORE_CYCLES: usize = 3;

/// What changed since the chain before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// All rows.
    All,
    /// Many rows.
    Many,
    /// Few rows: shares are kept.
    Few,
}

/// A chain on several levels.
#[derive(Default)]
pub struct Multilevel {
    levels: Vec<Level>,
    last: Dense,
    directions: Vec<[Vec<f64>; 2]>,
    residual: Vec<f64>,
    cycles: usize,
    halt: Halt,
}

impl Multilevel {
    /// From now on solutions end early when asked to stop.
    pub fn heed(&mut self, halt: &Halt) {
        self.halt = halt.clone();
    }

    /// Takes a chain: `row` writes a node's arcs and returns the weight that leaves the system.
    pub fn load(
        &mut self,
        nodes: usize,
        change: Change,
        row: impl Fn(usize, &mut Vec<(u32, f64)>) -> f64 + Sync,
    ) {
        let mut level = if self.levels.is_empty() { Level::default() } else { self.levels.swap_remove(0) };
        self.levels.clear();
        level.first.clear();
        level.first.push(0);
        for list in [&mut level.weight, &mut level.out, &mut level.leaving, &mut level.stop, &mut level.begin]
        {
            list.clear();
        }
        level.next.clear();
        parts::map(parts::ranges(nodes), |range| Level::of(range, &row))
            .into_iter()
            .for_each(|part| level.append(part));
        if change == Change::All || level.share.len() != nodes {
            level.share.clear();
            level.share.resize(nodes, 1.0);
        }
        self.cycles = match change {
            Change::All | Change::Many => 2,
            Change::Few => 0,
        };
        self.levels.push(level);
    }

    /// Improves x until every residual is at most `enough`; whether it did, and in how many cycles.
    pub fn solve(&mut self, b: &[f64], x: &mut [f64], enough: f64, most: usize) -> (bool, usize) {
        let mut cycles = 0;
        while cycles < most && self.prepare() {
            let before = cycles;
            match self.iterate(b, x, enough, most, &mut cycles) {
                Some(solved) => return (solved, cycles),
                None if cycles == before => break,
                None => {
                    // groups formed by other shares do not suit better ones
                    self.cycles = MORE_CYCLES;
                    self.levels.truncate(1);
                }
            }
        }
        (false, cycles)
    }

    /// Levels and shares for the chain at hand; whether there are any.
    fn prepare(&mut self) -> bool {
        if self.levels.len() == 1 {
            self.levels[0].relax_shares(1);
            while self.levels.last().is_some_and(|level| level.nodes() > FEW) {
                let Some(coarse) = self.levels.last_mut().and_then(Level::coarsen) else { return false };
                self.levels.push(coarse);
                if let Some(level) = self.levels.last_mut() {
                    level.relax_shares(1);
                }
            }
        }
        (0..std::mem::take(&mut self.cycles)).for_each(|_| settle(&mut self.levels, 1));
        for k in 1..self.levels.len() {
            let (finer, coarser) = self.levels.split_at_mut(k);
            finer[k - 1].project(&mut coarser[0]);
            coarser[0].relax_shares(1);
        }
        self.levels.iter_mut().for_each(Level::reserve);
        let Some(level) = self.levels.last() else { return false };
        let all: Vec<u32> = (0..level.nodes() as u32).collect();
        let row = |i: u32| level.arcs(i as usize).map(|e| (level.next[e], level.weight[e]));
        self.last.factor(all.len(), &all, level.out.clone(), row, &Halt::never())
    }

    /// GCR; none if it gets on so slowly that better shares are called for.
    fn iterate(
        &mut self,
        b: &[f64],
        x: &mut [f64],
        enough: f64,
        most: usize,
        cycles: &mut usize,
    ) -> Option<bool> {
        let n = b.len();
        self.directions.resize_with(DIRECTIONS, Default::default);
        let mut r = std::mem::take(&mut self.residual);
        r.clear();
        r.resize(n, 0.0);
        self.levels[0].residual(b, x, &mut r);
        let mut size = largest(&r);
        let (mut before, mut kept, mut done) = (size, 0, 0);
        let ended = loop {
            if size <= enough {
                // what recurs drifts away from the true residual
                self.levels[0].residual(b, x, &mut r);
                size = largest(&r);
                kept = 0;
                if size <= enough {
                    break Some(true);
                }
            }
            if !size.is_finite() || *cycles >= most || self.halt.asked() {
                break Some(false);
            }
            if done > 0 && done % LOOK == 0 {
                if size > PACE * before {
                    break None;
                }
                before = size;
            }
            if kept == DIRECTIONS {
                kept = 0;
                self.levels[0].residual(b, x, &mut r);
            }
            if !self.advance(x, &mut r, kept) {
                break Some(false);
            }
            (size, kept, done, *cycles) = (largest(&r), kept + 1, done + 1, *cycles + 1);
        };
        self.residual = r;
        ended
    }

    /// One cycle from a residual and the best step along what it finds, beyond the first `kept`
    /// directions. False if it finds nothing.
    fn advance(&mut self, x: &mut [f64], r: &mut [f64], kept: usize) -> bool {
        self.levels[0].b.copy_from_slice(r);
        cycle(&mut self.levels, &self.last);
        let (earlier, rest) = self.directions.split_at_mut(kept);
        let [p, ap] = &mut rest[0];
        p.clone_from(&self.levels[0].x);
        ap.resize(r.len(), 0.0);
        self.levels[0].apply(p, ap);
        for [q, aq] in &*earlier {
            let along = dot(ap, aq);
            subtract(ap, along, aq);
            subtract(p, along, q);
        }
        let length = dot(ap, ap).sqrt();
        if length.is_nan() || length <= 0.0 {
            return false;
        }
        scale(ap, 1.0 / length);
        scale(p, 1.0 / length);
        let step = dot(r, ap);
        subtract(x, -step, p);
        subtract(r, step, ap);
        true
    }
}
