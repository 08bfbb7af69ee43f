//! Gymnasium's transition tables, as JSON.
//!
//! ```json
//! {"env": "CliffWalking-v1", "n_states": 48, "n_actions": 4, "initial_distribution": [0.0, 1.0],
//!  "columns": ["state", "action", "prob", "next_state", "reward", "terminated"],
//!  "transitions": [[0, 0, 1.0, 0, -1.0, false]]}
//! ```
//!
//! What `json.dump(env.unwrapped.P, ...)` writes is read as well: `{"0": {"0": [[1.0, 0, -1.0, false]]}}`, by state and by
//! action the lists of prob, next_state, reward and terminated. It does not say where runs start, but may stand beside an
//! `initial_distribution`.
//!
//! A table is a reward problem that ends; here it becomes a cost problem with a goal:
//!
//! * **cost**: minus the reward if no reward is positive, else 1 a step (`cost=reward` and `cost=1` say it outright). If no
//!   reward is positive but that of reaching the goal, `cost=shortfall` counts what a run's rewards fall short of that one.
//!   What depends on the next state is averaged over it. Rows with the same state, action and next state add up.
//! * **goal**: where terminating transitions lead; if their rewards differ, only those with the highest, and the others
//!   lead to losing states, which are never left. A transition that terminates leads *out of* the table: if its next state
//!   is entered in no other way, that state becomes the goal (or a losing state), with its own rows replaced by loops;
//!   else a state of its own is added.
//! * **start**: the initial distribution, or what the user says. Goals and losing states are told only then, see
//!   [`endings`](super::endings).
//!
//! `kwargs`, `gymnasium` and other keys are passed over. The table is read in one pass; nothing is reserved for counts that
//! the table does not fill.

use super::endings::Endings;
use super::explicit::{Explicit, clipped};
use super::input::Counted;
use crate::{Error, Result};
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::io::BufRead;
use std::path::Path;

/// A distribution over more states than the rows can name is refused beyond so many.
const UNNAMED: usize = 10_000;
/// The largest reward, either way: sums and squares of such numbers are still finite.
const LARGEST: f64 = 1e100;
/// The columns, and the order in which a [`Row`] has them.
const COLUMNS: [&str; 6] = ["state", "action", "prob", "next_state", "reward", "terminated"];

/// One row of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    line: u32,
    state: u32,
    action: u32,
    next: u32,
    p: f64,
    reward: f64,
    terminated: bool,
}

/// The table as it stands.
#[derive(Default)]
struct Table {
    env: Option<String>,
    states: Option<u64>,
    actions: Option<u64>,
    initial: Option<Vec<f64>>,
    columns: Option<Vec<String>>,
    rows: Option<Vec<Row>>,
    /// Rows that came by state and action.
    nested: Vec<Row>,
    /// The states that they came for.
    nested_states: HashSet<u32>,
}

/// Reads a table.
pub(super) fn read(input: impl BufRead, path: &Path) -> Result<Explicit> {
    let line = Cell::new(1);
    let mut stream = serde_json::Deserializer::from_reader(Counted::new(input, &line));
    let table = TableSeed { line: &line }.deserialize(&mut stream);
    let table = table.and_then(|table| stream.end().map(|()| table)).map_err(|e| {
        let place = format!(" at line {} column {}", e.line(), e.column());
        let fault = e.to_string();
        let fault = clipped(fault.strip_suffix(&place).unwrap_or(&fault).to_string());
        Error::File { path: path.into(), line: e.line().max(1), column: e.column().max(1), fault }
    })?;
    let mut model = Explicit::new(path, "Gymnasium");
    if let Some(env) = &table.env {
        model.name = env.clone();
    }
    let fault = |field: &str, fault: String| Error::InFile {
        path: path.into(),
        source: Box::new(Error::Field { field: field.into(), fault: clipped(fault) }),
    };
    let columns = table.columns.as_deref().unwrap_or_default();
    let is_nested = !table.nested_states.is_empty();
    if columns != COLUMNS && !is_nested {
        return Err(fault("columns", format!("expected {COLUMNS:?}, not {columns:?}")));
    }
    let mut list = match table.rows {
        Some(_) if is_nested => {
            return Err(fault("transitions", "the rows of states are given a second time, by state".into()));
        }
        Some(rows) => rows,
        None if is_nested => table.nested,
        None => return Err(fault("transitions", "is missing".into())),
    };
    // by state and action, a table need not say how many states there are
    let named = list.iter().map(|row| row.state.max(row.next)).chain(table.nested_states).max();
    let named = named.filter(|_| is_nested).map_or(0, |s| u64::from(s) + 1);
    let Some(states) = table.states.map(|states| states.max(named)).or(is_nested.then_some(named)) else {
        return Err(fault("n_states", "is missing".into()));
    };
    let actions = table.actions.unwrap_or(u64::from(u32::MAX));
    let initial = table.initial.unwrap_or_default();
    // a row names two states at most
    let rows = list.len();
    let most = (2 * rows).max(initial.len().min(UNNAMED)) as u64;
    if states == 0 || states > most.min(u64::from(u32::MAX) / 2) {
        return Err(fault(
            "n_states",
            format!("{states} states, but {rows} rows cannot name more than {most}"),
        ));
    }
    if initial.len() as u64 > states {
        return Err(fault("initial_distribution", format!("{} entries for {states} states", initial.len())));
    }
    let starts = initial.iter().enumerate().filter(|(_, p)| **p != 0.0);
    model.initial = starts.map(|(s, &p)| (s as u32, p)).collect();
    list.retain(|row| {
        let (state, action, next) = (row.state, row.action, row.next);
        let fault = if u64::from(state) >= states {
            format!("state {state} does not exist, n_states is {states}")
        } else if u64::from(action) >= actions {
            format!("state {state}: action {action} does not exist, n_actions is {actions}")
        } else if u64::from(next) >= states {
            format!("state {state}, action {action}: next_state {next} does not exist, n_states is {states}")
        } else if row.reward.abs() > LARGEST {
            format!("state {state}, action {action}: the reward is {}, beyond {LARGEST:e}", row.reward)
        } else {
            return true;
        };
        model.fault(row.line as usize, 1, fault);
        false
    });
    fill(&mut model, states as usize, list);
    Ok(model)
}

