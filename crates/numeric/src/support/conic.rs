//! Clarabel on the whitened problem: an independent answer, and the last resort.

use super::whiten::Whitened;
use super::{Ellipsoid, Empty, Status, Support, SupportMin, Warm, bounds, expand, lanes};
use crate::{Polytope, dot, norm};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT,
    SolverStatus,
};
use std::sync::Arc;

/// What Clarabel found.
pub(super) struct Answer {
    pub(super) y: Vec<f64>,
    /// Multipliers of the rows of G.
    pub(super) multipliers: Vec<f64>,
    pub(super) status: SolverStatus,
}

impl Answer {
    /// Whether the point means anything.
    pub(super) fn solved(&self) -> bool {
        matches!(self.status, SolverStatus::Solved | SolverStatus::AlmostSolved)
    }
}

fn settings() -> DefaultSettings<f64> {
    DefaultSettingsBuilder::default()
        .verbose(false)
        .presolve_enable(false)
        .max_threads(1)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-11)
        .build()
        .expect("the settings are Clarabel's own with other numbers")
}

/// min w'y over |y| <= 1, G y <= h, for |w| = 1.
///
/// Clarabel's tolerances are absolute, so a set that is small against the ball is solved again in
/// larger units.
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
        let mut solver = DefaultSolver::new(&p, w, &a, &b, &cones, settings())
            .expect("the dimensions agree by construction");
        solver.solve();
        let solution = &solver.solution;
        let y: Vec<f64> = solution.x.iter().map(|y| unit * y).collect();
        let size = norm(&y);
        let answer = Answer {
            y,
            multipliers: solution.z[..m].iter().map(|z| z.max(0.0)).collect(),
            status: solution.status,
        };
        let solved = solution.status == SolverStatus::Solved;
        if best.is_none() || solved {
            best = Some(answer);
        }
        if !solved || size >= 0.05 * unit {
            break;
        }
        unit = (3.0 * size).max(1e-3 * unit);
    }
    best.expect("the loop runs at least once")
}

/// The set min <c, theta> is taken over, solved by Clarabel alone.
///
/// Hundreds of times slower than [`ConvexSet`](super::ConvexSet) and good to about 1e-8; it shares
/// the change of coordinates with it and nothing else, which is what makes it a check.
#[derive(Clone, Debug)]
pub struct Conic {
    set: Whitened,
    /// The last minimiser.
    z: Vec<f64>,
}

impl Conic {
    /// Fails if the two do not meet.
    pub fn new(polytope: &Arc<Polytope>, ellipsoid: Ellipsoid) -> Result<Self, Empty> {
        let set = Whitened::new(polytope, ellipsoid)?;
        if !set.point {
            let mut w = vec![0.0; set.free];
            w[0] = 1.0;
            let status = solve(&set, &w).status;
            if matches!(status, SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible) {
                return Err(Empty::Apart);
            }
        }
        Ok(Conic { z: set.z0.clone(), set })
    }
}

impl SupportMin for Conic {
    fn min(&mut self, c: &[f64], _warm: &mut Warm) -> Support {
        let set = &self.set;
        let k = set.free;
        let mut free = vec![0.0; k];
        let constant = set.reduce(c, &mut free);
        let mut whitened = vec![[0.0; 4]; lanes::width(k)];
        set.whiten(&free, &mut whitened);
        let mut w = whitened.as_flattened()[..k].to_vec();
        let size = norm(&w);
        if set.point || size == 0.0 {
            let value = constant + dot(&free, &set.z0);
            self.z = set.z0.clone();
            return Support { value, bound: value - set.rho * size, status: Status::Optimal };
        }
        w.iter_mut().for_each(|w| *w /= size);
        let answer = solve(set, &w);
        let (mut z, mut r) = (vec![0.0; k], vec![0.0; k]);
        set.unwhiten(&answer.y, &mut z);
        let multipliers = answer.multipliers.iter().map(|l| l * size).enumerate();
        let account = set.account(&free, multipliers, &mut r, &mut whitened);
        let bound = constant + account.bound(&r, bounds(&set.polytope));
        let status = if answer.status == SolverStatus::Solved { Status::Optimal } else { Status::Inaccurate };
        let answer = Support { value: constant + dot(&free, &z), bound, status };
        self.z = z;
        answer
    }

    fn minimiser(&self, theta: &mut [f64]) {
        expand(&self.set.polytope, &self.z, theta);
    }
}
