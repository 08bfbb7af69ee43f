//! What the regret theorem counts on: fits near the maximum, every action that may be taken, and
//! steps that the learner decided.

use goalward::Settings;
use goalward::confidence::{Facts, Guarantee, Holds, Kind, LikelihoodKeeper, Look, Net};
use goalward::episode::{Agent, Arena, RunSpec, Runner};
use goalward::estimate::Seen;
use goalward::learners::{PlanReport, Probe, Reason};
use goalward::numeric::Stream;
use goalward::numeric::support::ConvexSet;
use goalward::problem::{Instance, Problem, State};
use goalward::{Learner, Transition, worlds};

/// The net, and the keeper whose fit it weighs.
#[derive(Default)]
struct Weighed(Option<LikelihoodKeeper>, Net);

impl Probe for Weighed {
    fn wants_estimate(&self) -> bool {
        false
    }
    fn likelihood(&mut self, keeper: &LikelihoodKeeper) {
        self.0 = Some(keeper.clone());
    }
    fn net(&mut self, net: &Net) {
        self.1 = net.clone();
    }
}

fn ended(arena: &Arena, settings: Settings, episodes: u64, seed: u64) -> (Weighed, Guarantee) {
    let spec = RunSpec::new("lr", episodes).settings(settings).seed(seed);
    let mut runner = Runner::new(arena, spec).unwrap();
    runner.run(&mut []).unwrap();
    let mut weighed = Weighed::default();
    runner.learner().probe(&mut weighed);
    (weighed, runner.guarantee().unwrap())
}

/// Gamma_T contains gamma_hat: with no bound on that in advance there is none on the regret.
#[test]
fn gamma_hat_is_at_most_m_wherever_theorem_2_is_claimed() {
    for (world, key, value, episodes) in [
        ("windy-grid", "n", "3", 600),
        ("hard-instance", "dim", "2", 3000),
        ("random-mixture", "states", "6", 2000),
    ] {
        let arena = Arena::open(world, &Settings::new().set(key, value)).unwrap();
        let (Weighed(keeper, net), told) = ended(&arena, Settings::new(), episodes, 1);
        let (keeper, looks) = (keeper.unwrap(), net.largest_ratio().1);
        let m = keeper.likelihood().seen_directions() as f64;
        let gap = net.theory(&keeper).gamma_hat;
        assert!(looks > 2 && gap > 0.0 && gap <= m, "{world}: {gap} for m = {m} in {looks} looks");
        assert!(told.of(Kind::Regret).unwrap().statement.contains("Theorem 2"), "{world}");
    }
}

/// The proof asks for a good fit at looks and at plans over the likelihood set itself. A rough one
/// at any other plan takes nothing from the claim.
#[test]
fn an_ordinary_run_keeps_the_theorem_in_advance() {
    let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    for (seed, delta) in [(2, 0.01), (1, 0.1), (3, 0.1), (4, 0.24), (5, 0.24)] {
        let (Weighed(_, net), told) = ended(&arena, Settings::new().set("delta", delta), 200, seed);
        assert_eq!(net.missed(), 0, "{seed} {delta}");
        assert!(told.of(Kind::Regret).unwrap().statement.contains("Theorem 2"), "{seed} {delta}");
    }
}

/// A keeper with so many transitions of pairs drawn at random, the last of which its fit does not
/// know, the set of its first plan, and the directions of B.
fn stale(steps: usize) -> (LikelihoodKeeper, ConvexSet, usize) {
    let settings = Settings::new().set("states", 6).set("dim", 4);
    let world = worlds::build("random-mixture", &settings).unwrap();
    let (problem, truth) = (&world.problem, world.truth().unwrap());
    let mut keeper = LikelihoodKeeper::new(problem, 0.01);
    let planned = keeper.update().set.unwrap();
    let mut draw = Stream::new(1, &[]);
    let pairs: Vec<usize> =
        (0..problem.pairs()).filter(|&p| !problem.pairs_of(problem.goal()).contains(&p)).collect();
    for _ in 0..steps {
        let p = pairs[draw.below(pairs.len())];
        let next = truth.sample(problem, p, draw.uniform());
        assert_eq!(keeper.observe(p, next), Seen::Counted);
    }
    (keeper, planned, problem.constraints().free())
}

#[test]
fn a_plan_over_the_set_itself_counts_on_its_fit() {
    let (mut keeper, mut planned, _) = stale(4000);
    let t = keeper.likelihood().total();
    let noted = |keeper: &LikelihoodKeeper, planned: &mut ConvexSet, demanded: bool| {
        let mut net = Net::default();
        if demanded {
            net.demand_exact(keeper);
        }
        net.planned_exactly(keeper, planned, 1.0);
        (net.next_look() > t + 1, net.missed())
    };
    // with a fit that is far off it is looked at like any other; what was demanded is missing
    assert_eq!(noted(&keeper, &mut planned, false), (false, 0));
    assert_eq!(noted(&keeper, &mut planned, true).1, 1);
    planned = keeper.update().set.unwrap();
    assert_eq!(noted(&keeper, &mut planned, false), (true, 0));
    assert_eq!(noted(&keeper, &mut planned, true), (true, 0));
}

