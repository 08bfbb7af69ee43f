//! A policy's equations, leaving(i) x(i) - sum of w(i,j) x(j) = b(i), where they are too many or too well connected for
//! elimination: BiCGSTAB (van der Vorst, 1992) with an incomplete factorisation that costs one number per node.
//!
//! **The preconditioner.** A = D - L - U, with D what leaves each node, and M = (E - L) E^-1 (E - U). Of an elimination in the
//! order of the nodes only the pivots E are kept, and whatever it would fill in counts as a self-loop: with h(i) what leaves to
//! the outside, h(i) + sum over k < i of w(i,k) h(k)/E(k) is what leaves for good, and E(i) that plus the arcs to higher nodes. (This is
//! Gustafsson's modified incomplete factorisation (1978) on the diagonal, in the sums of Grassmann, Taksar and Heyman: nothing is
//! subtracted.) M 1 = A 1, so the slow mode of a chain that leaves seldom is met exactly; on a line M = A; on grids the condition
//! number falls by an order. Nodes that are near the outside should come first.
//!
//! With u = (E - L)^-1 p and y = (E - U)^-1 E u = M^-1 p, A y = E u + (D - E) y - L y: one product with the preconditioned
//! matrix costs one and a half passes over the arcs. What comes out is judged by its residual.

use super::Halt;
use rayon::prelude::*;
use std::cmp::Ordering;

/// A pivot is at least this part of what leaves its node: a node may have nothing but arcs to nodes that were cut off.
const LEAST_PIVOT: f64 = 0.01;
/// The part of the fill-in that is dropped, not lumped: without any the factors can be far from the matrix where the order of
/// the nodes says little.
const DROPPED: f64 = 0.05;
/// Arcs back are looked for in lists of at most so many.
const SHORT: usize = 32;
/// Iterations without the residual getting smaller before it starts afresh.
const PATIENCE: usize = 100;
/// Nodes per chunk of work that is shared.
const CHUNK: usize = 1024;

/// When a solution is good enough.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// The Euclidean norm of the residual, relative to that of the right-hand side.
    Relative(f64),
    /// The largest residual of an equation.
    Largest(f64),
}

/// The rows of a policy, and the vectors that it takes to solve them: kept from one system to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Krylov {
    /// Per node, where the room for its arcs begins; one more at the end.
    first: Vec<usize>,
    /// Per node, the arcs to nodes of lower number, at the beginning of its room, and of higher number, at the end.
    arcs: Vec<(u32, u32)>,
    next: Vec<u32>,
    weight: Vec<f64>,
    /// D.
    leaving: Vec<f64>,
    /// E.
    pivot: Vec<f64>,
    vectors: [Vec<f64>; 7],
    start: Vec<f64>,
    halt: Halt,
}

/// A row that is being written.
pub(super) struct Row<'a> {
    node: usize,
    next: &'a mut [u32],
    weight: &'a mut [f64],
    arcs: (u32, u32),
    sum: f64,
}

