//! Radii that the data enter: what they assume of the problem, and whether theta* stays inside.

use crate::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::confidence::{Holds, levis_plus_plus, phi_norm, theta_norm};
use goalward::episode::{Arena, Flow, Observer, Plan, RunSpec, Runner, Step};
use goalward::learners::{PlanReport, Probe};
use goalward::numeric::Stream;
use nalgebra::{DMatrix, DVector};

fn arenas() -> Vec<Arena> {
    let open = |id: &str, settings: &[&str]| Arena::open(id, &Settings::parse(settings).unwrap()).unwrap();
    vec![
        open("windy-grid", &["n=3"]),
        open("hard-instance", &["dim=3"]),
        Arena::new("irregular", &Settings::new(), irregular(2, 6, 4)).unwrap(),
    ]
}

#[test]
fn the_norms_bound_what_they_say() {
    for arena in arenas() {
        let (problem, theta) = (arena.problem(), arena.instance().truth().unwrap().theta().unwrap());
        let (of_phi, of_theta) = (phi_norm(problem), theta_norm(problem).unwrap());
        assert!(theta.iter().map(|x| x * x).sum::<f64>().sqrt() <= of_theta);
        let mut draw = Stream::new(1, &[]);
        let mut phi = vec![0.0; problem.dim()];
        let mut largest = 0f64;
        for _ in 0..2_000 {
            let mut v: Vec<f64> = (0..problem.states()).map(|_| draw.below(2) as f64).collect();
            v[problem.goal()] = 0.0;
            problem.phi_v(draw.below(problem.pairs()), &v, &mut phi);
            largest = largest.max(phi.iter().map(|x| x * x).sum::<f64>().sqrt());
        }
        assert!(largest <= of_phi * (1.0 + 1e-12), "{}: {largest} > {of_phi}", arena.world);
        assert!(of_phi <= 1.5 * largest, "{}: {of_phi}, found {largest}", arena.world);
    }
    // reading B1 in closed form: L_phi = sqrt(d - 1 + (1 - delta)^2)
    let hard = Arena::open("hard-instance", &Settings::new().set("dim", 3)).unwrap();
    let expected = (2.0 + (1.0f64 - 5.0 / 27.0).powi(2)).sqrt();
    assert!((phi_norm(hard.problem()) - expected).abs() < 1e-12);
}

/// Regresses beside the learner, with matrices of its own, and asks at every plan whether theta* is
/// in the ellipsoid.
struct Inside<'a> {
    arena: &'a Arena,
    b: f64,
    lambda: f64,
    u: Vec<f64>,
    sigma: DMatrix<f64>,
    right: DVector<f64>,
    weights: Vec<f64>,
    last: Option<PlanReport>,
    plans: u64,
    left: bool,
    radii: Vec<(u64, f64)>,
}

impl<'a> Inside<'a> {
    fn new(arena: &'a Arena, b: f64) -> Self {
        let d = arena.problem().dim();
        let lambda = 1.0 / (b * b);
        let mut u = vec![1.0 / b; arena.problem().states()];
        u[arena.problem().goal()] = 0.0;
        Inside {
            arena,
            b,
            lambda,
            u,
            sigma: DMatrix::identity(d, d) * lambda,
            right: DVector::zeros(d),
            weights: Vec::new(),
            last: None,
            plans: 0,
            left: false,
            radii: Vec::new(),
        }
    }
}

impl Probe for Inside<'_> {
    fn weights(&mut self, sigma_sq: &[f64]) {
        self.weights = sigma_sq.to_vec();
    }
    fn plan(&mut self, plan: &PlanReport) {
        self.last = Some(plan.clone());
    }
    fn wants_estimate(&self) -> bool {
        false
    }
}

impl Observer for Inside<'_> {
    fn step(&mut self, step: &Step) -> Flow {
        step.learner.probe(self);
        let problem = self.arena.problem();
        let mut psi = vec![0.0; problem.dim()];
        problem.phi_v(problem.pair(step.state, step.action), &self.u, &mut psi);
        let (psi, weight) = (DVector::from_vec(psi), 1.0 / self.weights[0]);
        self.sigma += &psi * psi.transpose() * weight;
        self.right += &psi * (weight * self.u[step.next]);
        Flow::Continue(())
    }

    fn plan(&mut self, plan: &Plan) -> Flow {
        plan.learner.probe(self);
        let report = self.last.clone().unwrap();
        let center = self.sigma.clone().lu().solve(&self.right).unwrap();
        let truth = self.arena.instance().truth().unwrap().theta().unwrap();
        let off = DVector::from_row_slice(truth) - center;
        let distance = off.dot(&(&self.sigma * &off)).sqrt();
        self.left |= distance > report.mixture().unwrap().beta;
        self.plans += 1;
        self.radii.push((report.t, report.mixture().unwrap().beta));
        self.u = report.v.iter().map(|v| (v / self.b).clamp(0.0, 1.0)).collect();
        Flow::Continue(())
    }
}

/// delta = 0.1: theta* may leave in a tenth of the runs. And they are smaller than the print, each
/// for its own reason.
#[test]
fn coverage_and_size() {
    for arena in arenas() {
        let b = 1.2 * arena.exact().b_star;
        for (radius, part) in [("determinant", 0.02)] {
            let mut left = 0;
            for seed in 0..24 {
                let settings = Settings::new().set("B", b).set("radius", radius).set("delta", 0.1);
                let spec = RunSpec::new("levis++", u64::MAX).settings(settings).seed(seed).max_steps(600);
                let mut inside = Inside::new(&arena, b);
                let mut runner = Runner::new(&arena, spec).unwrap();
                runner.run(&mut [&mut inside]).unwrap();
                let result = runner.result();
                assert_eq!(result.radius.as_deref(), Some(radius));
                assert_eq!(result.guarantee.map(|g| g.holds), Some(Holds::Yes));
                assert!(inside.plans > 8);
                left += u32::from(inside.left);
                let (t, beta) = inside.radii[inside.radii.len() - 1];
                let printed = levis_plus_plus(t, arena.problem().dim(), inside.lambda, 0.1, 1.0, 1.0);
                assert!(beta < part * printed, "{radius} on {}: {beta}, printed {printed}", arena.world);
            }
            assert!(left <= 2, "{radius} on {}: {left} of 24", arena.world);
        }
    }
}
