//! Parameters at their limits: no NaN, no infinity, no overflow, no panic.

use crate::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::episode::{Arena, Flow, Observer, Plan, RunResult, RunSpec, Runner, Step};
use goalward::learners::{PlanReport, Probe};
use goalward::problem::{Instance, Problem};

/// Fails on any number that is not finite.
struct Finite;

impl Probe for Finite {
    fn weights(&mut self, sigma_sq: &[f64]) {
        assert!(sigma_sq.iter().all(|x| x.is_finite() && *x > 0.0), "{sigma_sq:?}");
    }
    fn plan(&mut self, plan: &PlanReport) {
        let mixture = plan.mixture().unwrap();
        let numbers = mixture.theta.iter().flatten().chain(&mixture.log_det).chain(&plan.v);
        assert!(numbers.chain([&mixture.beta]).all(|x| x.is_finite()), "{plan:?}");
    }
    fn estimate(&mut self, theta_hat: &[f64]) {
        assert!(theta_hat.iter().all(|x| x.is_finite()), "{theta_hat:?}");
    }
}

impl Observer for Finite {
    fn step(&mut self, step: &Step) -> Flow {
        step.learner.probe(self);
        Flow::Continue(())
    }
    fn plan(&mut self, plan: &Plan) -> Flow {
        plan.learner.probe(self);
        Flow::Continue(())
    }
}

fn run(arena: &Arena, learner: &str, settings: &[&str], episodes: u64) -> RunResult {
    let spec = RunSpec::new(learner, episodes).settings(Settings::parse(settings).unwrap()).max_steps(3_000);
    let mut runner = Runner::new(arena, spec).unwrap();
    runner.run(&mut [&mut Finite]).unwrap();
    runner.result()
}

fn arena(instance: Instance) -> Arena {
    Arena::new("test", &Settings::new(), instance).unwrap()
}

#[test]
fn many_levels_and_a_large_bound() {
    let hard = Arena::open("hard-instance", &Settings::new()).unwrap();
    for radius in ["radius=printed", "radius=scaled:0.003", "radius=scaled:1e-9", "radius=scaled:1e9"] {
        run(&hard, "levis++", &["B=1e6", "levels=40", radius], 100);
        run(&hard, "levis++", &["B=3", "levels=40", radius], 100);
        run(&hard, "levis", &["B=1e6", radius], 100);
    }
    run(&hard, "levis++", &["B=1e6", "c_min=1e-12", "delta=1e-300"], 50);
    run(&hard, "rho-levis++", &["B=1e6", "t_star=1e9"], 50);
    run(&hard, "levis++", &["B=1e-3"], 50); // wrong, but harmless: V is clamped at B
    run(&hard, "levis++", &["B=3", "lambda=1e-12"], 50);
    run(&hard, "levis++", &["B=3", "lambda=1e12", "gamma=0"], 50);
}

#[test]
fn one_dimension_and_sixty_four() {
    let mut builder = Problem::builder("known", 2, 1);
    for cost in [1.0, 0.5] {
        let a = builder.action(0, cost).unwrap();
        builder.feature(0, a, 0, &[0.5]).unwrap();
        builder.feature(0, a, 1, &[0.5]).unwrap();
    }
    let known = arena(Instance::new(builder.build().unwrap(), &[1.0]).unwrap());
    // B is a point: the model is known, and from the second plan on the cheaper action is taken
    let result = run(&known, "levis++", &["B=oracle"], 200);
    assert!(result.gap_regret < 10.0, "{}", result.gap_regret);
    run(&known, "levis", &["B=oracle"], 200);

    let wide = arena(irregular(2, 12, 64));
    run(&wide, "levis++", &["B=oracle"], 30);
    run(&wide, "levis++", &["B=oracle", "radius=scaled:0.0005"], 30);
    run(&wide, "levis", &["B=oracle"], 30);
}

#[test]
fn one_action_and_a_start_that_is_the_goal() {
    let mut builder = Problem::builder("forced", 2, 2);
    let a = builder.action(0, 1.0).unwrap();
    builder.feature(0, a, 0, &[0.5, 0.1]).unwrap();
    builder.feature(0, a, 1, &[0.5, 0.9]).unwrap();
    let mut at_goal = builder.clone();
    let forced = arena(Instance::new(builder.build().unwrap(), &[0.5, 0.5]).unwrap());
    assert!(run(&forced, "levis++", &["B=oracle"], 200).gap_regret < 1e-9);

    at_goal.start(1);
    let at_goal = arena(Instance::new(at_goal.build().unwrap(), &[0.5, 0.5]).unwrap());
    for learner in ["levis++", "levis"] {
        let result = run(&at_goal, learner, &["B=1"], 50);
        assert_eq!((result.episodes, result.steps, result.regret), (50, 0, 0.0));
    }
    assert_eq!(run(&at_goal, "random", &[], 50).steps, 0);
}

#[test]
fn only_a_goal() {
    let only = arena(Instance::new(Problem::builder("only", 1, 1).build().unwrap(), &[1.0]).unwrap());
    for (learner, settings) in [("random", vec![]), ("optimal", vec![]), ("levis++", vec!["B=1"])] {
        assert_eq!(run(&only, learner, &settings, 7).episodes, 7);
    }
}

/// Costs beyond 1 are scaled inside; everything that comes out is in the user's units.
#[test]
fn other_cost_units() {
    let build = |unit: f64| {
        let mut builder = Problem::builder("units", 2, 2);
        for (cost, p) in [(1.0, 0.9), (0.25, 0.3)] {
            let a = builder.action(0, cost * unit).unwrap();
            builder.feature(0, a, 0, &[1.0 - p, p]).unwrap();
            builder.feature(0, a, 1, &[p, 1.0 - p]).unwrap();
        }
        arena(Instance::new(builder.build().unwrap(), &[0.5, 0.5]).unwrap())
    };
    let (plain, scaled) = (build(1.0), build(1024.0));
    for learner in ["levis++", "levis"] {
        let a = run(&plain, learner, &["B=2", "radius=scaled:0.01"], 100);
        let b = run(&scaled, learner, &["B=2048", "radius=scaled:0.01"], 100);
        assert_eq!(a.steps, b.steps);
        assert_eq!(a.theta_hat, b.theta_hat);
        assert_eq!(a.total_cost * 1024.0, b.total_cost);
        assert_eq!(b.parameters["B"], 2048.0);
    }
}
