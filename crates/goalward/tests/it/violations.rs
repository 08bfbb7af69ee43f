//! Worlds that no model in B explains: named in the trace and in the result, survived, and their
//! regret reported.

use goalward::Settings;
use goalward::confidence::Holds;
use goalward::episode::{Arena, Checkpoint, RunSpec, Runner, Trace};
use goalward::learners::{self, LEARNERS, Learner, Snapshot, Told, Transition};
use goalward::problem::{Instance, Problem};
use serde_json::Value;
use std::sync::Arc;

/// Three states in a row and a goal. The models say that `go` stays or gets on; in the world it may
/// also fall into the ditch, and it gets on more often than any model says.
fn ditch(falls: f64, ahead: [f64; 2]) -> Problem {
    let mut builder = Problem::builder("ditch", 4, 2);
    builder.start(0).goal(3);
    for s in 0..3 {
        for (a, cost) in [(0, 1.0), (1, 0.6)] {
            builder.action(s, cost).unwrap();
            let ahead = ahead.map(|p| if a == 0 { p } else { 0.6 * p });
            let ditch = if s == 0 { falls } else { 0.0 };
            builder.feature(s, a, s, &ahead.map(|p| 1.0 - p - ditch)).unwrap();
            builder.feature(s, a, s + 1, &ahead).unwrap();
            if ditch > 0.0 {
                builder.feature(s, a, 2, &[ditch; 2]).unwrap();
            }
        }
    }
    builder.simplex();
    builder.state_names(["start", "path", "ditch", "goal"].map(String::from).to_vec());
    builder.action_names(vec![vec!["run".into(), "walk".into()]; 3].into_iter().chain([vec![]]).collect());
    builder.build().unwrap()
}

fn built(id: &str, problem: &Arc<Problem>, policy: &[usize]) -> Learner {
    let entry = learners::entry(id).unwrap();
    let has = |name: &str| entry.parameters.iter().any(|p| p.name == name);
    let known = [("B", 30), ("t_star", 30)].into_iter().filter(|(key, _)| has(key));
    let settings = known.fold(Settings::new(), |settings, (key, value)| settings.set(key, value));
    let told = Told { policy: Some(policy.to_vec()), ..Told::default() };
    entry.build(problem, &settings, 0, 200, told).unwrap()
}

/// The runner draws from the true world; the learner was built from other models.
#[test]
fn every_learner_survives_a_world_outside_its_models() {
    let world = Instance::new(ditch(0.2, [0.6, 0.6]), &[0.5, 0.5]).unwrap();
    let arena = Arena::new("ditch", &Settings::new(), world).unwrap();
    let models = Arc::new(ditch(0.0, [0.3, 0.5]));
    for entry in LEARNERS {
        let learner = built(entry.id, &models, &arena.exact().policy);
        let mut text = Vec::new();
        let mut trace = Trace::new(&mut text);
        let mut runner = Runner::with_learner(&arena, RunSpec::new(entry.id, 200), learner).unwrap();
        trace.start(&runner);
        runner.run(&mut [&mut trace]).unwrap();
        trace.end(&runner);
        trace.flush().unwrap();
        let result = runner.result();
        assert_eq!(result.episodes, 200, "{}", entry.id);
        assert!(result.regret.is_finite() && result.violations > 20, "{}", entry.id);
        let falls: u64 = result.impossible.iter().map(|v| v.times).sum();
        assert!(falls > 20 && falls <= result.violations);
        // whoever counts, and is told no successors, believes no model
        let counts = result.parameters.get("support").is_some_and(|support| support == "unknown");
        let claims = result.guarantee.as_ref().map(|g| g.holds).filter(|_| !counts);
        assert_eq!(claims, claims.map(|_| Holds::No), "{}: the truth is no mixture of the models", entry.id);
        let lines: Vec<Value> = String::from_utf8(text)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let named: Vec<(usize, &Value)> =
            lines.iter().enumerate().filter(|(_, line)| line["what"] == "impossible").collect();
        assert_eq!(named.len() as u64, falls, "{}", entry.id);
        for (i, line) in named {
            // right after its step, by name
            let step = &lines[i - 1];
            assert_eq!((&step["kind"], &step["t"]), (&"step".into(), &line["t"]));
            for key in ["state", "action", "next"] {
                assert_eq!(step[key], line[key]);
            }
            let text = line["text"].as_str().unwrap();
            assert!(text.contains("from state start by action") && text.contains("to state ditch"), "{text}");
        }
        let end = lines.last().unwrap();
        assert_eq!(end["violations"], result.violations);
        assert!(end["impossible"][0]["text"].as_str().unwrap().contains("ditch"));
    }
}

/// The same world through `act` and `observe`, and through a snapshot.
#[test]
fn act_and_observe() {
    let models = Arc::new(ditch(0.0, [0.3, 0.5]));
    for entry in LEARNERS {
        let mut learner = built(entry.id, &models, &[0, 0, 0, 0]);
        for i in 0..60 {
            let action = learner.act(0).unwrap();
            let next = if i % 3 == 0 { 2 } else { 0 };
            let cost = models.cost(models.pair(0, action));
            learner.observe(&Transition { state: 0, action, cost, next }).unwrap();
        }
        let mut again = built(entry.id, &models, &[0, 0, 0, 0]);
        again.restore(&learner.snapshot()).unwrap();
        assert_eq!(again.snapshot(), learner.snapshot(), "{}", entry.id);
    }
}

/// Predictions that did better than any model can: the threshold falls below the least loss over B.
/// Nothing that a stationary world does makes that likely, so the snapshot's prediction loss is
/// forged.
#[test]
fn a_contradiction_is_named_and_the_last_set_stays() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    for (id, settings) in [("lr", Settings::new()), ("levis++lr", Settings::new().set("B", "oracle"))] {
        let spec = RunSpec::new(id, 30).settings(settings);
        let mut runner = Runner::new(&arena, spec).unwrap();
        runner.run(&mut []).unwrap();
        let before = runner.result();
        assert_eq!((before.violations, before.contradictions), (0, 0));
        assert!(!serde_json::to_string(&before).unwrap().contains("contradictions"));
        let mut checkpoint = Checkpoint::of(&runner);
        let Snapshot(state) = &mut checkpoint.learner;
        let loss = &mut state["algorithm"]["kept"]["counts"]["sums"]["prediction_loss"];
        *loss = (loss.as_f64().unwrap() - 1e4).into();
        checkpoint.spec.episodes = 200;
        let mut runner = Runner::resume(&arena, &checkpoint).unwrap();
        let mut text = Vec::new();
        let mut trace = Trace::new(&mut text);
        runner.run(&mut [&mut trace]).unwrap();
        trace.flush().unwrap();
        let after = runner.result();
        assert_eq!(after.episodes, 200);
        assert!(after.contradictions > 0 && after.violations == after.contradictions, "{id}");
        // the last set is still in force
        assert_eq!(after.theta_interval, before.theta_interval);
        let lines: Vec<Value> = String::from_utf8(text)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let plans: Vec<&Value> = lines.iter().filter(|line| line["kind"] == "plan").collect();
        assert!(plans.iter().all(|plan| plan["empty"] == true && plan["why"] == "contradiction"));
        assert!(plans.windows(2).all(|two| two[0]["v"] == two[1]["v"]));
        let named = lines.iter().filter(|line| line["what"] == "contradiction");
        let mut count = 0;
        for line in named {
            assert!(
                line["text"].as_str().unwrap().contains("contradict every model in B at the level delta")
            );
            count += 1;
        }
        assert_eq!((count, plans.len() as u64), (after.contradictions, after.contradictions));
    }
}
