//! The recommended learners do not depend on the units of the costs.

use crate::worlds_for_tests::{irregular, with_costs};
use goalward::Settings;
use goalward::episode::{Arena, Flow, Observer, RunResult, RunSpec, Runner, Step};
use goalward::learners::{PlanReport, Probe};
use goalward::problem::{Instance, Problem};
use goalward::worlds;

const UNITS: [f64; 11] = [1.0, 1e-99, 1e-50, 1e-9, 1e-6, 1e-3, 0.3, 7.0, 1e6, 1e50, 1e99];

fn recommended() -> [(&'static str, Settings); 3] {
    [("guarded", Settings::new()), ("lr", Settings::new()), ("levis++lr", Settings::new().set("B", "oracle"))]
}

#[derive(Default)]
struct Actions(Vec<usize>);

impl Observer for Actions {
    fn step(&mut self, step: &Step) -> Flow {
        self.0.push(step.action);
        Flow::Continue(())
    }
}

#[derive(Default)]
struct LastPlan(Option<PlanReport>);

impl Probe for LastPlan {
    fn plan(&mut self, plan: &PlanReport) {
        self.0 = Some(plan.clone());
    }
}

/// Actions, result and last values of a run.
fn run(
    instance: Instance,
    learner: &str,
    settings: &Settings,
    episodes: u64,
) -> (Vec<usize>, RunResult, Vec<f64>) {
    let arena = Arena::new("scaled", &Settings::new(), instance).unwrap();
    let spec = RunSpec::new(learner, episodes).settings(settings.clone());
    let mut runner = Runner::new(&arena, spec).unwrap();
    let mut actions = Actions::default();
    runner.run(&mut [&mut actions]).unwrap();
    let mut last = LastPlan::default();
    runner.learner().probe(&mut last);
    (actions.0, runner.result(), last.0.unwrap().v)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs()
}

#[test]
fn a_windy_grid_in_any_unit() {
    let grid = worlds::build("windy-grid", &Settings::new().set("n", 3)).unwrap();
    for (learner, settings) in recommended() {
        let mut first = None;
        for u in UNITS {
            let (actions, result, v) = run(with_costs(&grid, |_| u), learner, &settings, 300);
            let (same, expected, values) =
                first.get_or_insert_with(|| (actions.clone(), result.clone(), v.clone()));
            assert_eq!(*same, actions, "{learner}, costs of {u}");
            for (what, here, there) in [
                ("gap regret", result.gap_regret, expected.gap_regret),
                ("total cost", result.total_cost, expected.total_cost),
                ("optimal cost", result.optimal_cost, expected.optimal_cost),
            ] {
                assert!(close(here / u, there), "{learner}, costs of {u}: {what} {}, not {there}", here / u);
            }
            assert!(v.iter().zip(&*values).all(|(x, y)| close(x / u, *y)), "{learner}, costs of {u}");
        }
    }
}

/// Quotients of costs are rounded, so that only powers of two are the same to the last bit.
#[test]
fn different_costs_in_any_unit() {
    for seed in 0..4 {
        let small = irregular(seed, 6, 3);
        let costs = small.problem.costs().to_vec();
        for (learner, settings) in recommended() {
            let (actions, result, _) = run(with_costs(&small, |p| costs[p]), learner, &settings, 100);
            for exponent in [-300, -40, -3, 3, 40, 300] {
                let u = f64::from(exponent).exp2();
                let (same, other, _) = run(with_costs(&small, |p| u * costs[p]), learner, &settings, 100);
                assert_eq!(actions, same, "{learner}, seed {seed}, unit {u}");
                assert!(close(other.gap_regret / u, result.gap_regret), "{learner}, seed {seed}, unit {u}");
            }
        }
    }
}

/// What a learner reports of its bounds is in the user's units, and so is what it is told.
#[test]
fn bounds_stay_in_the_users_units() {
    let grid = worlds::build("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let told = Settings::new().set("B", "3e-5").set("c_min", "1e-6");
    let (_, result, v) = run(with_costs(&grid, |_| 1e-6), "levis++lr", &told, 20);
    let number = |key: &str| result.parameters[key].as_f64().unwrap();
    assert!(close(number("B"), 3e-5) && close(number("c_min"), 1e-6) && close(number("cost_unit"), 1e-6));
    assert!(v.iter().all(|v| *v <= 3e-5 * (1.0 + 1e-9)));
}

#[test]
fn costs_that_are_all_zero_and_costs_that_are_too_large() {
    let grid = worlds::build("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let (_, result, v) = run(with_costs(&grid, |_| 0.0), "lr", &Settings::new(), 20);
    assert_eq!((result.total_cost, result.gap_regret, result.episodes), (0.0, 0.0, 20));
    assert!(v.iter().all(|v| v.is_finite()));
    let mut builder = Problem::builder("dear", 2, 1);
    let error = builder.action(0, 1e101).unwrap_err().to_string();
    assert!(error.contains("cost is 1e101"), "{error}");
}
