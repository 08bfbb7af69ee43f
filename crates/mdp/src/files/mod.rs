//! Models that others have made: Storm's DRN, Gymnasium's tables, and our own problem files.
//!
//! ```text
//! file -> bytes (gzip or not) -> Explicit (what the file lists) -> checked builder -> Instance
//! ```
//!
//! The content tells the format, not the name. No file is trusted: no panic, no allocation
//! beyond a small multiple of what was read, and every error names the file and the line.
//!
//! ```
//! use goalward_mdp::{Settings, files, plan::{Halt, Options, solve}};
//! let text = "@type: MDP\n@reward_models\ntime\n@model\n\
//!             state 0 init\n\taction toss [3]\n\t\t0 : 2/3\n\t\t1 : 1/3\nstate 1 done\n";
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("coin.drn");
//! std::fs::write(&path, text).unwrap();
//! let settings = Settings::new().set("goal", "done").set("cost", "time");
//! let coin = files::open(&path, &settings, &Halt::never())?;
//! let exact = solve(&coin.problem, coin.truth()?, &Options::exact(1e-9))?;
//! assert!(exact.lower[0] <= 9.0 && 9.0 <= exact.upper[0]);
//! # Ok::<(), goalward_mdp::Error>(())
//! ```

mod drn;
mod gymnasium;
mod input;
pub mod json;
mod model;
mod number;
mod text;

pub use input::{Kind, can_be_reopened, kind};
pub use model::Explicit;
pub use model::choose::{self, Chosen, Options};
pub use text::ENDINGS;

use crate::numeric::halt::Halt;
use crate::parameters::Settings;
use crate::problem::Instance;
use crate::{Error, Result};
use input::Input;
use std::io::{self, Read};
use std::path::Path;
use text::{STDIN, fault_at};

/// What a file holds.
#[derive(Debug)]
pub enum Source {
    /// A known model.
    Model(Box<Explicit>),
    /// One of our problem files, right in form.
    Problem(Box<json::Draft>),
}

/// The most bytes of a problem through a pipe: its text is held in memory.
const MOST_TEXT: u64 = 1 << 30;

/// Reads a file, a pipe or `-`, standard input; `halt` hears how much was read.
pub fn read(path: &Path, halt: &Halt) -> Result<Source> {
    let input = input::open(path, halt)?;
    let path = if path == Path::new("-") { Path::new(STDIN) } else { path };
    sniff(input, path)
}

/// Reads what is in memory already; `path` is what errors call it.
pub fn read_bytes(bytes: Vec<u8>, path: &Path) -> Result<Source> {
    let begin = bytes[..bytes.len().min(input::PIECE)].to_vec();
    sniff(Input { begin, all: Box::new(io::Cursor::new(bytes)), is_file: false }, path)
}

fn sniff(input: Input, path: &Path) -> Result<Source> {
    let Input { begin, all, is_file } = input;
    // refused at once: what is no text may come for ever
    if let Some(at) = begin.iter().position(|byte| *byte == 0).filter(|_| !is_file) {
        return Err(fault_at(&begin, at, path, "byte 0x00 is not text".into()));
    }
    match format(&begin) {
        Format::Drn => Ok(Source::Model(Box::new(drn::read(all, path)?))),
        Format::Gymnasium => Ok(Source::Model(Box::new(gymnasium::read(all, path)?))),
        Format::Problem => {
            if begin.trim_ascii_start().first().is_some_and(|byte| *byte != b'{') {
                json::Draft::new(begin, path, true)?; // an error: nothing that follows could mend it
            }
            let most = if is_file { u64::MAX } else { MOST_TEXT };
            let again = is_file && path != Path::new(STDIN) && can_be_reopened(path);
            let draft = match again {
                false => json::Draft::new(to_end(all, path, most)?, path, is_file)?,
                true => match json::Draft::read(all, path) {
                    Some(draft) => draft,
                    None => json::Draft::new(bytes(path)?, path, true)?,
                },
            };
            Ok(Source::Problem(Box::new(draft)))
        }
    }
}

