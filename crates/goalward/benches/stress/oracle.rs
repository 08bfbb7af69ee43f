//! Clarabel on the problem as it was drafted: no elimination, no whitening, no code of the
//! solver's.

use super::families::{Draft, dot};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

/// The least value, or `None` where Clarabel did not converge to `tolerance`.
pub fn solve(draft: &Draft, c: &[f64], tolerance: f64) -> Option<f64> {
    let d = draft.dim;
    let (mut rows, mut b) = (Vec::new(), Vec::new());
    for (row, limit) in draft.equalities.iter().chain(&draft.rows) {
        rows.push(row.clone());
        b.push(*limit);
    }
    // |F'(theta - center)| <= radius with the F that Sigma = F F' was made from; in units of the
    // radius
    rows.push(vec![0.0; d]);
    b.push(1.0);
    for j in 0..d {
        let row: Vec<f64> = (0..d).map(|i| -draft.factor[i * d + j] / draft.radius).collect();
        b.push(dot(&row, &draft.center));
        rows.push(row);
    }
    let mut cones = Vec::new();
    if !draft.equalities.is_empty() {
        cones.push(SupportedConeT::ZeroConeT(draft.equalities.len()));
    }
    if !draft.rows.is_empty() {
        cones.push(SupportedConeT::NonnegativeConeT(draft.rows.len()));
    }
    cones.push(SupportedConeT::SecondOrderConeT(d + 1));
    let p = CscMatrix::zeros((d, d));
    let a = CscMatrix::from(&rows);
    // as tight as it will go: where it does not, somewhat looser
    [1e-11, 1e-9].into_iter().find_map(|tight| {
        let settings = DefaultSettings {
            verbose: false,
            max_threads: 1,
            tol_gap_abs: tight,
            tol_gap_rel: tight,
            tol_feas: tight,
            ..DefaultSettings::default()
        };
        let mut solver = DefaultSolver::new(&p, c, &a, &b, &cones, settings).ok()?;
        solver.solve();
        let solution = &solver.solution;
        // what the solution's own residuals may have moved its value by: a multiplier is a
        // sensitivity
        let image = times(&rows, &solution.x);
        let primal: f64 =
            (0..b.len()).map(|i| (solution.z[i] * (image[i] + solution.s[i] - b[i])).abs()).sum();
        let mut dual = c.to_vec();
        for (row, z) in rows.iter().zip(&solution.z) {
            dual.iter_mut().zip(row).for_each(|(d, a)| *d += z * a);
        }
        let error = (solution.obj_val - solution.obj_val_dual).abs()
            + primal
            + dual.iter().zip(&solution.x).map(|(d, x)| (d * x).abs()).sum::<f64>();
        (solution.status == SolverStatus::Solved && error <= tolerance).then_some(solution.obj_val)
    })
}

fn times(rows: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    rows.iter().map(|row| dot(row, x)).collect()
}
