//! A strictly interior point of {z : rows z <= offsets}, or the rows that forbid one.

use super::EmptyPolytope;
use crate::{dot, norm};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT::NonnegativeConeT,
};
use microlp::{ComparisonOp, Error, OptimizationDirection, Problem};

/// How far the homogenised program may scale the polytope; smaller slacks count as none.
const STRETCH: f64 = 1e8;
/// Half the width of the box for interior-point methods, in units of the largest offset.
const BOX: f64 = 1e3;
const BATCH: usize = 200;

/// An interior point, which is valid if no row is tight everywhere, and the rows that are. Where
/// rounding hides whether there is one, the best point found.
pub(super) fn search(
    rows: &[f64],
    offsets: &[f64],
    k: usize,
) -> Result<(Vec<f64>, Vec<usize>), EmptyPolytope> {
    let mut z = vec![0.0; k];
    if relax(rows, offsets, k, &mut z) {
        return Ok((z, Vec::new()));
    }
    separate(rows, offsets, k, z)
}

/// Projects onto violated rows, moved inwards by a margin that shrinks until it fits: the widest
/// first, so that the point lies deep.
fn relax(rows: &[f64], offsets: &[f64], k: usize, z: &mut [f64]) -> bool {
    let mut margin = 4.0;
    while margin > 1e-7 {
        margin *= 0.25;
        for _ in 0..30 {
            let mut moved = false;
            for (a, &b) in rows.chunks_exact(k).zip(offsets) {
                let excess = dot(a, z) - (b - margin);
                if excess > 1e-3 * margin {
                    moved = true;
                    z.iter_mut().zip(a).for_each(|(z, a)| *z -= excess * a);
                }
            }
            if !moved {
                return true;
            }
        }
    }
    false
}

/// The homogenised program max sum t, A z + t <= b tau, tau >= 1, 0 <= t <= 1, on a growing
/// selection of rows: a row that is tight for a selection is tight on the polytope, and one with
/// slack is not.
fn separate(
    rows: &[f64],
    offsets: &[f64],
    k: usize,
    mut z: Vec<f64>,
) -> Result<(Vec<f64>, Vec<usize>), EmptyPolytope> {
    let row = |i: usize| &rows[i * k..(i + 1) * k];
    let slack = |i: usize, z: &[f64]| offsets[i] - dot(row(i), z);
    let mut selection: Vec<usize> = Vec::new();
    let mut chosen = vec![false; offsets.len()];
    loop {
        // z is the last program's point: whatever lacks slack there must be asked next time
        let mut lacking: Vec<(usize, f64)> = (0..offsets.len())
            .filter(|&i| !chosen[i])
            .map(|i| (i, slack(i, &z)))
            .filter(|&(i, s)| s <= 1e-9 * (1.0 + offsets[i].abs()))
            .collect();
        if lacking.is_empty() && !selection.is_empty() {
            return Ok((z, Vec::new()));
        }
        lacking.sort_by(|a, b| a.1.total_cmp(&b.1));
        if selection.is_empty() {
            // near misses of the relaxation are the likely culprits
            lacking = (0..offsets.len()).map(|i| (i, slack(i, &z))).collect();
            lacking.sort_by(|a, b| a.1.total_cmp(&b.1));
        }
        for &(i, _) in lacking.iter().take(BATCH) {
            selection.push(i);
            chosen[i] = true;
        }
        // the simplex method may fail, or be wrong either way: a point is believed if it has slack,
        // emptiness if it is proven
        match program(&selection, row, offsets, k) {
            Ok((point, tight)) if !tight.is_empty() => return Ok((point, tight)),
            Ok((point, _)) if selection.iter().all(|&i| slack(i, &point) > 1e-15 * norm(&point)) => z = point,
            _ => return decide(rows, offsets, k).map(|z| (z, Vec::new())),
        }
    }
}

