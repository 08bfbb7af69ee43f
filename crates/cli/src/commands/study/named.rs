//! Studies by their names: a file, one that comes with goalward, or a folder of results.

use crate::exit::Usage;
use crate::outputs::{self, is_stdin};
use goalward::closest;
use goalward_lab::study::{self, SHIPPED, StudyFile};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A study that comes through standard input has no more bytes.
const LONGEST: u64 = 10_000_000;

/// Reads a study file, a study from standard input (`-`), or one that comes with goalward.
pub(super) fn read(name: &str, quick: bool) -> anyhow::Result<StudyFile> {
    match is_file(name) {
        _ if is_stdin(name) => typed(quick),
        true => Ok(study::read_file(Path::new(name), quick)?),
        false => shipped(name, quick),
    }
}

/// Reads a study from standard input.
fn typed(quick: bool) -> anyhow::Result<StudyFile> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Usage::new(format!("standard input: {error}")))?;
    if bytes.len() as u64 > LONGEST {
        let reason = format!("standard input: a study has at most {LONGEST} bytes");
        return Err(Usage::new(reason).into());
    }
    let text = String::from_utf8(bytes).map_err(|error| Usage::new(format!("standard input: {error}")))?;
    let mut file = study::read(&text, Path::new("<standard input>"), quick)?;
    file.study.name = "study".into();
    Ok(file)
}

/// A study that comes with goalward.
pub(crate) fn shipped(name: &str, quick: bool) -> anyhow::Result<StudyFile> {
    let Some(known) = SHIPPED.iter().find(|study| study.name == name) else {
        let names: Vec<&str> = SHIPPED.iter().map(|study| study.name).collect();
        let meant = closest(name, names.iter().copied());
        let meant = meant.map_or(String::new(), |meant| format!("did you mean {meant}? "));
        let hint = format!("{meant}give a file, or one of {}", names.join(", "));
        return Err(Usage::new(format!("there is no study {name:?}")).hint(hint).into());
    };
    Ok(study::read(known.text, Path::new(&format!("{name}.toml")), quick)?)
}

fn is_file(name: &str) -> bool {
    name.ends_with(".toml") || name.contains(std::path::is_separator)
}

/// Where the results of a study are: a folder as it is, otherwise that of its name.
pub(super) fn folder(name: &str, out: Option<PathBuf>) -> Result<PathBuf, Usage> {
    if let Some(out) = out {
        outputs::folder("--out", &out)?;
        return Ok(out);
    }
    if is_stdin(name) {
        let reason = format!("{name}: standard input does not say where the results are");
        return Err(Usage::new(reason).hint("give the folder of the results"));
    }
    let path = Path::new(name);
    Ok(match path.is_dir() {
        true => path.into(),
        false => default_folder(&path.file_stem().unwrap_or_default().to_string_lossy(), false),
    })
}

/// Where a study's results go unless the user says.
pub(super) fn default_folder(name: &str, quick: bool) -> PathBuf {
    Path::new("out").join(if quick { format!("{name}-quick") } else { name.to_string() })
}
