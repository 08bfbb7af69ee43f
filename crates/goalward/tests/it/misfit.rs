//! The alarm: it stays silent where some mixture is true, and speaks where none is.

#[path = "../../soak/misfit/mod.rs"]
mod worlds;

use goalward::Settings;
use goalward::confidence::{Alarm, Condition, Facts, Holds, Status, Suspicion};
use goalward::episode::{
    Agent, Arena, Checkpoint, Ending, Flow, Observer, RunSpec, Runner, Step, Stop, Trace,
};
use goalward::estimate::Likelihood;
use goalward::learners::{Family, LEARNERS, Need, OnMisfit, Snapshot, Told, Transition, Vigilance};
use goalward::numeric::Stream;
use goalward::problem::Instance;
use worlds::{World, reversed, reversing, right, upper_limit, well_specified};

const WARN: Vigilance = Vigilance { level: 0.01, on_misfit: OnMisfit::Warn };

/// A sample of `cargo xtask soak misfit`, on other seeds.
#[test]
fn a_true_mixture_is_seldom_rejected() {
    let mut alarms = 0;
    let worlds = well_specified();
    let runs = 12 * worlds.len() as u64;
    for (i, world) in worlds.iter().enumerate() {
        for seed in 0..12 {
            let seed = 10_000 + 100 * i as u64 + seed;
            alarms += u64::from(world.rejected("lr", &Settings::new(), seed, 0.05, 400).is_some());
        }
    }
    // more than this has a probability below 1e-4 if the level is kept
    assert!(alarms <= 14, "{alarms} of {runs}");
}

#[test]
fn a_wind_that_no_model_has_is_found() {
    let world = reversed(3, 0.3);
    let levis = Settings::new().set("B", 20);
    for (id, settings) in [("lr", Settings::new()), ("levis++", levis)] {
        let found = (0..12).filter(|run| world.rejected(id, &settings, 500 + run, 0.01, 2_000).is_some());
        assert!(found.count() >= 11, "{id}");
    }
}

/// log E by other means: bets and shares as the documentation has them, the greatest likelihood by
/// expectation maximisation, and the models' own prediction as they give it before each step.
struct Slow<'a> {
    world: &'a World,
    steps: Vec<(usize, usize)>,
    log_q: Vec<f64>,
}

impl Slow<'_> {
    fn log_e(&self) -> f64 {
        let problem = &self.world.problem;
        let mut logs = vec![0.0];
        for share in [1.0 / 2.0, 1.0 / 8.0, 1.0 / 64.0, 1.0 / 1024.0] {
            let mut log = 0.0;
            for pair in 0..problem.pairs() {
                let (mut own, mut plug, mut before) = (1.0f64, 1.0f64, Vec::new());
                let here = self.steps.iter().zip(&self.log_q).filter(|((p, _), _)| *p == pair);
                // of some 30 visits at most: products of so many are numbers
                for ((_, next), q) in here {
                    let same = before.iter().filter(|s| *s == next).count() as f64;
                    own *= (same + 8.0 * q.exp()) / (before.len() as f64 + 8.0);
                    plug *= q.exp();
                    before.push(*next);
                }
                log += (((1.0 - share) * plug + share * own) / plug).ln();
            }
            logs.push(log);
        }
        let mean = logs.iter().map(|log| log.exp()).sum::<f64>() * 0.99 / 5.0;
        mean.ln() + self.log_q.iter().sum::<f64>() + self.least_loss()
    }

    /// Weights rise by how much of what was seen their models explain; the loss falls with every
    /// round.
    fn least_loss(&self) -> f64 {
        let problem = &self.world.problem;
        let d = problem.dim();
        let phi: Vec<Vec<f64>> = self
            .steps
            .iter()
            .map(|&(pair, next)| {
                let place = problem.successors(pair).iter().position(|&s| s as usize == next).unwrap();
                problem.phi(pair)[place * d..(place + 1) * d].to_vec()
            })
            .collect();
        let mut theta = vec![1.0 / d as f64; d];
        let mut loss = f64::INFINITY;
        for _ in 0..3_000 {
            let mut next = vec![0.0; d];
            loss = 0.0;
            for phi in &phi {
                let p: f64 = phi.iter().zip(&theta).map(|(x, t)| x * t).sum();
                loss -= p.ln();
                next.iter_mut().zip(phi.iter().zip(&theta)).for_each(|(n, (x, t))| *n += x * t / p);
            }
            theta = next.iter().map(|n| n / phi.len() as f64).collect();
        }
        loss
    }
}