/// Demands about plans over the set itself are counted by how far these are from the data. Where
/// that is too much to compute, such a demand is no part of the count.
#[test]
fn a_demand_without_a_distance_is_a_miss_once_the_set_itself_is_planned_over() {
    let (keeper, mut planned, k) = stale(4000);
    let far_and_many = |_: &LikelihoodKeeper, _: &mut ConvexSet| vec![1e3; k << 20];
    let mut net = Net::default();
    assert_eq!(net.look(&keeper, &mut planned, 1e-3, far_and_many), Look::Refuted);
    assert_eq!(net.missed(), 0);
    net.demand_exact(&keeper);
    assert_eq!(net.look(&keeper, &mut planned, 1e-3, far_and_many), Look::Refuted);
    assert_eq!(net.missed(), 1);
}

/// Two actions that cost the same and differ in nothing, or in whose weight they depend on.
fn twins(alike: bool) -> Instance {
    let mut builder = Problem::builder("twins", 2, if alike { 2 } else { 3 });
    builder.start(0).goal(1);
    for i in [1, 2] {
        let a = builder.action(0, 1.0).unwrap();
        let row = |weight: f64| match (alike, i) {
            (true, _) => vec![0.5, weight],
            (false, 1) => vec![0.5, weight, 0.0],
            (false, _) => vec![0.5, 0.0, weight],
        };
        builder.feature(0, a, 1, &row(0.4)).unwrap();
        builder.feature(0, a, 0, &row(-0.4)).unwrap();
    }
    let theta: &[f64] = if alike { &[1.0, 0.0] } else { &[1.0, 0.0, 0.0] };
    Instance::new(builder.build().unwrap(), theta).unwrap()
}

/// Ties are broken by a draw: the net looks at what the plan believes of each that may be drawn.
#[test]
fn the_net_looks_at_every_action_that_may_be_taken() {
    let arena = Arena::new("twins", &Settings::new(), twins(true)).unwrap();
    let settings = Settings::new().set("set", "exact").set("net", 1e-3);
    let spec = RunSpec::new("lr", 150).settings(settings).seed(1);
    let mut runner = Runner::new(&arena, spec).unwrap();
    runner.run(&mut []).unwrap();
    let state = serde_json::to_value(runner.learner().snapshot()).unwrap();
    let believed = state["algorithm"]["believed"].as_array().map(Vec::len);
    let k = arena.problem().constraints().free();
    assert_eq!(believed, Some(2 * k), "{state}");
}

#[derive(Default)]
struct Reasons(Vec<(u64, Reason)>);

impl Probe for Reasons {
    fn plan(&mut self, plan: &PlanReport) {
        if self.0.last() != Some(&(plan.t, plan.reason)) {
            self.0.push((plan.t, plan.reason));
        }
    }
}

fn lr(world: &Instance) -> Learner {
    Agent::new(world, RunSpec::new("lr", 10)).unwrap().learner
}

/// As much is known of both actions when a plan is made, after 16 steps. From then on one of them is
/// taken, and fails. The plans that follow, until the time has doubled.
fn plans_when_one_fails(failing: usize) -> Vec<(u64, Reason)> {
    let mut learner = lr(&twins(false));
    let mut reasons = Reasons::default();
    let mut step = |action: usize, next: State| {
        learner.act(0).unwrap();
        learner.observe(&Transition { state: 0, action, cost: 1.0, next }).unwrap();
        learner.probe(&mut reasons);
    };
    (0..16).for_each(|t| step(t % 2, usize::from(t / 2 % 2 == 0)));
    (16..31).for_each(|_| step(failing, 0));
    reasons.0.retain(|(t, _)| *t > 16);
    reasons.0
}

/// The data refute what the plan believes of one action that it may take, whichever that is.
#[test]
fn data_against_any_action_that_may_be_taken_call_for_a_plan() {
    for plans in [0, 1].map(plans_when_one_fails) {
        let (t, reason) = plans[0];
        assert!(t < 25 && reason == Reason::Information, "{plans:?}");
    }
}

/// A bound on the regret is about a learner's own decisions. Sets, optimism and the certificate hold
/// whatever is done.
#[test]
fn steps_of_others_take_the_regret_from_the_claim_and_nothing_else() {
    let world = worlds::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
    let known = Facts { mixture: Some(true), ..Facts::default() };
    let told = |learner: &Learner| {
        let told = learner.claim().unwrap().check(&known);
        [Kind::Set, Kind::Optimism, Kind::Certificate, Kind::Regret].map(|kind| told.of(kind).unwrap().holds)
    };
    let step = |learner: &mut Learner, state: State, other: bool| {
        let action = learner.act(state).unwrap();
        let action = if other { (action + 1) % world.problem.actions(state) } else { action };
        let pair = world.problem.pair(state, action);
        let next = world.problem.successors(pair)[0] as usize;
        learner.observe(&Transition { state, action, cost: world.problem.cost(pair), next }).unwrap();
        next
    };
    let mut own = lr(&world);
    let at = step(&mut own, 0, false);
    step(&mut own, at, false);
    assert_eq!(told(&own), [Holds::Yes; 4]);
    let mut advised = lr(&world);
    step(&mut advised, 0, true);
    assert_eq!(told(&advised), [Holds::Yes, Holds::Yes, Holds::Yes, Holds::No]);
    // it is remembered, and so is an episode that was broken off
    let mut again = lr(&world);
    again.restore(&advised.snapshot()).unwrap();
    assert_eq!(told(&again)[3], Holds::No);
    let mut broken_off = lr(&world);
    let at = step(&mut broken_off, 0, false);
    let elsewhere = (0..world.problem.states()).find(|s| ![at, world.problem.goal()].contains(s)).unwrap();
    step(&mut broken_off, elsewhere, false);
    assert_eq!(told(&broken_off)[3], Holds::No);
}
