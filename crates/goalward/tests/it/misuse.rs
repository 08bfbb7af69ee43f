//! What cannot be is refused, by name, and changes nothing: no question or step makes a learner
//! panic, nor do things that do not belong together.

use crate::worlds_for_tests::{half_free, irregular};
use goalward::Error;
use goalward::Settings;
use goalward::episode::{Arena, RunSpec, Runner};
use goalward::learners::{self, LEARNERS, Learner, LearnerEntry, Told, Transition};
use goalward::plan::{Objective, Options, solve};
use goalward::problem::{Instance, Problem, mix, restart};
use std::sync::Arc;

fn grid() -> Arena {
    Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap()
}

fn told(policy: Option<Vec<usize>>) -> Told {
    Told { b_star: Some(3.0), t_star: Some(10.0), policy }
}

fn built(entry: &LearnerEntry, problem: &Arc<Problem>, policy: &[usize]) -> Learner {
    entry.build(problem, &entry.oracle(), 0, 10, told(Some(policy.to_vec()))).unwrap()
}

#[track_caller]
fn misused<T: std::fmt::Debug>(result: goalward::Result<T>, words: &[&str]) {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::Misuse { .. }), "{error:?}");
    assert!(error.hint().is_some());
    for word in words {
        assert!(error.to_string().contains(word), "{word:?} is not in: {error}");
    }
}

#[test]
fn there_is_nothing_to_do_beyond_the_states_and_at_the_goal() {
    let arena = grid();
    for entry in LEARNERS {
        let mut learner = built(entry, arena.problem(), &arena.exact().policy);
        let before = learner.snapshot();
        for beyond in [9, 10, 1 << 40, usize::MAX] {
            misused(learner.act(beyond), &[&format!("state {beyond} does not exist"), "9"]);
        }
        misused(learner.act(8), &["goal (2,2)", "over"]);
        assert_eq!(learner.snapshot(), before, "{}", entry.id);
        assert!(learner.act(0).unwrap() < 4);
    }
}

#[test]
fn only_the_known_cost_is_taken() {
    let arena = grid();
    let problem = arena.problem();
    for entry in LEARNERS {
        let mut learner = built(entry, problem, &arena.exact().policy);
        let step = |cost| Transition { state: 0, action: 0, cost, next: 1 };
        // also after it has learnt something, and when a plan would be due
        for t in 0..5 {
            let before = learner.snapshot();
            for cost in [
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                -0.2,
                0.0,
                -0.0,
                0.4,
                0.2 * (1.0 + 1e-8),
                f64::MIN_POSITIVE,
                f64::MAX,
                f64::MIN,
            ] {
                let given = format!("{cost:?}");
                misused(learner.observe(&step(cost)), &["state (0,0)", "action right", &given, "0.2"]);
                assert_eq!(learner.snapshot(), before, "{} took {cost} at {t}", entry.id);
            }
            // the same but for rounding
            learner.observe(&step(0.2 * (1.0 + 1e-12))).unwrap();
        }
        // a step off the policy, from anywhere
        learner.observe(&Transition { state: 4, action: 2, cost: 0.2, next: 4 }).unwrap();
    }
}

#[test]
fn a_step_that_costs_nothing_costs_nothing() {
    let instance = half_free();
    for entry in LEARNERS.iter().filter(|entry| !entry.wants(learners::Need::CMin)) {
        let mut learner = built(entry, &instance.problem, &[0, 0, 0]);
        let step = |cost| Transition { state: 0, action: 0, cost, next: 1 };
        for cost in [5e-324, 1e-300, -1e-300, 1.0] {
            misused(learner.observe(&step(cost)), &["0.0"]);
        }
        for cost in [0.0, -0.0] {
            learner.observe(&step(cost)).unwrap();
        }
    }
}

