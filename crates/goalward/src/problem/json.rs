//! Problem files: the one text form of a problem, read strictly and written so that every number comes back to the
//! bit.
//!
//! ```json
//! {"name": "coin", "states": 2, "start": 0, "goal": 1, "dim": 2,
//!  "cost": [[1.0], []],
//!  "features": [[0, 0, 0, [0.5, 0.0]], [0, 0, 1, [0.5, 1.0]]],
//!  "theta": [0.4, 0.6]}
//! ```
//!
//! `cost[s][a]` lists the costs of a state's actions, a feature is `[s, a, next, phi]`, absent features are zero.
//! States and actions are numbers from 0, an action's number is local to its state. Optional are `name`, `theta`
//! (absent or null: the truth is unknown), `extra` (known facts a'theta <= b, as `[a_1, ..., a_d, b]`), `state_names`
//! and `action_names`. Nothing else may stand in a file.
//!
//! A file is not trusted: no panic, no allocation beyond a small multiple of its size, and every error names the line
//! and column (wrong form) or the place in the document (wrong content).

use super::{Action, Instance, Problem, State};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// The largest `dim` of a file: learners hold matrices of dim x dim.
const MOST_DIM: usize = 1024;
/// The largest size of a number in a file: sums and squares of such numbers are still finite.
const LARGEST: f64 = 1e100;

/// Reads a problem file; errors name the file and the place in it.
///
/// A file without `name` takes the name of the file.
pub fn read(path: &Path) -> Result<Instance> {
    let bytes = std::fs::read(path).map_err(|source| Error::Io { path: path.into(), source })?;
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        let at = e.valid_up_to();
        fault_at(&bytes, at, path, format!("byte 0x{:02x} is not UTF-8 text", bytes[at]))
    })?;
    let document = Document::parse(text, path)?;
    let name = path.file_stem().map_or("problem".into(), |stem| stem.to_string_lossy());
    document
        .into_instance(text.len(), &name)
        .map_err(|source| Error::InFile { path: path.into(), source: Box::new(source) })
}

/// Reads a problem from the text of a file.
///
/// ```
/// use goalward::problem::json;
/// let instance = json::parse(
///     r#"{"states": 2, "start": 0, "goal": 1, "dim": 2, "cost": [[1.0], []],
///         "features": [[0, 0, 0, [0.5, 0.0]], [0, 0, 1, [0.5, 1.0]]], "theta": [0.4, 0.6]}"#,
/// )?;
/// assert_eq!(instance.truth()?.row(&instance.problem, 0), [0.2, 0.8]);
/// let fault = json::parse("{\"states\": 2,\n \"goal\": -1}").unwrap_err();
/// assert!(fault.to_string().contains(":2:"), "{fault}");
/// # Ok::<(), goalward::Error>(())
/// ```
pub fn parse(text: &str) -> Result<Instance> {
    Document::parse(text, Path::new("<text>"))?.into_instance(text.len(), "problem")
}

/// Writes a problem, one feature per line.
pub fn write(instance: &Instance, out: impl Write) -> io::Result<()> {
    let problem = &*instance.problem;
    let mut out = io::BufWriter::new(out);
    write!(out, "{{\n  \"name\": {}", serde_json::to_string(problem.name())?)?;
    for (key, value) in [
        ("states", problem.states()),
        ("start", problem.start()),
        ("goal", problem.goal()),
        ("dim", problem.dim()),
    ] {
        write!(out, ",\n  \"{key}\": {value}")?;
    }
    let costs = (0..problem.states()).map(|s| &problem.costs()[problem.pairs_of(s)]);
    write_list(&mut out, "cost", costs)?;
    let features = (0..problem.states()).flat_map(|s| {
        problem.pairs_of(s).enumerate().flat_map(move |(a, p)| {
            let rows = problem.phi(p).chunks_exact(problem.dim());
            problem.successors(p).iter().zip(rows).map(move |(next, phi)| (s, a, *next, phi))
        })
    });
    write_list(&mut out, "features", features)?;
    let theta = instance.truth.as_ref().map(|truth| truth.theta());
    write!(out, ",\n  \"theta\": {}", serde_json::to_string(&theta)?)?;
    if !problem.extra().is_empty() {
        let facts = problem.extra().iter().map(|fact| [&fact.a[..], &[fact.b]].concat());
        write_list(&mut out, "extra", facts)?;
    }
    if let Some(names) = problem.state_names() {
        write_list(&mut out, "state_names", names.iter())?;
    }
    if let Some(names) = problem.action_names() {
        write_list(&mut out, "action_names", names.iter())?;
    }
    out.write_all(b"\n}\n")?;
    out.flush()
}

