//! `random-mixture`: a random sparse kernel that mixes random candidate models.
//!
//! The start is state 0, the goal the last state. Every pair (s,a) off the goal has one set of
//! `successors` distinct states, drawn uniformly among all states and shared by all models, so that
//! rows stay sparse whatever the number of models. Model i gives it random probabilities
//! (independent exponential weights, normalised: uniform on the simplex) times 1 - goal_prob, and
//! the goal goal_prob on top. Costs are uniform on [cost_min, 1], or zero for a share `free` of the
//! pairs; theta is uniform on the simplex. All is determined by `seed` and the other parameters.
//!
//! From every state every action reaches the goal with probability at least goal_prob > 0 at once,
//! under every mixture: every policy is proper, T* <= 1/goal_prob and B* <= 1/goal_prob.

use super::candidates::{absorb, mixture, number};
use super::{SIMPLEX, WorldEntry};
use crate::Result;
use crate::memory;
use crate::numeric::Stream;
use crate::numeric::halt::Halt;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem, ProblemBuilder};
use std::collections::BTreeSet;

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "random-mixture",
    title: "random sparse models and a random mixture of them; every policy reaches the goal",
    reference: "goalward; after the random (Garnet) problems of Archibald, McKinnon and Thomas (1995)",
    parameters: &[
        STATES.about(),
        ACTIONS.about(),
        DIM.about(),
        SUCCESSORS.about(),
        COST_MIN.about(),
        FREE.about(),
        GOAL_PROB.about(),
        SEED.about(),
        SIMPLEX.about(),
    ],
    build,
};

const STATES: Key<u64> =
    Key::count("states", 2, 10_000_000, "the number of states, the goal included").or("20");
const ACTIONS: Key<u64> = Key::count("actions", 1, 10_000, "the number of actions of every state").or("3");
const DIM: Key<u64> = Key::count("dim", 1, 256, "the number of candidate models d, 1 to 256").or("4");
const SUCCESSORS: Key<u64> = Key::count(
    "successors",
    1,
    u32::MAX as u64,
    "how many states an action may lead to, besides the goal's own share; at most states",
)
.or("3");
pub(super) const COST_MIN: Key<f64> =
    Key::number("cost_min", 0.0, 1.0, "costs are uniform between this and 1").or("0.1");
pub(super) const FREE: Key<f64> =
    Key::number("free", 0.0, 1.0, "the share of actions, in the mean, that cost nothing").or("0");
const GOAL_PROB: Key<f64> = Key::number(
    "goal_prob",
    0.0,
    1.0,
    "the probability, above 0, with which every action leads straight to the goal",
)
.or("0.05");
pub(super) const SEED: Key<u64> =
    Key::count("seed", 0, u64::MAX, "determines all that is random, 0 to 2^64 - 1").or("0");

/// Labels of the streams: the kernel and costs, and the true weights.
const KERNEL: u64 = 1;
const WEIGHTS: u64 = 2;
/// The most feature rows times dim: the time to fill them. Memory is asked for besides.
const MOST_NUMBERS: usize = 4_000_000_000;

fn build(settings: &Reader) -> Result<Instance> {
    let states = settings.get(&STATES)? as usize;
    let actions = settings.get(&ACTIONS)? as usize;
    let dim = settings.get(&DIM)? as usize;
    let successors = settings.get(&SUCCESSORS)? as usize;
    if successors > states {
        let reason = format!("it must lie between 1 and {states}, the number of states (states={states})");
        return Err(settings.refuse(&SUCCESSORS, reason));
    }
    let (cost_min, goal_prob) = (settings.get(&COST_MIN)?, settings.get(&GOAL_PROB)?);
    let seed = settings.get(&SEED)?;
    if goal_prob == 0.0 {
        let reason = "it must be above 0: it is what makes the goal reachable from every state".into();
        return Err(settings.refuse(&GOAL_PROB, reason));
    }
    let numbers = [actions, dim, successors + 1].iter().fold(states, |n, k| n.saturating_mul(*k));
    if numbers > MOST_NUMBERS {
        let reason = format!(
            "states x actions x (successors + 1) x dim is {numbers}; at most {MOST_NUMBERS} numbers are built"
        );
        return Err(settings.refuse(&STATES, reason));
    }
    let pairs = states * actions;
    memory::require("this world", Problem::bytes_of(pairs, pairs * (successors + 1), dim))?;

    let costs = Costs { least: cost_min, free: settings.get(&FREE)? };
    let law = Law { states, actions, dim, successors, costs, goal_prob };
    let theta = simplex_point(&mut Stream::new(seed, &[WEIGHTS]), dim);
    mixture(settings, law.builder(seed, settings.halt())?, &theta)
}

/// What is random, by which law.
struct Law {
    states: usize,
    actions: usize,
    dim: usize,
    successors: usize,
    costs: Costs,
    goal_prob: f64,
}

/// Random costs: nothing for some, uniform between the least and 1 for the others.
#[derive(Clone, Copy)]
pub(super) struct Costs {
    pub(super) least: f64,
    pub(super) free: f64,
}

impl Costs {
    pub(super) fn draw(self, stream: &mut Stream) -> f64 {
        let cost = self.least + (1.0 - self.least) * stream.uniform();
        // where nothing is free, nothing more is drawn
        if self.free > 0.0 && stream.uniform() < self.free { 0.0 } else { cost }
    }
}

