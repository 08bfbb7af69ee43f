//! Rows as they are written into a system, in chunks that are shared.

use super::{Krylov, resize};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Nodes per chunk of work that is shared.
const CHUNK: usize = 1024;

/// A row that is being written.
pub struct Row<'a> {
    node: usize,
    next: &'a mut [u32],
    weight: &'a mut [f64],
    arcs: (u32, u32),
    sum: f64,
}

impl Row<'_> {
    /// Adds an arc to a node of the system, unless it is the row's own; at most as many as there is
    /// room for.
    pub fn arc(&mut self, to: usize, weight: f64) {
        let at = match to.cmp(&self.node) {
            Ordering::Less => {
                self.arcs.0 += 1;
                self.arcs.0 as usize - 1
            }
            Ordering::Greater => {
                self.arcs.1 += 1;
                self.next.len() - self.arcs.1 as usize
            }
            Ordering::Equal => return,
        };
        self.next[at] = to as u32;
        self.weight[at] = weight;
        self.sum += weight;
    }
}

/// The arrays of some consecutive nodes.
struct Chunk<'a> {
    start: usize,
    first: &'a [usize],
    next: &'a mut [u32],
    weight: &'a mut [f64],
    arcs: &'a mut [(u32, u32)],
    leaving: &'a mut [f64],
    /// What leaves to the outside, until it is replaced.
    pivot: &'a mut [f64],
}

impl Krylov {
    /// Takes rows: `room` is the most arcs a node can have, `row` writes them and says what leaves
    /// to the outside. Shared over fixed chunks of nodes.
    pub fn load(
        &mut self,
        nodes: usize,
        room: impl Fn(usize) -> usize,
        row: impl Fn(usize, &mut Row) -> f64 + Sync,
    ) {
        self.first.clear();
        self.first.reserve_exact(nodes + 1);
        self.first.push(0);
        let mut total = 0;
        for node in 0..nodes {
            total += room(node);
            self.first.push(total);
        }
        resize(&mut self.next, total, 0);
        resize(&mut self.weight, total, 0.0);
        resize(&mut self.arcs, nodes, (0, 0));
        resize(&mut self.leaving, nodes, 0.0);
        resize(&mut self.pivot, nodes, 0.0);
        let (mut next, mut weight) = (self.next.as_mut_slice(), self.weight.as_mut_slice());
        let parts = self.arcs.chunks_mut(CHUNK).zip(self.leaving.chunks_mut(CHUNK));
        let mut chunks = Vec::with_capacity(nodes.div_ceil(CHUNK));
        for (k, ((arcs, leaving), pivot)) in parts.zip(self.pivot.chunks_mut(CHUNK)).enumerate() {
            let start = k * CHUNK;
            let first = &self.first[start..=start + arcs.len()];
            let room = first[arcs.len()] - first[0];
            let (own_next, rest_next) = std::mem::take(&mut next).split_at_mut(room);
            let (own_weight, rest_weight) = std::mem::take(&mut weight).split_at_mut(room);
            (next, weight) = (rest_next, rest_weight);
            chunks.push(Chunk { start, first, next: own_next, weight: own_weight, arcs, leaving, pivot });
        }
        let write = |chunk: &mut Chunk| {
            let base = chunk.first[0];
            for i in 0..chunk.arcs.len() {
                let range = chunk.first[i] - base..chunk.first[i + 1] - base;
                let (next, weight) = (&mut chunk.next[range.clone()], &mut chunk.weight[range]);
                let mut writer = Row { node: chunk.start + i, next, weight, arcs: (0, 0), sum: 0.0 };
                let outside = row(chunk.start + i, &mut writer);
                chunk.leaving[i] = outside + writer.sum;
                chunk.pivot[i] = outside;
                chunk.arcs[i] = writer.arcs;
            }
        };
        match nodes > CHUNK && rayon::current_num_threads() > 1 {
            true => chunks.par_iter_mut().for_each(write),
            false => chunks.iter_mut().for_each(write),
        }
        self.factor();
    }
}
