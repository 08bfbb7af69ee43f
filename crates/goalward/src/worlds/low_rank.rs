//! `low-rank`: pairs that mix a few latent kernels, with weights that are known.
//!
//! There are `rank` latent kernels, which are distributions over next states: nu_1 .. nu_r. Pair
//! (s,a) follows P(s'|s,a) = sum over i of psi_i(s,a) nu_i(s') and costs the same mixture of latent
//! costs. The weights psi(s,a) are known: the actions of a state weigh the latent kernels
//! differently. The latent kernels are not known: each has `dim` candidates, and theta mixes these,
//! with the same weights for all. So the problem is a linear mixture of dimension `dim`, and a
//! linear SSP with `rank` features, however many states and actions there are.
//!
//! Latent kernel i leads to `successors` states, drawn uniformly and shared by all its candidates,
//! with random probabilities times 1 - goal_prob, and to the goal with goal_prob on top. The first
//! leads to the goal besides: it is among its successors. Psi is drawn so that most of the weight
//! is on one latent kernel (cubes of exponential draws, normalised). Latent costs are uniform on
//! [cost_min, 1], theta is uniform on the simplex, and all is determined by `seed` and the other
//! parameters.
//!
//! Every action reaches the goal with probability at least goal_prob at once: T* <= 1/goal_prob.

use super::candidates::{absorb, mixture, number};
use super::random_mixture::{SEED, distinct, simplex_point};
use super::{MOST_NUMBERS, SIMPLEX, WorldEntry};
use crate::Result;
use crate::memory;
use crate::numeric::Stream;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem};
use std::collections::BTreeMap;

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "low-rank",
    title: "every action mixes a few latent kernels, with known weights: a linear SSP of few features",
    reference: "goalward; after the linear MDPs of Jin, Yang, Wang and Jordan (2020)",
    parameters: &[
        STATES.about(),
        ACTIONS.about(),
        RANK.about(),
        DIM.about(),
        SUCCESSORS.about(),
        COST_MIN.about(),
        GOAL_PROB.about(),
        SEED.about(),
        SIMPLEX.about(),
    ],
    build,
};

const STATES: Key<u64> = Key::count("states", 2, 100_000, "the number of states, the goal included").or("12");
const ACTIONS: Key<u64> = Key::count("actions", 1, 10_000, "the number of actions of every state").or("3");
const RANK: Key<u64> = Key::count("rank", 1, 256, "the number of latent kernels, 1 to 256").or("4");
const DIM: Key<u64> =
    Key::count("dim", 1, 256, "the number of candidates for every latent kernel, 1 to 256").or("3");
const SUCCESSORS: Key<u64> = Key::count(
    "successors",
    1,
    u32::MAX as u64,
    "how many states a latent kernel may lead to, besides the goal's own share; at most states",
)
.or("3");
const COST_MIN: Key<f64> =
    Key::number("cost_min", 0.0, 1.0, "latent costs are uniform between this and 1").or("0.1");
const GOAL_PROB: Key<f64> = Key::number(
    "goal_prob",
    0.0,
    1.0,
    "the probability, above 0, with which every latent kernel leads straight to the goal",
)
.or("0.05");

/// Labels of the streams: the latent kernels with their costs, the pairs' weights, and theta.
const LATENT: u64 = 1;
const PSI: u64 = 2;
const WEIGHTS: u64 = 3;

fn build(settings: &Reader) -> Result<Instance> {
    let [states, actions, rank, dim] = [
        settings.get(&STATES)? as usize,
        settings.get(&ACTIONS)? as usize,
        settings.get(&RANK)? as usize,
        settings.get(&DIM)? as usize,
    ];
    let successors = settings.get(&SUCCESSORS)? as usize;
    if successors > states {
        let reason = format!("it must lie between 1 and {states}, the number of states (states={states})");
        return Err(settings.refuse(&SUCCESSORS, reason));
    }
    let goal_prob = settings.get(&GOAL_PROB)?;
    if goal_prob == 0.0 {
        let reason = "it must be above 0: it is what makes the goal reachable from every state".into();
        return Err(settings.refuse(&GOAL_PROB, reason));
    }
    let (pairs, row) = (states * actions, (rank * (successors + 1)).min(states));
    let numbers = pairs.saturating_mul(row).saturating_mul(dim);
    if numbers > MOST_NUMBERS {
        let reason = format!("the features are up to {numbers} numbers; at most {MOST_NUMBERS} are built");
        return Err(settings.refuse(&STATES, reason));
    }
    memory::require("this world", Problem::bytes_of(pairs, pairs * row, dim))?;
    let (cost_min, seed) = (settings.get(&COST_MIN)?, settings.get(&SEED)?);

    let goal = states - 1;
    let mut stream = Stream::new(seed, &[LATENT]);
    let latent: Vec<Latent> = (0..rank)
        .map(|i| {
            let must = (i == 0).then_some(goal);
            Latent::draw(&mut stream, (states, must), successors, dim, (cost_min, goal_prob))
        })
        .collect();
    let mut builder = Problem::builder(ENTRY.id, states, dim);
    builder.heed(settings.halt()).start(0).goal(goal);
    let mut stream = Stream::new(seed, &[PSI]);
    for s in 0..goal {
        for a in 0..actions {
            let psi = weights(&mut stream, rank);
            builder.action(s, psi.iter().zip(&latent).map(|(psi, latent)| psi * latent.cost).sum())?;
            for (next, phi) in mixed(&psi, &latent, dim) {
                builder.feature(s, a, next, &phi)?;
            }
        }
    }
    absorb(&mut builder, goal, actions, dim)?;
    number(&mut builder, goal, actions, pairs);
    let theta = simplex_point(&mut Stream::new(seed, &[WEIGHTS]), dim);
    mixture(settings, builder, &theta)
}

