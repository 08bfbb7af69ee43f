//! Grids of parameters: what worlds and learners share.

use super::source::{self, Entries, Node};
use crate::Result;
use std::ops::Range;

/// More runs than anybody means.
const MOST_POINTS: usize = 100_000;

/// What a study that was written by the program says of the grid that a point was made from: the
/// label without it, and the coordinates.
pub(super) fn grid_point(keys: Option<&Entries>, label: &str) -> Result<(String, Vec<(String, String)>)> {
    let Some(keys) = keys else { return Ok((label.into(), Vec::new())) };
    let base = keys.read("base", Node::text)?.unwrap_or_else(|| label.into());
    Ok((base, keys.read("point", settings)?.unwrap_or_default()))
}

/// Keys and values, as they would stand behind an @.
pub(super) fn settings(node: &Node) -> Result<Vec<(String, String)>> {
    node.entries()?.entries.iter().map(|(key, _, value)| Ok((key.clone(), value.setting()?))).collect()
}

/// A label with the coordinates of a grid behind it.
pub(super) fn spelled(label: &str, point: &[(String, String)]) -> String {
    let at: String = point.iter().map(|(key, value)| format!(", {key} = {value}")).collect();
    format!("{label}{at}")
}

pub(super) fn check_points(node: &Node, n: usize) -> Result<()> {
    match n {
        0 => Err(node.fault("a grid without values")),
        n if n > MOST_POINTS => Err(node.fault(format!("{n} points are more than {MOST_POINTS}"))),
        _ => Ok(()),
    }
}

pub(super) fn axes(node: &Node) -> Result<Vec<(String, Vec<String>)>> {
    let axis = |(key, _, values): &(String, Range<usize>, Node)| {
        let values = values.list_or_one()?.iter().map(Node::setting).collect::<Result<Vec<_>>>()?;
        Ok((key.clone(), values))
    };
    node.entries()?.entries.iter().map(axis).collect()
}

/// All combinations, the last axis fastest.
pub(super) fn product(axes: &[(String, Vec<String>)]) -> Vec<Vec<(&str, &str)>> {
    let mut rows: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for (key, values) in axes {
        let with = |row: &[(_, _)], value| row.iter().copied().chain([(key.as_str(), value)]).collect();
        rows = rows.iter().flat_map(|row| values.iter().map(|value| with(row, value.as_str()))).collect();
    }
    rows
}

pub(super) fn refuse_unknown(node: &Node, whose: &str, key: &str, known: &[&str]) -> Result<()> {
    if known.contains(&key) {
        return Ok(());
    }
    let list = if known.is_empty() { "none".into() } else { known.join(", ") };
    let meant = source::meant(key, known);
    Err(node.fault(format!("{whose} has no parameter {key:?}; its parameters are {list}{meant}")))
}