impl Row<'_> {
    /// Adds an arc to a node of the system, unless it is the row's own; at most as many as there is room for.
    pub(super) fn arc(&mut self, to: usize, weight: f64) {
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
    /// Solves from now on end early when asked to: x is then of no use.
    pub(super) fn heed(&mut self, halt: &Halt) {
        self.halt = halt.clone();
    }

    /// Takes rows: `room` is the most arcs a node can have, `row` writes them and says what leaves to the outside. Shared over
    /// fixed chunks of nodes.
    pub(super) fn load(
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

    /// The pivots; before it they hold what leaves to the outside.
    fn factor(&mut self) {
        let [good, above, ..] = &mut self.vectors;
        resize(good, self.pivot.len(), 0.0);
        resize(above, self.pivot.len(), 0.0);
        for i in 0..self.pivot.len() {
            let (lower, upper) = split(&self.first, &self.arcs, i);
            above[i] = self.weight[upper].iter().sum();
            good[i] = self.pivot[i];
            for (&k, w) in self.next[lower.clone()].iter().zip(&self.weight[lower]) {
                let k = k as usize;
                let (_, back) = split(&self.first, &self.arcs, k);
                let back = match back.len() <= SHORT {
                    true => {
                        back.clone().find(|&e| self.next[e] as usize == i).map_or(0.0, |e| self.weight[e])
                    }
                    false => 0.0,
                };
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

    fn gather(&self, range: std::ops::Range<usize>, x: &[f64]) -> f64 {
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
        for i in 0..p.len() {
            let (leaving, pivot) = (self.leaving[i], self.pivot[i]);
            v[i] = pivot * v[i] + (leaving - pivot) * y[i] - self.lower(i, y);
        }
    }

    fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64]) {
        for i in 0..b.len() {
            r[i] = b[i] - (self.leaving[i] * x[i] - (self.lower(i, x) + self.upper(i, x)));
        }
    }

    /// One Gauss-Seidel sweep; what the equation that lacked most lacked.
    fn sweep(&self, b: &[f64], x: &mut [f64]) -> f64 {
        let mut left = 0.0f64;
        for i in 0..b.len() {
            let sum = b[i] + self.lower(i, x) + self.upper(i, x);
            left = left.max((sum - self.leaving[i] * x[i]).abs());
            x[i] = sum / self.leaving[i];
        }
        left
    }

    /// Improves x until no equation lacks more than `enough`: in at most so many iterations, or else, from the same x, by at
    /// most so many Gauss-Seidel sweeps, which converge for every proper policy, if slowly. Whether iterations did it.
    pub(super) fn solve_or_relax(
        &mut self,
        b: &[f64],
        x: &mut [f64],
        enough: f64,
        iterations: usize,
        sweeps: usize,
    ) -> bool {
        let mut start = std::mem::take(&mut self.start);
        start.clear();
        start.extend_from_slice(x);
        let solved = self.solve(b, x, Goal::Largest(enough), iterations);
        if !solved {
            x.copy_from_slice(&start);
            let _ = (0..sweeps).find(|_| self.halt.asked() || self.sweep(b, x) <= enough);
        }
        self.start = start;
        solved
    }

    /// Improves x until the residual is small enough, in at most so many iterations. `false`: it did not get there, and x is
    /// what it came to.
    pub(super) fn solve(&mut self, b: &[f64], x: &mut [f64], goal: Goal, most: usize) -> bool {
        let mut vectors = std::mem::take(&mut self.vectors);
        vectors.iter_mut().for_each(|vector| resize(vector, b.len(), 0.0));
        let solved = self.iterate(b, x, goal, most, &mut vectors);
        self.vectors = vectors;
        if let Goal::Relative(_) = goal {
            self.sweep(b, x);
            self.sweep(b, x);
        }
        solved && x.iter().all(|x| x.is_finite())
    }

    fn iterate(
        &self,
        b: &[f64],
        x: &mut [f64],
        goal: Goal,
        most: usize,
        vectors: &mut [Vec<f64>; 7],
    ) -> bool {
        let [r, shadow, p, v, y, z, t] = vectors;
        let n = b.len();
        let (limit, measure): (f64, fn(&[f64]) -> f64) = match goal {
            Goal::Relative(tolerance) => (tolerance * norm(b), norm),
            Goal::Largest(enough) => (enough, largest),
        };
        let mut iterations = 0;
        let mut best = f64::INFINITY;
        loop {
            // a fresh start: the residual that recurs drifts away from the true one
            self.residual(b, x, r);
            let size = measure(r);
            if size <= limit {
                return true;
            }
            if size.is_nan() || size > 0.5 * best || iterations >= most || self.halt.asked() {
                return size <= 1e3 * limit && matches!(goal, Goal::Relative(_));
            }
            best = size;
            let (mut least, mut since) = (size, 0);
            shadow.copy_from_slice(r);
            let (mut rho, mut alpha, mut omega) = (1.0f64, 1.0f64, 1.0f64);
            p.fill(0.0);
            v.fill(0.0);
            while iterations < most && !self.halt.asked() {
                iterations += 1;
                let rho_next = dot(shadow, r);
                let beta = rho_next / rho * (alpha / omega);
                rho = rho_next;
                for i in 0..n {
                    p[i] = r[i] + beta * (p[i] - omega * v[i]);
                }
                self.apply(p, y, v);
                alpha = rho / dot(shadow, v);
                for i in 0..n {
                    x[i] += alpha * y[i];
                    r[i] -= alpha * v[i];
                }
                // where M = A there is nothing left, and nothing to divide by
                if measure(r) <= 0.5 * limit {
                    break;
                }
                self.apply(r, z, t);
                omega = dot(t, r) / dot(t, t);
                for i in 0..n {
                    x[i] += omega * z[i];
                    r[i] -= omega * t[i];
                }
                let size = measure(r);
                if size.is_nan() {
                    // a breakdown
                    x.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = 0.0);
                    break;
                }
                if size < least {
                    (least, since) = (size, 0);
                }
                since += 1;
                if size <= 0.5 * limit || since > PATIENCE {
                    break;
                }
            }
        }
    }
}

/// The places of the arcs to lower and to higher nodes.
fn split(first: &[usize], arcs: &[(u32, u32)], i: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let (from, end) = (first[i], first[i + 1]);
    (from..from + arcs[i].0 as usize, end - arcs[i].1 as usize..end)
}

fn resize<T: Copy>(vector: &mut Vec<T>, len: usize, value: T) {
    vector.reserve_exact(len.saturating_sub(vector.len()));
    vector.resize(len, value);
}

/// In eight sums at once: one alone would wait for each addition.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (mut sums, mut rest) = ([0.0; 8], 0.0);
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    a.remainder().iter().zip(b.remainder()).for_each(|(a, b)| rest += a * b);
    for (a, b) in a.zip(b) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// The largest absolute value; not a number if one is not.
fn largest(a: &[f64]) -> f64 {
    let mut most = [0.0f64; 8];
    let chunks = a.chunks_exact(8);
    let rest = chunks.remainder().iter().map(|x| x.abs()).fold(0.0, f64::max);
    let mut sum = chunks.remainder().iter().sum::<f64>();
    for chunk in chunks {
        for i in 0..8 {
            most[i] = most[i].max(chunk[i].abs());
            sum += 0.0 * chunk[i];
        }
    }
    if sum.is_nan() { sum } else { most.into_iter().fold(rest, f64::max) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Stream;
    use crate::plan::evaluate::Evaluator;

    type Rows = Vec<Vec<(u32, f64)>>;

    fn loaded(rows: &Rows, out: &[f64]) -> Krylov {
        let mut krylov = Krylov::default();
        krylov.load(
            rows.len(),
            |i| rows[i].len(),
            |i, row| {
                rows[i].iter().for_each(|&(to, w)| row.arc(to as usize, w));
                out[i]
            },
        );
        krylov
    }

    /// Random successors; every arc leads with probability `out` to the outside instead.
    fn random(n: usize, successors: usize, out: f64, seed: u64) -> (Rows, Vec<f64>) {
        let mut draw = Stream::new(seed, &[]);
        let rows = (0..n).map(|i| {
            let mut row: Vec<(u32, f64)> = Vec::new();
            for _ in 0..successors {
                let to = draw.below(n) as u32;
                if to as usize != i && row.iter().all(|e| e.0 != to) {
                    row.push((to, draw.uniform()));
                }
            }
            row.sort_by_key(|e| e.0);
            row
        });
        (rows.collect(), vec![out; n])
    }

    /// An n x n grid that drifts to the outside behind node 0.
    fn grid(n: usize, drift: f64) -> (Rows, Vec<f64>) {
        let mut out = vec![0.0; n * n];
        out[0] = 1.0;
        let row = |i: usize| {
            let (r, c) = (i / n, i % n);
            let moves = [
                (r > 0, i.wrapping_sub(n), 1.0 + drift),
                (c > 0, i.wrapping_sub(1), 1.0 + drift),
                (c + 1 < n, i + 1, 1.0 - drift),
                (r + 1 < n, i + n, 1.0 - drift),
            ];
            moves.into_iter().filter(|m| m.0).map(|(_, to, w)| (to as u32, w)).collect()
        };
        ((0..n * n).map(row).collect(), out)
    }

    /// All nodes in a cycle, with a leak: a chain of period n.
    fn cycle(n: usize, out: f64) -> (Rows, Vec<f64>) {
        ((0..n).map(|i| vec![(((i + 1) % n) as u32, 1.0)]).collect(), vec![out; n])
    }

    #[test]
    fn it_solves_what_elimination_solves() {
        for (name, (rows, out)) in [
            ("random", random(1_000, 6, 1e-2, 1)),
            ("many successors", random(1_000, 80, 1e-2, 2)),
            ("nearly improper", random(2_000, 3, 1e-7, 3)),
            ("grid", grid(50, 0.1)),
            ("grid without drift", grid(40, 0.0)),
            ("period", cycle(1_000, 1e-3)),
            ("period, nearly improper", cycle(3_000, 1e-7)),
        ] {
            let n = rows.len();
            let mut draw = Stream::new(9, &[]);
            let b: Vec<f64> = (0..n).map(|_| draw.uniform()).collect();
            let expected = Evaluator::of_rows(rows.clone(), out.clone()).solve(b.clone());
            let size = expected.iter().copied().fold(0.0, f64::max);
            // what a residual of one everywhere does to a solution
            let steps = Evaluator::of_rows(rows.clone(), out.clone()).solve(vec![1.0; n]);
            let longest = steps.iter().copied().fold(0.0, f64::max);
            let mut krylov = loaded(&rows, &out);
            // no residual can be smaller than what rounding makes of it
            let enough = 1e-10 + 1e-15 * size * krylov.leaving.iter().copied().fold(0.0, f64::max);
            let mut x = vec![0.0; n];
            assert!(krylov.solve(&b, &mut x, Goal::Largest(enough), 2_000), "{name}");
            let off = x.iter().zip(&expected).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
            assert!(off <= 2.0 * enough * longest, "{name}: off by {off} of {size}");
            let mut x = vec![0.0; n];
            assert!(krylov.solve(&b, &mut x, Goal::Relative(1e-8), 2_000), "{name}");
            let mut r = vec![0.0; n];
            krylov.residual(&b, &x, &mut r);
            assert!(norm(&r) <= 1e-8 * norm(&b), "{name}");
        }
    }

    /// On a line the factors are the matrix.
    #[test]
    fn a_line_takes_one_iteration() {
        let n = 5_000;
        let row = |i: usize| {
            let back = (i > 0).then(|| (i as u32 - 1, 0.6));
            back.into_iter().chain((i + 1 < n).then_some((i as u32 + 1, 0.4))).collect()
        };
        let mut out = vec![0.0; n];
        out[0] = 0.6;
        let mut krylov = loaded(&(0..n).map(row).collect(), &out);
        let mut x = vec![0.0; n];
        assert!(krylov.solve(&vec![1.0; n], &mut x, Goal::Largest(1e-8), 1));
    }

    /// No exit, no solution: it says so. A system that it is given too few iterations for is left to sweeps, from where it
    /// began, and they come closer.
    #[test]
    fn failure_is_said_and_left_to_sweeps() {
        let (rows, out) = cycle(2_000, 0.0);
        let mut krylov = loaded(&rows, &out);
        assert!(!krylov.solve(&vec![1.0; 2_000], &mut vec![0.0; 2_000], Goal::Largest(1e-6), 500));
        let (rows, out) = grid(40, 0.3);
        let n = rows.len();
        let b = vec![1.0; n];
        let mut krylov = loaded(&rows, &out);
        let (mut x, mut y) = (vec![1.0; n], vec![1.0; n]);
        assert!(!krylov.solve_or_relax(&b, &mut x, 1e-9, 1, 300));
        (0..300).for_each(|_| {
            krylov.sweep(&b, &mut y);
        });
        assert_eq!(x, y);
        let mut r = vec![0.0; n];
        krylov.residual(&b, &x, &mut r);
        assert!(largest(&r) < 0.1, "{}", largest(&r));
        assert!(krylov.solve_or_relax(&b, &mut x, 1e-9, 300, 0));
    }
}
