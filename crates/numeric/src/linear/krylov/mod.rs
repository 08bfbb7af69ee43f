//! BiCGSTAB (van der Vorst, 1992) for a policy's equations that are too many or too well connected
//! for elimination, with an incomplete factorisation of one number per node.
//!
//! A = D - L - U, with D what leaves each node, and M = (E - L) E^-1 (E - U). Of an elimination
//! only the pivots E are kept, and fill-in counts as a self-loop: h(i) + sum over k < i of w(i,k)
//! h(k)/E(k), with h(i) what leaves to the outside, is what leaves for good, and E(i) that plus the
//! arcs to higher nodes (Gustafsson's modified incomplete factorisation (1978) in the sums of
//! Grassmann, Taksar and Heyman). M 1 = A 1, so the slow mode of a chain that leaves seldom is met
//! exactly. Nodes near the outside should come first.
//!
//! With u = (E - L)^-1 p and y = (E - U)^-1 E u = M^-1 p, A y = E u + (D - E) y - L y: a product
//! costs one and a half passes over the arcs. Solutions are judged by their residuals.

#[cfg(test)]
mod tests;

use crate::halt::Halt;
use crate::linear::parts::{self, dot, largest};
use rayon::prelude::*;
use std::ops::Range;

const CHUNK: usize = 1024;

/// A pivot is at least this part of what leaves its node.
const LEAST_PIVOT: f64 = 0.01;
/// The part of the fill-in that is dropped, not lumped: for bad orders of the nodes.
const DROPPED: f64 = 0.05;
/// Reverse arcs are searched for in lists up to this length.
const SHORT: usize = 32;
/// Iterations without the residual getting smaller before it starts afresh: on windy grids it does
/// not for about a third of a side's cells, then falls fast.
const PATIENCE: usize = 1000;

/// Of some consecutive nodes: next, weight, arcs, leaving and pivot.
type Chunk<'a> = ((&'a mut [u32], &'a mut [f64]), (&'a mut [(u32, u32)], (&'a mut [f64], &'a mut [f64])));

/// The rows of a policy, and the vectors of a solution; buffers are reused by the next system.
#[derive(Clone, Debug, Default)]
pub struct Krylov {
    /// Per node, where the room for its arcs begins; one more at the end.
    first: Vec<usize>,
    /// Per node, the arcs to lower nodes, first in its room, and to higher nodes, last.
    arcs: Vec<(u32, u32)>,
    next: Vec<u32>,
    weight: Vec<f64>,
    /// D.
    leaving: Vec<f64>,
    /// E.
    pivot: Vec<f64>,
    vectors: [Vec<f64>; 7],
    halt: Halt,
    spent: usize,
}

impl Krylov {
    /// From now on solutions end early when asked to stop; x is then invalid.
    pub fn heed(&mut self, halt: &Halt) {
        self.halt = halt.clone();
    }

    /// The iterations of all solutions so far.
    pub fn spent(&self) -> usize {
        self.spent
    }

    /// Takes rows of at most `room` arcs; `row` writes them and returns the weight that leaves the
    /// system. Arcs of a node to itself are left out.
    pub fn load(
        &mut self,
        nodes: usize,
        room: impl Fn(usize) -> usize,
        row: impl Fn(usize, &mut Vec<(u32, f64)>) -> f64 + Sync,
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
        let first = &self.first;
        let ends = || (0..nodes).step_by(CHUNK).map(|start| first[(start + CHUNK).min(nodes)]);
        let arcs =
            parts::split(&mut self.next, ends()).into_iter().zip(parts::split(&mut self.weight, ends()));
        let nodes = self.leaving.chunks_mut(CHUNK).zip(self.pivot.chunks_mut(CHUNK));
        let chunks: Vec<_> = arcs.zip(self.arcs.chunks_mut(CHUNK).zip(nodes)).collect();
        let write = |(k, ((mut next, mut weight), (counts, (leaving, pivot)))): (usize, Chunk)| {
            let mut arcs = Vec::new();
            for (i, counts) in counts.iter_mut().enumerate() {
                let node = k * CHUNK + i;
                arcs.clear();
                pivot[i] = row(node, &mut arcs);
                let room = first[node + 1] - first[node];
                let own = (next.split_off_mut(..room), weight.split_off_mut(..room));
                let (Some(next), Some(weight)) = own else { return };
                let mut sum = 0.0;
                *counts = (0, 0);
                for &(to, w) in arcs.iter().filter(|arc| arc.0 as usize != node) {
                    let at = if (to as usize) < node {
                        counts.0 += 1;
                        counts.0 as usize - 1
                    } else {
                        counts.1 += 1;
                        room - counts.1 as usize
                    };
                    (next[at], weight[at]) = (to, w);
                    sum += w;
                }
                leaving[i] = pivot[i] + sum;
            }
        };
        match chunks.len() > 1 && rayon::current_num_threads() > 1 {
            true => chunks.into_par_iter().enumerate().for_each(write),
            false => chunks.into_iter().enumerate().for_each(write),
        }
        self.factor();
    }