/// The text of a problem's file.
pub fn to_json(instance: &Instance) -> String {
    let mut text = Vec::new();
    write(instance, &mut text).expect("writing to memory succeeds");
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// A field that holds a list, one entry per line.
fn write_list<T: Serialize>(
    out: &mut impl Write,
    key: &str,
    entries: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write!(out, ",\n  \"{key}\": [")?;
    let mut separator = "\n    ";
    for entry in entries {
        out.write_all(separator.as_bytes())?;
        serde_json::to_writer(&mut *out, &entry)?;
        separator = ",\n    ";
    }
    out.write_all(if separator.starts_with(',') { b"\n  ]" } else { b"]" })
}

/// The error at a position of the text.
fn fault_at(text: &[u8], at: usize, path: &Path, fault: String) -> Error {
    let before = &text[..at.min(text.len())];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    let column = 1 + before.iter().rev().take_while(|&&b| b != b'\n').count();
    Error::File { path: path.into(), line, column, fault }
}

fn field(field: impl Into<String>, fault: impl Into<String>) -> Error {
    Error::Field { field: field.into(), fault: fault.into() }
}

/// A file as it stands: right in form, its content not yet checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a problem {...}")]
struct Document {
    name: Option<String>,
    states: usize,
    start: State,
    goal: State,
    dim: usize,
    cost: Vec<Vec<f64>>,
    features: Vec<(State, Action, State, Vec<f64>)>,
    theta: Option<Vec<f64>>,
    extra: Option<Vec<Vec<f64>>>,
    state_names: Option<Vec<String>>,
    action_names: Option<Vec<Vec<String>>>,
}

impl Document {
    fn parse(text: &str, path: &Path) -> Result<Document> {
        let start = text.find(|c: char| !c.is_ascii_whitespace()).unwrap_or(text.len());
        let fault = match text[start..].chars().next() {
            None => Some("the file is empty; a problem is a JSON object {...}"),
            Some('\u{feff}') => Some("a byte order mark; save the file as UTF-8 without one"),
            // a list of values in the right order would otherwise pass for an object
            Some('[') => Some("a problem is a JSON object {...}, not a list"),
            Some(_) => None,
        };
        if let Some(fault) = fault {
            return Err(fault_at(text.as_bytes(), start, path, fault.into()));
        }
        serde_json::from_str(text).map_err(|e| {
            let place = format!(" at line {} column {}", e.line(), e.column());
            let fault = e.to_string();
            let fault = fault.strip_suffix(&place).unwrap_or(&fault).to_string();
            Error::File { path: path.into(), line: e.line().max(1), column: e.column().max(1), fault }
        })
    }

    /// Checks the content and builds the problem; `size` is the length of the text.
    fn into_instance(self, size: usize, default_name: &str) -> Result<Instance> {
        self.check_shape(size)?;
        self.check_numbers()?;
        let order = self.check_features()?;

        let name = self.name.as_deref().unwrap_or(default_name);
        let mut builder = Problem::builder(name, self.states, self.dim);
        builder.start(self.start).goal(self.goal);
        for (s, costs) in self.cost.iter().enumerate() {
            for &cost in costs {
                builder.action(s, cost)?;
            }
        }
        if let Some(names) = self.state_names {
            builder.state_names(names);
        }
        if let Some(names) = self.action_names {
            builder.action_names(names);
        }
        for i in order {
            let (s, a, next, phi) = &self.features[i];
            builder.feature(*s, *a, *next, phi)?;
        }
        for fact in self.extra.iter().flatten() {
            builder.extra(&fact[..self.dim], fact[self.dim])?;
        }
        let problem = builder.build()?;
        match &self.theta {
            Some(theta) => Instance::new(problem, theta),
            None => Ok(Instance { problem: Arc::new(problem), truth: None }),
        }
    }

    /// The counts fit each other; `states` and `dim` are no larger than what the file holds.
    fn check_shape(&self, size: usize) -> Result<()> {
        let (n, d) = (self.states, self.dim);
        if self.cost.len() != n {
            return Err(field("cost", format!("costs for {} states, but states is {n}", self.cost.len())));
        }
        if n == 0 {
            return Err(field("states", "a problem needs at least one state, the goal"));
        }
        for (key, s) in [("start", self.start), ("goal", self.goal)] {
            if s >= n {
                return Err(field(key, format!("state {s} does not exist, there are {n} states")));
            }
        }
        if d == 0 || d > MOST_DIM || d > size {
            let most = MOST_DIM.min(size);
            return Err(field("dim", format!("{d} features; there must be 1 to {most} of them")));
        }
        if let Some(names) = &self.state_names
            && names.len() != n
        {
            return Err(field("state_names", format!("{} names for {n} states", names.len())));
        }
        if let Some(names) = &self.action_names {
            if names.len() != n {
                return Err(field("action_names", format!("{} lists for {n} states", names.len())));
            }
            if let Some(s) = (0..n).find(|&s| names[s].len() != self.cost[s].len()) {
                let fault = format!("{} names for {} actions", names[s].len(), self.cost[s].len());
                return Err(field(format!("action_names[{s}]"), fault));
            }
        }
        if let Some(theta) = &self.theta
            && theta.len() != d
        {
            return Err(field("theta", format!("{} entries, but dim is {d}", theta.len())));
        }
        for (i, fact) in self.extra.iter().flatten().enumerate() {
            if fact.len() != d + 1 {
                let fault = format!("{} numbers; a fact has dim + 1 = {}: a_1..a_d, b", fact.len(), d + 1);
                return Err(field(format!("extra[{i}]"), fault));
            }
        }
        Ok(())
    }

    fn check_numbers(&self) -> Result<()> {
        for (s, costs) in self.cost.iter().enumerate() {
            for (a, &cost) in costs.iter().enumerate() {
                let fault = match () {
                    _ if cost < 0.0 => "costs must not be negative (a reward is a cost with its sign turned)",
                    _ if cost > LARGEST => "costs must be at most 1e100",
                    _ => continue,
                };
                let (state, action) = (self.state_name(s), self.action_name(s, a));
                let fault = format!("state {state}, action {action}: cost is {cost:?}, but {fault}");
                return Err(field(format!("cost[{s}][{a}]"), fault));
            }
        }
        let too_large = |numbers: &[f64]| numbers.iter().copied().find(|x| x.abs() > LARGEST);
        let fault = |place: String, x: f64| Err(field(place, format!("{x:?} is larger than 1e100")));
        if let Some(x) = self.theta.as_deref().and_then(too_large) {
            return fault("theta".into(), x);
        }
        for (i, fact) in self.extra.iter().flatten().enumerate() {
            if let Some(x) = too_large(fact) {
                return fault(format!("extra[{i}]"), x);
            }
        }
        Ok(())
    }

    /// Checks every feature row; returns their order by state, action and successor, in which the builder takes them
    /// in one pass.
    fn check_features(&self) -> Result<Vec<usize>> {
        let states = self.states;
        for (i, (s, a, next, phi)) in self.features.iter().enumerate() {
            let (s, a, next) = (*s, *a, *next);
            let fault = if s >= states {
                format!("state {s} does not exist, there are {states} states")
            } else if a >= self.cost[s].len() {
                let has = self.cost[s].len();
                format!("state {}: action {a} does not exist, cost[{s}] lists {has}", self.state_name(s))
            } else if next >= states {
                let (state, action) = (self.state_name(s), self.action_name(s, a));
                format!(
                    "state {state}, action {action}: next state {next} does not exist, there are {states} states"
                )
            } else if phi.len() != self.dim {
                let place = self.place(s, a, next);
                format!("{place}: the feature row has {} entries, but dim is {}", phi.len(), self.dim)
            } else if let Some(k) = phi.iter().position(|x| x.abs() > LARGEST) {
                format!("{}: feature {k} is {:?}, larger than 1e100", self.place(s, a, next), phi[k])
            } else {
                continue;
            };
            return Err(field(format!("features[{i}]"), fault));
        }
        let key = |i: usize| (self.features[i].0, self.features[i].1, self.features[i].2);
        let mut order: Vec<usize> = (0..self.features.len()).collect();
        order.sort_by_key(|&i| key(i));
        let twice = order.windows(2).filter(|w| key(w[0]) == key(w[1])).min_by_key(|w| w[1]);
        if let Some(&[first, again]) = twice {
            let (s, a, next) = key(again);
            let fault = format!(
                "{}: this feature row is given twice, first as features[{first}]",
                self.place(s, a, next)
            );
            return Err(field(format!("features[{again}]"), fault));
        }
        Ok(order)
    }

    fn place(&self, s: State, a: Action, next: State) -> String {
        let (state, action) = (self.state_name(s), self.action_name(s, a));
        format!("state {state}, action {action}, next {}", self.state_name(next))
    }

    fn state_name(&self, s: State) -> String {
        self.state_names.as_ref().map_or_else(|| s.to_string(), |names| names[s].clone())
    }

    fn action_name(&self, s: State, a: Action) -> String {
        self.action_names.as_ref().map_or_else(|| a.to_string(), |names| names[s][a].clone())
    }
}
