//! Studies by their names: a file, one that comes with goalward, or a folder of results.

use crate::exit::Usage;
use goalward::closest;
use goalward_lab::study::{self, SHIPPED, StudyFile};
use std::path::{Path, PathBuf};

/// Reads a study file, or a study that comes with goalward.
pub(super) fn read(name: &str, quick: bool) -> anyhow::Result<StudyFile> {
    match is_file(name) {
        true => Ok(study::read_file(Path::new(name), quick)?),
        false => shipped(name, quick),
    }
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
pub(super) fn folder(name: &str, out: Option<PathBuf>) -> PathBuf {
    if let Some(out) = out {
        return out;
    }
    let path = Path::new(name);
    match path.is_dir() {
        true => path.into(),
        false => default_folder(&path.file_stem().unwrap_or_default().to_string_lossy(), false),
    }
}

/// Where a study's results go unless the user says.
pub(super) fn default_folder(name: &str, quick: bool) -> PathBuf {
    Path::new("out").join(if quick { format!("{name}-quick") } else { name.to_string() })
}
