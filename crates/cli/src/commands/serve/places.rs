//! States and actions as clients give them: by number or by name.

use super::fault::{Code, Fault, shown};
use super::request::what;
use goalward::closest;
use goalward::problem::{Action, Problem, State};
use serde_json::Value;
use std::collections::HashMap;

/// The most names among which a hint looks for the closest state.
const FEW: usize = 10_000;

/// The states of a problem by name, made for the first name; none for a name of several states.
#[derive(Default)]
pub(super) struct StateNames(Option<HashMap<String, Option<State>>>);

impl StateNames {
    pub(super) fn state(
        &mut self,
        problem: &Problem,
        field: &'static str,
        given: &Value,
    ) -> Result<State, Fault> {
        if let Value::String(name) = given {
            return self.named(problem, name).map_err(|fault| fault.field(field));
        }
        number(given, problem.states(), field, || {
            let hint = format!("states are 0 to {}", problem.states() - 1);
            Fault::new(Code::State, format!("there is no state {}", what(given))).hint(hint)
        })
    }

    fn named(&mut self, problem: &Problem, name: &str) -> Result<State, Fault> {
        let all = self.0.get_or_insert_with(|| {
            let mut all = HashMap::with_capacity(problem.states());
            for s in 0..problem.states() {
                all.entry(problem.state_name(s).into_owned()).and_modify(|s| *s = None).or_insert(Some(s));
            }
            all
        });
        match all.get(name) {
            Some(Some(s)) => Ok(*s),
            Some(None) => {
                let message = format!("several states are called {:?}", shown(name));
                Err(Fault::new(Code::State, message).hint("give its number"))
            }
            None => {
                let fault = Fault::new(Code::State, format!("there is no state {:?}", shown(name)));
                Err(match name.parse::<u64>() {
                    Ok(n) => fault.hint(format!("a number has no quotes: {n}")),
                    _ if all.len() > FEW => fault,
                    // in the order of the states: a map has none
                    _ => match closest(name, problem.state_names().into_iter().flatten()) {
                        Some(meant) => fault.hint(format!("did you mean {meant:?}?")),
                        None => fault,
                    },
                })
            }
        }
    }
}

pub(super) fn action(problem: &Problem, s: State, given: &Value) -> Result<Action, Fault> {
    let actions = problem.actions(s);
    let none = |kind: &str, hint: String| {
        let message = format!("{kind} {} in state {}", what(given), shown(&problem.state_name(s)));
        Fault::new(Code::Action, message).field("action").hint(hint)
    };
    let Value::String(name) = given else {
        let hint = || format!("its actions are 0 to {}", actions.saturating_sub(1));
        return number(given, actions, "action", || none("there is no action", hint()));
    };
    let mut called = (0..actions).filter(|a| problem.action_name(s, *a) == *name);
    match (called.next(), called.next()) {
        (Some(a), None) => Ok(a),
        (Some(_), Some(_)) => Err(none("several actions are called", "give its number".into())),
        (None, _) => {
            let names: Vec<_> = (0..actions.min(20)).map(|a| problem.action_name(s, a)).collect();
            Err(none("there is no action", format!("its actions are {}", names.join(", "))))
        }
    }
}

pub(super) fn cost(given: &Value) -> Result<f64, Fault> {
    let fault = || Fault::new(Code::Type, format!("cost is {}, not a number", what(given))).field("cost");
    given.as_f64().ok_or_else(fault)
}

/// A whole number below a bound; 3.0 is one, as some languages write it.
fn number(
    given: &Value,
    below: usize,
    field: &'static str,
    fault: impl FnOnce() -> Fault,
) -> Result<usize, Fault> {
    let Value::Number(number) = given else {
        let message = format!("{field} is {}, not a number or a name", what(given));
        return Err(Fault::new(Code::Type, message).field(field));
    };
    let whole = match (number.as_u64(), number.as_f64()) {
        (Some(n), _) => usize::try_from(n).ok(),
        (None, Some(x)) if x.fract() == 0.0 && (0.0..1e15).contains(&x) => Some(x as usize),
        _ => None,
    };
    whole.filter(|n| *n < below).ok_or_else(|| fault().field(field))
}
