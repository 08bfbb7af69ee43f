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

/// Judges how many points there will be, before any is made.
fn check_points(node: &Node, counts: impl IntoIterator<Item = usize>) -> Result<()> {
    match counts.into_iter().try_fold(1usize, usize::checked_mul) {
        Some(0) => Err(node.fault("a grid without values")),
        Some(n) if n <= MOST_POINTS => Ok(()),
        Some(n) => Err(node.fault(format!("{n} points are more than {MOST_POINTS}"))),
        None => Err(node.fault(format!("the points are more than {MOST_POINTS}"))),
    }
}

/// Refuses more points than may be, of all grids together.
pub(super) fn check_all(node: &Node, so_far: usize) -> Result<()> {
    check_points(node, [so_far.max(1)])
}

pub(super) fn axes(node: &Node) -> Result<Vec<(String, Vec<String>)>> {
    let axis = |(key, _, values): &(String, Range<usize>, Node)| {
        let values = values.list_or_one()?.iter().map(Node::setting).collect::<Result<Vec<_>>>()?;
        Ok((key.clone(), values))
    };
    node.entries()?.entries.iter().map(axis).collect()
}

/// All combinations, the last axis fastest, for each of so many points.
pub(super) fn product<'a>(
    node: &Node,
    points: usize,
    axes: &'a [(String, Vec<String>)],
) -> Result<Vec<Vec<(&'a str, &'a str)>>> {
    check_points(node, axes.iter().map(|(_, values)| values.len()).chain([points]))?;
    let mut rows: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for (key, values) in axes {
        let with = |row: &[(_, _)], value| row.iter().copied().chain([(key.as_str(), value)]).collect();
        rows = rows.iter().flat_map(|row| values.iter().map(|value| with(row, value.as_str()))).collect();
    }
    Ok(rows)
}

/// The lists of a zip, walked side by side, for each of so many points.
pub(super) fn side_by_side<'a>(
    node: &Node,
    points: usize,
    axes: &'a [(String, Vec<String>)],
) -> Result<Vec<Vec<(&'a str, &'a str)>>> {
    let n = axes.first().map_or(0, |(_, values)| values.len());
    if let Some((key, values)) = axes.iter().find(|(_, values)| values.len() != n) {
        let fault = format!(
            "the lists of a zip are walked side by side: {key} has {} values, {} has {n}",
            values.len(),
            axes[0].0
        );
        return Err(node.fault(fault));
    }
    check_points(node, [n, points])?;
    let row = |i: usize| axes.iter().map(|(key, values)| (key.as_str(), values[i].as_str())).collect();
    Ok((0..n).map(row).collect())
}

pub(super) fn refuse_unknown(node: &Node, whose: &str, key: &str, known: &[&str]) -> Result<()> {
    if known.contains(&key) {
        return Ok(());
    }
    let list = if known.is_empty() { "none".into() } else { known.join(", ") };
    let meant = source::meant(key, known);
    Err(node.fault(format!("{whose} has no parameter {key:?}; its parameters are {list}{meant}")))
}
