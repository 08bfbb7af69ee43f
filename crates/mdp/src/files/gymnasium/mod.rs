//! Gymnasium's transition tables, as JSON, and what `json.dump(env.unwrapped.P, ...)` writes:
//! `{"0": {"0": [[prob, next_state, reward, terminated]]}}`. A table is a reward problem that ends;
//! here it becomes a cost problem with a goal:
//!
//! * **cost**: minus the reward if no reward is positive, else 1 a step. If only the arrival pays,
//!   `cost=shortfall` counts what a run's rewards fall short of that. What depends on the next
//!   state is averaged over it.
//! * **goal**: where terminating transitions with the highest reward lead; the others lead to
//!   losing states. A transition that terminates leads *out of* the table: its next state becomes
//!   the goal (or a losing state) if it is entered in no other way; else a new state does.
//! * **start**: the initial distribution, or what the user says; only then [`Explicit::settle`]
//!   finds goals.
//!
//! Other keys are ignored. The table is read in one pass; counts reserve nothing.

mod table;

use super::model::{Endings, Explicit};
use super::text::clipped;
use crate::{Error, Result};
use std::io::BufRead;
use std::path::Path;
use table::{Row, Table};

/// A distribution over more states than the rows can name is refused beyond this number.
const UNNAMED: usize = 10_000;
/// The largest reward, either way: sums and squares of such numbers are still finite.
const LARGEST: f64 = 1e100;
const COLUMNS: [&str; 6] = ["state", "action", "prob", "next_state", "reward", "terminated"];

pub(super) fn read(input: impl BufRead, path: &Path) -> Result<Explicit> {
    let mut table = table::read(input, path)?;
    let fault = |(field, fault): (&str, String)| Error::InFile {
        path: path.into(),
        source: Box::new(Error::Field { field: field.into(), fault: clipped(fault) }),
    };
    let mut list = rows(&mut table).map_err(fault)?;
    let initial = table.initial.take().unwrap_or_default();
    let states = states(&table, &list, initial.len()).map_err(fault)?;
    let mut model = Explicit::new(path, "Gymnasium");
    if let Some(env) = table.env {
        model.name = env;
    }
    let starts = initial.iter().enumerate().filter(|(_, p)| **p != 0.0);
    model.initial = starts.map(|(s, &p)| (s as u32, p)).collect();
    let actions = table.actions.unwrap_or(u64::from(u32::MAX));
    list.retain(|row| match row_fault(row, states, actions) {
        None => true,
        Some(fault) => {
            model.fault(row.line as usize, 1, fault);
            false
        }
    });
    fill(&mut model, states as usize, list);
    Ok(model)
}

/// The rows of a table in either form; else the wrong field and its fault.
fn rows(table: &mut Table) -> Result<Vec<Row>, (&'static str, String)> {
    let columns = table.columns.as_deref().unwrap_or_default();
    let is_nested = table.is_nested();
    if columns != COLUMNS && !is_nested {
        return Err(("columns", format!("expected {COLUMNS:?}, not {columns:?}")));
    }
    match table.rows.take() {
        Some(_) if is_nested => {
            Err(("transitions", "the rows of states are given a second time, by state".into()))
        }
        Some(rows) => Ok(rows),
        None if is_nested => Ok(std::mem::take(&mut table.nested)),
        None => Err(("transitions", "is missing".into())),
    }
}

/// The number of states, bounded by what the rows and the initial distribution can name.
fn states(table: &Table, list: &[Row], initial: usize) -> Result<u64, (&'static str, String)> {
    // by state and action, a table need not say how many states there are
    let is_nested = table.is_nested();
    let in_rows = list.iter().map(|row| row.state.max(row.next));
    let named = in_rows.chain(table.nested_states.iter().copied()).max();
    let named = named.filter(|_| is_nested).map_or(0, |s| u64::from(s) + 1);
    let Some(states) = table.states.map(|states| states.max(named)).or(is_nested.then_some(named)) else {
        return Err(("n_states", "is missing".into()));
    };
    // a row names two states at most
    let rows = list.len();
    let most = (2 * rows).max(initial.min(UNNAMED)) as u64;
    if states == 0 || states > most.min(u64::from(u32::MAX) / 2) {
        let fault = format!("{states} states, but {rows} rows cannot name more than {most}");
        return Err(("n_states", fault));
    }
    if initial as u64 > states {
        return Err(("initial_distribution", format!("{initial} entries for {states} states")));
    }
    Ok(states)
}

fn row_fault(row: &Row, states: u64, actions: u64) -> Option<String> {
    let (state, action, next) = (row.state, row.action, row.next);
    Some(if u64::from(state) >= states {
        format!("state {state} does not exist, n_states is {states}")
    } else if u64::from(action) >= actions {
        format!("state {state}: action {action} does not exist, n_actions is {actions}")
    } else if u64::from(next) >= states {
        format!("state {state}, action {action}: next_state {next} does not exist, n_states is {states}")
    } else if row.reward.abs() > LARGEST {
        format!("state {state}, action {action}: the reward is {}, beyond {LARGEST:e}", row.reward)
    } else {
        return None;
    })
}

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
