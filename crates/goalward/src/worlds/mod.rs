//! Problems with their truth, one file each, behind one registry.
//!
//! A world is a file that exports a [`WorldEntry`] and one line in [`WORLDS`]; [`open`] takes such a world by its id,
//! or a model or problem from a file.

mod corridor;
mod hard_instance;
mod random_mixture;
mod signs;
#[cfg(test)]
mod tests;
mod windy_grid;

use crate::problem::{Instance, files};
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

/// What every world and every file takes beside its own parameters.
pub const FEATURES: Parameter = Parameter {
    name: "features",
    default: "f64",
    doc: "f32 splits every feature into an f32 and the rest, in the same memory: planners read the f32 alone, half as much, while what they \
          certify has room for the difference",
};

/// The most feature rows times dim that a world is built with whose number of actions grows with 2^dim.
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

/// Where a world comes from.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// It is built in.
    Built(&'static WorldEntry),
    /// It is a file.
    File(&'a Path),
}

/// Tells an id from a path.
///
/// What is not an id is taken for a path if there is such a file or pipe, if it ends like a model (`.json`, `.drn`, `.gz`)
/// or if it contains a path separator. `-` is standard input.
pub fn locate(name: &str) -> Result<Place<'_>> {
    let looks_like_file = [".json", ".drn", ".gz"].iter().any(|end| name.ends_with(end));
    match entry(name) {
        Ok(entry) => Ok(Place::Built(entry)),
        Err(_)
            if name == "-" || looks_like_file || name.contains(is_separator) || Path::new(name).exists() =>
        {
            Ok(Place::File(Path::new(name)))
        }
        Err(error) => Err(error),
    }
}

/// Opens a world by its id, or a model or problem file by its path ([`locate`] says which it is).
///
/// A built-in world takes its own parameters, a model file those of [`files::choose::PARAMETERS`] (`goal`, `cost`,
/// `start`), and a problem file none; each takes [`FEATURES`] besides.
///
/// ```
/// use goalward::registry::Settings;
/// let grid = goalward::worlds::open("windy-grid", &Settings::new().set("n", 3))?;
/// assert_eq!(grid.problem.states(), 9);
/// # Ok::<(), goalward::Error>(())
/// ```
pub fn open(name: &str, settings: &Settings) -> Result<Instance> {
    let own = settings.without(FEATURES.name);
    let split = match settings.get(FEATURES.name).unwrap_or(FEATURES.default) {
        "f64" => false,
        "f32" => true,
        other => {
            let (owner, key) = (name.into(), FEATURES.name.into());
            return Err(Error::Setting {
                owner,
                key,
                value: other.into(),
                reason: "it is f64 or f32".into(),
            });
        }
    };
    let instance = match locate(name)? {
        Place::Built(entry) => build(entry.id, &own)?,
        Place::File(path) => files::open(path, &own)?,
    };
    if split { instance.with_split_features() } else { Ok(instance) }
}
