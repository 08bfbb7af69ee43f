//! `psrl-random-mdp`: the random problem on which posterior sampling was tried.
//!
//! The paper says: 8 states, 2 actions, kernel and costs drawn uniformly at random, and a smallest
//! cost of 0.04. It leaves the law open. The reading here:
//!
//! * the goal is among the 8 states, as it is among the 12 of the paper's grid of 3 x 4; `states=8`
//!   is the other reading;
//! * every row is uniform on the simplex over these states and the goal (independent exponential
//!   weights, normalised);
//! * costs are uniform on [cost_min, 1], with cost_min = 0.04;
//! * the start is state 0.
//!
//! All is determined by `seed` and the sizes. Every action leads everywhere, so every policy is
//! proper.
//!
//! For learners of linear mixtures there are `dim` candidate models, drawn alike. The first is
//! the truth whatever their number, so that the kernel is the paper's.

use super::candidates::{Outcomes, absorb, all_on, mixture, number, pair};
use super::random_mixture::{COST_MIN, Costs, SEED, simplex_point};
use super::{MOST_NUMBERS, SIMPLEX, WorldEntry};
use crate::Result;
use crate::memory;
use crate::numeric::Stream;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, Problem};

pub(super) const ENTRY: WorldEntry = WorldEntry {
    id: "psrl-random-mdp",
    title: "a dense random kernel with random costs: 8 states with the goal, 2 actions",
    reference: "Jafarnia-Jahromi, Chen, Jain, Luo (UAI 2023), PSRL-SSP, section 5: RandomMDP",
    parameters: &[STATES.about(), ACTIONS.about(), DIM.about(), LEAST.about(), SEED.about(), SIMPLEX.about()],
    build,
};

const STATES: Key<u64> = Key::count("states", 1, 10_000, "the number of states before the goal").or("7");
const ACTIONS: Key<u64> = Key::count("actions", 1, 1_000, "the number of actions of every state").or("2");
const DIM: Key<u64> =
    Key::count("dim", 1, 64, "the number of candidate models d, 1 to 64; one of them is the truth").or("3");
const LEAST: Key<f64> = COST_MIN.or("0.04");

/// Labels of the streams: costs, and the kernels, each with its model's number.
const COSTS: u64 = 41;
const KERNEL: u64 = 42;

fn build(settings: &Reader) -> Result<Instance> {
    let (states, actions) = (settings.get(&STATES)? as usize, settings.get(&ACTIONS)? as usize);
    let dim = settings.get(&DIM)? as usize;
    let costs = Costs { least: settings.get(&LEAST)?, free: 0.0 };
    let seed = settings.get(&SEED)?;
    let rows = [actions, states + 1].iter().fold(states, |n, k| n.saturating_mul(*k));
    let numbers = rows.saturating_mul(dim);
    if numbers > MOST_NUMBERS {
        let reason =
            format!("states x actions x (states + 1) x dim is {numbers}; at most {MOST_NUMBERS} are built");
        return Err(settings.refuse(&STATES, reason));
    }
    memory::require("this world", Problem::bytes_of(states * actions, rows, dim))?;

    let mut paid = Stream::new(seed, &[COSTS]);
    let mut streams: Vec<Stream> = (0..dim as u64).map(|i| Stream::new(seed, &[KERNEL, i])).collect();
    let mut builder = Problem::builder(ENTRY.id, states + 1, dim);
    builder.heed(settings.halt()).start(0).goal(states);
    for s in 0..states {
        for _ in 0..actions {
            let row = |stream: &mut Stream| -> Outcomes {
                simplex_point(stream, states + 1).into_iter().enumerate().collect()
            };
            let models: Vec<Outcomes> = streams.iter_mut().map(row).collect();
            pair(&mut builder, s, costs.draw(&mut paid), &models)?;
        }
    }
    absorb(&mut builder, states, actions, dim)?;
    number(&mut builder, states, actions, states * actions);
    mixture(settings, builder, &all_on(0, dim))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Settings;
    use crate::worlds::build;
    use crate::worlds::tests::{optimal, settled};

    /// The law once more: rows and costs drawn by hand, solved by hand.
    #[test]
    fn values_are_those_of_the_law() {
        for seed in 0..5 {
            let instance = build("psrl-random-mdp", &Settings::new().set("seed", seed)).unwrap();
            let (mut rows, mut paid) = (Stream::new(seed, &[KERNEL, 0]), Stream::new(seed, &[COSTS]));
            let mut law = Vec::new();
            for _ in 0..14 {
                let weights: Vec<f64> = (0..8).map(|_| rows.exponential()).collect();
                let sum: f64 = weights.iter().sum();
                let cost = 0.04 + 0.96 * paid.uniform();
                let row: Outcomes = weights.iter().map(|w| w / sum).enumerate().collect();
                law.push((cost, row));
            }
            let v = settled(8, 7, |s| law[2 * s..2 * s + 2].to_vec());
            let best = optimal(&instance).v;
            assert!(v.iter().zip(&best).all(|(x, y)| (x - y).abs() < 1e-9), "{v:?} {best:?}");
            assert!(instance.problem.min_cost() >= 0.04);
        }
    }

    /// One state and one action: the goal is reached after 1/P(g) steps.
    #[test]
    fn a_single_state_is_geometric() {
        let settings = Settings::new().set("states", 1).set("actions", 1).set("seed", 9);
        let instance = build("psrl-random-mdp", &settings).unwrap();
        let chance = instance.truth().unwrap().row(&instance.problem, 0)[1];
        let v = optimal(&instance).v[0];
        assert!((v * chance / instance.problem.cost(0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn candidates_do_not_change_the_truth() {
        let kernel = |dim: u64| {
            let instance = build("psrl-random-mdp", &Settings::new().set("dim", dim)).unwrap();
            let (problem, truth) = (&instance.problem, instance.truth().unwrap());
            (0..problem.pairs()).flat_map(|p| truth.row(problem, p).to_vec()).collect::<Vec<f64>>()
        };
        let (one, five) = (kernel(1), kernel(5));
        assert!(one.iter().zip(&five).all(|(x, y)| (x - y).abs() < 1e-15));
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (key, value) in
            [("states", "0"), ("actions", "0"), ("dim", "65"), ("cost_min", "2"), ("seed", "-1")]
        {
            let error = build("psrl-random-mdp", &Settings::new().set(key, value)).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
        let large = Settings::new().set("states", 10_000);
        assert!(build("psrl-random-mdp", &large).unwrap_err().to_string().contains("at most"));
    }
}