/// The e-value is never above the slow one, and equal to it where there is evidence.
#[test]
fn the_e_value_is_what_the_documentation_says() {
    let simplex = right("windy-grid", &[("n", "2"), ("simplex", "true")]);
    let uneven = reversing(&Settings::new().set("n", 2).set("simplex", "true"), 0.6);
    let mut decided = 0;
    for (world, seed) in
        [(&simplex, 1), (&simplex, 2), (&uneven, 3), (&uneven, 4), (&uneven, 5), (&uneven, 6)]
    {
        let problem = &world.problem;
        let (mut data, mut alarm) = (Likelihood::new(problem), Alarm::new(problem, 0.05));
        let mut slow = Slow { world, steps: Vec::new(), log_q: Vec::new() };
        let mut draw = Stream::new(seed, &[]);
        let mut looked = 0;
        for t in 1..=150 {
            let pair = draw.below(problem.pairs_of(problem.goal()).start);
            let next = world.draw(pair, draw.uniform());
            let place = problem.successors(pair).iter().position(|&s| s as usize == next).unwrap();
            slow.log_q.push(data.prediction(pair)[place].ln());
            slow.steps.push((pair, next));
            let _ = data.observe(pair, next);
            let open = alarm.rejected().is_none();
            alarm.follow(&data, t);
            let misfit = alarm.report(&data);
            if misfit.looked == looked {
                continue;
            }
            looked = misfit.looked;
            let (fast, slow) = (misfit.log_e.unwrap(), slow.log_e());
            assert!(fast <= slow + 1e-9, "step {t}: {fast} above {slow}");
            if open && fast >= 0.0 {
                assert!(fast > slow - 1.5e-2, "step {t}: {fast} below {slow}");
                decided += 1;
            }
        }
    }
    assert!(decided > 5, "{decided} verdicts");
}

fn fed(world: &World, learner: &mut goalward::Learner, seed: u64, steps: u64) {
    world.go(learner, seed, steps);
    assert!(learner.rejected().is_some());
}

#[test]
fn the_report_says_where_and_the_guarantee_does_not_hold() {
    let world = reversed(3, 0.3);
    let mut learner = world.learner("lr", &Settings::new(), 1, WARN);
    let condition = |learner: &goalward::Learner| {
        let guarantee = learner.claim().unwrap().check(&Facts { mixture: Some(true), ..Facts::default() });
        let mixture = |one: &&Condition| one.condition.contains("reject every mixture");
        (guarantee.holds, guarantee.conditions.iter().find(mixture).cloned().unwrap())
    };
    let (holds, last) = condition(&learner);
    assert_eq!((holds, last.status), (Holds::Yes, Status::Met));
    fed(&world, &mut learner, 1, 3_000);
    let misfit = learner.misfit().unwrap();
    assert_eq!((misfit.status, misfit.step), (Suspicion::Rejected, learner.rejected()));
    assert!(misfit.log_e.unwrap() >= 100f64.ln() && misfit.e.unwrap() >= 100.0);
    assert!(!misfit.places.is_empty() && misfit.places.len() <= 3);
    for place in &misfit.places {
        let sum = |of: &[(usize, f64)]| of.iter().map(|(_, p)| p).sum::<f64>();
        assert!((sum(&place.seen) - 1.0).abs() < 1e-9 && (sum(&place.models) - 1.0).abs() < 1e-6);
    }
    // the pair of the grid's middle, where the move and its reversal differ, is named in words
    assert!(
        misfit.text.starts_with("rejected at step ") && misfit.text.contains("went to"),
        "{}",
        misfit.text
    );
    let (holds, last) = condition(&learner);
    assert_eq!((holds, last.status), (Holds::No, Status::NotMet));
    assert!(last.value.unwrap() >= last.bound.unwrap());
}

