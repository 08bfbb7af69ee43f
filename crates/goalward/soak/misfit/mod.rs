//! Learners in worlds that are mixtures of their models, and in worlds that are not.

#![allow(dead_code, unreachable_pub)]

use goalward::learners::{self, Learner, OnMisfit, Told, Transition, Vigilance};
use goalward::numeric::{Portable, Stream};
use goalward::{Problem, Settings, worlds};
use std::sync::Arc;

/// A problem, and what truly comes after each of its pairs.
pub struct World {
    pub name: String,
    pub problem: Arc<Problem>,
    pub kernel: Vec<Vec<(usize, f64)>>,
}

/// The rows of a mixture.
fn mixture(problem: &Problem, theta: &[f64]) -> Vec<Vec<(usize, f64)>> {
    let row = |p: usize| {
        let phi = problem.phi(p);
        let probabilities =
            phi.chunks_exact(problem.dim()).map(|phi| phi.iter().zip(theta).map(|(x, t)| x * t).sum::<f64>());
        problem.successors(p).iter().map(|&s| s as usize).zip(probabilities).collect()
    };
    (0..problem.pairs()).map(row).collect()
}

/// A built-in world as it is.
pub fn right(world: &str, settings: &[(&str, &str)]) -> World {
    let given = settings.iter().fold(Settings::new(), |all, (key, value)| all.set(key, *value));
    let instance = worlds::build(world, &given).unwrap();
    let kernel = mixture(&instance.problem, instance.truth().unwrap().theta().unwrap());
    let words: String = settings.iter().map(|(key, value)| format!(" {key}={value}")).collect();
    World { name: format!("{world}{words}"), problem: instance.problem, kernel }
}

/// `windy-grid` with a sixth wind of this weight, which no learner knows of: it reverses the chosen
/// move. Every cell that it leads to is a possible successor all the same.
pub fn reversed(n: u64, weight: f64) -> World {
    reversing(&Settings::new().set("n", n), weight)
}

/// The same with further settings of the grid.
pub fn reversing(settings: &Settings, weight: f64) -> World {
    let instance = worlds::build("windy-grid", settings).unwrap();
    let (problem, truth) = (instance.problem.clone(), instance.truth().unwrap());
    let mut kernel = mixture(&problem, truth.theta().unwrap());
    let calm = mixture(&problem, &[1.0, 0.0, 0.0, 0.0, 0.0]);
    for s in (0..problem.states()).filter(|&s| s != problem.goal()) {
        for a in 0..problem.actions(s) {
            // right, down, left, up
            let back = &calm[problem.pair(s, (a + 2) % 4)];
            let (cell, _) = *back.iter().find(|(_, p)| *p > 0.5).unwrap();
            for (next, p) in &mut kernel[problem.pair(s, a)] {
                *p = (1.0 - weight) * *p + if *next == cell { weight } else { 0.0 };
            }
        }
    }
    World { name: format!("windy-grid with moves reversed in {weight} of the steps"), problem, kernel }
}

impl World {
    /// What comes after a pair.
    pub fn draw(&self, pair: usize, uniform: f64) -> usize {
        let mut left = uniform;
        for (next, p) in &self.kernel[pair] {
            left -= p;
            if left < 0.0 {
                return *next;
            }
        }
        // rounding
        self.kernel[pair].iter().rev().find(|(_, p)| *p > 0.0).unwrap().0
    }

    /// A learner that has seen nothing.
    pub fn learner(&self, id: &str, settings: &Settings, seed: u64, vigilance: Vigilance) -> Learner {
        let entry = learners::entry(id).unwrap();
        let learner = entry.build(&self.problem, settings, seed, 1000, Told::default()).unwrap();
        learners::vigilant(learner, &vigilance, seed, 1000).unwrap()
    }

    /// Makes so many steps, or as many as it takes until every mixture is rejected.
    pub fn go(&self, learner: &mut Learner, seed: u64, steps: u64) {
        let problem = &self.problem;
        let (mut luck, mut state) = (Stream::new(seed, &[0x6d69_7366]), problem.start());
        while learner.clock().t < steps && learner.rejected().is_none() {
            let action = learner.act(state).unwrap();
            let pair = problem.pair(state, action);
            let next = self.draw(pair, luck.uniform());
            learner.observe(&Transition { state, action, cost: problem.cost(pair), next }).unwrap();
            state = next;
            if next == problem.goal() {
                learner.end_episode();
                state = problem.start();
            }
        }
    }

    /// When every mixture was rejected, if that was within so many steps.
    pub fn rejected(&self, id: &str, settings: &Settings, seed: u64, alpha: f64, steps: u64) -> Option<u64> {
        let vigilance = Vigilance { level: alpha, on_misfit: OnMisfit::Warn };
        let mut learner = self.learner(id, settings, seed, vigilance);
        self.go(&mut learner, seed, steps);
        learner.rejected()
    }
}

/// Worlds whose truth is a mixture, also at the boundary of all mixtures.
pub fn well_specified() -> Vec<World> {
    vec![
        right("windy-grid", &[("n", "3")]),
        right("windy-grid", &[("n", "3"), ("theta", "1,0,0,0,0")]),
        right("windy-grid", &[("n", "3"), ("theta", "0,0.5,0.5,0,0"), ("simplex", "true")]),
        right("windy-grid", &[("n", "5")]),
        right("random-mixture", &[]),
        right("hard-instance", &[("dim", "4")]),
        right("corridor", &[]),
        right("corridor", &[("simplex", "true")]),
    ]
}

/// The one-sided 95 % upper limit of Clopper and Pearson for so many of so many.
pub fn upper_limit(hits: u64, n: u64) -> f64 {
    // P(X <= hits) for X binomial(n, p)
    let at_most = |p: f64| -> f64 {
        let mut term = n as f64 * (-p).log_1p();
        let mut sum = term.exp_e();
        for i in 0..hits {
            term += ((n - i) as f64 / (i + 1) as f64).log_e() + p.log_e() - (-p).log_1p();
            sum += term.exp_e();
        }
        sum
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if at_most(middle) > 0.05 { low = middle } else { high = middle }
    }
    high
}
