//! Problems, regressions and plans by slow direct computations that share no code with the library:
//! dense matrices inverted anew, support problems put to Clarabel as they stand, features read from
//! the problem's JSON.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use goalward::Settings;
use goalward::confidence::{ConfidenceSet, Size};
use goalward::files::json::to_json;
use goalward::learners::{self, Learner, Observed, PlanReport, Probe, Told, Transition};
use goalward::numeric::Stream;
use goalward::problem::Instance;
use nalgebra::{DMatrix, DVector};
use serde_json::Value;
use std::collections::BTreeSet;

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// The successors of a pair with their features.
pub(crate) type Rows = Vec<(usize, DVector<f64>)>;

/// A problem as its JSON tells it.
pub(crate) struct Plain {
    pub(crate) dim: usize,
    pub(crate) goal: usize,
    pub(crate) cost: Vec<Vec<f64>>,
    /// Per state, per action.
    pub(crate) rows: Vec<Vec<Rows>>,
}

impl Plain {
    pub(crate) fn read(instance: &Instance) -> Plain {
        let json: Value = serde_json::from_str(&to_json(instance)).unwrap();
        let cost: Vec<Vec<f64>> = json["cost"].as_array().unwrap().iter().map(numbers).collect();
        let mut rows: Vec<Vec<Rows>> = cost.iter().map(|c| vec![Vec::new(); c.len()]).collect();
        for feature in json["features"].as_array().unwrap() {
            let at = |i: usize| feature[i].as_u64().unwrap() as usize;
            rows[at(0)][at(1)].push((at(2), DVector::from_vec(numbers(&feature[3]))));
        }
        assert!(json.get("extra").is_none(), "facts are not looked at here");
        let at = |key: &str| json[key].as_u64().unwrap() as usize;
        Plain { dim: at("dim"), goal: at("goal"), cost, rows }
    }

    pub(crate) fn phi(&self, s: usize, a: usize, v: impl Fn(usize) -> f64) -> DVector<f64> {
        self.rows[s][a].iter().fold(DVector::zeros(self.dim), |sum, (next, phi)| sum + phi * v(*next))
    }

    /// The support problem over {|theta - center|_Sigma <= beta} ∩ B, with Clarabel, in theta
    /// itself.
    pub(crate) fn support(
        &self,
        sigma: &DMatrix<f64>,
        center: &DVector<f64>,
        beta: f64,
    ) -> DefaultSolver<f64> {
        let d = self.dim;
        let key = |row: &DVector<f64>| row.iter().map(|x| (x + 0.0).to_bits()).collect::<Vec<_>>();
        let (mut equal, mut positive) = (Vec::new(), Vec::new());
        let (mut seen_equal, mut seen_positive) = (BTreeSet::new(), BTreeSet::new());
        for row in self.rows.iter().flatten() {
            let sum = row.iter().fold(DVector::zeros(d), |sum: DVector<f64>, (_, phi)| sum + phi);
            // rows that sum to the same vector up to rounding are the same equality
            if seen_equal.insert(sum.iter().map(|x| (x * 1e9).round() as i64).collect::<Vec<_>>()) {
                equal.push(sum);
            }
            positive
                .extend(row.iter().map(|(_, phi)| phi.clone()).filter(|phi| seen_positive.insert(key(phi))));
        }
        let root = sigma.clone().cholesky().unwrap().l().transpose();
        let shifted = &root * center;
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for row in &equal {
            a.push(row.as_slice().to_vec());
            b.push(1.0);
        }
        for row in &positive {
            a.push(row.iter().map(|x| -x).collect());
            b.push(0.0);
        }
        a.push(vec![0.0; d]);
        b.push(beta);
        for i in 0..d {
            a.push((0..d).map(|k| -root[(i, k)]).collect());
            b.push(-shifted[i]);
        }
        let cones = [
            SupportedConeT::ZeroConeT(equal.len()),
            SupportedConeT::NonnegativeConeT(positive.len()),
            SupportedConeT::SecondOrderConeT(d + 1),
        ];
        let settings = DefaultSettings {
            verbose: false,
            presolve_enable: false,
            tol_gap_abs: 1e-11,
            tol_gap_rel: 1e-11,
            tol_feas: 1e-11,
            ..Default::default()
        };
        let p = CscMatrix::zeros((d, d));
        DefaultSolver::new(&p, &vec![0.0; d], &CscMatrix::from(&a), &b, &cones, settings).unwrap()
    }

    /// So many sweeps of DEVI from zero; of several sets the largest minimum counts.
    pub(crate) fn devi(&self, sets: &mut [DefaultSolver<f64>], b: f64, t: f64, sweeps: u64) -> Vec<f64> {
        let mut v = vec![0.0; self.rows.len()];
        for _ in 0..sweeps {
            let mut next = vec![0.0; v.len()];
            for s in (0..v.len()).filter(|&s| s != self.goal) {
                let q = (0..self.rows[s].len()).map(|a| {
                    let phi = self.phi(s, a, |n| v[n]);
                    // the minimum is homogeneous in phi: solving for a unit vector keeps Clarabel's
                    // accuracy
                    let size = phi.norm();
                    if size == 0.0 || t == 1.0 {
                        return self.cost[s][a];
                    }
                    let unit: Vec<f64> = phi.iter().map(|x| x / size).collect();
                    let least = sets.iter_mut().map(|set| minimum(set, &unit));
                    self.cost[s][a] + (1.0 - 1.0 / t) * size * least.fold(f64::NEG_INFINITY, f64::max)
                });
                next[s] = q.fold(b, f64::min);
            }
            v = next;
        }
        v
    }
}

