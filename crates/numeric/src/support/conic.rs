//! Clarabel on the whitened problem: the last resort.

use super::whiten::Whitened;
use crate::norm;
use crate::polytope::interior::settings;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus,
};

/// y, the multipliers of the rows of G, and how it ended.
type Answer = (Vec<f64>, Vec<f64>, SolverStatus);

/// min w'y over |y| <= 1, G y <= h, for |w| = 1. A small set is solved again in larger units:
/// Clarabel's tolerances are absolute.
pub(super) fn solve(set: &Whitened, w: &[f64]) -> Answer {
    let (k, m) = (set.free, set.limits.len());
    let (mut colptr, mut rowval, mut nzval) = (vec![0], Vec::new(), Vec::new());
    for j in 0..k {
        for i in 0..m {
            rowval.push(i);
            nzval.push(set.entry(i, j));
        }
        rowval.push(m + 1 + j);
        nzval.push(-1.0);
        colptr.push(rowval.len());
    }
    let a = CscMatrix::new(m + 1 + k, k, colptr, rowval, nzval);
    let p = CscMatrix::zeros((k, k));
    let cones = [NonnegativeConeT(m), SecondOrderConeT(k + 1)];
    let mut unit = 1.0;
    let mut best: Option<Answer> = None;
    for _ in 0..4 {
        let mut b: Vec<f64> = set.limits.iter().map(|h| h / unit).collect();
        b.push(1.0 / unit);
        b.resize(m + 1 + k, 0.0);
        let settings = DefaultSettings { presolve_enable: false, ..settings(1e-11) };
        let mut solver = DefaultSolver::new(&p, w, &a, &b, &cones, settings)
            .expect("the dimensions agree by construction");
        solver.solve();
        let solution = &solver.solution;
        let y: Vec<f64> = solution.x.iter().map(|y| unit * y).collect();
        let size = norm(&y);
        let multipliers = solution.z[..m].iter().map(|z| z.max(0.0)).collect();
        let solved = solution.status == SolverStatus::Solved;
        if best.is_none() || solved {
            best = Some((y, multipliers, solution.status));
        }
        if !solved || size >= 0.05 * unit {
            break;
        }
        unit = (3.0 * size).max(1e-3 * unit);
    }
    best.expect("the loop runs at least once")
}
