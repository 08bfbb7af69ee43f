//! Grids of parameters: what worlds and learners share.

use super::spot::Spot;
use crate::Result;
use goalward::did_you_mean;
use toml::{Table, Value};

/// More points than a study can mean.
const MOST_POINTS: usize = 100_000;

/// A coordinate of a grid: parameter and value.
pub(super) type Coordinate = (String, String);

/// The value of a parameter, as it would stand behind an @: a number as it is written.
fn setting(value: &Value, spot: &Spot) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Boolean(flag) => Ok(flag.to_string()),
        Value::Integer(_) | Value::Float(_) => Ok(spot.written().replace('_', "")),
        _ => Err(spot.fault("expected a number, text, true or false")),
    }
}

/// Keys and values, as they would stand behind an @.
pub(super) fn settings(table: Option<&Table>, spot: &Spot) -> Result<Vec<Coordinate>> {
    let pairs = table.into_iter().flatten();
    pairs.map(|(key, value)| Ok((key.clone(), setting(value, &spot.below(key))?))).collect()
}

/// A label with the coordinates of a grid behind it.
pub(super) fn spelled(label: &str, point: &[Coordinate]) -> String {
    let at: String = point.iter().map(|(key, value)| format!(", {key} = {value}")).collect();
    format!("{label}{at}")
}

/// Judges how many points there will be, before any is made: the product of these counts.
pub(super) fn check_points(spot: &Spot, counts: impl IntoIterator<Item = usize>) -> Result<()> {
    let points = counts.into_iter().try_fold(1usize, usize::checked_mul);
    if points.is_some_and(|n| n <= MOST_POINTS) {
        return Ok(());
    }
    let points = points.map_or("the".into(), |n| n.to_string());
    Err(spot.fault(format!("{points} points are more than {MOST_POINTS}")))
}

/// The axes of a grid: a parameter, and a list of values or one.
pub(super) fn axes(table: &Table, spot: &Spot) -> Result<Vec<(String, Vec<String>)>> {
    let axis = |(key, value): (&String, &Value)| {
        let here = spot.below(key);
        let values = match value {
            Value::Array(items) if items.is_empty() => {
                return Err(here.fault("the list is empty: give at least one"));
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.map(|(i, item)| setting(item, &here.item(i))).collect::<Result<_>>()?
            }
            one => vec![setting(one, &here)?],
        };
        Ok((key.clone(), values))
    };
    table.iter().map(axis).collect()
}

/// The rows of a grid, for each of `points`: all combinations, the last axis fastest.
pub(super) fn product(
    spot: &Spot,
    points: usize,
    axes: &[(String, Vec<String>)],
) -> Result<Vec<Vec<Coordinate>>> {
    check_points(spot, axes.iter().map(|(_, values)| values.len()).chain([points]))?;
    let mut rows: Vec<Vec<Coordinate>> = vec![Vec::new()];
    for (key, values) in axes {
        let with = |row: &[Coordinate], value: &String| [row, &[(key.clone(), value.clone())]].concat();
        rows = rows.iter().flat_map(|row| values.iter().map(|value| with(row, value))).collect();
    }
    Ok(rows)
}

/// The rows of a zip, for each of `points`: its lists are walked side by side.
pub(super) fn side_by_side(
    spot: &Spot,
    points: usize,
    axes: &[(String, Vec<String>)],
) -> Result<Vec<Vec<Coordinate>>> {
    let n = axes.first().map_or(0, |(_, values)| values.len());
    if let Some((key, values)) = axes.iter().find(|(_, values)| values.len() != n) {
        let fault = format!(
            "the lists of a zip are walked side by side: {key} has {} values, {} has {n}",
            values.len(),
            axes[0].0
        );
        return Err(spot.fault(fault));
    }
    check_points(spot, [n, points])?;
    let row = |i: usize| axes.iter().map(|(key, values)| (key.clone(), values[i].clone())).collect();
    Ok((0..n).map(row).collect())
}

pub(super) fn refuse_unknown(spot: &Spot, whose: &str, key: &str, known: &[&str]) -> Result<()> {
    if known.contains(&key) {
        return Ok(());
    }
    let list = if known.is_empty() { "none".into() } else { known.join(", ") };
    let meant = did_you_mean(key, known.iter().copied());
    Err(spot.fault(format!("{whose} has no parameter {key:?}; its parameters are {list}{meant}")))
}
