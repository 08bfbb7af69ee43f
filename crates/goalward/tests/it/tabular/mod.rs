//! Tabular learners against slow direct versions that share no code with them: all data are kept
//! as a list and counted anew for every plan, kernels are dense, and a problem is what its JSON
//! says. The direct versions draw from the same streams, so every action must be the same.

mod epochs;
mod forged;
mod intervals;
mod l1;
mod laws;
mod sampling;
mod stages;
mod visgo;

use crate::worlds_for_tests::{half_free, irregular, with_costs};
use goalward::files::json::to_json;
use goalward::learners::{self, Learner, Observed, Told, Transition};
use goalward::numeric::Stream;
use goalward::problem::{Instance, Problem};
use goalward::{Arena, Settings};
use serde_json::Value;
use std::sync::Arc;

/// The seed of the learners.
const SEED: u64 = 5;
/// The episodes that they are told.
const EPISODES: u64 = 1000;
/// The label of learners' streams.
const LABEL: u64 = 0x006c_6561_726e;
/// Their failure probability.
const DELTA: f64 = 0.01;
const TOLERANCE: f64 = 1e-9;

/// A problem and its truth, as the JSON tells it.
struct World {
    instance: Instance,
    start: usize,
    goal: usize,
    /// In the user's units: per state, per action.
    cost: Vec<Vec<f64>>,
    /// Where pairs may lead.
    next: Vec<Vec<Vec<usize>>>,
    /// Dense: per state, action and next state.
    kernel: Vec<Vec<Vec<f64>>>,
    /// The largest cost.
    unit: f64,
    /// What learners raise costs to, in units of the largest.
    floor: f64,
    /// States off the goal, and their pairs.
    off_goal: Vec<usize>,
    pairs: Vec<(usize, usize)>,
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

impl World {
    fn of(instance: Instance) -> World {
        let json: Value = serde_json::from_str(&to_json(&instance)).unwrap();
        let cost: Vec<Vec<f64>> = json["cost"].as_array().unwrap().iter().map(numbers).collect();
        let theta = numbers(&json["theta"]);
        let mut next: Vec<Vec<Vec<usize>>> = cost.iter().map(|c| vec![Vec::new(); c.len()]).collect();
        let mut kernel: Vec<Vec<Vec<f64>>> =
            cost.iter().map(|c| vec![vec![0.0; cost.len()]; c.len()]).collect();
        for feature in json["features"].as_array().unwrap() {
            let at = |i: usize| feature[i].as_u64().unwrap() as usize;
            let p = numbers(&feature[3]).iter().zip(&theta).map(|(x, y)| x * y).sum();
            next[at(0)][at(1)].push(at(2));
            kernel[at(0)][at(1)][at(2)] = p;
        }
        next.iter_mut().flatten().for_each(|row| row.sort_unstable());
        let at = |key: &str| json[key].as_u64().unwrap() as usize;
        let (start, goal) = (at("start"), at("goal"));
        let unit = cost.iter().flatten().copied().fold(0.0, f64::max);
        let off_goal: Vec<usize> = (0..cost.len()).filter(|&s| s != goal).collect();
        let pairs = off_goal.iter().flat_map(|&s| (0..cost[s].len()).map(move |a| (s, a))).collect();
        World { instance, start, goal, cost, next, kernel, unit, floor: 0.0, off_goal, pairs }
    }

    fn open(id: &str, settings: &Settings) -> World {
        World::of(Arena::open(id, settings).unwrap().instance().clone())
    }

    fn windy(n: usize) -> World {
        World::open("windy-grid", &Settings::new().set("n", n))
    }

    fn random(states: usize) -> World {
        World::open("random-mixture", &Settings::new().set("states", states).set("seed", 1))
    }

    fn hard() -> World {
        World::open("hard-instance", &Settings::new())
    }

    /// One action, that leads from one state to the goal with probability 1/2.
    fn lone() -> World {
        let model = vec![vec![vec![(0, 0.5), (1, 0.5)]], vec![]];
        let problem = Problem::from_models(&[("only", model)], &[vec![1.0], vec![]], 0, 1).unwrap();
        World::of(Instance::new(problem, &[1.0]).unwrap())
    }

