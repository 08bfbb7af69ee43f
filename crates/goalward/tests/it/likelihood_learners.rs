//! Learners with the likelihood set: what they pay, that they are optimistic, and what they do when
//! the model is wrong.

use crate::worlds_for_tests::{half_free, irregular};
use goalward::Settings;
use goalward::episode::{Arena, Flow, Observer, Plan, RunResult, RunSpec, Runner};
use goalward::learners::{self, Learner, Observed, PlanReport, Probe, Reason, Told, Transition, Violation};
use goalward::numeric::Stream;
use goalward::problem::{Instance, Problem};
use std::sync::Arc;

/// Both learners, with what they must be told.
fn both() -> [(&'static str, Settings); 2] {
    [("lr", Settings::new()), ("levis++lr", Settings::new().set("B", "oracle"))]
}

fn runs(arena: &Arena, learner: &str, settings: &Settings, episodes: u64, seeds: u64) -> Vec<RunResult> {
    let run = |seed| {
        let spec = RunSpec::new(learner, episodes).settings(settings.clone()).seed(seed);
        let mut runner = Runner::new(arena, spec).unwrap();
        runner.run(&mut []).unwrap();
        runner.result()
    };
    (0..seeds).map(run).collect()
}

fn mean_regret(results: &[RunResult]) -> f64 {
    results.iter().map(|r| r.regret).sum::<f64>() / results.len() as f64
}

#[test]
fn little_is_lost_on_the_papers_instance() {
    let arena = Arena::open("hard-instance", &Settings::new().set("dim", 2)).unwrap();
    for (learner, settings) in both() {
        for (episodes, most) in [(400, 0.2), (3_000, 0.06)] {
            let results = runs(&arena, learner, &settings, episodes, 20);
            let regret = mean_regret(&results) / episodes as f64;
            assert!(regret < most, "{learner}, {episodes} episodes: {regret}");
            // the regret is mostly luck here; the gaps are not
            let gap = results.iter().map(|r| r.gap_regret).sum::<f64>() / 20.0 / episodes as f64;
            assert!(gap < most, "{learner}, {episodes} episodes: {gap}");
            assert!(results.iter().all(|r| r.violations == 0 && r.radius.as_deref() == Some("likelihood")));
        }
    }
}

#[test]
fn a_windy_grid_costs_a_twentieth_of_what_the_printed_radius_costs() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let told = Settings::new().set("B", "oracle");
    let printed = mean_regret(&runs(&arena, "levis++", &told, 150, 3));
    let levis = mean_regret(&runs(&arena, "levis", &told, 150, 3));
    for (learner, settings) in both() {
        let results = runs(&arena, learner, &settings, 150, 20);
        let regret = mean_regret(&results);
        assert!(regret < printed / 20.0 && regret < levis / 10.0, "{learner}: {regret}, {printed}, {levis}");
        assert!(results.iter().all(|r| r.violations == 0));
    }
}

#[test]
fn plans_are_few() {
    let (d, arena) = (5.0, Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap());
    for (learner, settings) in both() {
        for episodes in [20, 200, 2_000] {
            let result = &runs(&arena, learner, &settings, episodes, 1)[0];
            let (t, plans) = (result.steps as f64, result.planner_calls as f64);
            assert!(plans <= 3.0 * d * t.log2(), "{learner}: {plans} plans in {t} steps");
        }
    }
}

/// Collects what plans say.
#[derive(Default)]
struct Plans(Vec<PlanReport>);

impl Probe for Plans {
    fn plan(&mut self, plan: &PlanReport) {
        self.0.push(plan.clone());
    }
}

impl Observer for Plans {
    fn plan(&mut self, plan: &Plan) -> Flow {
        plan.learner.probe(self);
        Flow::Continue(())
    }
}

