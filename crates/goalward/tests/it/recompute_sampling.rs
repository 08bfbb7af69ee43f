//! Posterior sampling and certainty equivalence by direct computations that share no code with them:
//! every step replayed from the history, features read from the problem's JSON.

use crate::plain::{Made, Plain, Walk, minimum, numbers};
use crate::worlds_for_tests::irregular;
use goalward::learners::PlanReport;
use goalward::numeric::Stream;
use goalward::problem::Instance;
use goalward::{Settings, worlds};
use nalgebra::{DMatrix, DVector};
use serde_json::Value;

const TIGHT: f64 = 1e-9;
/// The discount of plans for one model.
const DISCOUNT: f64 = 1e-9;

#[track_caller]
fn close(ours: f64, direct: f64, what: &str) {
    let off = (ours - direct).abs();
    assert!(off <= TIGHT * direct.abs().max(1.0), "{what}: {ours}, directly {direct}");
}

fn instances() -> Vec<Instance> {
    vec![
        worlds::build("windy-grid", &Settings::new().set("n", 3)).unwrap(),
        worlds::build("hard-instance", &Settings::new().set("dim", 3)).unwrap(),
        irregular(5, 7, 4),
    ]
}

/// The features of what was seen, one for each step.
type History = Vec<DVector<f64>>;

fn feature(plain: &Plain, made: &Made) -> DVector<f64> {
    let rows = &plain.rows[made.state][made.action];
    rows.iter().find(|(next, _)| *next == made.next).unwrap().1.clone()
}

/// V of the plan is that of its theta.
fn check_values(plain: &Plain, plan: &PlanReport) -> DVector<f64> {
    let theta = &plan.mixture().unwrap().theta[0];
    for (s, (ours, direct)) in plan.v.iter().zip(plain.solve(theta, DISCOUNT)).enumerate() {
        close(*ours, direct, &format!("v[{s}] of the plan at step {}", plan.t));
    }
    DVector::from_column_slice(theta)
}

/// A chain of hit and run from what the learner's state says: the fit, the factor of the information
/// and the place in the stream. All else is worked out from the history.
fn draw(
    instance: &Instance,
    plain: &Plain,
    history: &History,
    state: &Value,
    mut stream: Stream,
) -> DVector<f64> {
    let b = instance.problem.constraints();
    let (d, k) = (plain.dim, b.free());
    let sums = &state["algorithm"]["counts"]["sums"];
    let basis = DMatrix::from_row_slice(d, k, b.basis());
    let fit = DVector::from_vec(numbers(&sums["plug_in"]));
    let factor = DMatrix::from_row_slice(k, k, &numbers(&sums["information"]["lower"]));
    let mut theta = DVector::from_column_slice(b.origin()) + &basis * fit;
    for turn in 0..64 + 16 * k {
        let z = if turn % 2 == 0 {
            let plain = DVector::from_fn(k, |_, _| (0..4).map(|_| stream.uniform() - 0.5).sum::<f64>());
            factor.transpose().solve_upper_triangular(&plain).unwrap()
        } else {
            let axis = stream.below(k);
            DVector::from_fn(k, |i, _| if i == axis { 1.0 } else { 0.0 })
        };
        let along = &basis * z;
        let level = stream.exponential();
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for (_, phi) in plain.rows.iter().flatten().flatten() {
            let (p, rate) = (phi.dot(&theta), phi.dot(&along));
            let end = -p * (1.0 - 1e-6) / rate;
            if rate > 1e-13 {
                low = low.max(end);
            } else if rate < -1e-13 {
                high = high.min(end);
            }
        }
        // -log of the likelihood, less what it is here
        let loss = |x: f64| -> f64 {
            history.iter().map(|phi| -(phi.dot(&(&theta + &along * x)) / phi.dot(&theta)).ln()).sum()
        };
        let step = loop {
            let x = low + (high - low) * stream.uniform();
            if loss(x) <= level {
                break x;
            }
            if x < 0.0 { low = x } else { high = x }
        };
        theta += along * step;
    }
    theta
}

/// What PSRL-SSP keeps to know when an epoch ends.
struct Epoch {
    k: u64,
    begun: u64,
    before: u64,
    visits: Vec<Vec<u64>>,
    then: Vec<Vec<u64>>,
}

impl Epoch {
    fn next(&mut self) {
        self.before = self.k - self.begun;
        self.begun = self.k;
        self.then.clone_from(&self.visits);
    }
}

