//! States and actions as logs and policies give them: by number or by name.

use crate::closest;
use crate::problem::{Action, Problem, State};
use serde_json::Value;
use std::collections::HashMap;

/// Among more names than this none is looked for that was meant.
const FEW: usize = 10_000;
/// The most characters of a text that are quoted.
const SHOWN: usize = 60;

/// Finds the states and actions of a problem.
///
/// A text is taken for a name first, and for a number where there is no such name.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// None for a name that several states have; nothing where states have no names.
    by_name: HashMap<String, Option<State>>,
}

impl Places {
    pub(super) fn new(problem: &Problem) -> Places {
        let mut by_name = HashMap::new();
        for (s, name) in problem.state_names().into_iter().flatten().enumerate() {
            by_name.entry(name.to_string()).and_modify(|s| *s = None).or_insert(Some(s));
        }
        Places { by_name }
    }

    /// The state of a text; what is wrong, in words.
    pub(super) fn state(&self, problem: &Problem, text: &str) -> Result<State, String> {
        match self.by_name.get(text) {
            Some(Some(s)) => return Ok(*s),
            Some(None) => return Err(format!("several states are called {}: give its number", quoted(text))),
            None => {}
        }
        let states = problem.states();
        if let Ok(s) = text.parse::<u64>() {
            return number(s, states).ok_or_else(|| no_state(s, states));
        }
        let few = problem.state_names().filter(|known| known.len() <= FEW);
        let meant = closest(text, few.into_iter().flatten());
        let meant = meant.map_or(String::new(), |meant| format!("; did you mean {}?", quoted(meant)));
        Err(format!("there is no state {}{meant}", quoted(text)))
    }

    pub(super) fn state_of(&self, problem: &Problem, value: &Value) -> Result<State, String> {
        match (value.as_str(), value.as_u64()) {
            (Some(text), _) => self.state(problem, text),
            (None, Some(s)) => number(s, problem.states()).ok_or_else(|| no_state(s, problem.states())),
            (None, None) => Err(format!("{} is neither a number nor a name", shown(value))),
        }
    }

    /// The action of a text, in a state.
    pub(super) fn action(&self, problem: &Problem, s: State, text: &str) -> Result<Action, String> {
        let actions = problem.actions(s);
        if problem.action_names().is_some() {
            let mut called = (0..actions).filter(|&a| problem.action_name(s, a) == text);
            match (called.next(), called.next()) {
                (Some(a), None) => return Ok(a),
                (Some(_), Some(_)) => {
                    return Err(format!("several actions are called {}: give its number", quoted(text)));
                }
                (None, _) => {}
            }
        }
        match text.parse::<u64>() {
            Ok(a) => number(a, actions).ok_or_else(|| no_action(problem, s, text)),
            Err(_) => Err(no_action(problem, s, text)),
        }
    }

    pub(super) fn action_of(&self, problem: &Problem, s: State, value: &Value) -> Result<Action, String> {
        match (value.as_str(), value.as_u64()) {
            (Some(text), _) => self.action(problem, s, text),
            (None, Some(a)) => {
                number(a, problem.actions(s)).ok_or_else(|| no_action(problem, s, &a.to_string()))
            }
            (None, None) => Err(format!("{} is neither a number nor a name", shown(value))),
        }
    }
}

fn number(n: u64, below: usize) -> Option<usize> {
    usize::try_from(n).ok().filter(|n| *n < below)
}

fn no_state(s: u64, states: usize) -> String {
    format!("there is no state {s}; states are 0 to {}", states - 1)
}

fn no_action(problem: &Problem, s: State, text: &str) -> String {
    const LISTED: usize = 12;
    let names = (0..problem.actions(s).min(LISTED)).map(|a| problem.action_name(s, a).into_owned());
    let more = if problem.actions(s) > LISTED { ", ..." } else { "" };
    format!(
        "there is no action {} in state {}; its actions are {}{more}",
        quoted(text),
        problem.state_name(s),
        names.collect::<Vec<_>>().join(", ")
    )
}

/// A text in quotes, not all of it where it is long.
pub(super) fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    format!("{short:?}")
}

/// A JSON value, not all of it where it is long.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > SHOWN {
        format!("{} ...", text.chars().take(SHOWN).collect::<String>())
    } else {
        text
    }
}
