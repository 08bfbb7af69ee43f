//! Bernstein-SSP, directly (algorithms.md, section 5.1).

use super::{DELTA, Direct, EPISODES, Step, Tally, World, built, change, compare, ties};
use crate::worlds_for_tests::irregular;
use goalward::Settings;
use goalward::learners::{Observed, Transition};
use goalward::numeric::Stream;

struct Bernstein<'a> {
    world: &'a World,
    known: bool,
    scale: f64,
    /// How many steps there were when the epoch began.
    began: usize,
    policy: Vec<usize>,
    q: Vec<Vec<f64>>,
    v: Vec<f64>,
    sweeps: u64,
    ties: Stream,
}

impl<'a> Bernstein<'a> {
    fn new(world: &'a World, known: bool, scale: f64) -> Self {
        let (q, v, policy) = (world.table(), vec![0.0; world.states()], vec![0; world.states()]);
        Bernstein { world, known, scale, began: 0, policy, q, v, sweeps: 0, ties: ties() }
    }

    fn plan(&mut self, all: &[Step]) {
        let (world, known, scale) = (self.world, self.known, self.scale);
        let counts = world.counts(all);
        let mut kept = world.counts(&[]);
        for &(s, a) in &world.pairs {
            let visits: f64 = counts[s][a].iter().sum();
            let n = visits.max(1.0);
            let width = (world.sizes().2 * n / DELTA).ln() / n;
            for next in 0..world.states() {
                let p = counts[s][a][next] / n;
                kept[s][a][next] = (p - scale * (28.0 * width + 4.0 * (p * width).sqrt())).max(0.0);
            }
        }
        let backup = |s: usize, a: usize, v: &[f64]| {
            // what the goal keeps needs no thought: it is free
            let rest = 1.0 - world.off_goal.iter().map(|&n| kept[s][a][n]).sum::<f64>();
            let value: f64 = world.off_goal.iter().map(|&n| kept[s][a][n] * v[n]).sum();
            let rest = if known {
                // the goal keeps its own, if it can be reached at all
                let rest = rest - kept[s][a][world.goal];
                rest * world.next[s][a].iter().map(|&n| v[n]).fold(f64::INFINITY, f64::min)
            } else {
                0.0 * rest
            };
            world.c(s, a) + value + rest
        };
        let swept = world.sweep(backup, |before, after, _| change(before, after) <= 1e-8);
        (self.q, self.v, self.sweeps) = (swept.q, swept.v, swept.sweeps);
        self.policy = world.policy(&self.q, &mut self.ties);
        self.began = all.len();
    }
}

impl Direct for Bernstein<'_> {
    fn first(&mut self) -> bool {
        self.plan(&[]);
        true
    }

    fn act(&mut self, s: usize) -> usize {
        self.policy[s]
    }

    fn step(&mut self, all: &[Step], _: usize) -> bool {
        let next = all[all.len() - 1].next;
        // after the goal comes the start
        let s = if next == self.world.goal { self.world.start } else { next };
        let visits = |steps: &[Step]| steps.iter().filter(|x| x.s == s && x.a == self.policy[s]).count();
        let ends = visits(&all[self.began..]) >= visits(&all[..self.began]);
        if ends {
            self.plan(all);
        }
        ends
    }

    fn q(&self) -> &[Vec<f64>] {
        &self.q
    }

    fn v(&self) -> &[f64] {
        &self.v
    }

    fn sweeps(&self) -> Option<u64> {
        Some(self.sweeps)
    }
}

fn run(world: &World, scale: f64, known: bool, steps: usize) -> Tally {
    let mut direct = Bernstein::new(world, known, scale);
    let support = if known { "known" } else { "unknown" };
    let settings = Settings::new().set("scale", scale).set("support", support);
    compare(world, "bernstein-ssp", &settings, steps, &mut direct)
}

#[test]
fn plans_are_those_of_bernstein_ssp() {
    let (grid, other) = (World::windy(3), World::of(irregular(3, 9, 3)));
    let tally = run(&grid, 1e-3, false, 4_000).and(run(&grid, 1e-2, true, 2_000));
    assert!(tally.largest > 2.0, "{}", tally.largest);
    let tally = tally.and(run(&other, 1e-3, true, 3_000)).and(run(&World::random(6), 1e-2, false, 2_000));
    let tally = tally.and(run(&World::windy(6), 1e-3, false, 6_000));
    assert!(tally.plans >= 500, "{}", tally.plans);
    // with the paper's constants
    let tally = run(&grid, 1.0, false, 3_000);
    assert!(tally.plans >= 50 && tally.largest == 1.0, "{} {}", tally.plans, tally.largest);
    let tally = run(&World::hard(), 1.0, false, 3_000).and(run(&grid, 1.0, true, 2_000));
    assert!(tally.plans >= 5 && tally.largest > 1.0, "{} {}", tally.plans, tally.largest);
}

#[test]
fn plans_do_not_depend_on_units() {
    let tally = run(&World::dear(), 1e-5, false, 2_000);
    assert!(tally.plans >= 15 && tally.largest > 1.0, "{} {}", tally.plans, tally.largest);
}

/// The visits of the pair that an episode begins with double at most, though the goal is before it.
#[test]
fn an_epoch_ends_at_the_goal_too() {
    let world = World::hard();
    let mut learner = built(&world, "bernstein-ssp", &Settings::new());
    learner.catch_up();
    let (mut visits, mut began) = ([0u64; 2], [0u64; 2]);
    let mut epochs = 0;
    for _ in 0..200 {
        let action = learner.act(world.start).unwrap();
        let cost = world.cost[world.start][action];
        visits[action] += 1;
        let step = Transition { state: world.start, action, cost, next: world.goal };
        let planned = learner.observe(&step).unwrap() == Observed::Planned;
        learner.end_episode();
        let doubled = visits[action] >= 2 * began[action];
        assert_eq!(planned, doubled, "{visits:?} {began:?}");
        if planned {
            (began, epochs) = (visits, epochs + 1);
        }
    }
    assert!((8..=16).contains(&epochs), "{epochs}");
}

/// Free actions cost what the paper says: S^2 A/K.
#[test]
fn zero_costs_are_raised() {
    let tally = run(&World::half_free(2.0 * 2.0 * 1.0 / EPISODES as f64), 1e-3, false, 500);
    assert!(tally.plans >= 5 && tally.largest > 1.0, "{} {}", tally.plans, tally.largest);
}