/// A latent kernel: its cost, and for each next state a probability by every candidate.
struct Latent {
    cost: f64,
    rows: BTreeMap<usize, Vec<f64>>,
}

impl Latent {
    fn draw(
        stream: &mut Stream,
        (states, must): (usize, Option<usize>),
        successors: usize,
        dim: usize,
        (cost_min, goal_prob): (f64, f64),
    ) -> Latent {
        let goal = states - 1;
        let cost = cost_min + (1.0 - cost_min) * stream.uniform();
        let mut reached = distinct(stream, successors, states);
        if let Some(must) = must.filter(|must| !reached.contains(must)) {
            reached[0] = must;
        }
        let mut rows: BTreeMap<usize, Vec<f64>> = BTreeMap::from([(goal, vec![goal_prob; dim])]);
        for candidate in 0..dim {
            for (&next, share) in reached.iter().zip(simplex_point(stream, successors)) {
                rows.entry(next).or_insert_with(|| vec![0.0; dim])[candidate] += (1.0 - goal_prob) * share;
            }
        }
        Latent { cost, rows }
    }
}

/// Weights of a pair, most of it on one latent kernel.
fn weights(stream: &mut Stream, rank: usize) -> Vec<f64> {
    let cubes: Vec<f64> = (0..rank).map(|_| stream.exponential().max(1e-6).powi(3)).collect();
    let sum: f64 = cubes.iter().sum();
    cubes.into_iter().map(|w| w / sum).collect()
}

/// The features of a pair: the mixture of the latent kernels, candidate by candidate.
fn mixed(psi: &[f64], latent: &[Latent], dim: usize) -> BTreeMap<usize, Vec<f64>> {
    let mut rows: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (psi, latent) in psi.iter().zip(latent) {
        for (&next, by) in &latent.rows {
            let row = rows.entry(next).or_insert_with(|| vec![0.0; dim]);
            row.iter_mut().zip(by).for_each(|(x, p)| *x += psi * p);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use crate::files::json::to_json;
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::optimal;

    #[test]
    fn every_policy_is_proper_and_actions_differ() {
        let mut spread = 0;
        for seed in 0..10 {
            let instance = build("low-rank", &Settings::new().set("seed", seed)).unwrap();
            let (problem, truth) = (&instance.problem, instance.truth().unwrap());
            for s in 0..problem.goal() {
                for p in problem.pairs_of(s) {
                    assert!((0.1..=1.0).contains(&problem.cost(p)));
                    assert!(truth.row(problem, p).last().unwrap() >= &(0.05 - 1e-12));
                    assert!((truth.row(problem, p).iter().sum::<f64>() - 1.0).abs() < 1e-12);
                }
            }
            let best = optimal(&instance);
            assert!(best.v.iter().zip(&best.steps).all(|(v, t)| *v <= 20.0 + 1e-9 && *t <= 20.0 + 1e-9));
            spread +=
                usize::from(best.v[..11].iter().copied().fold(f64::INFINITY, f64::min) < 0.8 * best.v[0]);
        }
        assert!(spread >= 3, "values differ from state to state in {spread} of 10");
    }

    /// With one latent kernel all pairs are alike: V* = cost / probability of the goal, by hand.
    #[test]
    fn one_latent_kernel_in_closed_form() {
        let settings =
            Settings::new().set("rank", 1).set("dim", 1).set("successors", 1).set("goal_prob", 0.2);
        let instance = build("low-rank", &settings).unwrap();
        let (problem, best) = (&instance.problem, optimal(&instance));
        // the only successor is the goal
        assert_eq!(problem.successors(0), [11]);
        assert!((best.v[0] - problem.cost(0)).abs() < 1e-12);
        let settings = settings.set("successors", 12);
        let instance = build("low-rank", &settings).unwrap();
        let (problem, best) = (&instance.problem, optimal(&instance));
        let to_goal = instance.truth().unwrap().row(problem, 0).last().copied().unwrap();
        assert!((best.v[3] - problem.cost(0) / to_goal).abs() < 1e-9);
    }

    #[test]
    fn the_seed_determines_all_and_limits_are_named() {
        let of = |seed: u64| to_json(&build("low-rank", &Settings::new().set("seed", seed)).unwrap());
        assert_eq!(of(5), of(5));
        assert_ne!(of(0), of(1));
        for (key, value, part) in [
            ("goal_prob", "0", "reachable"),
            ("successors", "13", "states=12"),
            ("rank", "0", "between 1"),
            ("states", "1", "between 2"),
        ] {
            let error = build("low-rank", &Settings::new().set(key, value)).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(key), "{error}");
        }
        let large = Settings::new().set("states", 100_000).set("actions", 10_000);
        assert!(build("low-rank", &large).unwrap_err().to_string().contains("are built"));
    }
}