fn to_end(all: impl Read, path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = all.take(most).read_to_end(&mut bytes);
    let fault = match read {
        Ok(n) if n as u64 == most => io::Error::other(format!(
            "more than {most} bytes of JSON came through this pipe, and perhaps it never ends: \
             write it to a file first"
        )),
        Ok(_) => return Ok(bytes),
        Err(source) => source,
    };
    Err(Error::Io { path: path.into(), source: fault })
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    to_end(input::open(path, &Halt::never())?.all, path, u64::MAX)
}

/// Opens a file as an instance. Only a known model takes parameters, [`choose::PARAMETERS`].
pub fn open(path: &Path, settings: &Settings, halt: &Halt) -> Result<Instance> {
    instance(read(path, halt)?, path, settings)
}

/// As [`open`], of what is in memory already; `path` is what errors call it.
pub fn open_bytes(bytes: Vec<u8>, path: &Path, settings: &Settings) -> Result<Instance> {
    instance(read_bytes(bytes, path)?, path, settings)
}

fn instance(source: Source, path: &Path, settings: &Settings) -> Result<Instance> {
    let owner = path.display().to_string();
    match source {
        Source::Model(mut model) => {
            let options = Options::new(&owner, settings)?;
            // a file with a fault of form may lack the very label that is asked for
            model.require_form()?;
            // and what is to be played does not hide a row that is wrong
            model.require_sound_before_settling()?;
            model.settle(&options);
            let chosen = model.choose(&options)?;
            model.into_instance(&chosen)
        }
        Source::Problem(draft) => {
            refuse_parameters(&owner, settings)?;
            draft.into_instance()
        }
    }
}

/// An error if there are any: a problem file says everything itself.
pub fn refuse_parameters(owner: &str, settings: &Settings) -> Result<()> {
    match settings.iter().next() {
        None => Ok(()),
        Some((key, value)) => {
            let reason = "a problem file takes no parameters: it says its own start, goal and costs".into();
            Err(Error::Setting { owner: owner.into(), key: key.into(), value: value.into(), reason })
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Drn,
    Gymnasium,
    Problem,
}

/// Top-level keys that a table has and a problem has not.
const TABLE_KEYS: &[&str] = &[
    "columns",
    "transitions",
    "n_states",
    "n_actions",
    "initial_distribution",
    "env",
    "gymnasium",
    "kwargs",
];

fn format(begin: &[u8]) -> Format {
    let text = begin.trim_ascii_start();
    if !text.starts_with(b"{") {
        // whatever is not text of ours is refused by the reader whose errors say most
        let drn = text.starts_with(b"@") || text.starts_with(b"//") || text.starts_with(b"state ");
        return if drn { Format::Drn } else { Format::Problem };
    }
    let (mut depth, mut at) = (0usize, 0);
    while at < text.len() {
        match text[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let from = at + 1;
                at = from;
                while at < text.len() && text[at] != b'"' {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
                let word = &text[from..at.min(text.len())];
                let after = text.get(at + 1..).unwrap_or_default().trim_ascii_start();
                let is_key = depth == 1 && after.starts_with(b":");
                let number = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
                if is_key && (number || TABLE_KEYS.iter().any(|key| key.as_bytes() == word)) {
                    return Format::Gymnasium;
                }
            }
            _ => {}
        }
        at += 1;
    }
    Format::Problem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_content() {
        for (text, expected) in [
            ("@type: MDP\n", Format::Drn),
            ("// Exported by storm\n", Format::Drn),
            (r#"{"name": "x", "states": 2, "dim"#, Format::Problem),
            (r#"{"name": "env", "cost": "#, Format::Problem),
            (r#" {"env": "Cliff", "#, Format::Gymnasium),
            (r#"{"0": {"0": [[1.0, "#, Format::Gymnasium),
            (r#"{"about": {"env": [1, "n_states"]}, "st\"env\": 1": 2, "transitions" : "#, Format::Gymnasium),
            (r#"{"about": {"env": [1, "n_states"]}, "st\"env\": 1": 2, "cost""#, Format::Problem),
            ("", Format::Problem),
            ("{", Format::Problem),
            ("{\"\\", Format::Problem),
            ("[1]", Format::Problem),
        ] {
            assert_eq!(format(text.as_bytes()), expected, "{text}");
        }
    }
}
