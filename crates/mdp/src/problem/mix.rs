//! Several known models over the same states as one learning problem.

use super::{Instance, Mixer, ROW_TOLERANCE, State, Truth, distinct_names, restart};
use crate::error::shown;
use crate::{Error, Result};

/// A learning problem from models with their names: one feature for each model, theta mixes them.
/// Errors and results call the models by these names. A name that stands there twice gets a number
/// (`calm`, `calm-2`).
///
/// States are matched by name if both models have names, each once, else by number; so are the
/// actions of a state. Start, goal and costs must agree, since a learner knows them; what does not
/// fit is named. That no weight is negative joins the problem's facts (that they sum to one follows
/// from the rows). `weights`, if known, are the problem's theta.
///
/// ```
/// use goalward_mdp::problem::{Instance, Problem, mix};
/// let coin = |heads: f64| -> goalward_mdp::Result<Instance> {
///     let mut builder = Problem::builder("coin", 2, 1);
///     builder.action(0, 1.0)?;
///     builder.feature(0, 0, 0, &[1.0 - heads])?.feature(0, 0, 1, &[heads])?;
///     Instance::new(builder.build()?, &[1.0])
/// };
/// let coins = [("fair".into(), coin(0.5)?), ("biased".into(), coin(0.9)?)];
/// let mixed = mix(&coins, Some(&[0.25, 0.75]))?;
/// assert_eq!(*mixed.problem.phi(0), [0.5, 0.09999999999999998, 0.5, 0.9]);
/// assert!((mixed.truth()?.row(&mixed.problem, 0)[1] - 0.8).abs() < 1e-15);
/// assert_eq!(mixed.problem.model_name(1), "biased");
/// # Ok::<(), goalward_mdp::Error>(())
/// ```
pub fn mix(models: &[(String, Instance)], weights: Option<&[f64]>) -> Result<Instance> {
    all(models)?.finish(weights)
}

/// As [`mix`], with [second chances](restart), and the states that have them: without `weights`
/// those that are lost whichever models take part.
pub fn mix_restarting(
    models: &[(String, Instance)],
    weights: Option<&[f64]>,
) -> Result<(Instance, Vec<State>)> {
    all(models)?.finish_restarting(weights)
}

fn all(models: &[(String, Instance)]) -> Result<Mixer> {
    let mut mixer = Mixer::new(models.len());
    for (name, model) in models {
        mixer.add(name, model)?;
    }
    Ok(mixer)
}

impl Mixer {
    /// The mixture.
    pub fn finish(self, weights: Option<&[f64]>) -> Result<Instance> {
        let mixed = self.blend(weights)?;
        mixed.problem.require_goal_in_reach()?;
        Ok(mixed)
    }

    /// The mixture with second chances, as [`mix_restarting`] gives it.
    pub fn finish_restarting(self, weights: Option<&[f64]>) -> Result<(Instance, Vec<State>)> {
        let models = self.own.len();
        let Instance { problem, truth, notes, .. } = self.blend(weights)?;
        let (instance, lost) = match &truth {
            Some(truth) => restart(&problem, truth)?,
            None => {
                let even = vec![1.0 / models as f64; models];
                restart(&problem, &Truth::new(&problem, &even)?)?
            }
        };
        instance.problem.require_goal_in_reach()?;
        Ok((Instance { truth: instance.truth.filter(|_| truth.is_some()), notes, ..instance }, lost))
    }

    /// The mixture, be the goal in reach or not.
    fn blend(mut self, weights: Option<&[f64]>) -> Result<Instance> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let names = distinct_names(&names);
        if let Some(weights) = weights.filter(|_| !names.is_empty()) {
            check_weights(weights, names.len())?;
        }
        let (name, notes) = (self.own.join("+"), std::mem::take(&mut self.notes));
        let mut builder = self.builder(&name)?;
        builder.simplex().allow_lost().model_names(names);
        let problem = builder.build()?;
        let truth = weights.map(|weights| Truth::new(&problem, weights)).transpose()?;
        let mut mixed = Instance::of(problem, truth);
        mixed.notes.extend(notes);
        Ok(mixed)
    }
}

fn check_weights(weights: &[f64], models: usize) -> Result<()> {
    let fault = |fault: String| Err(Error::Field { field: "weights".into(), fault });
    if weights.len() != models {
        return fault(format!("{} weights for {models} models", weights.len()));
    }
    if let Some(w) = weights.iter().find(|w| !(0.0..=1.0).contains(*w)) {
        return fault(format!("{} does not lie between 0 and 1", shown(*w)));
    }
    match weights.iter().sum::<f64>() {
        sum if (sum - 1.0).abs() <= ROW_TOLERANCE => Ok(()),
        sum => fault(format!("they sum to {}, not to 1 (tolerance {ROW_TOLERANCE:e})", shown(sum))),
    }
}
