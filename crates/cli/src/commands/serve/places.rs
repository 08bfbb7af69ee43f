//! States and actions as clients give them: by number or by name.

use super::fault::{Code, Fault, shown};
use super::request::Given;
use goalward::closest;
use goalward::problem::{Action, Problem, State};
use std::collections::HashMap;

/// Among more names than this none is looked for that was meant.
const FEW: usize = 10_000;

/// The names of a problem's states.
#[derive(Default)]
pub(super) struct Places {
    /// Made when the first name comes; none for a name that several states have.
    by_name: Option<HashMap<String, Option<State>>>,
}

impl Places {
    /// A state that exists.
    pub(super) fn state(
        &mut self,
        problem: &Problem,
        field: &'static str,
        given: Option<&Given>,
    ) -> Result<State, Fault> {
        let states = problem.states();
        match given {
            Some(Given::Text(name)) => self.named(problem, name).map_err(|fault| fault.field(field)),
            Some(given) => whole(given, states).ok_or_else(|| match given {
                Given::Other(what) => {
                    Fault::new(Code::Type, format!("{field} is {what}, not a number or a name")).field(field)
                }
                _ => Fault::new(Code::State, format!("there is no state {}", given.what()))
                    .field(field)
                    .hint(format!("states are 0 to {}", states - 1)),
            }),
            None => Err(missing(field)),
        }
    }

    fn named(&mut self, problem: &Problem, name: &str) -> Result<State, Fault> {
        let all = self.by_name.get_or_insert_with(|| {
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

/// An action of a state.
pub(super) fn action(problem: &Problem, s: State, given: Option<&Given>) -> Result<Action, Fault> {
    let actions = problem.actions(s);
    let there_is = || format!("in state {}", shown(&problem.state_name(s)));
    match given {
        Some(Given::Text(name)) => {
            let mut called = (0..actions).filter(|a| problem.action_name(s, *a) == *name);
            match (called.next(), called.next()) {
                (Some(a), None) => Ok(a),
                (Some(_), Some(_)) => {
                    let message = format!("several actions are called {:?} {}", shown(name), there_is());
                    Err(Fault::new(Code::Action, message).field("action").hint("give its number"))
                }
                (None, _) => {
                    let message = format!("there is no action {:?} {}", shown(name), there_is());
                    let names: Vec<_> = (0..actions.min(20)).map(|a| problem.action_name(s, a)).collect();
                    let hint = format!("its actions are {}", names.join(", "));
                    Err(Fault::new(Code::Action, message).field("action").hint(hint))
                }
            }
        }
        Some(given) => whole(given, actions).ok_or_else(|| match given {
            Given::Other(what) => {
                Fault::new(Code::Type, format!("action is {what}, not a number or a name")).field("action")
            }
            _ => Fault::new(Code::Action, format!("there is no action {} {}", given.what(), there_is()))
                .field("action")
                .hint(format!("its actions are 0 to {}", actions.saturating_sub(1))),
        }),
        None => Err(missing("action")),
    }
}

/// A cost that is a number.
pub(super) fn cost(given: &Given) -> Result<f64, Fault> {
    match given {
        Given::Whole(n) => Ok(*n as f64),
        Given::Real(x) => Ok(*x),
        other => Err(Fault::new(Code::Type, format!("cost is {}, not a number", other.what())).field("cost")),
    }
}

/// A whole number below a bound; 3.0 is one, as some languages write it.
fn whole(given: &Given, below: usize) -> Option<usize> {
    let number = match given {
        Given::Whole(n) => usize::try_from(*n).ok()?,
        Given::Real(x) if x.fract() == 0.0 && (0.0..1e15).contains(x) => *x as usize,
        _ => return None,
    };
    (number < below).then_some(number)
}

/// Requests are judged before: their fields are there.
fn missing(field: &'static str) -> Fault {
    Fault::new(Code::MissingField, format!("there is no field {field:?}")).field(field)
}
