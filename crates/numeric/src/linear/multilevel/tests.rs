//! Solutions that are known, or found by elimination.

use super::*;
use crate::{Portable, Stream};
use nalgebra::{DMatrix, DVector};

/// A node's arcs and what leaves the system there.
type Node = (Vec<(u32, f64)>, f64);
type Chain = Vec<Node>;

fn load(multilevel: &mut Multilevel, chain: &[Node], change: Change) {
    multilevel.load(chain.len(), change, |i, arcs| {
        arcs.extend_from_slice(&chain[i].0);
        chain[i].1
    });
}

/// b for a solution that is given.
fn made(chain: &[Node], x: &[f64]) -> Vec<f64> {
    let row = |(i, (arcs, out)): (usize, &Node)| {
        out * x[i] + arcs.iter().map(|&(j, w)| w * (x[i] - x[j as usize])).sum::<f64>()
    };
    chain.iter().enumerate().map(row).collect()
}

/// A grid from which only the corner (0, 0) leads out; each node drifts with the given weights to
/// the left, up, right and down. Nodes come in the order of their distance from the corner.
fn grid(side: usize, weights: [f64; 4]) -> Chain {
    let mut cells: Vec<(usize, usize)> = (0..side * side).map(|k| (k / side, k % side)).collect();
    cells.sort_by_key(|&(row, column)| row + column);
    let mut place = vec![0u32; side * side];
    cells.iter().enumerate().for_each(|(at, &(row, column))| place[row * side + column] = at as u32);
    let arcs = |&(row, column): &(usize, usize)| {
        let mut arcs = Vec::new();
        let mut lead = |row: usize, column: usize, w: f64| arcs.push((place[row * side + column], w));
        if column > 0 {
            lead(row, column - 1, weights[0]);
        }
        if row > 0 {
            lead(row - 1, column, weights[1]);
        }
        if column + 1 < side {
            lead(row, column + 1, weights[2]);
        }
        if row + 1 < side {
            lead(row + 1, column, weights[3]);
        }
        (arcs, if row + column == 0 { 1.0 } else { 0.0 })
    };
    cells.iter().map(arcs).collect()
}

/// Chains at random, some of whose nodes hardly ever leave.
#[test]
fn elimination_finds_the_same() {
    let mut stream = Stream::new(7, &[]);
    for round in 0..20 {
        let n = 150 + 20 * round;
        let chain: Chain = (0..n)
            .map(|i| {
                let mut arcs: Vec<(u32, f64)> = Vec::new();
                for _ in 0..3 {
                    let j = ((stream.uniform() * n as f64) as usize).min(n - 1) as u32;
                    if j as usize != i && arcs.iter().all(|arc| arc.0 != j) {
                        arcs.push((j, 10f64.to_the(-3.0 * stream.uniform())));
                    }
                }
                if i > 0 && arcs.iter().all(|arc| arc.0 as usize != i - 1) {
                    arcs.push((i as u32 - 1, 1.0));
                }
                (arcs, if i % 40 == 0 { 0.1 } else { 0.0 })
            })
            .collect();
        let b: Vec<f64> = (0..n).map(|_| stream.uniform()).collect();
        let mut matrix = DMatrix::zeros(n, n);
        for (i, (arcs, out)) in chain.iter().enumerate() {
            matrix[(i, i)] += *out;
            for &(j, w) in arcs {
                matrix[(i, i)] += w;
                matrix[(i, j as usize)] -= w;
            }
        }
        let exact = matrix.lu().solve(&DVector::from_row_slice(&b)).unwrap();
        let mut multilevel = Multilevel::default();
        load(&mut multilevel, &chain, Change::All);
        let mut x = vec![0.0; n];
        let (solved, _) = multilevel.solve(&b, &mut x, 1e-10, 200);
        assert!(solved, "{n}");
        let size = exact.amax();
        (0..n).for_each(|i| assert!((x[i] - exact[i]).abs() < 1e-6 * size, "{} {}", x[i], exact[i]));
    }
}

/// With drift, against it, and without: the cycles grow slowly with the size.
#[test]
fn grids_are_solved_in_few_cycles() {
    for weights in [[0.3, 0.3, 0.2, 0.2], [0.25; 4], [0.26, 0.25, 0.25, 0.24]] {
        for side in [20, 60, 200] {
            let chain = grid(side, weights);
            let known: Vec<f64> = (0..chain.len()).map(|i| (i as f64).sqrt()).collect();
            let b = made(&chain, &known);
            let mut multilevel = Multilevel::default();
            load(&mut multilevel, &chain, Change::All);
            let mut x = vec![0.0; chain.len()];
            let (solved, cycles) = multilevel.solve(&b, &mut x, 1e-9, 100);
            assert!(solved, "{weights:?} {side}");
            assert!(cycles <= 80, "{weights:?} {side}: {cycles}");
            let off = x.iter().zip(&known).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(off < 1e-3, "{weights:?} {side}: {off}");
        }
    }
}

/// What is known of a chain serves another one with few other rows; then it takes no more cycles
/// for the shares, and the answer is as good.
#[test]
fn a_chain_that_hardly_changed_is_solved_with_what_is_known() {
    let mut chain = grid(50, [0.3, 0.3, 0.2, 0.2]);
    let mut multilevel = Multilevel::default();
    load(&mut multilevel, &chain, Change::All);
    let known: Vec<f64> = (0..chain.len()).map(|i| 1.0 + i as f64).collect();
    let mut x = vec![0.0; chain.len()];
    assert!(multilevel.solve(&made(&chain, &known), &mut x, 1e-8, 100).0);
    for (arcs, _) in chain.iter_mut().skip(1000).take(10) {
        arcs[0].1 *= 2.0;
    }
    load(&mut multilevel, &chain, Change::Few);
    assert!(multilevel.solve(&made(&chain, &known), &mut x, 1e-8, 100).0);
    let off = x.iter().zip(&known).map(|(x, y)| (x - y).abs() / y).fold(0.0, f64::max);
    assert!(off < 1e-4, "{off}");
}

/// Long vectors are cut in the same way whatever the number of threads.
#[test]
fn the_bits_do_not_depend_on_the_threads() {
    let chain = grid(200, [0.3, 0.3, 0.2, 0.2]);
    let b: Vec<f64> = (0..chain.len()).map(|i| 1.0 + (i % 7) as f64).collect();
    let solve = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut multilevel = Multilevel::default();
            load(&mut multilevel, &chain, Change::All);
            let mut x = vec![0.0; chain.len()];
            multilevel.solve(&b, &mut x, 1e-6, 100);
            x.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
        })
    };
    let alone = solve(1);
    assert_eq!(alone, solve(2));
    assert_eq!(alone, solve(3));
}

/// A chain that cannot be left has no solution, and one whose numbers are broken none either.
#[test]
fn what_has_no_solution_is_not_solved() {
    let mut chain = grid(20, [0.25; 4]);
    chain[0].1 = 0.0;
    let b = vec![1.0; chain.len()];
    let mut multilevel = Multilevel::default();
    load(&mut multilevel, &chain, Change::All);
    let mut x = vec![0.0; chain.len()];
    assert!(!multilevel.solve(&b, &mut x, 1e-6, 50).0);
    chain[0].1 = f64::NAN;
    load(&mut multilevel, &chain, Change::All);
    assert!(!multilevel.solve(&b, &mut x, 1e-6, 50).0);
}
