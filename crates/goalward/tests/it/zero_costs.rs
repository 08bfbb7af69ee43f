//! Free loops do not hold `lr` up: costs are raised by the inverse of the number of episodes begun.

use goalward::Settings;
use goalward::episode::{Arena, Checkpoint, Flow, Observer, Plan, RunSpec, Runner, Step, Stop};
use goalward::learners::{PlanReport, Probe, Reason};
use goalward::problem::{Instance, Problem};

/// One way to the goal for a cost, with the probabilities of the models, and one to stay for
/// nothing: through so many states.
fn free_loop(models: &[f64], weights: &[f64], states: usize, before: usize, cost: f64) -> Arena {
    let d = models.len();
    let n = before + states + 1;
    let mut builder = Problem::builder("free-loop", n, d);
    builder.start(0).goal(n - 1);
    let ones = vec![1.0; d];
    for s in 0..before {
        let a = builder.action(s, 0.5 * cost).unwrap();
        builder.feature(s, a, s + 1, &ones).unwrap();
    }
    for i in 0..states {
        let (s, next) = (before + i, before + (i + 1) % states);
        let a = builder.action(s, 0.0).unwrap();
        builder.feature(s, a, next, &ones).unwrap();
        if i == 0 {
            let a = builder.action(s, cost).unwrap();
            let stay: Vec<f64> = models.iter().map(|p| 1.0 - p).collect();
            builder.feature(s, a, n - 1, models).unwrap();
            builder.feature(s, a, s, &stay).unwrap();
        }
    }
    let instance = Instance::new(builder.build().unwrap(), weights).unwrap();
    Arena::new("free-loop", &Settings::new(), instance).unwrap()
}

#[derive(Default)]
struct Reasons(Vec<(Reason, u64)>);

#[derive(Default)]
struct Last(Option<PlanReport>);

impl Probe for Last {
    fn plan(&mut self, plan: &PlanReport) {
        self.0 = Some(plan.clone());
    }
    fn wants_estimate(&self) -> bool {
        false
    }
}

impl Observer for Reasons {
    fn plan(&mut self, plan: &Plan) -> Flow {
        let mut last = Last::default();
        plan.learner.probe(&mut last);
        self.0.extend(last.0.map(|plan| (plan.reason, plan.t)));
        Flow::Continue(())
    }
}

#[test]
fn a_thousand_episodes_within_twenty_thousand_steps() {
    let mut doubled = 0;
    for (name, arena) in [
        ("two models", free_loop(&[0.9, 0.5], &[0.75, 0.25], 1, 0, 1.0)),
        ("three models", free_loop(&[0.9, 0.5, 0.1], &[0.5, 0.25, 0.25], 1, 0, 1.0)),
        ("two free states", free_loop(&[0.9, 0.5], &[0.75, 0.25], 2, 0, 1.0)),
        ("off the start", free_loop(&[0.9, 0.5], &[0.75, 0.25], 3, 2, 1.0)),
        ("small costs", free_loop(&[0.9, 0.5], &[0.75, 0.25], 1, 0, 1e-6)),
        ("large costs", free_loop(&[0.9, 0.5], &[0.75, 0.25], 2, 1, 1e6)),
    ] {
        for seed in 0..3 {
            let spec = RunSpec::new("lr", 1_000).seed(seed).max_steps(20_000);
            let mut runner = Runner::new(&arena, spec).unwrap();
            let mut reasons = Reasons::default();
            runner.run(&mut [&mut reasons]).unwrap();
            let result = runner.result();
            assert_eq!(result.episodes, 1_000, "{name}, seed {seed}: {} steps", result.steps);
            assert_eq!(result.parameters["perturbation"], "1/k_j");
            doubled += reasons.0.iter().filter(|(reason, _)| *reason == Reason::Episodes).count();
        }
    }
    assert!(doubled > 0, "no plan was made because episodes had doubled");
}

/// Positive costs are taken as they are.
#[test]
fn only_zero_costs_are_raised() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let mut runner = Runner::new(&arena, RunSpec::new("lr", 100)).unwrap();
    let mut reasons = Reasons::default();
    runner.run(&mut [&mut reasons]).unwrap();
    assert_eq!(runner.result().parameters["perturbation"], "none");
    assert!(reasons.0.iter().all(|(reason, _)| *reason != Reason::Episodes));
}

/// The number of episodes is part of a checkpoint.
#[test]
fn a_resumed_run_goes_on_as_it_was() {
    struct After(u64);
    impl Observer for After {
        fn step(&mut self, step: &Step) -> Flow {
            if step.t == self.0 { Flow::Break(Stop) } else { Flow::Continue(()) }
        }
    }
    let arena = free_loop(&[0.9, 0.5], &[0.75, 0.25], 2, 1, 1.0);
    let whole = |observers: &mut [&mut dyn Observer]| {
        let mut runner = Runner::new(&arena, RunSpec::new("lr", 200)).unwrap();
        runner.run(observers).unwrap();
        runner
    };
    let expected = whole(&mut []);
    for t in [1, 17, 100, 333] {
        let paused = whole(&mut [&mut After(t)]);
        let checkpoint = Checkpoint::of(&paused);
        let mut resumed = Runner::resume(&arena, &checkpoint).unwrap();
        resumed.run(&mut []).unwrap();
        assert_eq!(resumed.progress(), expected.progress(), "from step {t}");
    }
}
