//! In which order to keep features, and how many bits of them to read: `cargo xtask bench layout`.
//!
//! One pass of phi_V over 400,000 pairs with 11 successors each, V of 100,000 states. The reference
//! is reading the same array once (`read_ms`, a sum); all else is a ratio to it. *rows*: for each
//! successor d numbers, as [`Tall`] keeps them, sums of up to sixteen columns at a time in
//! registers. *simple*: the same array, sums in memory. *d_major*: for each pair d runs of as many
//! numbers as it has successors, V gathered first. *f32*: from 4 bytes a number: the first halves
//! of a split [`Tall`], or d-major. *joined*: both halves, joined to the number itself. The least
//! of 15 passes.

mod harness;

use goalward::numeric::{Stream, Tall};
use harness::{Table, micros};
use rayon::prelude::*;
use std::hint::black_box;

const PAIRS: usize = 400_000;
const STATES: usize = 100_000;
const SUCCESSORS: usize = 11;
const CHUNK: usize = 256;

/// Milliseconds of a pass that does `work` for each pair, with room for d numbers and for the
/// successors' values.
fn pass(pool: &rayon::ThreadPool, dim: usize, work: impl Fn(usize, &mut [f64], &mut [f64]) + Sync) -> f64 {
    let chunk = |first: usize| {
        let (mut out, mut values, mut sum) = (vec![0.0; dim], vec![0.0; SUCCESSORS], 0.0);
        for p in first..(first + CHUNK).min(PAIRS) {
            work(p, &mut out, &mut values);
            sum += out[0] + out[dim - 1];
        }
        sum
    };
    let once = || {
        micros(1, || {
            let firsts = (0..PAIRS.div_ceil(CHUNK)).into_par_iter();
            black_box(firsts.map(|i| chunk(CHUNK * i)).sum::<f64>());
        })
    };
    pool.install(|| (0..15).map(|_| once()).fold(f64::INFINITY, f64::min)) * 1e-3
}

/// A sum over d runs, of `f64` or `f32`.
fn d_major<T: Copy + Into<f64>>(runs: &[T], values: &[f64], out: &mut [f64]) {
    for (out, run) in out.iter_mut().zip(runs.chunks_exact(values.len())) {
        let ((run, rest), (heads, tails)) = (run.as_chunks::<4>(), values.as_chunks::<4>());
        let mut sums = [0.0; 4];
        for (x, v) in run.iter().zip(heads) {
            (0..4).for_each(|i| sums[i] += x[i].into() * v[i]);
        }
        let last: f64 = rest.iter().zip(tails).map(|(x, v)| (*x).into() * v).sum();
        *out = (sums[0] + sums[1]) + (sums[2] + sums[3]) + last;
    }
}

fn main() {
    let columns = ["read_ms", "simple", "rows", "d_major", "rows_f32", "d_major_f32", "rows_joined"];
    let mut table = Table::new("layout", &columns);
    let mut random = Stream::new(1, &[]);
    let v: Vec<f64> = (0..STATES).map(|_| 1.0 + random.uniform()).collect();
    let next: Vec<u32> = (0..PAIRS * SUCCESSORS).map(|_| random.below(STATES) as u32).collect();
    for dim in [4, 10, 32] {
        let numbers: Vec<f64> = (0..PAIRS * SUCCESSORS * dim).map(|_| random.uniform()).collect();
        // what d-major holds is another matrix: only its shape matters
        let short: Vec<f32> = numbers.iter().map(|&x| x as f32).collect();
        let whole = Tall::new(dim, numbers.clone());
        let split = whole.clone().split().unwrap();
        let rows = |p: usize| p * SUCCESSORS..(p + 1) * SUCCESSORS;
        let span = |p: usize| p * SUCCESSORS * dim..(p + 1) * SUCCESSORS * dim;
        let weights = |p: usize| next[rows(p)].iter().map(|&n| v[n as usize]);
        let gather =
            |p: usize, values: &mut [f64]| values.iter_mut().zip(weights(p)).for_each(|(x, v)| *x = v);
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let read = pass(&pool, dim, |p, out, _| {
                let mut sums = [0.0; 8];
                for block in numbers[span(p)].as_chunks::<8>().0 {
                    (0..8).for_each(|i| sums[i] += block[i]);
                }
                out[0] = sums.iter().sum();
            });
            let simple = pass(&pool, dim, |p, out, _| {
                out.fill(0.0);
                for (row, weight) in numbers[span(p)].chunks_exact(dim).zip(weights(p)) {
                    out.iter_mut().zip(row).for_each(|(o, x)| *o += weight * x);
                }
            });
            let plain = pass(&pool, dim, |p, out, _| whole.combine(rows(p), weights(p), out));
            let major = pass(&pool, dim, |p, out, values| {
                gather(p, values);
                d_major(&numbers[span(p)], values, out);
            });
            let half = pass(&pool, dim, |p, out, _| split.combine_nearly(rows(p), weights(p), out));
            let major_half = pass(&pool, dim, |p, out, values| {
                gather(p, values);
                d_major(&short[span(p)], values, out);
            });
            let joined = pass(&pool, dim, |p, out, _| split.combine(rows(p), weights(p), out));
            let ratios = [simple, plain, major, half, major_half, joined].map(|time| time / read);
            let values: Vec<f64> = [read].into_iter().chain(ratios).collect();
            table.row(&format!("d = {dim}, {threads} threads"), &values);
        }
    }
    table.print();
}
