//! Gymnasium's transition tables, as JSON.
//!
//! ```json
//! {"env": "CliffWalking-v1", "n_states": 48, "n_actions": 4, "initial_distribution": [0.0, 1.0],
//!  "columns": ["state", "action", "prob", "next_state", "reward", "terminated"],
//!  "transitions": [[0, 0, 1.0, 0, -1.0, false]]}
//! ```
//!
//! What `json.dump(env.unwrapped.P, ...)` writes is read as well: `{"0": {"0": [[1.0, 0, -1.0, false]]}}`, by state and by
//! action the lists of prob, next_state, reward and terminated. It does not say where runs start.
//!
//! A table is a reward problem that ends; here it becomes a cost problem with a goal:
//!
//! * **cost**: minus the reward if no reward is positive, else 1 a step (`cost=reward` and `cost=1` say it outright). What
//!   depends on the next state is averaged over it. Rows with the same state, action and next state add up.
//! * **goal**: where terminating transitions lead; if their rewards differ, only those with the highest, and the others
//!   lead to losing states, which are never left. A transition that terminates leads *out of* the table: if its next state
//!   is entered in no other way, that state becomes the goal (or a losing state), with its own rows replaced by loops;
//!   else a state of its own is added.
//! * **start**: the initial distribution.
//!
//! `kwargs`, `gymnasium` and other keys are passed over. The table is read in one pass; nothing is reserved for counts that
//! the table does not fill.

use super::explicit::{Explicit, Rewards, UsualCost};
use super::input::Counted;
use crate::{Error, Result};
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::cell::Cell;
use std::fmt;
use std::io::BufRead;
use std::path::Path;

/// The label of the states that terminating transitions lead to.
const GOAL: &str = "goal";
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
    /// The rows came by state and action.
    nested: bool,
}

/// Reads a table.
pub(super) fn read(input: impl BufRead, path: &Path) -> Result<Explicit> {
    let line = Cell::new(1);
    let mut stream = serde_json::Deserializer::from_reader(Counted::new(input, &line));
    let table = TableSeed { line: &line }.deserialize(&mut stream);
    let table = table.and_then(|table| stream.end().map(|()| table)).map_err(|e| {
        let place = format!(" at line {} column {}", e.line(), e.column());
        let fault = e.to_string();
        let fault = fault.strip_suffix(&place).unwrap_or(&fault).to_string();
        Error::File { path: path.into(), line: e.line().max(1), column: e.column().max(1), fault }
    })?;
    let rows = table.rows.as_ref().map_or(0, Vec::len);
    let mut model = Explicit::new(path, "Gymnasium");
    if let Some(env) = &table.env {
        model.name = env.clone();
    }
    let fault = |field: &str, fault: String| Error::InFile {
        path: path.into(),
        source: Box::new(Error::Field { field: field.into(), fault }),
    };
    let columns = table.columns.as_deref().unwrap_or_default();
    if columns != COLUMNS && !table.nested {
        return Err(fault("columns", format!("expected {COLUMNS:?}, not {columns:?}")));
    }
    let Some(states) = table.states else { return Err(fault("n_states", "is missing".into())) };
    let Some(mut list) = table.rows else { return Err(fault("transitions", "is missing".into())) };
    let actions = table.actions.unwrap_or(u64::from(u32::MAX));
    let initial = table.initial.unwrap_or_default();
    // a row names two states at most
    let most = (2 * rows).max(initial.len()) as u64;
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
        let fault = if u64::from(row.state) >= states {
            format!("state {} does not exist, n_states is {states}", row.state)
        } else if u64::from(row.action) >= actions {
            format!("state {}: action {} does not exist, n_actions is {actions}", row.state, row.action)
        } else if u64::from(row.next) >= states {
            let (state, action, next) = (row.state, row.action, row.next);
            format!("state {state}, action {action}: next_state {next} does not exist, n_states is {states}")
        } else {
            return true;
        };
        model.fault(row.line as usize, 1, fault);
        false
    });
    fill(&mut model, states as usize, list);
    Ok(model)
}

/// What a state is once terminating transitions lead out of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Inner,
    Goal,
    Losing,
}

/// The roles of states: where terminating transitions lead is the goal or a losing state, unless play can also go on
/// there.
///
/// Play goes on in a state that no terminating transition names, in an initial one, and where a transition that does not
/// terminate leads from such a state. The rows of other states are never played, and decide nothing. Also the highest
/// reward of a terminating transition that is played.
fn roles(rows: &[Row], states: usize, initial: &[(u32, f64)]) -> (Vec<Role>, f64) {
    let mut live = vec![true; states];
    rows.iter().filter(|row| row.terminated).for_each(|row| live[row.next as usize] = false);
    initial.iter().for_each(|&(s, _)| live[s as usize] = true);
    let mut queue: Vec<u32> = (0..states as u32).filter(|&s| live[s as usize]).collect();
    while let Some(s) = queue.pop() {
        let first = rows.partition_point(|row| row.state < s);
        for row in rows[first..].iter().take_while(|row| row.state == s).filter(|row| !row.terminated) {
            if !std::mem::replace(&mut live[row.next as usize], true) {
                queue.push(row.next);
            }
        }
    }
    let mut role: Vec<Role> =
        live.iter().map(|&live| if live { Role::Inner } else { Role::Losing }).collect();
    let last = || rows.iter().filter(|row| row.terminated && live[row.state as usize]);
    let highest = last().map(|row| row.reward).fold(f64::NEG_INFINITY, f64::max);
    for row in last().filter(|row| !live[row.next as usize] && row.reward == highest) {
        role[row.next as usize] = Role::Goal;
    }
    (role, highest)
}

