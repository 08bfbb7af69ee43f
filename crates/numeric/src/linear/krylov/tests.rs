use super::*;
use crate::Stream;
use crate::linear::elimination::Elimination;

type Rows = Vec<Vec<(u32, f64)>>;

fn loaded(rows: &Rows, out: &[f64]) -> Krylov {
    let mut krylov = Krylov::default();
    krylov.load(
        rows.len(),
        |i| rows[i].len(),
        |i, row| {
            row.extend_from_slice(&rows[i]);
            out[i]
        },
    );
    krylov
}

fn eliminated(rows: &Rows, out: &[f64], mut b: Vec<f64>) -> Vec<f64> {
    let mut elimination = Elimination::default();
    assert!(elimination.eliminate(b.len(), f64::INFINITY, |i, row| {
        row.extend_from_slice(&rows[i]);
        out[i]
    }));
    let mut x = vec![0.0; b.len()];
    elimination.solve(&mut b, &mut x);
    x
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
        let expected = eliminated(&rows, &out, b.clone());
        let size = expected.iter().copied().fold(0.0, f64::max);
        // what a residual of one everywhere does to a solution
        let steps = eliminated(&rows, &out, vec![1.0; n]);
        let longest = steps.iter().copied().fold(0.0, f64::max);
        let mut krylov = loaded(&rows, &out);
        // no residual can be smaller than what rounding makes of it
        let enough = 1e-10 + 1e-15 * size * krylov.leaving.iter().copied().fold(0.0, f64::max);
        let mut x = vec![0.0; n];
        assert!(krylov.solve(&b, &mut x, enough, 2_000), "{name}");
        let off = x.iter().zip(&expected).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
        assert!(off <= 2.0 * enough * longest, "{name}: off by {off} of {size}");
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
    assert!(krylov.solve(&vec![1.0; n], &mut x, 1e-8, 1));
}

/// No exit, no solution: it says so. A system that it is given too few iterations for is left to
/// sweeps, from where it began, and they come closer.
#[test]
fn failure_is_said_and_left_to_sweeps() {
    let (rows, out) = cycle(2_000, 0.0);
    let mut krylov = loaded(&rows, &out);
    assert!(!krylov.solve(&vec![1.0; 2_000], &mut vec![0.0; 2_000], 1e-6, 500));
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

/// Long vectors are cut in the same way whatever the number of threads.
#[test]
fn the_bits_do_not_depend_on_the_threads() {
    let (rows, out) = grid(190, 0.1);
    let b = vec![1.0; rows.len()];
    let mut krylov = loaded(&rows, &out);
    let mut solve = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut x = vec![0.0; b.len()];
        let solved = pool.install(|| krylov.solve(&b, &mut x, 1e-6, 300));
        assert!(solved);
        let mut r = vec![0.0; b.len()];
        krylov.residual(&b, &x, &mut r);
        assert!(largest(&r) <= 1e-6);
        x.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
    };
    assert!(solve(1) == solve(2));
}
