//! Problems with their truth, one file each, behind one registry.
//!
//! A world is a file that exports a [`WorldEntry`] and one line in [`WORLDS`]; [`open`] takes such a world by its id,
//! or a problem from a file.

mod corridor;
mod hard_instance;
mod random_mixture;
mod signs;
#[cfg(test)]
mod tests;
mod windy_grid;

use crate::problem::{Instance, json};
use crate::registry::{Parameter, Reader, Settings};
use crate::{Error, Result};
use serde::Serialize;
use std::path::{Path, is_separator};

/// What the registry says of a world.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WorldEntry {
    /// Its name on the command line.
    pub id: &'static str,
    /// One line.
    pub title: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    #[serde(skip)]
    build: fn(&Reader) -> Result<Instance>,
}

/// All built-in worlds.
pub const WORLDS: &[WorldEntry] =
    &[hard_instance::ENTRY, corridor::ENTRY, windy_grid::ENTRY, random_mixture::ENTRY];

/// What every world's `simplex` is.
const SIMPLEX: Parameter = Parameter {
    name: "simplex",
    default: "false",
    doc: "whether learners are told that no entry of theta is negative (as extra facts of the problem)",
};

/// The most feature rows times dim that a world is built with: memory, and the time to fill it.
const MOST_NUMBERS: usize = 100_000_000;

/// The entry of a world.
pub fn entry(id: &str) -> Result<&'static WorldEntry> {
    let known = || WORLDS.iter().map(|w| w.id.to_string()).collect();
    let entry = WORLDS.iter().find(|w| w.id == id);
    entry.ok_or_else(|| Error::UnknownId { kind: "world", id: id.into(), known: known() })
}

/// Builds a world from its id and parameters.
pub fn build(id: &str, settings: &Settings) -> Result<Instance> {
    let entry = entry(id)?;
    (entry.build)(&Reader::new(id, entry.parameters, settings)?)
}

/// Opens a world by its id, or a problem file by its path; a file takes no parameters.
///
/// What is not an id is taken for a path if there is such a file, if it ends in `.json` or if it contains a path
/// separator.
///
/// ```
/// use goalward::registry::Settings;
/// let grid = goalward::worlds::open("windy-grid", &Settings::new().set("n", 3))?;
/// assert_eq!(grid.problem.states(), 9);
/// # Ok::<(), goalward::Error>(())
/// ```
pub fn open(name: &str, settings: &Settings) -> Result<Instance> {
    let path = Path::new(name);
    let is_id = WORLDS.iter().any(|w| w.id == name);
    if is_id || !(name.ends_with(".json") || name.contains(is_separator) || path.is_file()) {
        return build(name, settings);
    }
    if let Some((key, value)) = settings.iter().next() {
        let (owner, key, value) = (name.into(), key.into(), value.into());
        let reason = "a problem file takes no parameters".into();
        return Err(Error::Setting { owner, key, value, reason });
    }
    json::read(path)
}