/// Makes states, choices and transitions of the rows.
fn fill(model: &mut Explicit, states: usize, mut rows: Vec<Row>) {
    rows.sort_by_key(|row| (row.state, row.action)); // stable: the order of the file within a choice
    let (role, highest) = roles(&rows, states, &model.initial);

    // states that are added: one goal, and a losing twin for each state that is also entered in another way
    let mut added = states as u32;
    let mut twin = vec![0u32; states];
    let mut extra_goal = None;
    for row in rows.iter().filter(|row| row.terminated && role[row.state as usize] == Role::Inner) {
        let next = row.next as usize;
        match row.reward == highest {
            true if role[next] == Role::Inner && extra_goal.is_none() => {
                extra_goal = Some(added);
                model.odd_names.insert(added, GOAL.into());
                added += 1;
            }
            false if role[next] != Role::Losing && twin[next] == 0 => {
                twin[next] = added;
                model.odd_names.insert(added, format!("{next} (lost)"));
                added += 1;
            }
            _ => {}
        }
    }
    let leads = |row: &Row| {
        let next = row.next as usize;
        match row.terminated {
            false => row.next,
            true if row.reward == highest => match role[next] {
                Role::Goal => row.next,
                _ => extra_goal.unwrap_or(row.next),
            },
            true => match role[next] {
                Role::Losing => row.next,
                _ => twin[next],
            },
        }
    };

    let mut rewards = Rewards { name: "reward".into(), ..Rewards::default() };
    let mut at = 0;
    for s in 0..states as u32 {
        model.state_lines.push(rows.get(at).map_or(0, |row| row.line));
        let mut local = 0;
        while at < rows.len() && rows[at].state == s {
            let action = rows[at].action;
            let choice = model.choices() as u32;
            model.actions.push(&action.to_string(), local);
            model.choice_lines.push(rows[at].line);
            let mut cost = 0.0;
            while at < rows.len() && (rows[at].state, rows[at].action) == (s, action) {
                let row = &rows[at];
                if role[s as usize] == Role::Inner {
                    model.successors.push(leads(row));
                    model.probabilities.push(row.p);
                    cost -= row.p * row.reward;
                }
                at += 1;
            }
            if role[s as usize] != Role::Inner {
                model.successors.push(s);
                model.probabilities.push(1.0);
                cost = 1.0;
            }
            if cost != 0.0 {
                rewards.of_choices.push((choice, cost));
            }
            model.end_choice();
            local += 1;
        }
        if local == 0 && role[s as usize] != Role::Inner {
            stay(model, &mut rewards, s);
        }
        model.end_state();
    }
    for s in states as u32..added {
        model.state_lines.push(0);
        stay(model, &mut rewards, s);
        model.end_state();
    }
    if rows.iter().any(|row| row.reward > 0.0 && role[row.state as usize] == Role::Inner) {
        model.usual_cost = UsualCost::One;
    }
    model.rewards.push(rewards);
    let own = (0..states as u32).filter(|&s| role[s as usize] == Role::Goal);
    let goals: Vec<u32> = own.chain(extra_goal).collect();
    if !goals.is_empty() {
        model.labels.insert(GOAL.into(), goals);
    }
}

/// A choice that stays where it is.
fn stay(model: &mut Explicit, rewards: &mut Rewards, s: u32) {
    rewards.of_choices.push((model.choices() as u32, 1.0));
    model.actions.push_number();
    model.choice_lines.push(0);
    model.successors.push(s);
    model.probabilities.push(1.0);
    model.end_choice();
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
                        table.nested = true;
                        let rows = table.rows.get_or_insert_default();
                        let before = rows.len();
                        map.next_value_seed(ActionsSeed { line: self.line, state, rows })?;
                        let named = rows[before..].iter().map(|row| row.next).max().unwrap_or(0).max(state);
                        table.states = table.states.max(Some(u64::from(named) + 1));
                        false
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
        while let Some(key) = map.next_key::<String>()? {
            let wrong = || serde::de::Error::custom(format!("{key:?} is not an action's number"));
            let action: u32 = key.parse().map_err(|_| wrong())?;
            let line = u32::try_from(self.line.get()).unwrap_or(u32::MAX);
            for (p, next, reward, terminated) in map.next_value::<Vec<(f64, u32, f64, bool)>>()? {
                self.rows.push(Row { line, state: self.state, action, next, p, reward, terminated });
            }
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