#[test]
fn plans_are_optimistic_and_say_why_they_were_made() {
    let mut arenas = vec![Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap()];
    arenas.extend((0..3).map(|seed| Arena::new("test", &Settings::new(), irregular(seed, 7, 4)).unwrap()));
    for arena in &arenas {
        for (learner, settings) in both() {
            let mut plans = Plans::default();
            let spec = RunSpec::new(learner, 100).settings(settings).seed(2);
            Runner::new(arena, spec).unwrap().run(&mut [&mut plans]).unwrap();
            for plan in &plans.0 {
                assert!(plan.empty.is_none());
                for (v, best) in plan.v.iter().zip(&arena.exact().v) {
                    assert!(*v <= best + 1e-9, "{learner} at t = {}: {v} above {best}", plan.t);
                }
            }
            let made = |reason| plans.0.iter().filter(|plan| plan.reason == reason).count();
            // with levis++lr a determinant mostly comes first
            let (information, determinant) = (made(Reason::Information), made(Reason::Determinant));
            assert!(learner == "levis++lr" || (information > 0 && determinant == 0), "on {}", arena.world);
            // they end up near the truth, from below
            let (last, start) = (plans.0.last().unwrap(), arena.problem().start());
            assert!(last.v[start] > 0.5 * arena.exact().v[start], "{learner}: {}", last.v[start]);
        }
    }
}

#[test]
fn zero_costs_need_nothing() {
    let arena = Arena::new("half-free", &Settings::new(), half_free()).unwrap();
    let results = runs(&arena, "lr", &Settings::new(), 100, 3);
    assert!(results.iter().all(|r| r.gap_regret < 1e-9 && r.parameters["perturbation"] == "1/k_j"));
    let spec = RunSpec::new("levis++lr", 5).settings(Settings::new().set("B", 2));
    assert!(Runner::new(&arena, spec).err().unwrap().to_string().contains("lr takes them"));
    // a free action that leads nowhere: without the perturbation it would be as good as any
    let mut builder = Problem::builder("idle", 2, 2);
    builder.start(0).goal(1);
    let idle = builder.action(0, 0.0).unwrap();
    builder.feature(0, idle, 0, &[0.999, 0.9999]).unwrap();
    builder.feature(0, idle, 1, &[0.001, 0.0001]).unwrap();
    let pay = builder.action(0, 0.5).unwrap();
    builder.feature(0, pay, 0, &[0.5, 0.25]).unwrap();
    builder.feature(0, pay, 1, &[0.5, 0.75]).unwrap();
    let instance = Instance::new(builder.build().unwrap(), &[0.5, 0.5]).unwrap();
    let arena = Arena::new("idle", &Settings::new(), instance).unwrap();
    let mut runner = Runner::new(&arena, RunSpec::new("lr", 200)).unwrap();
    runner.run(&mut []).unwrap();
    assert_eq!(runner.result().episodes, 200);
}

#[derive(Default)]
struct Reported {
    violations: u64,
    named: Vec<Violation>,
    theta: Vec<f64>,
}

impl Probe for Reported {
    fn counts(&mut self, _: u64, violations: u64) {
        self.violations = violations;
    }
    fn violation(&mut self, violation: &Violation) {
        self.named.push(violation.clone());
    }
    fn estimate(&mut self, theta_hat: &[f64]) {
        self.theta = theta_hat.to_vec();
    }
}

fn report(learner: &Learner) -> Reported {
    let mut reported = Reported::default();
    learner.probe(&mut reported);
    reported
}

fn built(id: &str, problem: &Arc<Problem>) -> Learner {
    let settings = if id == "lr" { Settings::new() } else { Settings::new().set("B", 10) };
    learners::entry(id).unwrap().build(problem, &settings, 0, 10, Told::default()).unwrap()
}

