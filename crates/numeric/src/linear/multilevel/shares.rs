//! The shares of equations: how often the chain visits each node, roughly.
//!
//! A chain that is driven into a valley leaves from its bottom, seldom. With the shares of a
//! stationary chain, A' share = 0, the rate at which a group is left is right (Notay,
//! Aggregation-based algebraic multigrid for convection-diffusion equations, 2012). They are found
//! by relaxation and multiplicative corrections from coarser levels (Horton and Leutenegger, A
//! multi-level solution algorithm for steady-state Markov chains, 1994).

use super::level::{ALONE, Level};
use crate::linear::parts;

/// Relaxations before and after a correction.
const SWEEPS: usize = 4;
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

/// Flows that end in other parts.
type Beyond = Vec<(u32, f64)>;

impl Level {
    /// Gauss-Seidel on (leaving + stop) share = begin + inflow, alternating directions.
    pub(super) fn relax_shares(&mut self, sweeps: usize) {
        let n = self.nodes();
        let (mut share, mut inflow) = (std::mem::take(&mut self.share), std::mem::take(&mut self.work[0]));
        inflow.clear();
        inflow.resize(n, 0.0);
        let beyond = parts::both(&mut share, &mut inflow, |begin, share, inflow| {
            let mut beyond = Beyond::new();
            (0..share.len()).for_each(|i| self.flow(begin, i, share[i], inflow, &mut beyond));
            beyond
        });
        arrive(beyond, &mut inflow);
        for sweep in 0..sweeps {
            let beyond = parts::both(&mut share, &mut inflow, |begin, share, inflow| {
                let (n, mut beyond) = (share.len(), Beyond::new());
                let relax = |i: usize| {
                    let s = begin + i;
                    let new = (inflow[i] + self.begin[s]) / (self.leaving[s] + self.stop[s]);
                    let change = new - share[i];
                    share[i] = new;
                    self.flow(begin, i, change, inflow, &mut beyond);
                };
                match sweep % 2 {
                    0 => (0..n).rev().for_each(relax),
                    _ => (0..n).for_each(relax),
                }
                beyond
            });
            arrive(beyond, &mut inflow);
        }
        (self.share, self.work[0]) = (share, inflow);
    }

    /// Adds what flows from node i of a part, if it has so much, to the inflow of others.
    #[inline]
    fn flow(&self, begin: usize, i: usize, amount: f64, inflow: &mut [f64], beyond: &mut Beyond) {
        let arcs = self.arcs(begin + i);
        for (&j, w) in self.next[arcs.clone()].iter().zip(&self.weight[arcs]) {
            match inflow.get_mut((j as usize).wrapping_sub(begin)) {
                Some(inflow) => *inflow += amount * w,
                None => beyond.push((j, amount * w)),
            }
        }
    }
}

fn arrive(beyond: Vec<Beyond>, inflow: &mut [f64]) {
    beyond.into_iter().flatten().for_each(|(j, amount)| inflow[j as usize] += amount);
}
