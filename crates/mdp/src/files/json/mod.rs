//! Problem files, read strictly and written so that every number comes back to the bit.
//!
//! ```json
//! {"name": "coin", "states": 2, "start": 0, "goal": 1, "dim": 2,
//!  "cost": [[1.0], []],
//!  "features": [[0, 0, 0, [0.5, 0.0]], [0, 0, 1, [0.5, 1.0]]],
//!  "theta": [0.4, 0.6]}
//! ```
//!
//! `cost[s][a]` lists the costs of a state's actions; a feature is `[s, a, next, phi]`, absent ones
//! are zero. Optional are `name`, `theta` (absent or null: unknown), `kernel` (instead of theta:
//! the true probabilities as `[s, a, next, p]`), `extra` (facts a'theta <= b as `[a_1, ..., a_d,
//! b]`), `model_names`, `state_names` and `action_names`. Rows of candidate models that are off by
//! 1e-5, as those of a NumPy `float32` tensor are, are divided by their sums, with a note.
//!
//! A file is not trusted: no panic, no allocation beyond a small multiple of its size, and every
//! error names the line and column (wrong form) or the place in the document (wrong content).

mod document;
mod features;
mod flat;
mod place;
mod stream;

use super::text::{fault_at, stem};
use super::{Source, bytes};
use crate::numeric::halt::Halt;
use crate::problem::{Faults, Instance, ProblemBuilder};
use crate::{Error, Result};
use document::Document;
pub use document::Known;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

/// Reads a problem file, packed or not. A file without `name` takes the name of the file.
pub fn read(path: &Path) -> Result<Instance> {
    match super::read(path, &Halt::never())? {
        Source::Problem(draft) => draft.into_instance(),
        Source::Model(model) => {
            let fault = format!("this is a {} model, not a problem file", model.format());
            Err(Error::File { path: path.into(), line: 1, column: 1, fault })
        }
    }
}

/// A problem file that is right in form; what it says has not been looked at.
#[derive(Debug)]
pub struct Draft {
    document: Document,
    size: usize,
    origin: Origin,
}

/// Where a problem came from, for errors that name the line.
#[derive(Debug)]
struct Origin {
    path: PathBuf,
    text: Option<Vec<u8>>,
}

impl Draft {
    /// Reads a file's form as it comes; none if it is wrong, which [`Draft::new`] explains.
    pub(super) fn read(from: impl BufRead, path: &Path) -> Option<Draft> {
        let (document, size) = stream::read(from)?;
        Some(Draft { document, size, origin: Origin { path: path.into(), text: None } })
    }

    /// Reads the form; `is_file` says whether the text can be had again from its path.
    pub(super) fn new(bytes: Vec<u8>, path: &Path, is_file: bool) -> Result<Draft> {
        let text = std::str::from_utf8(&bytes).map_err(|e| {
            let at = e.valid_up_to();
            fault_at(&bytes, at, path, format!("byte 0x{:02x} is not UTF-8 text", bytes[at]))
        })?;
        let (document, size) = (Document::parse(text, path)?, text.len());
        Ok(Draft { document, size, origin: Origin { path: path.into(), text: (!is_file).then_some(bytes) } })
    }

    /// The problem, with its truth if the file has one; its first fault is the error.
    pub fn into_instance(self) -> Result<Instance> {
        let Draft { document, size, origin } = self;
        let name = stem(&origin.path);
        document.into_instance(size, &name).map_err(|fault| origin.locate(&origin.text(&[&fault]), 0, fault))
    }

    /// The first `most` faults of the file; without any, [`Draft::builder`] makes a problem of it.
    pub fn faults(&self, most: usize) -> Faults {
        let faults = self.document.faults(self.size, most);
        let text = self.origin.text(&faults.first().iter().collect::<Vec<_>>());
        let mut number = 0..;
        faults.map(|fault| self.origin.locate(&text, number.next().unwrap_or(usize::MAX), fault))
    }

    /// The graph of the steps that the truth, or else any feature, makes possible. `None` if the
    /// counts do not fit or most of it is missing.
    pub fn graph(&self) -> Option<Instance> {
        self.document.graph(self.size)
    }

    /// The builder, whose own checks are still to come, and the truth of the file.
    pub fn builder(self) -> Result<(ProblemBuilder, Known)> {
        let name = stem(&self.origin.path);
        self.document.builder(self.size, &name)
    }
}

impl Origin {
    /// The text, read again if need be, if a fault names a field whose line can be found.
    fn text(&self, faults: &[&Error]) -> Cow<'_, [u8]> {
        match (&self.text, faults.iter().any(|fault| matches!(fault, Error::Field { .. }))) {
            (_, false) => Cow::Borrowed(&[]),
            (Some(text), true) => Cow::Borrowed(text),
            (None, true) => Cow::Owned(bytes(&self.path).unwrap_or_default()),
        }
    }

    /// The same fault with its file and, if it is among the first few and names a field, its line.
    fn locate(&self, text: &[u8], number: usize, fault: Error) -> Error {
        const LOCATED: usize = 50;
        let line = match &fault {
            Error::Field { field, .. } if number < LOCATED => place::line_of(text, field),
            _ => None,
        };
        let (path, source) = (self.path.clone(), Box::new(fault));
        match line {
            Some(line) => Error::AtLine { path, line, source },
            None => Error::InFile { path, source },
        }
    }
}

/// Reads a problem from the text of a file.
///
/// ```
/// use goalward_mdp::files::json;
/// let instance = json::parse(
///     r#"{"states": 2, "start": 0, "goal": 1, "dim": 2, "cost": [[1.0], []],
///         "features": [[0, 0, 0, [0.5, 0.0]], [0, 0, 1, [0.5, 1.0]]], "theta": [0.4, 0.6]}"#,
/// )?;
/// assert_eq!(instance.truth()?.row(&instance.problem, 0), [0.2, 0.8]);
/// let fault = json::parse("{\"states\": 2,\n \"goal\": -1}").unwrap_err();
/// assert!(fault.to_string().contains(":2:"), "{fault}");
/// # Ok::<(), goalward_mdp::Error>(())
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
            let rows = problem.rows(p).zip(problem.successors(p));
            // what no model has is the kernel's to say
            let rows = rows.filter(move |(_, next)| problem.allows(p, **next as usize));
            rows.map(move |(row, next)| (s, a, *next, problem.row(row)))
        })
    });
    write_list(&mut out, "features", features)?;
    match instance.truth.as_ref().filter(|truth| truth.is_kernel()) {
        Some(truth) => write_list(&mut out, "kernel", truth.entries(problem))?,
        None => {
            let theta = instance.truth.as_ref().and_then(|truth| truth.theta());
            write!(out, ",\n  \"theta\": {}", serde_json::to_string(&theta)?)?;
        }
    }
    if let Some(names) = problem.model_names() {
        write!(out, ",\n  \"model_names\": {}", serde_json::to_string(names)?)?;
    }
    if !problem.extra().is_empty() {
        let facts = problem.extra().iter().map(|fact| [&fact.a[..], &[fact.b]].concat());
        write_list(&mut out, "extra", facts)?;
    }
    if let Some(names) = problem.state_names() {
        write_list(&mut out, "state_names", names)?;
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