/// The least <c, theta> over a set.
pub(crate) fn minimum(set: &mut DefaultSolver<f64>, c: &[f64]) -> f64 {
    set.update_q(&c.to_vec()).unwrap();
    set.solve();
    let good = [SolverStatus::Solved, SolverStatus::AlmostSolved];
    assert!(good.contains(&set.solution.status), "{:?}", set.solution.status);
    set.solution.obj_val
}

/// One regression: Sigma and b, and the pair frozen at the last plan.
pub(crate) struct Level {
    pub(crate) sigma: DMatrix<f64>,
    pub(crate) b: DVector<f64>,
    pub(crate) frozen_sigma: DMatrix<f64>,
    pub(crate) frozen_theta: DVector<f64>,
}

impl Level {
    pub(crate) fn new(d: usize, lambda: f64) -> Level {
        let sigma = DMatrix::identity(d, d) * lambda;
        Level { frozen_sigma: sigma.clone(), sigma, b: DVector::zeros(d), frozen_theta: DVector::zeros(d) }
    }
    pub(crate) fn norm(sigma: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
        x.dot(&(sigma.clone().try_inverse().unwrap() * x)).sqrt()
    }
    pub(crate) fn take(&mut self, x: &DVector<f64>, y: f64, weight: f64) {
        self.sigma += x * x.transpose() * weight;
        self.b += x * (weight * y);
    }
    pub(crate) fn log_det(sigma: &DMatrix<f64>) -> f64 {
        sigma.clone().lu().determinant().ln()
    }
    pub(crate) fn freeze(&mut self) {
        self.frozen_sigma = self.sigma.clone();
        self.frozen_theta = self.sigma.clone().lu().solve(&self.b).unwrap();
    }
}

impl Plain {
    /// V of one theta with the discount q, by policy iteration with dense equations.
    pub(crate) fn solve(&self, theta: &[f64], q: f64) -> Vec<f64> {
        let (n, theta) = (self.rows.len(), DVector::from_column_slice(theta));
        let off_goal = || (0..n).filter(|&s| s != self.goal);
        let mut policy = vec![0; n];
        loop {
            let (mut matrix, mut cost) = (DMatrix::identity(n, n), DVector::zeros(n));
            for s in off_goal() {
                cost[s] = self.cost[s][policy[s]];
                for (next, phi) in &self.rows[s][policy[s]] {
                    matrix[(s, *next)] -= (1.0 - q) * phi.dot(&theta);
                }
            }
            let v = matrix.lu().solve(&cost).unwrap();
            let value =
                |s: usize, a: usize| self.cost[s][a] + (1.0 - q) * self.phi(s, a, |next| v[next]).dot(&theta);
            let mut changed = false;
            for s in off_goal() {
                let best =
                    (0..self.rows[s].len()).min_by(|&a, &b| value(s, a).total_cmp(&value(s, b))).unwrap();
                if value(s, best) < v[s] - 1e-11 * (1.0 + v[s].abs()) {
                    (policy[s], changed) = (best, true);
                }
            }
            if !changed {
                return v.iter().copied().collect();
            }
        }
    }
}

/// What a learner shows after a step.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) weights: Vec<f64>,
    pub(crate) plan: Option<PlanReport>,
    /// The radii of the sets of the last plan.
    pub(crate) radii: Vec<f64>,
}

impl Probe for Shown {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn wants_sets(&self) -> bool {
        true
    }
    fn weights(&mut self, sigma_sq: &[f64]) {
        self.weights = sigma_sq.to_vec();
    }
    fn plan(&mut self, plan: &PlanReport) {
        self.plan = Some(plan.clone());
    }
    fn planned_set(&mut self, planned: &dyn ConfidenceSet) {
        let Size::Radius(radius) = planned.size() else { panic!("{}", planned.kind()) };
        self.radii.push(radius);
    }
}

/// One step that was made.
pub(crate) struct Made {
    pub(crate) t: u64,
    pub(crate) state: usize,
    pub(crate) action: usize,
    pub(crate) next: usize,
    pub(crate) planned: bool,
    pub(crate) shown: Shown,
}

/// A learner in its world, a step at a time.
pub(crate) struct Walk<'a> {
    pub(crate) learner: Learner,
    instance: &'a Instance,
    luck: Stream,
    state: usize,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(instance: &'a Instance, id: &str, settings: &Settings, seed: u64) -> Self {
        let entry = learners::entry(id).unwrap();
        let learner = entry.build(&instance.problem, settings, seed, 1000, Told::default()).unwrap();
        Walk { learner, instance, luck: Stream::new(seed, &[7]), state: instance.problem.start() }
    }

    pub(crate) fn step(&mut self) -> Made {
        let problem = &self.instance.problem;
        let state = self.state;
        let action = self.learner.act(state).unwrap();
        let pair = problem.pair(state, action);
        let next = self.instance.truth().unwrap().sample(problem, pair, self.luck.uniform());
        let step = Transition { state, action, cost: problem.cost(pair), next };
        let planned = self.learner.observe(&step).unwrap() == Observed::Planned;
        self.state = next;
        if next == problem.goal() {
            self.learner.end_episode();
            self.state = problem.start();
        }
        let mut shown = Shown::default();
        self.learner.probe(&mut shown);
        Made { t: self.learner.clock().t, state, action, next, planned, shown }
    }
}
