//! The states of a replay: the cells of a grid, or those that were met.

use crate::layout::Layout;
use crate::report::embed::rounded;
use goalward::Problem;
use goalward::problem::{Action, State};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The most states that are shown off a grid.
pub(super) const MOST_MET: usize = 200;
/// Actions that cost the same up to rounding are equally good: the first is shown.
const TIE: f64 = 1e-9;
/// Digits of a value.
const DIGITS: usize = 4;

/// The states whose values are shown.
pub(super) struct Stage {
    pub(super) layout: Option<Layout>,
    /// All states of a grid, otherwise those that were met, in this order.
    pub(super) shown: Vec<State>,
}

/// Values and actions of the states that are shown.
pub(super) type StateTable = Vec<(Option<f64>, Option<Action>)>;

impl Stage {
    pub(super) fn new(problem: &Problem) -> Stage {
        let layout = Layout::of(problem);
        let shown = if layout.is_some() { (0..problem.states()).collect() } else { vec![problem.start()] };
        Stage { layout, shown }
    }

    /// Adds a state that was met, off a grid and while there is room.
    pub(super) fn meet(&mut self, state: State) {
        if self.layout.is_none() && !self.is_full() && !self.shown.contains(&state) {
            self.shown.push(state);
        }
    }

    /// Whether states that were met may be left out.
    pub(super) fn is_full(&self) -> bool {
        self.layout.is_none() && self.shown.len() >= MOST_MET
    }

    /// The largest number of states that are shown.
    pub(super) fn capacity(&self) -> usize {
        if self.layout.is_some() { self.shown.len() } else { MOST_MET }
    }

    /// The values, and the first of the best actions.
    pub(super) fn table(
        &self,
        problem: &Problem,
        value: impl Fn(State) -> Option<f64>,
        q: impl Fn(State, Action) -> Option<f64>,
    ) -> StateTable {
        let greedy = |s: State| {
            let mut best: Option<(f64, Action)> = None;
            for a in 0..problem.actions(s) {
                let cost = q(s, a)?;
                if best.is_none_or(|(least, _)| cost < least - TIE * least.abs().max(1.0)) {
                    best = Some((cost, a));
                }
            }
            best.map(|(_, a)| a)
        };
        let policy = |s: State| if s == problem.goal() { None } else { greedy(s) };
        self.shown.iter().map(|&s| (value(s), policy(s))).collect()
    }

    /// On a grid the policy is a text of directions, elsewhere a list of names.
    pub(super) fn json(&self, table: &StateTable, problem: &Problem) -> Value {
        let known = table.iter().any(|(value, _)| value.is_some());
        let values = table.iter().map(|(value, _)| value.map_or(Value::Null, |v| rounded(v, DIGITS)));
        let values: Vec<Value> = values.collect();
        let actions = || self.shown.iter().zip(table).map(|(s, (_, a))| (*s, *a));
        let policy = match self.layout.is_some() {
            true => {
                let letter = |(s, a): (State, Option<Action>)| {
                    let direction = a.and_then(|a| direction(problem, s, a));
                    direction.map_or('.', |d| char::from(b'0' + d))
                };
                Value::from(actions().map(letter).collect::<String>())
            }
            false => actions().map(|(s, a)| a.map(|a| problem.action_name(s, a).into_owned())).collect(),
        };
        json!({ "v": if known { Value::from(values) } else { Value::Null }, "policy": policy })
    }

    /// Rows, columns and the position of each state; states without one lie below the grid.
    pub(super) fn grid(&self, problem: &Problem) -> Value {
        let Some(layout) = &self.layout else { return Value::Null };
        let mut aside = 0;
        let mut place = |s: State| match layout.places[s] {
            Some((row, column)) => json!([row, column]),
            None => {
                aside += 1;
                json!([layout.rows as f64 + 0.5, 2 * (aside - 1)])
            }
        };
        let places: Vec<Value> = (0..problem.states()).map(&mut place).collect();
        json!({ "rows": layout.rows, "columns": layout.columns, "places": places, "aside": aside })
    }

    /// The names of the states that are shown or visited.
    pub(super) fn names(&self, problem: &Problem, visited: &BTreeSet<State>) -> Value {
        let states: BTreeSet<State> = self.shown.iter().chain(visited).copied().collect();
        let name = |s: State| (s.to_string(), Value::from(problem.state_name(s)));
        Value::Object(states.into_iter().map(name).collect())
    }
}

/// The direction of an action on the grid, in eighths of a turn clockwise from north.
fn direction(problem: &Problem, s: State, a: Action) -> Option<u8> {
    match problem.action_name(s, a).to_lowercase().as_ref() {
        "up" | "north" | "n" | "↑" => Some(0),
        "right" | "east" | "e" | "→" => Some(2),
        "down" | "south" | "s" | "↓" => Some(4),
        "left" | "west" | "w" | "←" => Some(6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goalward::Settings;
    use goalward::episode::Arena;

    #[test]
    fn the_best_policy_of_a_corner() {
        let arena = Arena::open("windy-grid", &Settings::new().set("n", 3)).unwrap();
        let (problem, stage) = (arena.problem(), Stage::new(arena.problem()));
        let exact = arena.exact();
        let table = stage.table(problem, |s| Some(exact.v[s]), |s, a| Some(exact.q[problem.pair(s, a)]));
        let json = stage.json(&table, problem);
        let policy = json["policy"].as_str().unwrap();
        assert_eq!(policy.len(), 9);
        assert_eq!(&policy[problem.goal()..=problem.goal()], ".", "nothing is left to do");
        assert!(policy.chars().all(|c| "0246.".contains(c)), "{policy}");
        assert_eq!(json["v"][problem.goal()], 0);
    }

    #[test]
    fn states_off_the_grid_stand_below_it() {
        let arena = Arena::open("cliff", &Settings::new()).unwrap();
        let stage = Stage::new(arena.problem());
        let grid = stage.grid(arena.problem());
        assert_eq!(grid["aside"], 1);
        let places = grid["places"].as_array().unwrap();
        let below = |place: &&Value| place[0].as_f64() > grid["rows"].as_f64();
        assert_eq!(places.iter().filter(below).count(), 1);
    }

    #[test]
    fn off_a_grid_states_are_shown_once_met() {
        let arena = Arena::open("hard-instance", &Settings::new()).unwrap();
        let mut stage = Stage::new(arena.problem());
        assert_eq!(stage.shown, [arena.problem().start()]);
        (0..2).for_each(|_| stage.meet(arena.problem().goal()));
        assert_eq!(stage.shown.len(), 2);
        assert_eq!(stage.grid(arena.problem()), Value::Null);
    }
}
