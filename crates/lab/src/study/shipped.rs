//! Studies by their names: a file, or one that comes with goalward.

use super::{StudyFile, read, read_file};
use crate::{Error, Result};
use std::path::{Path, PathBuf, is_separator};

/// A study that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(Shipped { name: $name, text: include_str!(concat!("../../studies/", $name, ".toml")) }),*]
    };
}

/// All of them.
pub const SHIPPED: &[Shipped] = shipped![
    "reproduce",
    "demo",
    "survey",
    "field",
    "comparison",
    "tuning",
    "coverage",
    "scale",
    "growth",
    "growth-tuned",
    "hard",
    "long",
    "sets",
    "mixtures",
    "free",
    "shortcut",
    "truths",
];

/// A study file to begin with.
pub const STARTER: &str = include_str!("starter.toml");

/// Reads a study file, or a study that comes with goalward. What ends in `.toml` or has a folder in
/// it is a file.
pub fn read_named(name: &str, quick: bool) -> Result<StudyFile> {
    match name.ends_with(".toml") || name.contains(is_separator) {
        true => read_file(Path::new(name), quick),
        false => read_shipped(name, quick),
    }
}

/// Reads a study that comes with goalward.
pub fn read_shipped(name: &str, quick: bool) -> Result<StudyFile> {
    let Some(known) = SHIPPED.iter().find(|study| study.name == name) else {
        let known = SHIPPED.iter().map(|study| study.name).collect();
        return Err(Error::NoStudy { name: name.into(), known });
    };
    read(known.text, Path::new(&format!("{name}.toml")), quick)
}

/// Where a study's results go unless the user says.
pub fn default_folder(name: &str, quick: bool) -> PathBuf {
    Path::new("out").join(if quick { format!("{name}-quick") } else { name.to_string() })
}