    /// One action in each of two states, the first of which leads to the second or to the goal. The
    /// second costs 40 in the mean: whether it is met makes a great difference.
    fn swinging() -> World {
        let model = vec![vec![vec![(1, 0.5), (2, 0.5)]], vec![vec![(1, 0.975), (2, 0.025)]], vec![]];
        let costs = [vec![1.0], vec![1.0], vec![]];
        let problem = Problem::from_models(&[("only", model)], &costs, 0, 2).unwrap();
        World::of(Instance::new(problem, &[1.0]).unwrap())
    }

    /// A free action, which learners are to raise to this.
    fn half_free(floor: f64) -> World {
        World { floor, ..World::of(half_free()) }
    }

    /// An irregular one with costs of up to 1000.
    fn dear() -> World {
        let plain = irregular(4, 7, 2);
        let costs = plain.problem.costs().to_vec();
        World::of(with_costs(&plain, |p| 1000.0 * costs[p]))
    }

    fn states(&self) -> usize {
        self.cost.len()
    }

    /// S, A and S A of the formulas.
    fn sizes(&self) -> (f64, f64, f64) {
        let most = self.off_goal.iter().map(|&s| self.cost[s].len()).max().unwrap();
        (self.off_goal.len() as f64, most as f64, self.pairs.len() as f64)
    }

    /// In units of the largest, raised to the floor.
    fn c(&self, s: usize, a: usize) -> f64 {
        (self.cost[s][a] / self.unit).max(self.floor)
    }

    fn c_min(&self) -> f64 {
        self.pairs.iter().map(|&(s, a)| self.c(s, a)).fold(f64::INFINITY, f64::min)
    }

    /// A number for every pair, none at the goal.
    fn table(&self) -> Vec<Vec<f64>> {
        self.cost.iter().map(|c| vec![0.0; c.len()]).collect()
    }

    /// Where a learner believes that a pair may lead.
    fn believed(&self, known: bool, s: usize, a: usize) -> Vec<usize> {
        if known { self.next[s][a].clone() } else { (0..self.states()).collect() }
    }

    /// How often each pair led to each state in these steps.
    fn counts(&self, steps: &[Step]) -> Vec<Vec<Vec<f64>>> {
        let mut counts: Vec<Vec<Vec<f64>>> =
            self.cost.iter().map(|c| vec![vec![0.0; self.states()]; c.len()]).collect();
        steps.iter().for_each(|x| counts[x.s][x.a][x.next] += 1.0);
        counts
    }

    /// Q from V, then V from Q, from V = 0 on, until told to stop by V before and after. Gives Q,
    /// both V and the number of sweeps.
    fn sweep(
        &self,
        backup: impl Fn(usize, usize, &[f64]) -> f64,
        mut stop: impl FnMut(&[f64], &[f64], u64) -> bool,
    ) -> Swept {
        let mut before = vec![0.0; self.states()];
        for sweeps in 1.. {
            let mut q = self.table();
            for &(s, a) in &self.pairs {
                q[s][a] = backup(s, a, &before);
            }
            let v = self.values(&q);
            if stop(&before, &v, sweeps) {
                return Swept { q, before, v, sweeps };
            }
            before = v;
        }
        unreachable!()
    }

    /// V = min Q, 0 at the goal.
    fn values(&self, q: &[Vec<f64>]) -> Vec<f64> {
        let least = |s: usize| q[s].iter().copied().fold(f64::INFINITY, f64::min);
        (0..self.states()).map(|s| if s == self.goal { 0.0 } else { least(s) }).collect()
    }