#[test]
fn only_learners_that_rely_on_the_models_watch_them() {
    let world = right("windy-grid", &[("n", "2")]);
    for entry in LEARNERS {
        let policy = entry.wants(Need::Policy).then(|| vec![0; world.problem.states()]);
        let told = Told { b_star: Some(5.0), t_star: Some(9.0), policy };
        let learner = entry.build(&world.problem, &entry.oracle(), 0, 9, told).unwrap();
        match entry.family {
            Family::LinearMixture => assert!(learner.misfit().is_some(), "{}", entry.id),
            Family::Tabular | Family::Baseline => assert!(learner.misfit().is_none(), "{}", entry.id),
            _ => {}
        }
    }
}

/// A known model is a mixture of one: it is watched, too.
#[test]
fn one_model_can_be_wrong() {
    let model = vec![vec![vec![(1, 0.5), (0, 0.5)]], vec![]];
    let models = [("only", model)];
    let problem = goalward::Problem::from_models(&models, &[vec![1.0], vec![]], 0, 1).unwrap();
    for (id, settings) in [("lr", Settings::new()), ("levis++", Settings::new().set("B", 5))] {
        for (share, wrong) in [(0.5, false), (0.1, true)] {
            let kernel = vec![vec![(0, 1.0 - share), (1, share)]];
            let world = World { name: "one".into(), problem: problem.clone().into(), kernel };
            assert_eq!(world.rejected(id, &settings, 7, 0.01, 500).is_some(), wrong, "{id} {share}");
        }
    }
}

#[test]
fn a_step_that_no_model_allows_is_proof() {
    let world = right("windy-grid", &[("n", "3")]);
    for (id, settings) in [("lr", Settings::new()), ("levis++", Settings::new().set("B", 20))] {
        let mut learner = world.learner(id, &settings, 1, WARN);
        learner.act(0).unwrap();
        let cost = world.problem.cost(0);
        learner.observe(&Transition { state: 0, action: 0, cost, next: 8 }).unwrap();
        let misfit = learner.misfit().unwrap();
        assert_eq!((misfit.status, misfit.step, misfit.log_e), (Suspicion::Rejected, Some(1), None), "{id}");
        let guarantee = learner.claim().unwrap().check(&Facts::default());
        assert_eq!(guarantee.holds, Holds::No);
    }
}

#[test]
fn a_learner_that_is_to_stop_chooses_no_more() {
    let world = reversed(3, 0.3);
    let stop = Vigilance { on_misfit: OnMisfit::Stop, ..WARN };
    let mut learner = world.learner("lr", &Settings::new(), 1, stop);
    fed(&world, &mut learner, 1, 3_000);
    let error = learner.act(0).unwrap_err().to_string();
    let step = learner.rejected().unwrap();
    assert!(error.contains(&format!("since step {step}")), "{error}");
    assert_eq!(learner.stopped(), Some(step));
}

/// A learner that ignores the models takes over, and learns; and all of that survives a snapshot at
/// any time, bit for bit.
#[test]
fn another_learner_takes_over_bit_for_bit() {
    let world = reversed(3, 0.3);
    let tabular = Vigilance { on_misfit: OnMisfit::Tabular, ..WARN };
    let settings = Settings::new().set("B", 20);
    for (id, settings) in [("lr", Settings::new()), ("levis++", settings)] {
        let fresh = || world.learner(id, &settings, 1, tabular);
        let mut learner = fresh();
        fed(&world, &mut learner, 1, 3_000);
        let step = learner.rejected().unwrap();
        assert_eq!(learner.in_force()["fallback"]["step"], step);
        let before = learner.clock().j;
        let walk = |learner: &mut goalward::Learner, save: Option<u64>| {
            let (mut luck, mut state, mut actions) = (Stream::new(3, &[]), 0, Vec::new());
            for t in 0..600 {
                if save == Some(t) {
                    let text = serde_json::to_string(&learner.snapshot()).unwrap();
                    let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
                    let mut other = fresh();
                    other.restore(&snapshot).unwrap();
                    assert_eq!(other.snapshot(), snapshot);
                    assert_eq!((other.clock(), other.in_force()), (learner.clock(), learner.in_force()));
                    *learner = other;
                }
                let action = learner.act(state).unwrap();
                let pair = world.problem.pair(state, action);
                let next = world.draw(pair, luck.uniform());
                let step = Transition { state, action, cost: world.problem.cost(pair), next };
                learner.observe(&step).unwrap();
                actions.push(action);
                state = if next == world.problem.goal() { 0 } else { next };
            }
            actions
        };
        let snapshot = learner.snapshot();
        let straight = walk(&mut learner, None);
        assert_eq!(learner.clock().t, step + 600);
        assert!(learner.clock().j > before, "{id} plans no more");
        let plan = learner.last_plan().unwrap();
        assert_eq!((plan.t, plan.j), (learner.clock().t_j, learner.clock().j));
        for save in [0, 1, 77, 599] {
            let mut again = fresh();
            again.restore(&snapshot).unwrap();
            assert_eq!(walk(&mut again, Some(save)), straight, "{id} saved at {save}");
        }
        // and back to before anything happened
        let mut back = fresh();
        let nothing = back.snapshot();
        back.restore(&snapshot).unwrap();
        back.restore(&nothing).unwrap();
        assert_eq!(back.snapshot(), nothing);
        assert_eq!(back.in_force().get("fallback"), None);
    }
}

