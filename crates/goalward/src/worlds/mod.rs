//! Problems with their truth, one file each, behind one registry.

use crate::problem::Instance;
use crate::registry::{Parameter, Reader, Settings};
use crate::{Error, Result};
use serde::Serialize;

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
pub const WORLDS: &[WorldEntry] = &[];

/// Builds a world from its id and parameters.
pub fn build(id: &str, settings: &Settings) -> Result<Instance> {
    let known = || WORLDS.iter().map(|w| w.id.to_string()).collect();
    let entry = WORLDS.iter().find(|w| w.id == id);
    let entry = entry.ok_or_else(|| Error::UnknownId { kind: "world", id: id.into(), known: known() })?;
    (entry.build)(&Reader::new(id, entry.parameters, settings)?)
}

/// A built-in world by its id, or a problem file by its path.
pub fn open(name: &str, settings: &Settings) -> Result<Instance> {
    build(name, settings)
}
