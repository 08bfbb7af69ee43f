//! The worlds of a study file: every point of every grid, and how long runs are there.

use super::file::WorldEntry;
use super::forms::Count;
use super::grids::{Coordinate, axes, product, refuse_unknown, settings, side_by_side, spelled};
use super::spot::{Spot, with_hint};
use super::{Length, WorldPoint};
use crate::{Place, Result};
use goalward::parameters::parse_count;
use goalward::worlds;
use std::path::Path;

pub(super) fn world_points(
    entry: &WorldEntry,
    spot: &Spot,
    common: Option<Length>,
    file: Option<&Path>,
) -> Result<Vec<WorldPoint>> {
    let WorldEntry { name, label, set, episodes, steps, max_steps, grid, zip, base, point } = entry;
    let mut place = place(&spot.below("name"), name, file)?;
    let here = spot.below("set");
    for (key, value) in settings(set.as_ref(), &here)? {
        known_parameter(&here, &place.world, &key)?;
        place.params = place.params.set(&key, &value);
    }
    let label = label.as_ref().unwrap_or(name);
    let length = length(spot, *episodes, *steps, *max_steps)?.or(common);
    let base = base.as_ref().unwrap_or(label);
    let mut points = vec![(settings(point.as_ref(), &spot.below("point"))?, place, length)];
    for (kind, table) in [("zip", zip), ("grid", grid)] {
        let (Some(table), spot) = (table, spot.below(kind)) else { continue };
        let axes = axes(table, &spot)?;
        let rows = match kind {
            "zip" => side_by_side(&spot, points.len(), &axes)?,
            _ => product(&spot, points.len(), &axes)?,
        };
        let all = points.iter().flat_map(|from| rows.iter().map(|row| moved(from, row, &spot)));
        points = all.collect::<Result<_>>()?;
    }
    let point = |(point, mut place, length): Point| {
        let fault = "how long is a run? write episodes = 1000, or steps = 1000";
        let length = length.ok_or_else(|| spot.source.at("episodes").fault(fault))?;
        let full = if base == label { spelled(label, &point) } else { label.clone() };
        place.label.clone_from(&full);
        Ok(WorldPoint { label: full, base: base.clone(), point, place, length })
    };
    points.into_iter().map(point).collect()
}

type Point = (Vec<Coordinate>, Place, Option<Length>);

/// A world at another point of its grid.
fn moved((point, place, length): &Point, row: &[Coordinate], spot: &Spot) -> Result<Point> {
    let (mut point, mut place, mut length) = (point.clone(), place.clone(), *length);
    for (key, value) in row {
        point.push((key.clone(), value.clone()));
        if key == "episodes" {
            let wrong = || format!("episodes: expected whole numbers of at least 1, found {value}");
            let episodes = parse_count(value).ok().filter(|k| *k > 0);
            let episodes = episodes.ok_or_else(|| spot.fault(wrong()))?;
            length = Some(Length { episodes, max_steps: length.and_then(|l| l.max_steps), by_steps: false });
        } else {
            known_parameter(spot, &place.world, key)?;
            place.params = place.params.set(key, value);
        }
    }
    Ok((point, place, length))
}

fn place(spot: &Spot, text: &str, file: Option<&Path>) -> Result<Place> {
    let mut place = Place::parse(text).map_err(|error| spot.fault(error.to_string()))?;
    match worlds::locate(&place.world).map_err(|error| spot.fault(with_hint(&error)))? {
        worlds::Place::Built(entry) => {
            for (key, _) in place.params.iter() {
                known_parameter(spot, entry.id, key)?;
            }
        }
        worlds::Place::File(_) if place.world == "-" => {
            return Err(spot.fault("a study cannot read standard input: it may have to read it again"));
        }
        worlds::Place::File(world) => {
            let Some(file) = file else { return Ok(place) };
            let beside = file.parent().unwrap_or(Path::new("")).join(world);
            let found = std::fs::canonicalize(&beside)
                .map_err(|e| spot.fault(format!("{}: {e}", beside.display())))?;
            place.world = found.to_string_lossy().into_owned();
        }
    }
    Ok(place)
}

/// Refuses a parameter that a built-in world does not have; what a file takes, its reader knows.
fn known_parameter(spot: &Spot, world: &str, key: &str) -> Result<()> {
    let Ok(worlds::Place::Built(entry)) = worlds::locate(world) else { return Ok(()) };
    let known: Vec<&str> =
        entry.parameters.iter().map(|p| p.name).chain(worlds::COMMON.iter().map(|p| p.name)).collect();
    refuse_unknown(spot, &format!("world {world}"), key, &known)
}

/// How long runs are, as far as these keys say.
pub(super) fn length(
    spot: &Spot,
    episodes: Option<Count>,
    steps: Option<Count>,
    max_steps: Option<Count>,
) -> Result<Option<Length>> {
    if let (Some(_), Some(_)) = (steps, episodes.or(max_steps)) {
        let fault = "give either `steps`, or `episodes` with or without `max_steps`";
        return Err(spot.below("steps").fault(fault));
    }
    let max_steps = max_steps.map(|Count(n)| n);
    Ok(match (episodes, steps) {
        (Some(Count(episodes)), _) => Some(Length { episodes, max_steps, by_steps: false }),
        // every episode of a run has a step, or the run has none
        (_, Some(Count(n))) => Some(Length { episodes: n, max_steps: Some(n), by_steps: true }),
        _ => None,
    })
}