#[test]
fn a_forged_watch_is_refused_and_changes_nothing() {
    let world = reversed(3, 0.3);
    let tabular = Vigilance { on_misfit: OnMisfit::Tabular, ..WARN };
    let mut learner = world.learner("lr", &Settings::new(), 1, tabular);
    fed(&world, &mut learner, 1, 3_000);
    let Snapshot(good) = learner.snapshot();
    let fresh = || world.learner("lr", &Settings::new(), 1, tabular);
    let paths: [(&str, serde_json::Value); 4] = [
        ("/watch/evidence/gains", serde_json::json!([])),
        ("/watch/evidence/pairs/0", 9_999.into()),
        ("/watch", serde_json::Value::Null),
        ("/clock/t", 1.into()),
    ];
    for (path, value) in paths {
        let mut forged = good.clone();
        *forged.pointer_mut(path).unwrap() = value;
        let mut other = fresh();
        let before = other.snapshot();
        assert!(other.restore(&Snapshot(forged)).is_err(), "{path}");
        assert_eq!(other.snapshot(), before, "{path}");
    }
    // a learner that nobody waits behind cannot be one that has handed over
    let mut alone = world.learner("lr", &Settings::new(), 1, WARN);
    assert!(alone.restore(&Snapshot(good)).is_err());
}

#[test]
fn levels_are_probabilities() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 2)).unwrap();
    for level in [0.0, 1.0, -1.0, f64::NAN] {
        let spec = RunSpec::new("lr", 3).on_misfit(OnMisfit::Warn, level);
        let error = Runner::new(&arena, spec).err().unwrap().to_string();
        assert!(error.contains("misfit_level"), "{error}");
    }
    assert!("perhaps".parse::<OnMisfit>().is_err());
    assert_eq!("tabular".parse::<OnMisfit>().unwrap(), OnMisfit::Tabular);
}

/// A run's result has it, and a run that is taken up has the same.
#[test]
fn results_say_it_and_a_checkpoint_keeps_it() {
    struct PauseAt(u64);
    impl Observer for PauseAt {
        fn step(&mut self, step: &Step) -> Flow {
            if step.t == self.0 { Flow::Break(Stop) } else { Flow::Continue(()) }
        }
    }
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    for (id, settings) in [("lr", Settings::new()), ("levis++", Settings::new().set("B", 20))] {
        let spec = RunSpec::new(id, 60).settings(settings).on_misfit(OnMisfit::Tabular, 0.001).seed(2);
        let mut whole = Runner::new(&arena, spec.clone()).unwrap();
        whole.run(&mut []).unwrap();
        let result = whole.result();
        let misfit = result.misfit.clone().unwrap();
        assert_eq!((misfit.status, misfit.alpha), (Suspicion::None, 0.001));
        assert!(misfit.text.starts_with("no evidence (log e = -"), "{}", misfit.text);
        let mut first = Runner::new(&arena, spec.clone()).unwrap();
        first.run(&mut [&mut PauseAt(150)]).unwrap();
        let bytes = Checkpoint::of(&first).to_bytes().unwrap();
        let checkpoint = Checkpoint::from_bytes(&bytes, "x".as_ref()).unwrap();
        let mut second = Runner::resume(&arena, &checkpoint).unwrap();
        second.run(&mut []).unwrap();
        assert_eq!(serde_json::to_string(&second.result()).unwrap(), serde_json::to_string(&result).unwrap());
        assert_eq!(second.learner().snapshot(), whole.learner().snapshot());
    }
}

