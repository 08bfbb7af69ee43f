//! The likelihood set itself, by Clarabel and exponential cones: slow, for small problems, and what
//! the ellipsoid is tested against.

use crate::estimate::{Likelihood, Term};
use crate::numeric::support::{Status, Support, SupportMin, Warm};
use crate::numeric::{Polytope, dot};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolver, ExponentialConeT, IPSolver, NonnegativeConeT,
    SolverStatus, SupportedConeT,
};
use std::sync::Arc;

/// {theta in B : f(theta) <= r} without an ellipsoid around it: milliseconds for one objective, so
/// for small problems and tests only.
///
/// Over z and one s per triple seen: rows z <= offsets, sum n s >= -r, and (s, 1, p(z)) in the
/// exponential cone, that is s <= log p(z). The bound is Clarabel's dual value; it is good to about
/// 1e-7, not certified: what the other sets are tested against.
#[derive(Clone, Debug)]
pub struct LikelihoodCone {
    polytope: Arc<Polytope>,
    a: CscMatrix<f64>,
    b: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
    /// How many triples were seen.
    terms: usize,
    /// The last minimiser.
    theta: Vec<f64>,
}

/// What Clarabel says of one objective, in the coordinates of B's hull.
struct Answer {
    z: Vec<f64>,
    value: f64,
    dual: f64,
    solved: bool,
}

impl LikelihoodCone {
    /// The set with threshold r.
    pub fn new(likelihood: &Likelihood, r: f64) -> Self {
        let polytope = Arc::clone(likelihood.polytope());
        let (k, m) = (polytope.free(), polytope.offsets().len());
        let origin = vec![0.0; k];
        let (mut rows, mut terms) = (Vec::new(), Vec::new());
        likelihood.each_seen(&origin, |seen| {
            for Term { row, p, n, .. } in seen.terms() {
                rows.extend_from_slice(row);
                terms.push((p, n)); // at the origin p is the row's constant
            }
        });
        let (mut colptr, mut rowval, mut nzval) = (vec![0], Vec::new(), Vec::new());
        for j in 0..k {
            for i in 0..m {
                rowval.push(i);
                nzval.push(polytope.rows()[i * k + j]);
            }
            for i in 0..terms.len() {
                rowval.push(m + 1 + 3 * i + 2);
                nzval.push(-rows[i * k + j]);
            }
            colptr.push(rowval.len());
        }
        for (i, (_, n)) in terms.iter().enumerate() {
            rowval.extend([m, m + 1 + 3 * i]);
            nzval.extend([-n, -1.0]);
            colptr.push(rowval.len());
        }
        let mut b = polytope.offsets().to_vec();
        b.push(r);
        terms.iter().for_each(|(constant, _)| b.extend([0.0, 1.0, *constant]));
        let mut cones = vec![NonnegativeConeT(m + 1)];
        cones.resize(1 + terms.len(), ExponentialConeT());
        let a = CscMatrix::new(b.len(), k + terms.len(), colptr, rowval, nzval);
        let theta = polytope.interior().to_vec();
        LikelihoodCone { polytope, a, b, cones, terms: terms.len(), theta }
    }

    /// N'c.
    fn reduce(&self, c: &[f64]) -> Vec<f64> {
        let k = self.polytope.free();
        let mut reduced = vec![0.0; k];
        for (n, &c) in self.polytope.basis().chunks_exact(k.max(1)).zip(c) {
            reduced.iter_mut().zip(n).for_each(|(q, n)| *q += c * n);
        }
        reduced
    }

    /// min c'z for a reduced objective.
    fn solve(&self, c: &[f64]) -> Answer {
        let k = c.len();
        let mut q = c.to_vec();
        q.resize(k + self.terms, 0.0);
        let p = CscMatrix::zeros((q.len(), q.len()));
        let mut solver = DefaultSolver::new(&p, &q, &self.a, &self.b, &self.cones, settings())
            .expect("the dimensions agree by construction");
        solver.solve();
        let solution = &solver.solution;
        Answer {
            z: solution.x[..k].to_vec(),
            value: solution.obj_val,
            dual: solution.obj_val_dual,
            solved: solution.status == SolverStatus::Solved,
        }
    }
}

impl SupportMin for LikelihoodCone {
    fn min(&mut self, c: &[f64], _warm: &mut Warm) -> Support {
        let k = self.polytope.free();
        let constant = dot(c, self.polytope.origin());
        let answer = self.solve(&self.reduce(c));
        let polytope = &self.polytope;
        for (i, theta) in self.theta.iter_mut().enumerate() {
            *theta = polytope.origin()[i] + dot(&polytope.basis()[i * k..(i + 1) * k], &answer.z);
        }
        let status = if answer.solved { Status::Optimal } else { Status::Inaccurate };
        Support { value: constant + answer.value, bound: constant + answer.dual, status }
    }

    fn minimiser(&self, theta: &mut [f64]) {
        theta.copy_from_slice(&self.theta);
    }
}

fn settings() -> DefaultSettings<f64> {
    DefaultSettingsBuilder::default()
        .verbose(false)
        .presolve_enable(false)
        .max_threads(1)
        .build()
        .expect("the settings are Clarabel's own")
}
