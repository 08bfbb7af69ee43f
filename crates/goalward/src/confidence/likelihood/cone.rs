//! The likelihood set itself, by Clarabel and exponential cones: slow, and what the ellipsoid is tested against.

use crate::estimate::{Likelihood, Term};
use crate::numeric::dot;
use crate::numeric::support::{Status, Support, SupportMin, Warm};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolver, ExponentialConeT, IPSolver, NonnegativeConeT,
    SolverStatus, SupportedConeT,
};

/// {theta in B : f(theta) <= r} without an ellipsoid around it: milliseconds for one objective, so for small problems and
/// tests only.
///
/// Over z and one s per triple seen: rows z <= offsets, sum n s >= -r, and (s, 1, p(z)) in the exponential cone, that is
/// s <= log p(z). The bound is Clarabel's dual value; it is good to about 1e-7, not certified.
pub struct LikelihoodCone<'a> {
    likelihood: &'a Likelihood,
    a: CscMatrix<f64>,
    b: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
    triples: usize,
    /// The last minimiser.
    theta: Vec<f64>,
}

impl<'a> LikelihoodCone<'a> {
    /// The set with threshold r.
    pub fn new(likelihood: &'a Likelihood, r: f64) -> Self {
        let polytope = likelihood.polytope();
        let (k, m) = (polytope.free(), polytope.offsets().len());
        let origin = vec![0.0; k];
        let terms: Vec<Term> = likelihood.terms(&origin).collect();
        let triples = terms.len();
        let (mut colptr, mut rowval, mut nzval) = (vec![0], Vec::new(), Vec::new());
        for j in 0..k {
            for i in 0..m {
                rowval.push(i);
                nzval.push(polytope.rows()[i * k + j]);
            }
            for (i, term) in terms.iter().enumerate() {
                rowval.push(m + 1 + 3 * i + 2);
                nzval.push(-term.row[j]);
            }
            colptr.push(rowval.len());
        }
        for (i, term) in terms.iter().enumerate() {
            rowval.extend([m, m + 1 + 3 * i]);
            nzval.extend([-term.n, -1.0]);
            colptr.push(rowval.len());
        }
        let mut b = polytope.offsets().to_vec();
        b.push(r);
        // at the origin p is the row's constant
        terms.iter().for_each(|term| b.extend([0.0, 1.0, term.p]));
        let mut cones = vec![NonnegativeConeT(m + 1)];
        cones.resize(1 + triples, ExponentialConeT());
        let a = CscMatrix::new(b.len(), k + triples, colptr, rowval, nzval);
        let theta = polytope.interior().to_vec();
        LikelihoodCone { likelihood, a, b, cones, triples, theta }
    }
}

impl SupportMin for LikelihoodCone<'_> {
    fn min(&mut self, c: &[f64], _warm: &mut Warm) -> Support {
        let polytope = self.likelihood.polytope();
        let k = polytope.free();
        let constant = dot(c, polytope.origin());
        let mut q = vec![0.0; k + self.triples];
        for (n, &c) in polytope.basis().chunks_exact(k.max(1)).zip(c) {
            q.iter_mut().zip(n).for_each(|(q, n)| *q += c * n);
        }
        let p = CscMatrix::zeros((q.len(), q.len()));
        let mut solver = DefaultSolver::new(&p, &q, &self.a, &self.b, &self.cones, settings())
            .expect("the dimensions agree by construction");
        solver.solve();
        let solution = &solver.solution;
        let status = match solution.status {
            SolverStatus::Solved => Status::Optimal,
            _ => Status::Inaccurate,
        };
        for (i, theta) in self.theta.iter_mut().enumerate() {
            *theta = polytope.origin()[i] + dot(&polytope.basis()[i * k..(i + 1) * k], &solution.x[..k]);
        }
        Support { value: constant + solution.obj_val, bound: constant + solution.obj_val_dual, status }
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
