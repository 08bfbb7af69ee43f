//! Several known models over the same states as one learning problem: the truth is some mixture of
//! them.

use super::{
    Action, Instance, Model, Note, Problem, ProblemBuilder, ROW_TOLERANCE, State, Truth, distinct_names,
    restart,
};
use crate::error::shown;
use crate::{Error, Result};
use std::borrow::Cow;
use std::collections::HashMap;

/// How far two costs that should be the same may be apart, relative to the larger or to 1.
const COST_TOLERANCE: f64 = 1e-9;

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
/// use goalward::problem::{Instance, Problem, mix};
/// let coin = |heads: f64| -> goalward::Result<Instance> {
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
/// # Ok::<(), goalward::Error>(())
/// ```
pub fn mix(models: &[(String, Instance)], weights: Option<&[f64]>) -> Result<Instance> {
    let mixed = blend(models, weights)?;
    mixed.problem.require_goal_in_reach()?;
    Ok(mixed)
}

/// As [`mix`], with second chances: states from which the goal cannot be reached lead back to the
/// start ([`restart`]). Also gives these states. Without `weights` they are those that are lost
/// whichever models take part.
pub fn mix_restarting(
    models: &[(String, Instance)],
    weights: Option<&[f64]>,
) -> Result<(Instance, Vec<State>)> {
    let Instance { problem, truth, notes, .. } = blend(models, weights)?;
    let (instance, lost) = match &truth {
        Some(truth) => restart(&problem, truth)?,
        None => {
            let even = vec![1.0 / models.len() as f64; models.len()];
            restart(&problem, &Truth::new(&problem, &even)?)?
        }
    };
    instance.problem.require_goal_in_reach()?;
    Ok((Instance { truth: instance.truth.filter(|_| truth.is_some()), notes, ..instance }, lost))
}