/// A saved learner keeps its level and what it is to do.
#[test]
fn agents_keep_their_vigilance() {
    let world = goalward::worlds::build("windy-grid", &Settings::new().set("n", 2)).unwrap();
    let spec = RunSpec::new("lr", 10).on_misfit(OnMisfit::Stop, 0.2);
    let agent = Agent::new(&world, spec).unwrap();
    let again = Agent::from_bytes(&agent.to_bytes().unwrap(), "x".as_ref(), &world).unwrap();
    assert_eq!(again.spec().vigilance, Vigilance { level: 0.2, on_misfit: OnMisfit::Stop });
    assert_eq!(again.learner.misfit().unwrap().alpha, 0.2);
}

#[test]
fn the_limit_is_that_of_clopper_and_pearson() {
    // 1 - 0.05^(1/n) where nothing happened
    assert!((upper_limit(0, 1000) - (1.0 - 0.05f64.powf(1e-3))).abs() < 1e-9);
    assert!((upper_limit(3, 100) - 0.075_71).abs() < 1e-4, "{}", upper_limit(3, 100));
}

/// The same world as an instance, whose truth is no mixture.
fn instance(world: &World) -> Instance {
    let problem = &world.problem;
    let rows = (0..problem.states()).filter(|&s| s != problem.goal()).flat_map(|s| {
        problem.pairs_of(s).enumerate().flat_map(move |(a, pair)| {
            world.kernel[pair].iter().map(move |&(next, p)| (s, a, next, p)).collect::<Vec<_>>()
        })
    });
    let entries: Vec<_> = rows.filter(|(.., p)| *p > 0.0).collect();
    Instance::from_kernel((**problem).clone(), &entries).unwrap()
}

#[test]
fn runs_stop_or_go_on_with_another_learner() {
    let world = reversed(3, 0.3);
    let arena = Arena::new("reversed", &Settings::new(), instance(&world)).unwrap();
    let run = |on: OnMisfit| {
        let mut text = Vec::new();
        let mut trace = Trace::new(&mut text);
        let spec = RunSpec::new("lr", 100_000).on_misfit(on, 0.01).seed(4).max_steps(3_000);
        let mut runner = Runner::new(&arena, spec).unwrap();
        trace.start(&runner);
        let ending = runner.run(&mut [&mut trace]).unwrap();
        trace.end(&runner);
        trace.flush().unwrap();
        let result = serde_json::to_value(runner.result()).unwrap();
        (ending, result, String::from_utf8(text).unwrap())
    };
    let (warned, result, trace) = run(OnMisfit::Warn);
    assert_eq!(warned, Ending::Truncated);
    let step = result["misfit"]["step"].as_u64().unwrap();
    assert_eq!(
        (&result["misfit"]["status"], &result["guarantee"]["holds"]),
        (&"rejected".into(), &"no".into())
    );
    assert!(result.get("stopped").is_none() && result["parameters"].get("fallback").is_none());
    assert_eq!(trace.matches("\"kind\":\"misfit\"").count(), 1);

    let (stopped, result, trace) = run(OnMisfit::Stop);
    assert_eq!((stopped, result["steps"].as_u64()), (Ending::Misfit, Some(step)));
    assert_eq!((&result["stopped"], &result["truncated"]), (&"misfit".into(), &false.into()));
    assert!(trace.contains(&format!("{{\"kind\":\"misfit\",\"t\":{step},")));

    let (went_on, result, trace) = run(OnMisfit::Tabular);
    assert_eq!((went_on, result["steps"].as_u64()), (Ending::Truncated, Some(3_000)));
    assert_eq!(result["parameters"]["fallback"]["step"], step);
    assert!(result["theta_hat"].is_null() && result["misfit"]["step"] == step);
    // plans are numbered on
    let numbers: Vec<u64> = trace
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line["kind"] == "plan")
        .map(|line| line["j"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
}
