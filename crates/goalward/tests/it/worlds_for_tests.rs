//! Problems that no built-in world covers, and built-in worlds in small.

use goalward::Settings;
use goalward::numeric::Stream;
use goalward::problem::{Instance, Model, Problem, ProblemBuilder};

/// Settings with which a built-in world is small, and can be solved: a lake needs second chances.
pub(crate) fn small(id: &str) -> Settings {
    let settings = Settings::new();
    match id {
        "windy-grid" => settings.set("n", 3),
        "random-mixture" => settings.set("states", 6),
        "corridor" => settings.set("length", 4),
        "rosenberg" => settings.set("states", 2).set("actions", 3),
        "psrl-random-mdp" => settings.set("states", 4),
        "psrl-gridworld" => settings.set("rows", 2).set("columns", 3),
        "river-swim" => settings.set("length", 3),
        "cliff" => settings.set("rows", 2).set("columns", 3),
        "frozen-lake" => settings.set("restart", true),
        "delivery" => settings.set("n", 3),
        "racetrack" => settings.set("map", "corner"),
        _ => settings,
    }
}

/// Worlds with hundreds of states even in small: they are too large for runs of every learner with
/// every setting.
pub(crate) const LARGE: [&str; 2] = ["taxi", "racetrack"];

/// One to five actions per state, shuffled state numbers, a start and a goal in the middle, d
/// candidate models, costs in [0.1, 1]; every pair reaches the goal with probability at least 0.1
/// in every model.
pub(crate) fn irregular(seed: u64, states: usize, dim: usize) -> Instance {
    let mut draw = Stream::new(seed, &[0x7465_7374]);
    let goal = states / 2;
    let start = (goal + 1 + draw.below(states - 1)) % states;
    let actions: Vec<usize> = (0..states).map(|s| if s == goal { 0 } else { 1 + draw.below(5) }).collect();
    let costs: Vec<Vec<f64>> =
        actions.iter().map(|&n| (0..n).map(|_| 0.1 + 0.9 * draw.uniform()).collect()).collect();
    let supports: Vec<Vec<Vec<usize>>> = actions
        .iter()
        .map(|&n| (0..n).map(|_| (0..1 + draw.below(3)).map(|_| draw.below(states)).collect()).collect())
        .collect();
    let models: Vec<Model> = (0..dim)
        .map(|_| {
            let row = |support: &Vec<usize>, draw: &mut Stream| {
                let weights: Vec<f64> = support.iter().map(|_| draw.exponential()).collect();
                let total: f64 = weights.iter().sum();
                let mut row: Vec<(usize, f64)> =
                    support.iter().zip(&weights).map(|(&s, w)| (s, 0.9 * w / total)).collect();
                row.push((goal, 1.0 - row.iter().map(|x| x.1).sum::<f64>()));
                row
            };
            supports.iter().map(|s| s.iter().map(|support| row(support, &mut draw)).collect()).collect()
        })
        .collect();
    let weights: Vec<f64> = (0..dim).map(|_| draw.exponential()).collect();
    let total: f64 = weights.iter().sum();
    let theta: Vec<f64> = weights.iter().map(|w| w / total).collect();
    let mut builder = ProblemBuilder::from_models("irregular", &models, &costs).unwrap();
    builder.start(start).goal(goal);
    Instance::new(builder.build().unwrap(), &theta).unwrap()
}

/// A state whose only action is free, before one whose action costs 1: for learners that take zero
/// costs.
pub(crate) fn half_free() -> Instance {
    let mut builder = Problem::builder("half-free", 3, 2);
    for (s, cost) in [(0, 0.0), (1, 1.0)] {
        let a = builder.action(s, cost).unwrap();
        builder.feature(s, a, s, &[0.5, 0.25]).unwrap();
        builder.feature(s, a, s + 1, &[0.5, 0.75]).unwrap();
    }
    Instance::new(builder.build().unwrap(), &[0.5, 0.5]).unwrap()
}

/// The same problem and truth with other costs off the goal, by the number of the pair.
pub(crate) fn with_costs(instance: &Instance, cost: impl Fn(usize) -> f64) -> Instance {
    let problem = &instance.problem;
    let mut builder = Problem::builder(problem.name(), problem.states(), problem.dim());
    builder.start(problem.start()).goal(problem.goal());
    for s in 0..problem.states() {
        for p in problem.pairs_of(s) {
            let a = builder.action(s, if s == problem.goal() { 0.0 } else { cost(p) }).unwrap();
            for (&next, phi) in problem.successors(p).iter().zip(problem.phi(p).chunks_exact(problem.dim())) {
                builder.feature(s, a, next as usize, phi).unwrap();
            }
        }
    }
    Instance::new(builder.build().unwrap(), instance.truth().unwrap().theta().unwrap()).unwrap()
}
