//! What every learner in the registry must do, on every world.

use crate::worlds_for_tests::{LARGE, half_free, irregular, small};
use goalward::Settings;
use goalward::episode::{Arena, Flow, Observer, RunSpec, Runner, Step};
use goalward::learners::{self, Family, LEARNERS, LearnerEntry, Probe, Told, Transition, Violation};
use goalward::parameters::{Choice, Kind};
use goalward::worlds::WORLDS;
use std::collections::HashMap;

/// What every learner can be built with; and the same with every word of every choice that it has.
fn variants(entry: &LearnerEntry) -> Vec<Settings> {
    let mut all = vec![entry.oracle()];
    for parameter in entry.parameters {
        let Kind::Choice(choices) = parameter.kind else { continue };
        for choice in choices {
            if let Choice::Word(word) = choice {
                all.push(entry.oracle().set(parameter.name, word));
            }
        }
    }
    all
}

fn arenas() -> Vec<Arena> {
    let worlds = WORLDS.iter().filter(|world| !LARGE.contains(&world.id));
    let mut arenas: Vec<Arena> = worlds.map(|w| Arena::open(w.id, &small(w.id)).unwrap()).collect();
    arenas.push(Arena::new("irregular", &Settings::new(), irregular(1, 6, 3)).unwrap());
    arenas
}

/// Learners that do not learn in so short a time would wander about for thousands of steps.
const MOST_STEPS: u64 = 300;

#[test]
fn runs_reports_and_repeats() {
    for arena in arenas() {
        let all = LEARNERS.iter().flat_map(|entry| variants(entry).into_iter().map(move |s| (entry, s)));
        for (entry, given) in all {
            // conic solves take milliseconds
            let sharp = given.get("set") == Some("exact");
            if sharp && arena.problem().pairs() > 16 {
                continue;
            }
            let episodes = if sharp { 3 } else { 20 };
            let spec = RunSpec::new(entry.id, episodes).settings(given.clone()).seed(4).max_steps(MOST_STEPS);
            let run = || {
                let mut runner = Runner::new(&arena, spec.clone()).unwrap();
                runner.run(&mut []).unwrap();
                (
                    serde_json::to_string(&runner.result()).unwrap(),
                    runner.learner().snapshot(),
                    runner.result(),
                )
            };
            let ((text, snapshot, result), again) = (run(), run());
            assert_eq!((text, snapshot), (again.0, again.1), "{} on {}", entry.id, arena.world);
            assert!(result.episodes == episodes || result.truncated && result.steps == MOST_STEPS);
            for (key, value) in given.iter().filter(|(_, value)| *value != "oracle") {
                let both = [key.to_string(), format!("regression_{key}")];
                let said = both.iter().any(|key| result.parameters.get(key).is_some_and(|v| v == value));
                assert!(said, "{} does not say {key}={value}", entry.id);
            }
            assert!(result.regret.is_finite() && result.gap_regret >= 0.0);
            for p in entry.parameters {
                assert!(result.parameters.contains_key(p.name), "{} does not report {}", entry.id, p.name);
            }
            let asked = !entry.oracle().is_empty() || entry.wants(goalward::learners::Need::Policy);
            assert_eq!(
                result.parameters.contains_key("oracle"),
                asked,
                "{} must say it asked the oracle",
                entry.id
            );
        }
    }
}

/// What is too large for the sweep takes a few steps of some learners: every learner has one of these
/// worlds at least.
#[test]
fn large_worlds_are_begun() {
    for (n, world) in LARGE.into_iter().enumerate() {
        let arena = Arena::open(world, &small(world)).unwrap();
        // the features of pairs take seconds to compute, and so does a draw over all next states
        let able = LEARNERS.iter().filter(|entry| entry.family != Family::LinearMdp);
        for entry in able.skip(n).step_by(LARGE.len()) {
            let counts = entry.parameters.iter().any(|p| p.name == "support");
            let settings = if counts { entry.oracle().set("support", "known") } else { entry.oracle() };
            let spec = RunSpec::new(entry.id, 2).settings(settings).seed(4).max_steps(50);
            let mut runner = Runner::new(&arena, spec).unwrap();
            runner.run(&mut []).unwrap();
            let result = runner.result();
            assert!(result.regret.is_finite() && result.gap_regret >= 0.0, "{} on {world}", entry.id);
        }
    }
}

/// All learners in one (world, seed) meet the same luck: the same pair at the same (episode, step)
/// leads to the same state.
#[test]
fn common_random_numbers() {
    #[derive(Default)]
    struct Luck {
        met: HashMap<(u64, u64, usize, usize), usize>,
        shared: usize,
        step: u64,
    }
    impl Observer for Luck {
        fn step(&mut self, step: &Step) -> Flow {
            self.step += 1;
            let key = (step.episode, self.step, step.state, step.action);
            if let Some(next) = self.met.insert(key, step.next) {
                assert_eq!(next, step.next);
                self.shared += 1;
            }
            Flow::Continue(())
        }
        fn episode(&mut self, _: &goalward::episode::Episode) -> Flow {
            self.step = 0;
            Flow::Continue(())
        }
    }
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let mut luck = Luck::default();
    for entry in LEARNERS {
        let spec = RunSpec::new(entry.id, 40).settings(entry.oracle()).seed(9);
        Runner::new(&arena, spec).unwrap().run(&mut [&mut luck]).unwrap();
    }
    assert!(luck.shared > 100);
}

