//! Logged transitions, read one after the other: CSV with a header, or a JSON object a line.

use super::csv;
use super::given::Given;
use super::places::{Places, quoted, shown};
use crate::problem::{Action, Problem, State};
use crate::{Error, Result};
use serde_json::Value;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest line: longer ones are no log. A plan in a trace has a number for every state.
const LONGEST: u64 = 1 << 28;
/// How far a cost may be from the pair's own, relative to the larger.
const ROUNDING: f64 = 1e-9;
const COLUMNS: [&str; 4] = ["state", "action", "next", "cost"];

/// A logged transition between states that exist, at the pair's own cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// The line of the log, from 1; none of a row that is from no log.
    pub line: Option<usize>,
    /// Where it was.
    pub state: State,
    /// What was done.
    pub action: Action,
    /// Where it led.
    pub next: State,
}

/// A log of transitions of a problem.
///
/// CSV has a header that names the columns `state`, `action`, `next` and perhaps `cost`, in any
/// order. JSON lines have the same fields. A trace of a run serves as it is: its steps are taken,
/// and its other lines are passed over. Which it is, the first line says. States and actions are
/// given by number or by name.
///
/// Every row is checked: an error names the file, the line and the field.
pub struct Log<R> {
    problem: Arc<Problem>,
    places: Places,
    bytes: R,
    path: PathBuf,
    line: usize,
    text: Vec<u8>,
    form: Option<Form>,
    /// The number of the last step of a trace.
    t: u64,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Json,
    Csv {
        /// Where the columns stand, in the order of [`COLUMNS`].
        at: [Option<usize>; 4],
        count: usize,
    },
}

fn fault(field: impl Into<String>, fault: impl Into<String>) -> Error {
    Error::Field { field: field.into(), fault: fault.into() }
}

impl<R: BufRead> Log<R> {
    /// Reads from these bytes; `path` is what errors call them.
    pub fn new(problem: &Arc<Problem>, bytes: R, path: impl AsRef<Path>) -> Log<R> {
        let path = match path.as_ref() {
            path if path == Path::new("-") => PathBuf::from("<standard input>"),
            path => path.into(),
        };
        let (places, text) = (Places::new(problem), Vec::new());
        Log { problem: problem.clone(), places, bytes, path, line: 0, text, form: None, t: 0 }
    }

    /// The next transition; none at the end.
    pub fn next_row(&mut self) -> Result<Option<Row>> {
        while self.advance()? {
            let text = std::mem::take(&mut self.text);
            let row = self.take(&text);
            self.text = text;
            match row {
                Ok(None) => {}
                Ok(Some(row)) => return Ok(Some(row)),
                Err(error) => {
                    let source = Box::new(error);
                    return Err(Error::AtLine { path: self.path.clone(), line: self.line, source });
                }
            }
        }
        Ok(None)
    }

    /// Reads a line; whether there was one.
    fn advance(&mut self) -> Result<bool> {
        self.text.clear();
        let mut bounded = (&mut self.bytes).take(LONGEST);
        let read = bounded.read_until(b'\n', &mut self.text);
        read.map_err(|source| Error::Io { path: self.path.clone(), source })?;
        self.line += 1;
        if self.text.len() as u64 >= LONGEST {
            let fault = format!("the line is longer than {} MB: this is no log", LONGEST >> 20);
            return Err(Error::File { path: self.path.clone(), line: self.line, column: 1, fault });
        }
        Ok(!self.text.is_empty())
    }

    /// The row of a line; none of one that says nothing.
    fn take(&mut self, line: &[u8]) -> Result<Option<Row>> {
        let text = std::str::from_utf8(line).map_err(|e| {
            let byte = line.get(e.valid_up_to()).copied().unwrap_or_default();
            fault("text", format!("byte {} is 0x{byte:02x}, which is not UTF-8", e.valid_up_to() + 1))
        })?;
        let text = if self.line == 1 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        let text = text.trim_end_matches(['\n', '\r']);
        if text.trim().is_empty() {
            return Ok(None);
        }
        let row = match self.form {
            Some(Form::Json) => self.json(text)?,
            Some(Form::Csv { at, count }) => Some(self.csv(text, at, count)?),
            None if text.trim_start().starts_with('{') => {
                self.form = Some(Form::Json);
                self.json(text)?
            }
            None => {
                self.form = Some(header(text)?);
                None
            }
        };
        Ok(row)
    }