impl Law {
    fn builder(&self, seed: u64, halt: &Halt) -> Result<ProblemBuilder> {
        let Law { states, actions, dim, successors, costs, goal_prob } = *self;
        let goal = states - 1;
        let mut stream = Stream::new(seed, &[KERNEL]);
        let mut builder = Problem::builder(ENTRY.id, states, dim);
        builder.heed(halt).start(0).goal(goal);
        let (mut reached, mut models, mut phi) = (Vec::new(), Vec::new(), vec![0.0; dim]);
        for s in 0..goal {
            for a in 0..actions {
                builder.action(s, costs.draw(&mut stream))?;
                distinct_into(&mut stream, successors, states, &mut reached);
                models.clear();
                (0..dim).for_each(|_| add_simplex_point(&mut stream, successors, &mut models));
                // the goal's share lands on its own row, whether or not the goal was drawn
                let drawn = reached.binary_search(&goal).ok();
                if drawn.is_none() {
                    reached.push(goal);
                }
                for (k, &next) in reached.iter().enumerate() {
                    let share = if next == goal { goal_prob } else { 0.0 };
                    for (phi, weights) in phi.iter_mut().zip(models.chunks_exact(successors)) {
                        *phi = share + (1.0 - goal_prob) * weights.get(k).copied().unwrap_or(0.0);
                    }
                    builder.feature(s, a, next, &phi)?;
                }
            }
        }
        absorb(&mut builder, goal, actions, dim)?;
        number(&mut builder, goal, actions, states * actions);
        Ok(builder)
    }
}

/// `count` distinct numbers below n, uniformly, in ascending order (Floyd's algorithm: one draw for
/// each).
pub(super) fn distinct(stream: &mut Stream, count: usize, n: usize) -> Vec<usize> {
    let mut drawn = Vec::new();
    distinct_into(stream, count, n, &mut drawn);
    drawn
}

/// The same, in room that is there.
fn distinct_into(stream: &mut Stream, count: usize, n: usize, drawn: &mut Vec<usize>) {
    // a few numbers are kept in order faster by moving them, many are not
    const FEW: usize = 64;
    drawn.clear();
    if count <= FEW {
        for last in n - count..n {
            let draw = stream.below(last + 1);
            match drawn.binary_search(&draw) {
                Err(at) => drawn.insert(at, draw),
                Ok(_) => drawn.push(last), // larger than all before it
            }
        }
        return;
    }
    let mut set = BTreeSet::new();
    for last in n - count..n {
        let draw = stream.below(last + 1);
        if !set.insert(draw) {
            set.insert(last);
        }
    }
    drawn.extend(set);
}

/// A uniform point of the simplex.
pub(super) fn simplex_point(stream: &mut Stream, n: usize) -> Vec<f64> {
    let mut point = Vec::new();
    add_simplex_point(stream, n, &mut point);
    point
}

/// The same, at the end of what is there.
fn add_simplex_point(stream: &mut Stream, n: usize, points: &mut Vec<f64>) {
    // an exponential draw can be exactly 0; all of them being so would leave nothing to normalise
    // by
    let first = points.len();
    points.extend((0..n).map(|_| stream.exponential().max(f64::MIN_POSITIVE)));
    let sum: f64 = points[first..].iter().sum();
    points[first..].iter_mut().for_each(|w| *w /= sum);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::json::to_json;
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::optimal;

    #[test]
    fn every_policy_is_proper_and_costs_are_in_range() {
        for seed in 0..20 {
            let settings = Settings::new().set("seed", seed).set("successors", 1 + seed % 5);
            let instance = build("random-mixture", &settings).unwrap();
            let (problem, truth) = (&instance.problem, instance.truth().unwrap());
            for s in 0..problem.goal() {
                for p in problem.pairs_of(s) {
                    assert!((0.1..=1.0).contains(&problem.cost(p)));
                    assert_eq!(problem.successors(p).last(), Some(&19));
                    assert!(truth.row(problem, p).last().unwrap() >= &(0.05 - 1e-12));
                    assert!(problem.successors(p).len() as u64 <= 2 + seed % 5);
                }
            }
            let best = optimal(&instance);
            assert!(best.v.iter().zip(&best.steps).all(|(v, t)| *v <= 20.0 + 1e-9 && *t <= 20.0 + 1e-9));
            assert!(truth.theta().unwrap().iter().all(|x| *x > 0.0));
        }
    }

    #[test]
    fn the_seed_determines_all() {
        let of = |seed: u64| to_json(&build("random-mixture", &Settings::new().set("seed", seed)).unwrap());
        assert_eq!(of(u64::MAX), of(u64::MAX));
        assert_ne!(of(0), of(1));
    }

    #[test]
    fn corner_cases() {
        let corner = Settings::new().set("states", 2).set("successors", 2).set("dim", 1).set("goal_prob", 1);
        let instance = build("random-mixture", &corner).unwrap();
        assert!(optimal(&instance).v[0] <= 1.0);
        for (key, value, part) in [
            ("goal_prob", "0", "reachable"),
            ("successors", "21", "states=20"),
            ("seed", "-1", "whole number"),
            ("states", "1", "between 2"),
            ("cost_min", "1.5", "between 0 and 1"),
        ] {
            let error = build("random-mixture", &Settings::new().set(key, value)).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(key), "{error}");
        }
        let large = Settings::new().set("states", 1_000_000).set("actions", 10_000);
        assert!(build("random-mixture", &large).unwrap_err().to_string().contains("numbers are built"));
    }

    #[test]
    fn distinct_draws_are_distinct_and_cover_all() {
        let mut stream = Stream::new(3, &[]);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            let drawn = distinct(&mut stream, 3, 6);
            assert!(drawn.len() == 3 && drawn.windows(2).all(|w| w[0] < w[1]));
            drawn.iter().for_each(|&k| seen[k] += 1);
        }
        assert!(seen.iter().all(|n| (2800..3200).contains(n)), "{seen:?}");
    }
}