fn replay_posterior_sampling(instance: &Instance, steps: u64) -> u64 {
    let plain = Plain::read(instance);
    let mut walk = Walk::new(instance, "psrl-mixture", &Settings::new(), 3);
    let stream = |state: &Value| serde_json::from_value(state["algorithm"]["stream"].clone()).unwrap();
    let mut history = History::new();
    let none: Vec<Vec<u64>> = plain.rows.iter().map(|actions| vec![0; actions.len()]).collect();
    let mut epoch = Epoch { k: 1, begun: 0, before: 0, visits: none.clone(), then: none };
    let mut plans = 0;
    let mut before = walk.learner.snapshot().0;
    walk.learner.catch_up();
    let mut plan = walk.learner.last_plan().unwrap();
    let mut planned = true;
    for t in 0..=steps {
        let state = walk.learner.snapshot().0;
        if planned {
            let ours = check_values(&plain, &plan);
            let direct = draw(instance, &plain, &history, &state, stream(&before));
            for i in 0..plain.dim {
                close(ours[i], direct[i], &format!("theta[{i}] drawn after step {t}"));
            }
            plans += 1;
            epoch.next();
        }
        before = state;
        let made = walk.step();
        history.push(feature(&plain, &made));
        let visits = &mut epoch.visits[made.state][made.action];
        *visits += 1;
        epoch.k += u64::from(made.next == plain.goal);
        let more = |(now, then): (&Vec<u64>, &Vec<u64>)| now.iter().zip(then).any(|(n, m)| *n > 2 * m);
        let due = match epoch.visits.iter().zip(&epoch.then).any(more) {
            true => Some("Visits"),
            false => (epoch.k - epoch.begun > epoch.before).then_some("Episodes"),
        };
        plan = made.shown.plan.unwrap();
        planned = made.planned;
        let reason = planned.then(|| format!("{:?}", plan.reason));
        assert_eq!(reason.as_deref(), due, "step {}", made.t);
    }
    plans
}

#[test]
fn posterior_sampling() {
    for instance in instances() {
        let plans = replay_posterior_sampling(&instance, 500);
        assert!(plans > 15, "{plans} plans");
    }
}

/// A maximum of the likelihood over B: no other point of B has more, to first order.
fn check_maximum(instance: &Instance, plain: &Plain, history: &History, theta: &DVector<f64>) {
    for (_, phi) in plain.rows.iter().flatten().flatten() {
        assert!(phi.dot(theta) > -1e-9);
    }
    for row in plain.rows.iter().flatten().filter(|row| !row.is_empty()) {
        close(row.iter().map(|(_, phi)| phi.dot(theta)).sum(), 1.0, "the sum of a row");
    }
    if history.is_empty() {
        return;
    }
    let gradient = history.iter().fold(DVector::zeros(plain.dim), |sum: DVector<f64>, phi| {
        assert!(phi.dot(theta) > 0.0);
        sum - phi / phi.dot(theta)
    });
    let (size, whole) = (gradient.norm(), DMatrix::identity(plain.dim, plain.dim));
    // a ball that holds all of B
    let mut all_of_b = plain.support(&whole, theta, 100.0);
    let unit: Vec<f64> = gradient.iter().map(|x| x / size).collect();
    let gap = size * (gradient.dot(theta) / size - minimum(&mut all_of_b, &unit));
    let rows = instance.problem.constraints().offsets().len();
    // 1e-7 nats for each row that may be active, and what Clarabel leaves
    let allowed = 1e-7 * (rows + 1) as f64 + 1e-9 * size;
    assert!(gap < allowed, "{gap} nats of {allowed} after {} steps", history.len());
}

#[test]
fn certainty_equivalence() {
    for (instance, epsilon) in instances().into_iter().zip([0.0, 0.3, 0.1]) {
        let plain = Plain::read(&instance);
        let settings = Settings::new().set("epsilon", epsilon).set("growth", 1.1);
        let mut walk = Walk::new(&instance, "certainty-equivalence", &settings, 5);
        walk.learner.catch_up();
        let first = check_values(&plain, &walk.learner.last_plan().unwrap());
        check_maximum(&instance, &plain, &Vec::new(), &first);
        let (mut history, mut t_j, mut plans) = (History::new(), 0, 0);
        for _ in 0..600 {
            let made = walk.step();
            history.push(feature(&plain, &made));
            assert_eq!(made.planned, made.t > t_j && made.t as f64 >= 1.1 * t_j as f64, "step {}", made.t);
            if made.planned {
                let theta = check_values(&plain, &made.shown.plan.unwrap());
                check_maximum(&instance, &plain, &history, &theta);
                (t_j, plans) = (made.t, plans + 1);
            }
        }
        assert!(plans > 30, "{plans}");
    }
}

/// With probability epsilon any action is as likely as any other, from a stream of its own.
#[test]
fn actions_at_random_are_uniform() {
    let instance = irregular(5, 7, 4);
    let state = instance.problem.start();
    let actions = instance.problem.actions(state);
    let settings = Settings::new().set("epsilon", 1);
    let mut walk = Walk::new(&instance, "certainty-equivalence", &settings, 5);
    let mut counts = vec![0.0; actions];
    for _ in 0..4000 {
        counts[walk.learner.act(state).unwrap()] += 1.0;
    }
    let mean = 4000.0 / actions as f64;
    let chi_squared: f64 = counts.iter().map(|n| (n - mean).powi(2) / mean).sum();
    // four degrees of freedom at most: exceeded with probability 1e-5
    assert!(chi_squared < 28.5, "{counts:?}");
}