    fn csv(&self, text: &str, at: [Option<usize>; 4], count: usize) -> Result<Row> {
        let fields = csv::fields(text).map_err(|wrong| fault("row", wrong))?;
        if fields.len() != count {
            let missing = COLUMNS.iter().zip(at).find(|(_, at)| at.is_some_and(|at| at >= fields.len()));
            let field = missing.map_or("row", |(name, _)| name);
            let hint = match fields.len() > count {
                true => "; a name with a comma stands in quotes",
                false => "",
            };
            return Err(fault(field, format!("{} fields, but the header has {count}{hint}", fields.len())));
        }
        let of = |i: usize| at[i].and_then(|at| fields.get(at)).map_or("", |field| field.as_ref());
        for (i, name) in COLUMNS.iter().enumerate().take(3) {
            if of(i).is_empty() {
                return Err(fault(*name, "it is empty"));
            }
        }
        let problem = &self.problem;
        let state = self.places.state(problem, of(0)).map_err(|wrong| fault("state", wrong))?;
        self.leaves(state)?;
        let action = self.places.action(problem, state, of(1)).map_err(|wrong| fault("action", wrong))?;
        let next = self.places.state(problem, of(2)).map_err(|wrong| fault("next", wrong))?;
        if at[3].is_some() {
            let text = of(3);
            let cost = text.parse::<f64>();
            let cost = cost.map_err(|_| fault("cost", format!("{} is not a number", quoted(text))))?;
            self.cost(state, action, cost)?;
        }
        Ok(Row { line: Some(self.line), state, action, next })
    }

    fn json(&mut self, text: &str) -> Result<Option<Row>> {
        let given: Given = serde_json::from_str(text).map_err(|e| {
            let place = format!(" at line {} column {}", e.line(), e.column());
            let words = e.to_string();
            let words = words.strip_suffix(&place).unwrap_or(&words);
            fault("JSON", format!("column {}: {words}", e.column()))
        })?;
        if !given.is_step()? {
            return Ok(None);
        }
        let missing = |field: &str| fault(field, "the step does not have it");
        let problem = &self.problem;
        let state = given.state.as_ref().ok_or_else(|| missing("state"))?;
        let state = self.places.state_of(problem, state).map_err(|wrong| fault("state", wrong))?;
        self.leaves(state)?;
        let action = given.action.as_ref().ok_or_else(|| missing("action"))?;
        let action = self.places.action_of(problem, state, action).map_err(|wrong| fault("action", wrong))?;
        let next = given.next.as_ref().ok_or_else(|| missing("next"))?;
        let next = self.places.state_of(problem, next).map_err(|wrong| fault("next", wrong))?;
        if let Some(cost) = given.cost.as_ref().filter(|cost| !cost.is_null()) {
            let number = cost.as_f64();
            let number = number.ok_or_else(|| fault("cost", format!("{} is not a number", shown(cost))))?;
            self.cost(state, action, number)?;
        }
        if let Some(t) = &given.t {
            self.in_order(t)?;
        }
        Ok(Some(Row { line: Some(self.line), state, action, next }))
    }

    /// The steps of a trace are numbered.
    fn in_order(&mut self, t: &Value) -> Result<()> {
        let number =
            t.as_u64().ok_or_else(|| fault("t", format!("{} is not the number of a step", shown(t))))?;
        if number <= self.t {
            let words = format!("step {number} after step {}: rows stand in the order of time", self.t);
            return Err(fault("t", words));
        }
        self.t = number;
        Ok(())
    }

    /// No step leads away from the goal.
    fn leaves(&self, state: State) -> Result<()> {
        if state != self.problem.goal() {
            return Ok(());
        }
        let name = self.problem.state_name(state);
        Err(fault("state", format!("a step from the goal {name}: an episode ends there")))
    }

    /// A cost is the pair's own.
    fn cost(&self, s: State, a: Action, cost: f64) -> Result<()> {
        let known = self.problem.cost(self.problem.pair(s, a));
        if cost.is_finite() && (cost - known).abs() <= ROUNDING * known.max(cost.abs()) {
            return Ok(());
        }
        let (state, action) = (self.problem.state_name(s), self.problem.action_name(s, a));
        Err(fault("cost", format!("{cost:?}, but state {state}, action {action} costs {known:?}")))
    }
}

fn header(text: &str) -> Result<Form> {
    let known = "the columns are state, action, next and, if it is known, cost";
    if text.trim_start().starts_with('[') {
        return Err(fault("header", "this is a JSON list; write one object a line, without the list"));
    }
    let fields = csv::fields(text).map_err(|wrong| fault("header", wrong))?;
    let mut at = [None; 4];
    for (i, field) in fields.iter().enumerate() {
        let Some(column) = COLUMNS.iter().position(|name| name == field) else {
            let meant = crate::did_you_mean_first(field, COLUMNS);
            return Err(fault("header", format!("there is no column {}; {meant}{known}", quoted(field))));
        };
        if at[column].replace(i).is_some() {
            return Err(fault("header", format!("the column {field} stands there twice")));
        }
    }
    if let Some((name, _)) = COLUMNS.iter().zip(at).take(3).find(|(_, at)| at.is_none()) {
        return Err(fault("header", format!("there is no column {name}; {known}")));
    }
    Ok(Form::Csv { at, count: fields.len() })
}