/// Decides max t, A z + t <= b, t <= 1 by an interior-point method, where the simplex method gave
/// up or called the rows contradictory. An error needs multipliers y >= 0, sum y = 1, A'y = 0 and
/// b'y < 0, well within that gap.
pub(super) fn decide(rows: &[f64], offsets: &[f64], k: usize) -> Result<Vec<f64>, EmptyPolytope> {
    let m = offsets.len();
    let widest = offsets.iter().fold(1.0, |w: f64, b| w.max(b.abs()));
    let a = constraints(rows, m, k);
    // in units of the largest offset, as the solver's tolerances are absolute
    let mut b: Vec<f64> = offsets.iter().map(|b| b / widest).collect();
    b.resize(m + 2 * k + 1, BOX);
    b[m + k] = 1.0;
    let mut objective = vec![0.0; k];
    objective.push(-1.0);
    let cones = [NonnegativeConeT(m + 2 * k + 1)];
    let zeros = CscMatrix::zeros((k + 1, k + 1));
    let attempt = |tight: f64| {
        let mut solver = DefaultSolver::new(&zeros, &objective, &a, &b, &cones, settings(tight)).ok()?;
        solver.solve();
        let solution = solver.solution;
        (solution.status == SolverStatus::Solved).then_some((solution.x, solution.z))
    };
    let Some((point, multipliers)) = [1e-12, 1e-10, 1e-8].into_iter().find_map(attempt) else {
        return Ok(vec![0.0; k]);
    };
    let z: Vec<f64> = point[..k].iter().map(|z| z * widest).collect();
    let slack = |i: usize| offsets[i] - dot(&rows[i * k..(i + 1) * k], &z);
    if (0..m).all(|i| slack(i) > 1e-9 * (1.0 + offsets[i].abs())) {
        return Ok(z);
    }
    let multipliers: Vec<f64> = multipliers[..m].iter().map(|y| y.max(0.0)).collect();
    let total: f64 = multipliers.iter().sum();
    let deficit: f64 = multipliers.iter().zip(&b).map(|(y, b)| y * b).sum();
    let mut pull = vec![0.0; k];
    for (a, y) in rows.chunks_exact(k).zip(&multipliers) {
        pull.iter_mut().zip(a).for_each(|(p, a)| *p += y * a);
    }
    // a point that satisfies all rows would have |z| >= -deficit / |pull|, in the same units
    if total > 0.5 && deficit < -1e-7 && norm(&pull) * 1e2 * (1.0 + norm(&z) / widest) < -deficit {
        let detail = format!("multipliers of {m} rows prove a gap of {:.1e}", -deficit * widest);
        return Err(EmptyPolytope { detail });
    }
    Ok(z)
}

pub(crate) fn settings(tight: f64) -> DefaultSettings<f64> {
    DefaultSettings {
        verbose: false,
        max_threads: 1,
        tol_gap_abs: tight,
        tol_gap_rel: tight,
        tol_feas: tight,
        ..DefaultSettings::default()
    }
}

/// The rows of z and t: A z + t, t, and z to both sides.
fn constraints(rows: &[f64], m: usize, k: usize) -> CscMatrix {
    let (mut colptr, mut rowval, mut nzval) = (vec![0], Vec::new(), Vec::new());
    for j in 0..=k {
        for i in 0..m {
            rowval.push(i);
            nzval.push(if j < k { rows[i * k + j] } else { 1.0 });
        }
        // t <= 1, and a box around z: without one the solver follows directions that no row bounds
        rowval.push(m + j);
        nzval.push(1.0);
        if j < k {
            rowval.push(m + k + 1 + j);
            nzval.push(-1.0);
        }
        colptr.push(rowval.len());
    }
    CscMatrix::new(m + 2 * k + 1, k + 1, colptr, rowval, nzval)
}

/// The program's point z / tau and the rows of the selection without slack.
fn program<'a>(
    selection: &[usize],
    row: impl Fn(usize) -> &'a [f64],
    offsets: &[f64],
    k: usize,
) -> Result<(Vec<f64>, Vec<usize>), Error> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let z: Vec<_> = (0..k).map(|_| problem.add_var(0.0, (f64::NEG_INFINITY, f64::INFINITY))).collect();
    let tau = problem.add_var(0.0, (1.0, STRETCH));
    let t: Vec<_> = selection.iter().map(|_| problem.add_var(1.0, (0.0, 1.0))).collect();
    for (&i, &t) in selection.iter().zip(&t) {
        // entries of rounding size would only spoil the program's scaling
        let mut terms: Vec<_> =
            z.iter().zip(row(i)).filter(|(_, a)| a.abs() > 1e-13).map(|(&z, &a)| (z, a)).collect();
        terms.push((t, 1.0));
        if offsets[i].abs() > 1e-13 {
            terms.push((tau, -offsets[i]));
        }
        problem.add_constraint(terms, ComparisonOp::Le, 0.0);
    }
    let Ok(solution) = problem.solve()?.into_solution() else { unreachable!("no limit is set") };
    let stretch = solution.var_value(tau);
    let point = z.iter().map(|&z| solution.var_value(z) / stretch).collect();
    let tight =
        selection.iter().zip(&t).filter(|&(_, &t)| solution.var_value(t) < 0.5).map(|(&i, _)| i).collect();
    Ok((point, tight))
}
