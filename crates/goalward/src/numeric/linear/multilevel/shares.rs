//! The shares of equations: how often the chain visits each node, roughly.
//!
//! A group's equation is the sum of its nodes' equations, each times its share. With equal shares
//! the rate at which a group is left would be the mean over its nodes. But a chain that is driven
//! into a valley sits at its bottom and leaves from there, seldom. With the shares of a stationary
//! chain, A' share = 0, the rate is right; then both row and column sums are near zero, which
//! aggregation wants (Notay, Aggregation-based algebraic multigrid for convection-diffusion
//! equations, 2012). Shares are found for a chain that stops at a small rate and begins anew
//! anywhere, by relaxation and multiplicative corrections from coarser levels (Horton and
//! Leutenegger, A multi-level solution algorithm for steady-state Markov chains, 1994).

use super::level::{ALONE, Level};

/// Relaxations before and after a correction.
const SWEEPS: usize = 4;
/// Relaxations on the last level.
const LAST_SWEEPS: usize = 100;

/// One cycle for the shares of the first of some levels; coarser ones are visited twice each.
pub(super) fn settle(levels: &mut [Level], visits: usize) {
    let Some((fine, coarser)) = levels.split_first_mut() else { return };
    if coarser.is_empty() {
        return fine.relax_shares(LAST_SWEEPS);
    }
    fine.relax_shares(SWEEPS);
    for _ in 0..visits {
        fine.project(&mut coarser[0]);
        settle(coarser, 2);
        for i in 0..fine.nodes() {
            if fine.group[i] != ALONE {
                fine.share[i] *= coarser[0].share[fine.group[i] as usize];
            }
        }
        fine.relax_shares(SWEEPS);
    }
}

impl Level {
    /// Gauss-Seidel on (leaving + stop) share = begin + what flows in, against the order of the
    /// nodes, with it, and so on.
    pub(super) fn relax_shares(&mut self, sweeps: usize) {
        let n = self.nodes();
        let mut share = std::mem::take(&mut self.share);
        let inflow = &mut std::mem::take(&mut self.work[0]);
        inflow.clear();
        inflow.resize(n, 0.0);
        for i in 0..n {
            let arcs = self.arcs(i);
            let arcs = self.next[arcs.clone()].iter().zip(&self.weight[arcs]);
            arcs.for_each(|(&j, w)| inflow[j as usize] += share[i] * w);
        }
        let mut relax = |i: usize| {
            let new = (inflow[i] + self.begin[i]) / (self.leaving[i] + self.stop[i]);
            let change = new - share[i];
            share[i] = new;
            let arcs = self.arcs(i);
            let arcs = self.next[arcs.clone()].iter().zip(&self.weight[arcs]);
            arcs.for_each(|(&j, w)| inflow[j as usize] += change * w);
        };
        for sweep in 0..sweeps {
            match sweep % 2 {
                0 => (0..n).rev().for_each(&mut relax),
                _ => (0..n).for_each(&mut relax),
            }
        }
        self.work[0] = std::mem::take(inflow);
        self.share = share;
    }
}
