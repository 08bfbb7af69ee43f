//! What worlds share whose truth mixes candidate models: a pair from the outcomes under each model,
//! the goal's own pairs, weights that are a mixture.

use super::SIMPLEX;
use crate::parameters::{Key, Reader};
use crate::problem::{Instance, ProblemBuilder, State};
use crate::{Error, Result};
use goalward_mdp::shown;

/// Where a step may lead under one model, with probabilities; a state that stands there twice has
/// both.
pub(super) type Outcomes = Vec<(State, f64)>;

/// Adds an action of `s` with its outcomes under each model.
pub(super) fn pair(builder: &mut ProblemBuilder, s: State, cost: f64, models: &[Outcomes]) -> Result<()> {
    let mut pair = PairOf::new(models.len());
    for (model, outcomes) in models.iter().enumerate() {
        outcomes.iter().for_each(|&(next, probability)| pair.leads(next, model, probability));
    }
    pair.put(builder, s, cost)
}

/// A pair that is being put together, with room that serves the next one too.
pub(super) struct PairOf {
    outcomes: Vec<(State, usize, f64)>,
    phi: Vec<f64>,
}

impl PairOf {
    pub(super) fn new(models: usize) -> PairOf {
        PairOf { outcomes: Vec::new(), phi: vec![0.0; models] }
    }

    /// Where a model leads, with a probability; what comes twice adds up.
    pub(super) fn leads(&mut self, next: State, model: usize, probability: f64) {
        self.outcomes.push((next, model, probability));
    }

    pub(super) fn put(&mut self, builder: &mut ProblemBuilder, s: State, cost: f64) -> Result<()> {
        let a = builder.action(s, cost)?;
        self.outcomes.sort_by_key(|(next, ..)| *next);
        for same in self.outcomes.chunk_by(|(one, ..), (other, ..)| one == other) {
            self.phi.fill(0.0);
            same.iter().for_each(|(_, model, probability)| self.phi[*model] += probability);
            builder.feature(s, a, same[0].0, &self.phi)?;
        }
        self.outcomes.clear();
        Ok(())
    }
}

/// Adds actions of the goal, which stay there and cost nothing.
pub(super) fn absorb(builder: &mut ProblemBuilder, goal: State, actions: usize, dim: usize) -> Result<()> {
    for _ in 0..actions {
        let a = builder.action(goal, 0.0)?;
        builder.feature(goal, a, goal, &vec![1.0; dim])?;
    }
    Ok(())
}

/// The mixture of a builder's models with these weights. What learners are told of their signs is
/// the user's choice.
pub(super) fn mixture(settings: &Reader, mut builder: ProblemBuilder, theta: &[f64]) -> Result<Instance> {
    if settings.get(&SIMPLEX)? {
        builder.simplex();
    }
    Instance::new(builder.build()?, theta)
}

/// Beyond this number of pairs states and actions have no names, which would take as much memory as
/// a tenth of the features.
pub(super) const MOST_NAMED: usize = 10_000;

/// Names states and actions by their numbers, where there are few.
pub(super) fn number(builder: &mut ProblemBuilder, goal: State, actions: usize, pairs: usize) {
    if pairs <= MOST_NAMED {
        builder.name_states((0..goal).map(|s| format!("s{s}")).chain(["goal".to_string()]));
        let names: Vec<String> = (0..actions).map(|a| format!("a{a}")).collect();
        builder.name_actions((0..=goal).map(|_| &names));
    }
}

pub(super) fn names(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

/// The unit vector: all weight on one of `dim` models.
pub(super) fn all_on(model: usize, dim: usize) -> Vec<f64> {
    (0..dim).map(|i| if i == model { 1.0 } else { 0.0 }).collect()
}

/// The weights of the models, checked here so that the error is about the parameter and not
/// about a row of the kernel.
pub(super) fn weights(settings: &Reader, key: &Key<Vec<f64>>, models: usize) -> Result<Vec<f64>> {
    let theta = settings.get(key)?;
    let refuse = |reason: String| -> Result<Vec<f64>, Error> { Err(settings.refuse(key, reason)) };
    let sum: f64 = theta.iter().sum();
    if theta.len() != models {
        refuse(format!("{} weights for {models} models", theta.len()))
    } else if theta.iter().any(|x| *x < 0.0) {
        refuse("the weights of a mixture are not negative".into())
    } else if (sum - 1.0).abs() > 1e-9 {
        refuse(format!("the weights sum to {}, not to 1", shown(sum)))
    } else {
        Ok(theta)
    }
}