/// Makes states, choices and transitions of the rows, as they stand.
fn fill(model: &mut Explicit, states: usize, mut rows: Vec<Row>) {
    rows.sort_by_key(|row| (row.state, row.action)); // stable: the order of the file within a choice
    let mut endings = Endings::default();
    let mut at = 0;
    for s in 0..states as u32 {
        model.state_lines.push(rows.get(at).map_or(0, |row| row.line));
        let mut local = 0;
        while at < rows.len() && rows[at].state == s {
            let action = rows[at].action;
            model.actions.push(&action.to_string(), local);
            model.choice_lines.push(rows[at].line);
            while at < rows.len() && (rows[at].state, rows[at].action) == (s, action) {
                let row = &rows[at];
                model.successors.push(row.next);
                model.probabilities.push(row.p);
                endings.rewards.push(row.reward);
                endings.terminated.push(row.terminated);
                at += 1;
            }
            model.end_choice();
            local += 1;
        }
        model.end_state();
    }
    model.endings = Some(endings);
}

struct TableSeed<'a> {
    line: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for TableSeed<'_> {
    type Value = Table;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Table, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TableSeed<'_> {
    type Value = Table;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a transition table {...}")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Table, M::Error> {
        let mut table = Table::default();
        let twice = |key: &str| serde::de::Error::custom(format!("duplicate field `{key}`"));
        while let Some(key) = map.next_key::<String>()? {
            let seen = match key.as_str() {
                "env" => table.env.replace(map.next_value()?).is_some(),
                "n_states" => table.states.replace(map.next_value()?).is_some(),
                "n_actions" => table.actions.replace(map.next_value()?).is_some(),
                "initial_distribution" => table.initial.replace(map.next_value()?).is_some(),
                "columns" => table.columns.replace(map.next_value()?).is_some(),
                "transitions" => {
                    table.rows.replace(map.next_value_seed(RowsSeed { line: self.line })?).is_some()
                }
                _ => match key.parse() {
                    Ok(state) => {
                        let rows = &mut table.nested;
                        map.next_value_seed(ActionsSeed { line: self.line, state, rows })?;
                        !table.nested_states.insert(state)
                    }
                    Err(_) => {
                        map.next_value::<IgnoredAny>()?;
                        false
                    }
                },
            };
            if seen {
                return Err(twice(&key));
            }
        }
        Ok(table)
    }
}

/// The rows of a state, by action.
struct ActionsSeed<'a> {
    line: &'a Cell<usize>,
    state: u32,
    rows: &'a mut Vec<Row>,
}

impl<'de> DeserializeSeed<'de> for ActionsSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ActionsSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the actions of a state {\"0\": [[prob, next_state, reward, terminated], ...]}")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let wrong = || serde::de::Error::custom(format!("{key:?} is not an action's number"));
            let action: u32 = key.parse().map_err(|_| wrong())?;
            if !seen.insert(action) {
                return Err(serde::de::Error::custom(format!("duplicate field `{action}`")));
            }
            map.next_value_seed(OutcomesSeed {
                line: self.line,
                state: self.state,
                action,
                rows: self.rows,
            })?;
        }
        Ok(())
    }
}

/// The rows of an action.
struct OutcomesSeed<'a> {
    line: &'a Cell<usize>,
    state: u32,
    action: u32,
    rows: &'a mut Vec<Row>,
}

impl<'de> DeserializeSeed<'de> for OutcomesSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for OutcomesSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of outcomes [prob, next_state, reward, terminated]")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        while let Some((p, next, reward, terminated)) = seq.next_element::<(f64, u32, f64, bool)>()? {
            let line = u32::try_from(self.line.get()).unwrap_or(u32::MAX);
            let (state, action) = (self.state, self.action);
            self.rows.push(Row { line, state, action, next, p, reward, terminated });
        }
        Ok(())
    }
}

struct RowsSeed<'a> {
    line: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for RowsSeed<'_> {
    type Value = Vec<Row>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Vec<Row>, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowsSeed<'_> {
    type Value = Vec<Row>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of rows [state, action, prob, next_state, reward, terminated]")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Vec<Row>, S::Error> {
        let mut rows = Vec::new();
        while let Some((state, action, p, next, reward, terminated)) =
            seq.next_element::<(u32, u32, f64, u32, f64, bool)>()?
        {
            let line = u32::try_from(self.line.get()).unwrap_or(u32::MAX);
            rows.push(Row { line, state, action, next, p, reward, terminated });
        }
        Ok(rows)
    }
}