/// Three ways a model can be wrong: a state that no row names, a row that B forbids, and a law that
/// changes.
#[test]
fn a_wrong_model_is_reported_and_survived() {
    let mut builder = Problem::builder("trap", 4, 2);
    builder.start(0).goal(2);
    for s in [0, 1, 3] {
        let go = builder.action(s, 1.0).unwrap();
        builder.feature(s, go, s, &[0.5, 0.25]).unwrap();
        builder.feature(s, go, 2, &[0.5, 0.75]).unwrap();
        if s == 0 {
            // the probability is 0 for every theta in B, though the row is not
            builder.feature(s, go, 3, &[1e-3, -1e-3]).unwrap();
        }
    }
    builder.extra(&[1.0, 0.0], 0.5).unwrap();
    builder.extra(&[-1.0, 0.0], -0.5).unwrap();
    builder.extra(&[0.0, 1.0], 0.5).unwrap();
    builder.extra(&[0.0, -1.0], -0.5).unwrap();
    builder.state_names(["here", "aside", "goal", "trap"].map(String::from).to_vec());
    let forbidden = Arc::new(builder.build().unwrap());
    let grid = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    for id in ["lr", "levis++lr"] {
        let step = |state, next| Transition { state, action: 0, cost: 1.0, next };
        let mut learner = built(id, &forbidden);
        for (i, next) in [0, 2, 1, 0, 3, 1, 2].into_iter().enumerate() {
            learner.observe(&step(0, next)).unwrap_or_else(|e| panic!("{id}, step {i}: {e}"));
        }
        let reported = report(&learner);
        assert_eq!(reported.violations, 3, "{id}");
        let texts: Vec<&str> = reported.named.iter().map(|v| v.text.as_str()).collect();
        assert!(texts[0].contains("from state here by action 0 to state aside"), "{texts:?}");
        assert!(texts[1].contains("to state trap"), "{texts:?}");
        assert_eq!(reported.named.iter().map(|v| (v.t, v.times)).collect::<Vec<_>>(), [(3, 2), (5, 1)]);
        // they come back from a snapshot
        let mut again = built(id, &forbidden);
        again.restore(&learner.snapshot()).unwrap();
        assert_eq!(report(&again).named, reported.named);

        // impossible steps alone: plans go on, on the clock
        let mut learner = built(id, grid.problem());
        let step = Transition { state: 0, action: 0, cost: 0.2, next: 8 };
        let plans = (0..100).filter(|_| learner.observe(&step).unwrap() == Observed::Planned).count();
        assert!(plans >= 6 && report(&learner).violations == 100, "{id}: {plans} plans");

        // another law every 300 steps: sets may empty, nothing breaks
        let mut draw = Stream::new(1, &[]);
        let problem = grid.problem();
        for t in 0..3_000 {
            let p = problem.pair(0, learner.act(0).unwrap());
            let models = problem.phi(p).chunks_exact(5).map(|phi| phi[t / 300 % 5]).collect::<Vec<_>>();
            let next = problem.successors(p)[goalward::numeric::categorical(&models, draw.uniform())];
            let action = p - problem.pair(0, 0);
            let step = Transition { state: 0, action, cost: 0.2, next: next as usize };
            learner.observe(&step).unwrap();
        }
        let reported = report(&learner);
        assert!(problem.constraints().contains(&reported.theta, 1e-9), "{id}: {:?}", reported.theta);
    }
}

/// Fails on any number that is not finite.
struct Finite;

impl Probe for Finite {
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
    fn plan(&mut self, plan: &Plan) -> Flow {
        plan.learner.probe(self);
        Flow::Continue(())
    }
}

#[test]
fn extremes() {
    let open =
        |world: &str, settings: &[&str]| Arena::open(world, &Settings::parse(settings).unwrap()).unwrap();
    let one = Arena::new("one", &Settings::new(), irregular(3, 5, 1)).unwrap(); // B is a point
    let many = Arena::new("many", &Settings::new(), irregular(4, 6, 24)).unwrap(); // directions that no kernel sees
    let calm = open("windy-grid", &["n=3", "theta=1,0,0,0,0"]); // theta* in a corner of B
    let dear = open("windy-grid", &["n=2", "cost=1000"]);
    let sparse = open("random-mixture", &["states=20", "dim=8"]);
    for arena in [&one, &many, &calm, &dear, &sparse] {
        for (learner, settings) in both() {
            for delta in ["0.01", "1e-300", "0.9999999999"] {
                let spec =
                    RunSpec::new(learner, 25).settings(settings.clone().set("delta", delta)).max_steps(600);
                let mut runner = Runner::new(arena, spec).unwrap();
                runner.run(&mut [&mut Finite]).unwrap();
                let result = runner.result();
                assert!(
                    result.violations == 0 || delta.starts_with("0.99"),
                    "{learner} on {}, {delta}",
                    arena.world
                );
            }
        }
    }
}
