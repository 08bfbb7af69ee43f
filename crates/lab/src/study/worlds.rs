//! The worlds of a study file: every point of every grid, and how long runs are there.

use super::grids::{axes, grid_point, product, refuse_unknown, settings, side_by_side, spelled};
use super::source::{Node, with_hint};
use super::{Length, WorldPoint};
use crate::{Place, Result};
use goalward::worlds;
use std::path::Path;

const WORLD_KEYS: &[&str] =
    &["name", "label", "set", "episodes", "steps", "max_steps", "grid", "zip", "base", "point"];

pub(super) fn world_points(
    node: &Node,
    length: Option<Length>,
    file: Option<&Path>,
) -> Result<Vec<WorldPoint>> {
    let keys = match node.is_text() {
        true => None,
        false => Some(node.table(WORLD_KEYS)?),
    };
    let name = match &keys {
        None => node.clone(),
        Some(keys) => keys
            .get("name")
            .cloned()
            .ok_or_else(|| node.fault("a world needs a `name`, such as \"windy-grid@n=3\""))?,
    };
    let text = name.text()?;
    let mut place = place(&name, &text, file)?;
    if let Some(set) = keys.as_ref().and_then(|keys| keys.get("set")) {
        for (key, value) in &settings(set)? {
            known_parameter(set, &place.world, key)?;
            place.params = place.params.set(key, value);
        }
    }
    let label = keys.as_ref().map_or(Ok(None), |keys| keys.read("label", Node::text))?.unwrap_or(text);
    let length = match &keys {
        Some(keys) => Length::read(keys)?.or(length),
        None => length,
    };
    let (base, point) = grid_point(keys.as_ref(), &label)?;
    let mut points = vec![(point, place, length)];
    if let Some(keys) = &keys {
        for (kind, node) in [("zip", keys.get("zip")), ("grid", keys.get("grid"))] {
            if let Some(node) = node {
                points = world_grid(kind, node, points)?;
            }
        }
    }
    let point = |(point, mut place, length): (Vec<(String, String)>, Place, Option<Length>)| {
        let length = length.ok_or_else(|| {
            node.source.fault(0..0, "episodes", "how long is a run? write episodes = 1000, or steps = 1000")
        })?;
        let full = if base == label { spelled(&label, &point) } else { label.clone() };
        place.label.clone_from(&full);
        Ok(WorldPoint { label: full, base: base.clone(), point, place, length })
    };
    points.into_iter().map(point).collect()
}

type Points = Vec<(Vec<(String, String)>, Place, Option<Length>)>;

/// Every point with every value of a grid, or with the values of a zip that stand side by side.
fn world_grid(kind: &str, node: &Node, points: Points) -> Result<Points> {
    let axes = axes(node)?;
    let rows = match kind {
        "zip" => side_by_side(node, points.len(), &axes)?,
        _ => product(node, points.len(), &axes)?,
    };
    let mut all = Vec::new();
    for (point, place, length) in &points {
        for row in &rows {
            let (mut point, mut place, mut length) = (point.clone(), place.clone(), *length);
            for &(key, value) in row {
                point.push((key.into(), value.into()));
                if key == "episodes" {
                    let episodes = goalward::parameters::parse_count(value).ok().filter(|k| *k > 0);
                    let episodes = episodes.ok_or_else(|| {
                        node.fault(format!("episodes: expected whole numbers of at least 1, found {value}"))
                    })?;
                    let max_steps = length.and_then(|l| l.max_steps);
                    length = Some(Length { episodes, max_steps, by_steps: false });
                } else {
                    known_parameter(node, &place.world, key)?;
                    place.params = place.params.set(key, value);
                }
            }
            all.push((point, place, length));
        }
    }
    Ok(all)
}

fn place(node: &Node, text: &str, file: Option<&Path>) -> Result<Place> {
    let mut place = Place::parse(text).map_err(|error| node.fault(error.to_string()))?;
    match worlds::locate(&place.world).map_err(|error| node.fault(with_hint(&error)))? {
        worlds::Place::Built(entry) => {
            for (key, _) in place.params.iter() {
                known_parameter(node, entry.id, key)?;
            }
        }
        worlds::Place::File(_) if place.world == "-" => {
            return Err(node.fault("a study cannot read standard input: it may have to read it again"));
        }
        worlds::Place::File(world) => {
            let Some(file) = file else { return Ok(place) };
            let beside = file.parent().unwrap_or(Path::new("")).join(world);
            let found = std::fs::canonicalize(&beside)
                .map_err(|e| node.fault(format!("{}: {e}", beside.display())))?;
            place.world = found.to_string_lossy().into_owned();
        }
    }
    Ok(place)
}

/// Refuses a parameter that a built-in world does not have; what a file takes, its reader knows.
fn known_parameter(node: &Node, world: &str, key: &str) -> Result<()> {
    let Ok(worlds::Place::Built(entry)) = worlds::locate(world) else { return Ok(()) };
    let known: Vec<&str> =
        entry.parameters.iter().map(|p| p.name).chain(worlds::COMMON.iter().map(|p| p.name)).collect();
    refuse_unknown(node, &format!("world {world}"), key, &known)
}
