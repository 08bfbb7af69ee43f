//! Problems with their truth, one file each, behind one registry.
//!
//! A world is a file that exports a [`WorldEntry`] and one line in [`WORLDS`]; [`open`] takes such
//! a world by its id, or a model or problem from a file.

mod candidates;
mod cliff;
mod corridor;
mod delivery;
mod frozen_lake;
mod grid;
mod hard_instance;
mod ladder;
mod low_rank;
mod min_lower_bound;
mod psrl_gridworld;
mod psrl_random_mdp;
mod racetrack;
mod random_mixture;
mod river_swim;
mod rosenberg;
mod shortcut;
mod signs;
mod taxi;
#[cfg(test)]
mod tests;
mod windy_grid;

use crate::files;
use crate::numeric::halt::Halt;
use crate::parameters::{Key, Parameter, Reader, Settings, name_and_settings};
use crate::problem::{Instance, State, restart};
use crate::{Error, Result};
use serde::Serialize;
use std::path::{Path, is_separator};

/// What the registry says of a world.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
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
pub const WORLDS: &[WorldEntry] = &[
    hard_instance::ENTRY,
    corridor::ENTRY,
    windy_grid::ENTRY,
    random_mixture::ENTRY,
    ladder::ENTRY,
    min_lower_bound::ENTRY,
    rosenberg::ENTRY,
    psrl_random_mdp::ENTRY,
    psrl_gridworld::ENTRY,
    river_swim::ENTRY,
    cliff::ENTRY,
    frozen_lake::ENTRY,
    delivery::ENTRY,
    taxi::ENTRY,
    racetrack::ENTRY,
    shortcut::ENTRY,
    low_rank::ENTRY,
];

const SIMPLEX: Key<bool> = Key::flag(
    "simplex",
    "whether learners are told that no entry of theta is negative (as extra facts of the problem)",
)
.or("false");

/// What every world and every file takes beside its own parameters.
pub const COMMON: &[Parameter] = &[RESTART.about()];

/// Second chances.
pub const RESTART: Key<bool> = Key::flag(
    "restart",
    "true: a step into a state from which the goal cannot be reached leads back to the start, at the step's \
     own cost",
)
.or("false");

/// The most feature rows times dim that a world is built with whose number of actions grows with
/// 2^dim.
const MOST_NUMBERS: usize = 100_000_000;

/// The entry of a world.
pub fn entry(id: &str) -> Result<&'static WorldEntry> {
    let known = || WORLDS.iter().map(|w| w.id.to_string()).collect();
    let entry = WORLDS.iter().find(|w| w.id == id);
    entry.ok_or_else(|| Error::UnknownId { kind: "world", id: id.into(), known: known() })
}

/// Builds a world from its id and parameters.
pub fn build(id: &str, settings: &Settings) -> Result<Instance> {
    build_heeding(id, settings, &Halt::never())
}

