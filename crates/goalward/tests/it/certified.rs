//! `regret_certified`: what a learner says of its own regret, and where it says nothing.

use crate::worlds_for_tests::half_free;
use goalward::episode::{
    Arena, Checkpoint, Ending, Episode, Flow, Observer, Plan, RunSpec, Runner, Step, Stop,
};
use goalward::{Learner, Settings, learners};

/// Adds up what was paid by itself, and takes the largest value that any plan had of the start.
#[derive(Default)]
struct Own {
    finished: f64,
    paid: f64,
    best: f64,
}

impl Own {
    fn look(&mut self, learner: &Learner) {
        let value = learner.value(learner.problem().start()).unwrap().unwrap();
        self.best = self.best.max(if learner.clock().j > 0 { value } else { 0.0 });
    }
}

impl Observer for Own {
    fn step(&mut self, step: &Step) -> Flow {
        self.paid += step.cost;
        Flow::Continue(())
    }

    fn plan(&mut self, plan: &Plan) -> Flow {
        self.look(plan.learner);
        Flow::Continue(())
    }

    fn episode(&mut self, _: &Episode) -> Flow {
        self.finished += std::mem::take(&mut self.paid);
        Flow::Break(Stop)
    }
}

fn arena() -> Arena {
    Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap()
}

/// Also over a run that is taken up again after every episode.
#[test]
fn it_is_what_was_paid_less_the_best_bound() {
    let arena = arena();
    for id in ["lr", "levis++lr", "levis", "guarded"] {
        let settings = match id {
            "lr" | "guarded" => Settings::new(),
            _ => Settings::new().set("B", "oracle").set("norms", "computed"),
        };
        let spec = RunSpec::new(id, 40).settings(settings).seed(3);
        let mut runner = Runner::new(&arena, RunSpec { episodes: 0, ..spec.clone() }).unwrap();
        let mut own = Own::default();
        // one that plans before its first step does so now
        runner.run(&mut [&mut own]).unwrap();
        let mut saved = Checkpoint::of(&runner);
        saved.spec = spec;
        loop {
            let mut runner = Runner::resume(&arena, &saved).unwrap();
            let ending = runner.run(&mut [&mut own]).unwrap();
            saved = Checkpoint::of(&runner);
            if ending == Ending::Finished {
                break;
            }
        }
        let runner = Runner::resume(&arena, &saved).unwrap();
        let floor = runner.learner().lower_bound(arena.problem().start()).unwrap().unwrap();
        assert!(floor >= own.best * (1.0 - 1e-12) || id == "lr", "{id}: {floor}, {}", own.best);
        let certified = runner.result().regret_certified.unwrap();
        let expected = own.finished - 40.0 * own.best.max(floor);
        assert!(
            (certified - expected).abs() < 1e-9 * runner.progress().total_cost,
            "{id}: {certified} {expected}"
        );
        assert!(certified >= runner.result().regret, "{id}");
    }
}

/// A run that is cut off may show a regret above what is certified: the result says over what.
#[test]
fn a_run_that_is_cut_off_says_over_what_it_certifies() {
    let arena = arena();
    let mut above = 0;
    for (seed, max_steps) in (0..20).flat_map(|seed| [1, 2, 3, 5, 8, 200].map(|steps| (seed, steps))) {
        let spec = RunSpec::new("lr", 1_000_000).max_steps(max_steps).seed(seed);
        let mut runner = Runner::new(&arena, spec).unwrap();
        assert_eq!(runner.run(&mut []).unwrap(), Ending::Truncated);
        let result = serde_json::to_value(runner.result()).unwrap();
        assert_eq!(result["regret_certified_over"], "finished episodes");
        let number = |key: &str| result[key].as_f64().unwrap();
        above += usize::from(number("regret") > number("regret_certified"));
        if result["episodes"] == 0 {
            assert_eq!(number("regret_certified"), 0.0, "nothing is finished");
        }
    }
    assert!(above > 0, "no run shows why it must be said");
    let mut random = Runner::new(&arena, RunSpec::new("random", 3)).unwrap();
    random.run(&mut []).unwrap();
    let result = serde_json::to_value(random.result()).unwrap();
    assert!(result["regret_certified"].is_null() && result["regret_certified_over"].is_null());
}

#[test]
fn nothing_is_certified_without_a_guarantee() {
    let arena = arena();
    let of = |id: &str, settings: Settings| {
        let mut runner = Runner::new(&arena, RunSpec::new(id, 20).settings(settings).seed(1)).unwrap();
        runner.run(&mut []).unwrap();
        (runner.learner().regret_certified(), runner.result().regret_certified)
    };
    let b = |b: &str| Settings::new().set("B", b);
    // known from the settings alone
    assert_eq!(of("random", Settings::new()), (None, None));
    assert_eq!(of("levis++", b("3").set("radius", "scaled:0.003")), (None, None));
    assert_eq!(of("levis", b("3").set("rho", "0.1")), (None, None));
    // only the truth knows that B is too small
    let (own, checked) = of("levis++", b("1").set("norms", "computed"));
    assert!(own.is_some() && checked.is_none());
    let (own, checked) = of("lr", Settings::new());
    assert!(own.is_some() && own == checked);
}

#[test]
fn nothing_is_certified_where_a_step_is_free() {
    let arena = Arena::new("half-free", &Settings::new(), half_free()).unwrap();
    let mut runner = Runner::new(&arena, RunSpec::new("lr", 10)).unwrap();
    runner.run(&mut []).unwrap();
    assert_eq!(runner.result().regret_certified, None);
    assert!(runner.learner().raised() > 0.0);
}

#[test]
fn a_certificate_of_another_problem_is_refused() {
    let arena = arena();
    let entry = learners::entry("lr").unwrap();
    let build = || entry.build(arena.problem(), &Settings::new(), 0, 10, Default::default()).unwrap();
    let mut runner = Runner::with_learner(&arena, RunSpec::new("lr", 10), build()).unwrap();
    runner.run(&mut []).unwrap();
    let honest = runner.learner().snapshot();
    assert!(build().restore(&honest).is_ok());
    let mut forged = honest.clone();
    forged.0["certificate"]["starts"] = serde_json::json!({ "999": { "ended": 1, "floor": 0.0 } });
    let error = build().restore(&forged).unwrap_err().to_string();
    assert!(error.contains("learner.certificate.starts"), "{error}");
    // one from before there were certificates goes on, and certifies nothing
    let mut old = honest.clone();
    old.0.as_object_mut().unwrap().remove("certificate");
    let mut learner = build();
    learner.restore(&old).unwrap();
    assert_eq!(learner.regret_certified(), None);
}
