//! The safety net of the regret theorem: how far what plans believe is from the data.

use goalward::Settings;
use goalward::confidence::{ConfidenceSet, Net};
use goalward::episode::{Arena, Checkpoint, Flow, Observer, Plan, RunSpec, Runner, Step, Stop};
use goalward::learners::{PlanReport, Probe, Reason};
use goalward::numeric::support::Warm;
use goalward::problem::{Instance, Problem};
use std::path::Path;

#[derive(Default)]
struct Seen {
    net: Net,
    reasons: Vec<Reason>,
}

impl Probe for Seen {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn net(&mut self, net: &Net) {
        self.net = net.clone();
    }
    fn plan(&mut self, plan: &PlanReport) {
        self.reasons.push(plan.reason);
    }
}

impl Observer for Seen {
    fn plan(&mut self, plan: &Plan) -> Flow {
        plan.learner.probe(self);
        Flow::Continue(())
    }
}

impl Seen {
    fn by_distance(&self) -> usize {
        self.reasons.iter().filter(|reason| **reason == Reason::Distance).count()
    }
}

fn spec(settings: &[(&str, &str)], episodes: u64, seed: u64) -> RunSpec {
    let settings = settings.iter().fold(Settings::new(), |all, (key, value)| all.set(key, value));
    RunSpec::new("lr", episodes).seed(seed).settings(settings)
}

fn run(arena: &Arena, settings: &[(&str, &str)], episodes: u64, seed: u64) -> Seen {
    let mut runner = Runner::new(arena, spec(settings, episodes, seed)).unwrap();
    let mut seen = Seen::default();
    runner.run(&mut [&mut seen]).unwrap();
    let mut last = Seen::default();
    runner.learner().probe(&mut last);
    Seen { net: last.net, ..seen }
}

fn worlds() -> [(Arena, u64); 4] {
    let open = |world, key, value| Arena::open(world, &Settings::new().set(key, value)).unwrap();
    [
        (open("windy-grid", "n", "3"), 1500),
        (open("hard-instance", "dim", "2"), 5000),
        (open("random-mixture", "states", "6"), 5000),
        (open("corridor", "length", "6"), 2000),
    ]
}

#[test]
fn it_holds_and_costs_no_plans() {
    for (arena, episodes) in worlds() {
        let (with, without) = (run(&arena, &[], episodes, 1), run(&arena, &[("net", "1e6")], episodes, 1));
        let (most, looks) = with.net.largest_ratio();
        assert!(looks > 3, "{}: {looks}", arena.world);
        assert!(most <= 17.0, "{}: {most}", arena.world);
        assert_eq!(with.by_distance(), 0, "{}", arena.world);
        assert!(with.reasons.len() <= 2 * without.reasons.len(), "{}", arena.world);
    }
}

/// From s the goal is reached with probability 1/2. One model says that a detour comes up with
/// probability 0.3, which never happens: the information, which counts what was seen, sees less of
/// that than Hellinger's distance does.
fn detour() -> Arena {
    let mut builder = Problem::builder("detour", 3, 2);
    builder.start(0).goal(2);
    for s in [0, 1] {
        builder.action(s, 1.0).unwrap();
    }
    builder.feature(0, 0, 2, &[0.5, 0.5]).unwrap();
    builder.feature(0, 0, 0, &[0.5, 0.2]).unwrap();
    builder.feature(0, 0, 1, &[0.0, 0.3]).unwrap();
    builder.feature(1, 0, 2, &[1.0, 1.0]).unwrap();
    let instance = Instance::new(builder.build().unwrap(), &[1.0, 0.0]).unwrap();
    Arena::new("detour", &Settings::new(), instance).unwrap()
}

#[test]
fn with_a_fiftieth_of_gamma_it_fires_and_plans_are_made_over_the_set_itself() {
    let arena = detour();
    let with = |net: &str| run(&arena, &[("net", net), ("delta", "1e-12")], 3000, 1);
    let (narrow, plain) = (with("0.02"), with("1"));
    assert!(narrow.by_distance() > 0);
    assert_eq!(narrow.by_distance() as u64, narrow.net.fired());
    assert_eq!(narrow.net.missed(), 0);
    assert_eq!(plain.by_distance(), 0);
    // elsewhere the information is always first, unless the net is narrower still
    let [_, (hard, episodes), _, _] = worlds();
    assert!(run(&hard, &[("net", "0.002")], episodes, 1).by_distance() > 0);
}