fn build_heeding(id: &str, settings: &Settings, halt: &Halt) -> Result<Instance> {
    let entry = entry(id)?;
    (entry.build)(&Reader::new(id, entry.parameters, settings)?.heed(halt))
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
/// What is not an id is taken for a path if there is such a file or pipe, if it ends like a model
/// (`.json`, `.drn`, `.gz`) or if it contains a path separator. `-` is standard input.
pub fn locate(name: &str) -> Result<Place<'_>> {
    let mut endings = files::ENDINGS.iter().chain(&["gz"]);
    let looks_like_file = endings.any(|end| name.strip_suffix(end).is_some_and(|name| name.ends_with('.')));
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

/// Takes `world@key=value@key=value` apart: the id or the path, and the parameters.
///
/// A path may contain an @. The longest beginning that is a file is taken for the file, and what
/// has no parameters at its end, nor a world's id before its first @, is a path as it stands.
///
/// ```
/// use goalward::worlds;
/// let (world, params) = worlds::named("windy-grid@n=3@wind=0.1")?;
/// assert_eq!((world.as_str(), params.get("n")), ("windy-grid", Some("3")));
/// assert_eq!(worlds::named("me@home/grid.json")?.0, "me@home/grid.json");
/// # Ok::<(), goalward::Error>(())
/// ```
pub fn named(text: &str) -> Result<(String, Settings)> {
    let text = text.trim();
    let ends = std::iter::once(text.len()).chain(text.rmatch_indices('@').map(|(at, _)| at));
    for end in ends {
        if Path::new(&text[..end]).is_file() {
            let params = text[end..].split('@').skip(1).map(str::trim);
            return Ok((text[..end].into(), Settings::parse(params)?));
        }
    }
    let parts: Vec<&str> = text.split('@').collect();
    let built = entry(parts[0].trim()).is_ok();
    let given =
        parts.iter().skip(1).rev().take_while(|part| part.contains('=') && !part.contains(is_separator));
    match given.count() {
        // a world's id, or nothing that could be a path: an error says what is wrong behind the @
        _ if built || parts[0].trim().is_empty() => {
            let (world, params) = name_and_settings(text)?;
            Ok((world.into(), params))
        }
        0 => Ok((text.into(), Settings::new())),
        n => {
            let (path, given) = parts.split_at(parts.len() - n);
            Ok((path.join("@").trim().into(), Settings::parse(given.iter().map(|part| part.trim()))?))
        }
    }
}

/// Opens a world by its id, or a model or problem file by its path ([`locate`] says which it is).
///
/// A built-in world takes its own parameters, a model file those of [`files::choose::PARAMETERS`]
/// (`goal`, `cost`, `start`), and a problem file none; each takes [`COMMON`] besides.
///
/// ```
/// use goalward::Settings;
/// let grid = goalward::worlds::open("windy-grid", &Settings::new().set("n", 3))?;
/// assert_eq!(grid.problem.states(), 9);
/// # Ok::<(), goalward::Error>(())
/// ```
pub fn open(name: &str, settings: &Settings) -> Result<Instance> {
    Ok(open_restarting(name, settings)?.0)
}

/// As [`open`]; with `restart` it also gives the states that lead back to the start now.
///
/// If the start itself is lost nothing can be done, and it is among these states.
pub fn open_restarting(name: &str, settings: &Settings) -> Result<(Instance, Vec<State>)> {
    open_heeding(name, settings, &Halt::never())
}

/// The same; `halt` hears how far reading and building are.
pub fn open_heeding(name: &str, settings: &Settings, halt: &Halt) -> Result<(Instance, Vec<State>)> {
    opened(name, settings, |own| match locate(name)? {
        Place::Built(entry) => build_heeding(entry.id, own, halt),
        Place::File(path) => files::open(path, own, halt),
    })
}

/// An instance that is opened with its own parameters; the common ones are applied to it.
fn opened(
    name: &str,
    settings: &Settings,
    open: impl FnOnce(&Settings) -> Result<Instance>,
) -> Result<(Instance, Vec<State>)> {
    let (own, restart) = apart(name, settings)?;
    restarting(restart, open(&own).map_err(offer)?)
}

/// As [`open`], of a file, whatever it is called.
pub fn open_file(path: &Path, settings: &Settings) -> Result<Instance> {
    let name = path.display().to_string();
    Ok(opened(&name, settings, |own| files::open(path, own, &Halt::never()))?.0)
}

/// As [`open`], of a file that is in memory already; `name` is what errors call it.
pub fn open_bytes(bytes: Vec<u8>, name: &str, settings: &Settings) -> Result<Instance> {
    Ok(opened(name, settings, |own| files::open_bytes(bytes, Path::new(name), own))?.0)
}

/// The parameters of a world or file itself, and the value of `restart`.
pub(crate) fn apart(owner: &str, settings: &Settings) -> Result<(Settings, bool)> {
    let own = COMMON.iter().fold(settings.clone(), |own, p| own.without(p.name));
    let common = own.iter().fold(settings.clone(), |common, (key, _)| common.without(key));
    let restart = Reader::new(owner, COMMON, &common)?.get(&RESTART)?;
    Ok((own, restart))
}

/// An error that lists the known parameters lists the common ones, too.
pub(crate) fn offer(error: Error) -> Error {
    match error {
        Error::UnknownSetting { owner, key, mut known } => {
            known.extend(COMMON.iter().map(|p| p.name.to_string()));
            Error::UnknownSetting { owner, key, known }
        }
        error => error,
    }
}

/// The instance with second chances if they are wanted, and the states that restart.
pub(crate) fn restarting(wanted: bool, instance: Instance) -> Result<(Instance, Vec<State>)> {
    if !wanted {
        return Ok((instance, Vec::new()));
    }
    Ok(match restart(&instance.problem, instance.truth()?)? {
        (_, lost) if lost.is_empty() => (instance, lost),
        (restarted, lost) => (Instance { notes: instance.notes, ..restarted }, lost),
    })
}