#[test]
fn the_two_regrets_agree_in_the_mean() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let mut runner = Runner::new(&arena, RunSpec::new("random", 4_000)).unwrap();
    runner.run(&mut []).unwrap();
    let result = runner.result();
    assert!(
        (result.regret / result.gap_regret - 1.0).abs() < 0.05,
        "{} {}",
        result.regret,
        result.gap_regret
    );
    let mut runner = Runner::new(&arena, RunSpec::new("optimal", 4_000)).unwrap();
    runner.run(&mut []).unwrap();
    let result = runner.result();
    assert!(result.gap_regret < 1e-6);
    assert!(result.regret.abs() / 4_000.0 < 0.1);
}

#[derive(Default)]
struct Named {
    count: u64,
    violations: Vec<String>,
}

impl Probe for Named {
    fn counts(&mut self, _: u64, violations: u64) {
        self.count = violations;
    }
    fn violation(&mut self, violation: &Violation) {
        self.violations.push(violation.text.clone());
    }
}

#[test]
fn a_step_that_cannot_be_is_refused_and_changes_nothing() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let policy = Some(arena.exact().policy.clone());
    for entry in LEARNERS {
        let told = Told { b_star: Some(3.0), t_star: Some(10.0), policy: policy.clone() };
        let mut learner = entry.build(arena.problem(), &entry.oracle(), 0, 10, told).unwrap();
        let before = learner.snapshot();
        let step = |state, action, next| Transition { state, action, cost: 0.2, next };
        for bad in [step(99, 0, 0), step(0, 9, 0), step(8, 0, 8), step(0, 0, 99)] {
            assert!(learner.observe(&bad).is_err(), "{} took {bad:?}", entry.id);
        }
        assert_eq!(learner.snapshot(), before, "{}", entry.id);
        // no model allows it: an error, or a violation that is named and counted
        match learner.observe(&step(0, 0, 7)) {
            Err(_) => assert_eq!(learner.snapshot(), before, "{}", entry.id),
            Ok(_) => {
                let mut named = Named::default();
                learner.probe(&mut named);
                assert_eq!(named.count, 1, "{}", entry.id);
                let [violation] = &named.violations[..] else { panic!("{}", entry.id) };
                assert!(violation.contains("(0,0) by action right to state (2,1)"), "{violation}");
            }
        }
        learner.observe(&step(0, 0, 1)).unwrap();
        assert!(learner.restore(&learners::Snapshot(serde_json::json!({"x": 1}))).is_err());
    }
}

#[test]
fn wrong_settings_are_named() {
    let arena = Arena::open("hard-instance", &Settings::new()).unwrap();
    let error = |learner: &str, pairs: &[&str]| {
        let spec = RunSpec::new(learner, 5).settings(Settings::parse(pairs).unwrap());
        Runner::new(&arena, spec).err().unwrap_or_else(|| panic!("{learner} took {pairs:?}")).to_string()
    };
    assert!(error("levis++", &[]).contains("oracle takes the true B*"));
    for bad in [
        "B=0",
        "B=-1",
        "B=nan",
        "B=1e400",
        "B=1e200",
        "lambda=1e-200",
        "delta=0",
        "delta=2",
        "lambda=0",
        "radius=tight",
        "levels=1",
        "levels=2.5",
        "c_min=2",
        "c_min=0",
        "gamma=x",
        "phi_norm=-1",
        "delta_split=maybe",
        "beta=1",
    ] {
        let pairs = if bad.starts_with("B=") { vec![bad] } else { vec!["B=3", bad] };
        let text = error("levis++", &pairs);
        assert!(text.contains(bad.split('=').next().unwrap()), "{bad}: {text}");
    }
    assert!(error("lr", &["set=inner"]).contains("outer, cuts or exact"));
    assert!(error("rho-levis++", &["B=3"]).contains("t_star"));
    assert!(error("nobody", &[]).contains("levis++"));
}

#[test]
fn zero_costs_need_the_perturbed_learner() {
    let arena = Arena::new("half-free", &Settings::new(), half_free()).unwrap();
    let spec = |learner: &str, settings: Settings| RunSpec::new(learner, 30).settings(settings);
    let refused =
        Runner::new(&arena, spec("levis++", Settings::new().set("B", 2))).err().unwrap().to_string();
    assert!(refused.contains("rho-levis++"), "{refused}");
    let settings = Settings::new().set("B", 2).set("t_star", "oracle");
    let mut runner = Runner::new(&arena, spec("rho-levis++", settings)).unwrap();
    runner.run(&mut []).unwrap();
    let result = runner.result();
    // p = 0.625 in both states, so T* = 2/p = 3.2 and V* = 1/p = 1.6; rho = 1/(T* K)
    let rho = result.parameters["rho"].as_f64().unwrap();
    assert!((rho - 1.0 / (3.2 * 30.0)).abs() < 1e-9, "{rho}");
    assert!((result.parameters["B"].as_f64().unwrap() - (2.0 + 1.0 / 30.0)).abs() < 1e-9);
    let levels = (5.0 * (2.0 + 1.0 / 30.0) / rho).log2().ceil();
    assert_eq!(result.parameters["levels"].as_f64().unwrap(), levels);
    assert!(result.gap_regret < 1e-9); // one action a state: nothing to lose
}