/// The mixture, be the goal in reach or not.
fn blend(models: &[(String, Instance)], weights: Option<&[f64]>) -> Result<Instance> {
    let [(_, first), ..] = models else {
        return Err(Error::Field { field: "models".into(), fault: "there is no model to mix".into() });
    };
    if let Some(weights) = weights {
        check_weights(weights, models.len())?;
    }
    let shape = &*first.problem;
    let kernels = models.iter().map(|model| kernel(&models[0], model)).collect::<Result<Vec<_>>>()?;
    let costs: Vec<Vec<f64>> =
        (0..shape.states()).map(|s| shape.pairs_of(s).map(|p| shape.cost(p)).collect()).collect();
    let names: Vec<&str> = models.iter().map(|(_, model)| model.problem.name()).collect();
    let mut builder = ProblemBuilder::from_models(&names.join("+"), &kernels, &costs)?;
    builder.start(shape.start()).goal(shape.goal()).simplex().allow_lost();
    builder.model_names(distinct_names(&models.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>()));
    let named = |get: fn(&Problem) -> bool| models.iter().map(|(_, m)| &*m.problem).find(|p| get(p));
    if let Some(names) = named(|p| p.state_names().is_some()).and_then(Problem::state_names) {
        builder.state_names(names.to_vec());
    }
    if let Some(names) = named(|p| p.action_names().is_some()).and_then(Problem::action_names) {
        builder.action_names(names.to_vec());
    }
    let problem = builder.build()?;
    let truth = weights.map(|weights| Truth::new(&problem, weights)).transpose()?;
    let mut mixed = Instance::of(problem, truth);
    for (name, model) in models {
        // what was done to a model was done to the mixture
        let said = |note: &Note| Note { message: format!("{name}: {}", note.message), ..note.clone() };
        mixed.notes.extend(model.notes.iter().map(said));
    }
    Ok(mixed)
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

/// The kernel of a model in the numbers of the first.
fn kernel(first: &(String, Instance), model: &(String, Instance)) -> Result<Model> {
    let (ours, theirs, truth) = (&*first.1.problem, &*model.1.problem, model.1.truth()?);
    let misfit = |fault: String| Error::Mismatch { first: first.0.clone(), second: model.0.clone(), fault };
    if ours.states() != theirs.states() {
        return Err(misfit(format!("{} states, not {}", theirs.states(), ours.states())));
    }
    // their number of each of our states, and ours of each of theirs
    let own_names = ours.state_names().is_some() && theirs.state_names().is_some();
    let theirs_of = matched(
        own_names,
        &(0..ours.states()).map(|s| ours.state_name(s)).collect::<Vec<_>>(),
        &(0..theirs.states()).map(|s| theirs.state_name(s)).collect::<Vec<_>>(),
    )
    .map_err(|missing| misfit(format!("it has no state {missing}")))?;
    let mut ours_of = vec![0; ours.states()];
    theirs_of.iter().enumerate().for_each(|(s, &other)| ours_of[other] = s);
    for (what, s, other) in [("goal", ours.goal(), theirs.goal()), ("start", ours.start(), theirs.start())] {
        if theirs_of[s] != other {
            let (s, other) = (ours.state_name(s), theirs.state_name(other));
            return Err(misfit(format!("its {what} is state {other}, not state {s}")));
        }
    }
    let mut kernel = Vec::with_capacity(ours.states());
    for s in 0..ours.states() {
        let mut rows = Vec::with_capacity(ours.actions(s));
        for (a, other) in actions(ours, s, theirs, theirs_of[s]).map_err(misfit)?.into_iter().enumerate() {
            let (p, q) = (ours.pair(s, a), theirs.pair(theirs_of[s], other));
            let (cost, their_cost) = (ours.cost(p), theirs.cost(q));
            if (cost - their_cost).abs() > COST_TOLERANCE * cost.abs().max(their_cost.abs()).max(1.0) {
                let (state, action) = (ours.state_name(s), ours.action_name(s, a));
                let (cost, their_cost) = (shown(cost), shown(their_cost));
                return Err(misfit(format!(
                    "state {state}, action {action}: the cost is {their_cost}, not {cost}; a \
                     learner must know the cost \
                     (cost=1 charges every step alike)"
                )));
            }
            let successors = theirs.successors(q).iter().zip(truth.row(theirs, q));
            rows.push(
                successors.filter(|(_, p)| **p > 0.0).map(|(&t, &p)| (ours_of[t as State], p)).collect(),
            );
        }
        kernel.push(rows);
    }
    Ok(kernel)
}

/// Their number of each of our actions in a state.
fn actions(ours: &Problem, s: State, theirs: &Problem, other: State) -> Result<Vec<Action>, String> {
    let (n, m) = (ours.actions(s), theirs.actions(other));
    let state = ours.state_name(s);
    if n != m {
        return Err(format!("state {state} has {m} actions, not {n}"));
    }
    let own_names = ours.action_names().is_some() && theirs.action_names().is_some();
    matched(
        own_names,
        &(0..n).map(|a| ours.action_name(s, a)).collect::<Vec<_>>(),
        &(0..m).map(|a| theirs.action_name(other, a)).collect::<Vec<_>>(),
    )
    .map_err(|missing| format!("state {state} has no action {missing}"))
}

/// The place of each of our names among theirs, or our first that is missing; by number unless
/// names are to be used and stand once each.
fn matched(by_name: bool, ours: &[Cow<str>], theirs: &[Cow<str>]) -> Result<Vec<usize>, String> {
    let places: HashMap<&str, usize> = theirs.iter().enumerate().map(|(i, name)| (&**name, i)).collect();
    let once =
        |names: &[Cow<str>]| names.iter().map(|name| &**name).collect::<std::collections::HashSet<_>>().len();
    if !by_name || once(ours) < ours.len() || places.len() < theirs.len() {
        return Ok((0..ours.len()).collect());
    }
    ours.iter().map(|name| places.get(&**name).copied().ok_or_else(|| name.to_string())).collect()
}