#[test]
fn a_run_that_fires_goes_on_from_a_checkpoint_as_if_nothing_had_happened() {
    for settings in [&[("net", "0.002")][..], &[("net", "0.002"), ("set", "exact")]] {
        let arena = Arena::open("hard-instance", &Settings::new().set("dim", 2)).unwrap();
        let mut whole = Runner::new(&arena, spec(settings, 3000, 3)).unwrap();
        whole.run(&mut []).unwrap();
        let mut runner = Runner::new(&arena, spec(settings, 3000, 3)).unwrap();
        for steps in [1500, 4000, 7000] {
            let mut until = Until(steps);
            runner.run(&mut [&mut until]).unwrap();
            let bytes = Checkpoint::of(&runner).to_bytes().unwrap();
            let checkpoint = Checkpoint::from_bytes(&bytes, Path::new("run.checkpoint")).unwrap();
            runner = Runner::resume(&arena, &checkpoint).unwrap();
        }
        runner.run(&mut []).unwrap();
        let json = |runner: &Runner| serde_json::to_string(&runner.result()).unwrap();
        assert_eq!(json(&whole), json(&runner));
        let probed = |runner: &Runner| {
            let mut seen = Seen::default();
            runner.learner().probe(&mut seen);
            seen.net
        };
        assert_eq!(probed(&whole), probed(&runner));
    }
}

/// Most triples of a large problem are met a few times at most: each look must see all the same that
/// thousands of beliefs are near the fit, and in no more time than a plan takes.
#[test]
fn in_a_large_problem_it_looks_and_demands_nothing() {
    let set = Settings::new().set("states", 2000).set("actions", 4).set("simplex", true);
    let set = set.set("goal_prob", 0.005).set("successors", 6);
    let seen = run(&Arena::open("random-mixture", &set).unwrap(), &[], 60, 1);
    let (most, looks) = seen.net.largest_ratio();
    assert!(looks > 0 && most <= 4.0, "{looks} looks, {most}");
    assert_eq!((seen.by_distance(), seen.net.missed()), (0, 0));
}

struct Until(u64);

impl Observer for Until {
    fn step(&mut self, step: &Step) -> Flow {
        if step.t >= self.0 { Flow::Break(Stop) } else { Flow::Continue(()) }
    }
}

/// Lemma 0 of docs/theory.md, at every plan and every pair: (O) 0 <= V <= V* and V(s) <= c + PV, and
/// (G) V(s) >= c + (1 - q) min <theta, phi_V> - eps at the greedy pair, over the plan's own set.
struct Lemma0<'a> {
    arena: &'a Arena,
    plan: Option<PlanReport>,
    looked: usize,
    /// The largest shortfall from (G).
    worst: f64,
}

impl Probe for Lemma0<'_> {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn wants_sets(&self) -> bool {
        true
    }
    fn plan(&mut self, plan: &PlanReport) {
        self.plan = Some(plan.clone());
    }
    fn planned_set(&mut self, planned: &dyn ConfidenceSet) {
        let Some(mut set) = planned.support() else { return };
        let Some(plan) = self.plan.take() else { return };
        let (problem, exact) = (self.arena.problem(), self.arena.exact());
        let truth = self.arena.instance().truth().unwrap();
        let rate = 1.0 / plan.t.max(1) as f64;
        let unit = problem.costs().iter().copied().fold(0.0, f64::max);
        let mut phi = vec![0.0; problem.dim()];
        for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
            let v = plan.v[s];
            assert!(v >= 0.0 && v <= exact.v[s] * (1.0 + 1e-9) + 1e-9, "plan {}: {v} in {s}", plan.j);
            let mut least = f64::INFINITY;
            for p in problem.pairs_of(s) {
                let mean: f64 = problem
                    .successors(p)
                    .iter()
                    .zip(truth.row(problem, p))
                    .map(|(&n, p)| p * plan.v[n as usize])
                    .sum();
                assert!(v <= problem.cost(p) + mean + 1e-9, "plan {}: (O) in {s}", plan.j);
                problem.phi_v(p, &plan.v, &mut phi);
                let believed = set.min(&phi, &mut Warm::default()).value;
                least = least.min(problem.cost(p) + (1.0 - rate) * believed - rate * unit);
            }
            self.worst = self.worst.max(least - v);
            self.looked += 1;
        }
    }
}

impl Observer for Lemma0<'_> {
    fn plan(&mut self, plan: &Plan) -> Flow {
        // the plan first, then its set
        plan.learner.probe(&mut Last(&mut self.plan));
        plan.learner.probe(self);
        Flow::Continue(())
    }
}

struct Last<'a>(&'a mut Option<PlanReport>);

impl Probe for Last<'_> {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn plan(&mut self, plan: &PlanReport) {
        *self.0 = Some(plan.clone());
    }
}

#[test]
fn lemma_0_plans_are_optimistic_and_believe_in_some_theta() {
    for (arena, episodes) in worlds() {
        for set in ["outer", "cuts", "exact"] {
            let mut runner = Runner::new(&arena, spec(&[("set", set)], episodes / 10, 2)).unwrap();
            let mut lemma = Lemma0 { arena: &arena, plan: None, looked: 0, worst: 0.0 };
            runner.run(&mut [&mut lemma]).unwrap();
            assert!(lemma.looked > 10, "{} {set}", arena.world);
            assert!(lemma.worst <= 1e-9, "{} {set}: (G) is missed by {}", arena.world, lemma.worst);
        }
    }
}