/// Problems of other sizes, of the same size, and of the same size and support.
fn others() -> Vec<Instance> {
    let world =
        |id: &str, pairs: &[&str]| goalward::worlds::open(id, &Settings::parse(pairs).unwrap()).unwrap();
    let two = |p: f64, goal: usize| {
        let mut builder = Problem::builder("two", 3, 2);
        builder.goal(goal).start(0);
        for s in (0..3).filter(|&s| s != goal) {
            let a = builder.action(s, 1.0).unwrap();
            builder.feature(s, a, s, &[p, 0.5]).unwrap();
            builder.feature(s, a, goal, &[1.0 - p, 0.5]).unwrap();
        }
        Instance::new(builder.build().unwrap(), &[0.5, 0.5]).unwrap()
    };
    vec![
        world("windy-grid", &["n=2"]),
        world("windy-grid", &["n=3"]),
        world("windy-grid", &["n=3", "wind=0.5"]),
        world("hard-instance", &["dim=2"]),
        irregular(1, 6, 3),
        irregular(2, 6, 3),
        two(0.25, 2),
        two(0.5, 2),
        two(0.25, 1),
    ]
}

#[test]
fn a_truth_of_another_problem_is_refused() {
    let all = others();
    for (i, mine) in all.iter().enumerate() {
        mine.truth.as_ref().unwrap().require_fit(&mine.problem).unwrap();
        for (j, other) in all.iter().enumerate().filter(|(j, _)| *j != i) {
            let truth = other.truth.clone().unwrap();
            let problem = mine.problem.clone();
            let both = Instance {
                problem: problem.clone(),
                truth: Some(truth.clone()),
                model: None,
                notes: Vec::new(),
            };
            let errors = [
                truth.require_fit(&problem).unwrap_err(),
                solve(&problem, &truth, &Options::exact(1e-9)).unwrap_err(),
                solve(&problem, &truth, &Options::default()).unwrap_err(),
                solve(&problem, &truth, &Options::fast(Objective::Max, 1e-6).bare()).unwrap_err(),
                solve(&problem, &truth, &Options::fast(Objective::Reach, 1e-6).bare()).unwrap_err(),
                restart(&problem, &truth).unwrap_err(),
                Arena::new("both", &Settings::new(), both.clone()).unwrap_err(),
            ];
            for error in errors {
                assert!(matches!(error, Error::Mismatch { .. }), "{i} {j}: {error}");
                assert!(error.to_string().contains(problem.name()), "{error}");
            }
            // no panic, whatever it makes of it
            let named = |instance: &Instance| (instance.problem.name().to_string(), instance.clone());
            let _ = mix(&[named(mine), named(&both)], None);
            goalward::files::json::to_json(&both);
            for p in 0..problem.pairs() {
                truth.sample(&problem, p, 0.5);
            }
        }
    }
}

#[test]
fn a_learner_of_another_problem_is_refused() {
    let arenas: Vec<Arena> =
        others().into_iter().map(|world| Arena::new("world", &Settings::new(), world).unwrap()).collect();
    for (i, mine) in arenas.iter().enumerate() {
        for (j, other) in arenas.iter().enumerate() {
            for entry in LEARNERS {
                let learner = built(entry, other.problem(), &other.exact().policy);
                let runner = Runner::with_learner(mine, RunSpec::new("mine", 3), learner);
                // other models of the same steps are no mistake: a wrong model is told by what
                // happens
                let fits = mine.problem().difference(other.problem()).is_none();
                assert!(fits || i != j);
                match (fits, runner.err()) {
                    (true, None) => {}
                    (false, Some(Error::Mismatch { second, .. })) => assert!(second.contains("mine")),
                    (_, error) => panic!("{} of {j} on {i}: {error:?}", entry.id),
                }
            }
        }
    }
}

/// A problem that was built anew is the same problem.
#[test]
fn a_learner_of_an_equal_problem_is_welcome() {
    let learner = built(&learners::entry("lr").unwrap(), grid().problem(), &[]);
    let arena = grid();
    Runner::with_learner(&arena, RunSpec::new("lr", 3), learner).unwrap().run(&mut []).unwrap();
}

#[test]
fn a_policy_of_another_problem_is_refused() {
    let arena = grid();
    let entry = learners::entry("optimal").unwrap();
    for policy in [vec![], vec![0; 8], vec![0; 10], vec![4; 9], vec![0, 0, 0, 0, usize::MAX, 0, 0, 0, 0]] {
        let refused = entry.build(arena.problem(), &Settings::new(), 0, 1, told(Some(policy)));
        assert!(matches!(refused.err().unwrap(), Error::Mismatch { .. }));
    }
}