    /// A greedy policy, ties broken state by state, those of the goal's actions as well.
    fn policy(&self, q: &[Vec<f64>], ties: &mut Stream) -> Vec<usize> {
        q.iter().map(|q| if q.len() > 1 { greedy(q, ties) } else { 0 }).collect()
    }
}

/// What value iteration ended with.
struct Swept {
    q: Vec<Vec<f64>>,
    before: Vec<f64>,
    v: Vec<f64>,
    sweeps: u64,
}

/// The largest change between two value functions.
fn change(before: &[f64], after: &[f64]) -> f64 {
    before.iter().zip(after).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

fn mean(p: &[f64], v: &[f64]) -> f64 {
    p.iter().zip(v).map(|(p, v)| p * v).sum()
}

fn variance(p: &[f64], v: &[f64]) -> f64 {
    let mean = mean(p, v);
    p.iter().zip(v).map(|(p, v)| p * (v - mean) * (v - mean)).sum()
}

/// argmin, ties within 1e-9 broken uniformly.
fn greedy(q: &[f64], ties: &mut Stream) -> usize {
    let least = q.iter().copied().fold(f64::INFINITY, f64::min);
    let best: Vec<usize> = (0..q.len()).filter(|&a| q[a] <= least + 1e-9 * least.abs().max(1.0)).collect();
    if best.len() == 1 { best[0] } else { best[ties.below(best.len())] }
}

fn ties() -> Stream {
    Stream::new(SEED, &[LABEL])
}

/// One step of a run.
#[derive(Clone, Copy)]
struct Step {
    s: usize,
    a: usize,
    next: usize,
}

/// A direct version of a learner, for costs in units of the largest.
trait Direct {
    /// Plans before the first step, if it does.
    fn first(&mut self) -> bool {
        false
    }
    fn act(&mut self, s: usize) -> usize;
    /// Learns from the last of all steps, which was visit n of its pair; whether it planned.
    fn step(&mut self, all: &[Step], n: usize) -> bool;
    fn q(&self) -> &[Vec<f64>];
    fn v(&self) -> &[f64];
    /// Sweeps of the last plan, where both can be told to stop at the same.
    fn sweeps(&self) -> Option<u64> {
        None
    }
}

/// What a comparison looked at.
#[derive(Default)]
struct Tally {
    plans: usize,
    /// Steps after which some Q was another.
    changes: usize,
    /// In units of the largest cost.
    largest: f64,
}

impl Tally {
    fn and(self, other: Tally) -> Tally {
        Tally {
            plans: self.plans + other.plans,
            changes: self.changes + other.changes,
            largest: self.largest.max(other.largest),
        }
    }
}

fn built(world: &World, id: &str, settings: &Settings) -> Learner {
    let problem = Arc::clone(&world.instance.problem);
    learners::entry(id).unwrap().build(&problem, settings, SEED, EPISODES, Told::default()).unwrap()
}

/// All Q and V of the learner against the direct ones.
fn agree(what: &str, world: &World, learner: &Learner, direct: &dyn Direct) {
    let close = |ours: f64, theirs: f64, what: String| {
        let theirs = theirs * world.unit;
        let room = TOLERANCE * theirs.abs().max(world.unit);
        assert!((ours - theirs).abs() <= room, "{what}: {ours}, directly {theirs}");
    };
    for &(s, a) in &world.pairs {
        let q = learner.q(s, a).unwrap().unwrap();
        close(q, direct.q()[s][a], format!("{what}: Q({s},{a})"));
    }
    for s in 0..world.states() {
        close(learner.value(s).unwrap().unwrap(), direct.v()[s], format!("{what}: V({s})"));
    }
}

/// A simulated run of so many steps, the learner's actions and values compared at each.
fn compare(world: &World, id: &str, settings: &Settings, steps: usize, direct: &mut dyn Direct) -> Tally {
    let mut learner = built(world, id, settings);
    let mut luck = Stream::new(17, &[0x6c75_636b]);
    let (mut all, mut s, mut tally) = (Vec::new(), world.start, Tally::default());
    let mut visits: Vec<Vec<usize>> = world.cost.iter().map(|c| vec![0; c.len()]).collect();
    let first = direct.first();
    assert_eq!(learner.catch_up() == Observed::Planned, first, "{id}: a plan before the first step");
    for t in 1..=steps {
        let what = format!("{id} at {t}");
        let a = learner.act(s).unwrap();
        assert_eq!(a, direct.act(s), "{what}: the action in state {s}");
        let (mut u, mut next) = (luck.uniform(), world.next[s][a][0]);
        for &to in &world.next[s][a] {
            next = to;
            u -= world.kernel[s][a][to];
            if u < 0.0 {
                break;
            }
        }
        let cost = world.cost[s][a];
        let seen = learner.observe(&Transition { state: s, action: a, cost, next }).unwrap();
        all.push(Step { s, a, next });
        let before = direct.q().to_vec();
        visits[s][a] += 1;
        let planned = direct.step(&all, visits[s][a]);
        assert_eq!(seen == Observed::Planned, planned, "{what}: a plan");
        agree(&what, world, &learner, direct);
        if planned && let Some(sweeps) = direct.sweeps() {
            assert_eq!(learner.last_plan().unwrap().sweeps, sweeps, "{what}: sweeps");
        }
        tally.plans += usize::from(planned);
        tally.changes += usize::from(before != direct.q());
        tally.largest = direct.q().iter().flatten().copied().fold(tally.largest, f64::max);
        s = next;
        if s == world.goal {
            learner.end_episode();
            s = world.start;
        }
    }
    tally
}
