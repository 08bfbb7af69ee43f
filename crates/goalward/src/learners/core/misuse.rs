//! What a learner is not told: questions and steps that cannot be.

use super::algorithm::Transition;
use crate::problem::{Action, Pair, Problem, State};
use crate::{Error, Result};

/// A cost may be off by so much, relative to the larger of the two: it may have been computed in
/// another order.
const ROUNDING: f64 = 1e-9;

/// The number of actions to choose from in a state; an error where there is no choice to make.
pub(in crate::learners) fn choices(problem: &Problem, s: State, t: u64) -> Result<usize> {
    let fault = if s >= problem.states() {
        no_state(problem, s)
    } else if s == problem.goal() {
        format!("there is no action to take at the goal {}: the episode is over", problem.state_name(s))
    } else {
        return Ok(problem.actions(s));
    };
    Err(Error::Misuse { t, fault })
}

pub(in crate::learners) fn state(problem: &Problem, s: State, t: u64) -> Result<()> {
    match s < problem.states() {
        true => Ok(()),
        false => Err(Error::Misuse { t, fault: no_state(problem, s) }),
    }
}

/// The number of a pair; an error if the state or the action does not exist.
pub(in crate::learners) fn pair(problem: &Problem, s: State, a: Action, t: u64) -> Result<Pair> {
    state(problem, s, t)?;
    match a < problem.actions(s) {
        true => Ok(problem.pair(s, a)),
        false => Err(Error::Misuse { t, fault: no_action(problem, s, a) }),
    }
}

/// A policy with an action for every state, and no other; anything will do at the goal.
pub(in crate::learners) fn is_policy(problem: &Problem, policy: &[Action]) -> bool {
    let fits = |(s, &a): (State, &Action)| s == problem.goal() || a < problem.actions(s);
    policy.len() == problem.states() && policy.iter().enumerate().all(fits)
}

/// The pair of a step between states that exist at the cost that it has, whether or not a model
/// allows it.
pub(in crate::learners) fn possible_pair(problem: &Problem, step: &Transition, t: u64) -> Result<Pair> {
    let Transition { state, action, cost, next } = *step;
    let fault = if state >= problem.states() {
        no_state(problem, state)
    } else if next >= problem.states() {
        no_state(problem, next)
    } else if state == problem.goal() {
        "a step from the goal: the episode is over".into()
    } else if action >= problem.actions(state) {
        no_action(problem, state, action)
    } else {
        let pair = problem.pair(state, action);
        let known = problem.cost(pair);
        if cost.is_finite() && (cost - known).abs() <= ROUNDING * known.max(cost.abs()) {
            return Ok(pair);
        }
        format!(
            "state {}, action {}: the cost given is {cost:?}, the cost known is {known:?}; costs \
             are known here, and \
             noise in them is nothing to learn from",
            problem.state_name(state),
            problem.action_name(state, action)
        )
    };
    Err(Error::Misuse { t, fault })
}

fn no_action(problem: &Problem, s: State, a: Action) -> String {
    let (name, n) = (problem.state_name(s), problem.actions(s));
    format!("state {name} has {n} actions, there is no action {a}")
}

fn no_state(problem: &Problem, s: State) -> String {
    format!("state {s} does not exist: there are {}", problem.states())
}

/// What to say of a step that no model allows.
pub(in crate::learners) fn impossible(problem: &Problem, step: &Transition) -> String {
    format!(
        "no model allows the step from state {} by action {} to state {}",
        problem.state_name(step.state),
        problem.action_name(step.state, step.action),
        problem.state_name(step.next)
    )
}
