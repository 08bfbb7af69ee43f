//! A transition table as it stands in its JSON, read in one pass with the lines of its rows.

use crate::Result;
use crate::files::input::Counted;
use crate::files::text::json_fault;
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::io::BufRead;
use std::path::Path;

#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) line: u32,
    pub(super) state: u32,
    pub(super) action: u32,
    pub(super) next: u32,
    pub(super) p: f64,
    pub(super) reward: f64,
    pub(super) terminated: bool,
}

#[derive(Default)]
pub(super) struct Table {
    pub(super) env: Option<String>,
    pub(super) states: Option<u64>,
    pub(super) actions: Option<u64>,
    pub(super) initial: Option<Vec<f64>>,
    pub(super) columns: Option<Vec<String>>,
    pub(super) rows: Option<Vec<Row>>,
    pub(super) nested: Vec<Row>,
    pub(super) nested_states: HashSet<u32>,
}

impl Table {
    pub(super) fn is_nested(&self) -> bool {
        !self.nested_states.is_empty()
    }
}

pub(super) fn read(input: impl BufRead, path: &Path) -> Result<Table> {
    let line = Cell::new(1);
    let mut stream = serde_json::Deserializer::from_reader(Counted::new(input, &line));
    let table = TableSeed { line: &line }.deserialize(&mut stream);
    table.and_then(|table| stream.end().map(|()| table)).map_err(|e| json_fault(&e, path))
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
                    let mut rows = Vec::new();
                    let seed = RowsSeed { line: self.line, rows: &mut rows, state: None, action: None };
                    map.next_value_seed(seed)?;
                    table.rows.replace(rows).is_some()
                }
                _ => match key.parse() {
                    Ok(state) => {
                        let (line, rows) = (self.line, &mut table.nested);
                        map.next_value_seed(RowsSeed { line, rows, state: Some(state), action: None })?;
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

/// Reads rows: those of a whole table, of a state by action, or of an action.
struct RowsSeed<'a> {
    line: &'a Cell<usize>,
    rows: &'a mut Vec<Row>,
    state: Option<u32>,
    action: Option<u32>,
}

impl<'de> DeserializeSeed<'de> for RowsSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        match (self.state, self.action) {
            (Some(_), None) => from.deserialize_map(self),
            _ => from.deserialize_seq(self),
        }
    }
}

impl<'de> Visitor<'de> for RowsSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match (self.state, self.action) {
            (None, _) => "a list of rows [state, action, prob, next_state, reward, terminated]",
            (_, None) => "the actions of a state {\"0\": [[prob, next_state, reward, terminated], ...]}",
            (_, Some(_)) => "a list of outcomes [prob, next_state, reward, terminated]",
        })
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let wrong = || serde::de::Error::custom(format!("{key:?} is not an action's number"));
            let action: u32 = key.parse().map_err(|_| wrong())?;
            if !seen.insert(action) {
                return Err(serde::de::Error::custom(format!("duplicate field `{action}`")));
            }
            map.next_value_seed(RowsSeed { rows: &mut *self.rows, action: Some(action), ..self })?;
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        loop {
            let row = match self.state.zip(self.action) {
                None => seq.next_element()?,
                Some((state, action)) => {
                    let outcome: Option<(f64, u32, f64, bool)> = seq.next_element()?;
                    outcome.map(|(p, next, reward, terminated)| (state, action, p, next, reward, terminated))
                }
            };
            let Some((state, action, p, next, reward, terminated)) = row else { return Ok(()) };
            let line = u32::try_from(self.line.get()).unwrap_or(u32::MAX);
            self.rows.push(Row { line, state, action, next, p, reward, terminated });
        }
    }
}