    /// The pivots; before it they hold what leaves to the outside.
    fn factor(&mut self) {
        let [good, above, ..] = &mut self.vectors;
        resize(good, self.pivot.len(), 0.0);
        resize(above, self.pivot.len(), 0.0);
        let split = |i: usize| {
            let (from, end) = (self.first[i], self.first[i + 1]);
            (from..from + self.arcs[i].0 as usize, end - self.arcs[i].1 as usize..end)
        };
        for i in 0..self.pivot.len() {
            let (lower, upper) = split(i);
            above[i] = self.weight[upper].iter().sum();
            good[i] = self.pivot[i];
            for (&k, w) in self.next[lower.clone()].iter().zip(&self.weight[lower]) {
                let k = k as usize;
                let mut back = split(k).1;
                let short = back.len() <= SHORT;
                let back = back.find(|&e| short && self.next[e] as usize == i);
                let back = back.map_or(0.0, |e| self.weight[e]);
                good[i] += w * (good[k] + DROPPED * (above[k] - back)) / self.pivot[k];
            }
            self.pivot[i] = (good[i] + above[i]).max(LEAST_PIVOT * self.leaving[i]);
        }
    }

    fn lower(&self, i: usize, x: &[f64]) -> f64 {
        let from = self.first[i];
        self.gather(from..from + self.arcs[i].0 as usize, x)
    }

    fn upper(&self, i: usize, x: &[f64]) -> f64 {
        let end = self.first[i + 1];
        self.gather(end - self.arcs[i].1 as usize..end, x)
    }

    fn gather(&self, range: Range<usize>, x: &[f64]) -> f64 {
        let arcs = self.next[range.clone()].iter().zip(&self.weight[range]);
        arcs.map(|(&j, w)| w * x[j as usize]).sum()
    }

    /// y = M^-1 p and v = A y.
    fn apply(&self, p: &[f64], y: &mut [f64], v: &mut [f64]) {
        for i in 0..p.len() {
            v[i] = (p[i] + self.lower(i, v)) / self.pivot[i];
        }
        for i in (0..p.len()).rev() {
            y[i] = v[i] + self.upper(i, y) / self.pivot[i];
        }
        parts::each(v, |begin, v| {
            for (i, v) in (begin..).zip(v) {
                let (leaving, pivot) = (self.leaving[i], self.pivot[i]);
                *v = pivot * *v + (leaving - pivot) * y[i] - self.lower(i, y);
            }
        });
    }

    fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64]) {
        parts::each(r, |begin, r| {
            for (i, r) in (begin..).zip(r) {
                *r = b[i] - (self.leaving[i] * x[i] - (self.lower(i, x) + self.upper(i, x)));
            }
        });
    }

    /// One Gauss-Seidel sweep; the largest residual met.
    fn sweep(&self, b: &[f64], x: &mut [f64]) -> f64 {
        let mut left = 0.0f64;
        for i in 0..b.len() {
            let sum = b[i] + self.lower(i, x) + self.upper(i, x);
            left = left.max((sum - self.leaving[i] * x[i]).abs());
            x[i] = sum / self.leaving[i];
        }
        left
    }

    /// [`solve`](Self::solve); if that fails, Gauss-Seidel sweeps from the same x, which converge
    /// for every chain that leaves surely. Whether the iterations converged.
    pub fn solve_or_relax(
        &mut self,
        b: &[f64],
        x: &mut [f64],
        enough: f64,
        iterations: usize,
        sweeps: usize,
    ) -> bool {
        let start = x.to_vec();
        let solved = self.solve(b, x, enough, iterations);
        if !solved {
            x.copy_from_slice(&start);
            let _ = (0..sweeps).find(|_| self.halt.asked() || self.sweep(b, x) <= enough);
        }
        solved
    }

    /// Improves x until every residual is at most `enough`, in at most `most` iterations.
    pub fn solve(&mut self, b: &[f64], x: &mut [f64], enough: f64, most: usize) -> bool {
        let mut vectors = std::mem::take(&mut self.vectors);
        vectors.iter_mut().for_each(|vector| resize(vector, b.len(), 0.0));
        // on a thread of the pool: many short parallel sections would wake it up each time
        let (solved, iterations) = match parts::is_long(b.len()) {
            true => rayon::scope(|_| self.iterate(b, x, enough, most, &mut vectors)),
            false => self.iterate(b, x, enough, most, &mut vectors),
        };
        self.spent += iterations;
        self.vectors = vectors;
        solved && x.iter().all(|x| x.is_finite())
    }

    fn iterate(
        &self,
        b: &[f64],
        x: &mut [f64],
        enough: f64,
        most: usize,
        vectors: &mut [Vec<f64>; 7],
    ) -> (bool, usize) {
        let mut iterations = 0;
        let mut best = f64::INFINITY;
        loop {
            // a fresh start: the residual that recurs drifts away from the true one
            self.residual(b, x, &mut vectors[0]);
            let size = largest(&vectors[0]);
            if size <= enough {
                return (true, iterations);
            }
            if size.is_nan() || size > 0.5 * best || iterations >= most || self.halt.asked() {
                return (false, iterations);
            }
            best = size;
            self.run(x, enough, size, most, &mut iterations, vectors);
        }
    }

    /// BiCGSTAB from the present residual, until it seems small enough or stagnates.
    fn run(
        &self,
        x: &mut [f64],
        enough: f64,
        size: f64,
        most: usize,
        iterations: &mut usize,
        vectors: &mut [Vec<f64>; 7],
    ) {
        let [r, shadow, p, v, y, z, t] = vectors;
        let (mut least, mut since) = (size, 0);
        shadow.copy_from_slice(r);
        let (mut rho, mut alpha, mut omega) = (1.0f64, 1.0f64, 1.0f64);
        p.fill(0.0);
        v.fill(0.0);
        while *iterations < most && !self.halt.asked() {
            *iterations += 1;
            let rho_next = dot(shadow, r);
            let beta = rho_next / rho * (alpha / omega);
            rho = rho_next;
            parts::each(p, |begin, p| {
                let (r, v) = (&r[begin..], &v[begin..]);
                (p.iter_mut().zip(r).zip(v)).for_each(|((p, r), v)| *p = r + beta * (*p - omega * v));
            });
            self.apply(p, y, v);
            alpha = rho / dot(shadow, v);
            step(x, r, alpha, y, v);
            // where M = A there is nothing left, and nothing to divide by
            if largest(r) <= 0.5 * enough {
                break;
            }
            self.apply(r, z, t);
            omega = dot(t, r) / dot(t, t);
            step(x, r, omega, z, t);
            let size = largest(r);
            if size.is_nan() {
                // a breakdown
                x.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = 0.0);
                break;
            }
            if size < least {
                (least, since) = (size, 0);
            }
            since += 1;
            if size <= 0.5 * enough || since > PATIENCE {
                break;
            }
        }
    }
}

fn step(x: &mut [f64], r: &mut [f64], factor: f64, y: &[f64], v: &[f64]) {
    parts::both(x, r, |begin, x, r| {
        x.iter_mut().zip(&y[begin..]).for_each(|(x, y)| *x += factor * y);
        r.iter_mut().zip(&v[begin..]).for_each(|(r, v)| *r -= factor * v);
    });
}

fn resize<T: Copy>(vector: &mut Vec<T>, len: usize, value: T) {
    vector.reserve_exact(len.saturating_sub(vector.len()));
    vector.resize(len, value);
}
