//! Every parameter of a study: of the worlds, and of the learners with what was in force.

use super::tables::{CellText, Heading, Sortable};
use crate::figure::number_label;
use crate::group::distinct;
use crate::results::{Results, RunRow};
use crate::study::{Length, WorldPoint};
use goalward::numeric::Portable;
use goalward::parameters::Settings;
use serde::Serialize;
use serde_json::Value;

/// The worlds with their parameters and what is known of them.
pub(super) fn worlds(results: &Results) -> Sortable {
    let words = ["world", "problem", "parameters", "episodes K", "cap on steps"];
    let numbers = ["d", "states", "pairs", "V*(start)", "B*", "T*", "least cost"];
    let heading = |numeric: bool| move |text: &str| Heading { text: text.into(), numeric };
    let headings =
        words.into_iter().map(heading(false)).chain(numbers.into_iter().map(heading(true))).collect();
    let rows = results.study.worlds.iter().enumerate().map(|(w, world)| {
        let row = results.cells.iter().filter(|cell| cell.world == w).find_map(|cell| cell.runs.first());
        world_row(world, row.map(|run| &run.row))
    });
    Sortable { title: "Worlds".into(), headings, rows: rows.collect() }
}

fn world_row(world: &WorldPoint, known: Option<&RunRow>) -> Vec<CellText> {
    let Length { episodes, max_steps, by_steps } = world.length;
    let count = |n: u64| CellText::number(number_label(n as f64, 0), Some(n as f64));
    let mut row = vec![
        CellText::words(&world.label),
        CellText::words(&world.place.world),
        CellText::words(settings(&world.place.params)),
        if by_steps { CellText::words("by steps") } else { count(episodes) },
        max_steps.map_or(CellText::words("none"), count),
    ];
    let whole = |x: fn(&RunRow) -> u64| known.map_or(CellText::words("-"), |row| count(x(row)));
    let real = |x: fn(&RunRow) -> f64| match known.map(x) {
        Some(x) => CellText::number(short(x), Some(x)),
        None => CellText::words("-"),
    };
    row.extend([whole(|row| row.dim), whole(|row| row.states), whole(|row| row.pairs)]);
    row.extend([
        real(|row| row.optimal_cost),
        real(|row| row.b_star),
        real(|row| row.t_star),
        real(|row| row.c_min),
    ]);
    row
}

/// A learner with its settings, and what was in force.
#[derive(Serialize)]
pub(super) struct Setup {
    label: String,
    learner: String,
    settings: String,
    /// The worlds with other values than the first, as columns; empty if all are alike.
    worlds: Vec<String>,
    /// Name and values: one if it is the same everywhere, else one for each world.
    rows: Vec<(String, Vec<String>)>,
    /// Whether runs of one world differed.
    mixed: bool,
}

/// All learners, in order.
pub(super) fn learners(results: &Results) -> Vec<Setup> {
    (0..results.study.learners.len()).map(|l| setup(results, l)).collect()
}

fn setup(results: &Results, learner: usize) -> Setup {
    let cells: Vec<_> = (0..results.study.worlds.len()).map(|w| results.cell(w, learner)).collect();
    let cells: Vec<_> = cells.into_iter().filter(|cell| !cell.runs.is_empty()).collect();
    let names = distinct(cells.iter().flat_map(|cell| cell.runs[0].parameters.keys()));
    let row = |name: &String| {
        let mut values: Vec<String> =
            cells.iter().map(|cell| value(cell.runs[0].parameters.get(name))).collect();
        if values.iter().all(|value| *value == values[0]) {
            values.truncate(1);
        }
        (name.clone(), values)
    };
    let rows: Vec<(String, Vec<String>)> = names.into_iter().map(row).collect();
    let differ = rows.iter().any(|(_, values)| values.len() > 1);
    let label = |cell: &&crate::results::Cell| results.study.worlds[cell.world].label.clone();
    let contender = &results.study.learners[learner].contender;
    Setup {
        label: contender.label.clone(),
        learner: contender.learner.clone(),
        settings: settings(&contender.settings),
        worlds: if differ { cells.iter().map(label).collect() } else { Vec::new() },
        mixed: cells.iter().any(|cell| cell.runs.iter().any(|r| r.parameters != cell.runs[0].parameters)),
        rows,
    }
}

/// `B = 3, radius = printed`, or that there are none.
fn settings(settings: &Settings) -> String {
    let all: Vec<String> = settings.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    if all.is_empty() { "defaults".into() } else { all.join(", ") }
}

/// A value as people write it.
fn value(value: Option<&Value>) -> String {
    match value {
        None => "-".into(),
        Some(Value::Null) => "none".into(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.as_f64().map_or(number.to_string(), short),
        Some(other) => other.to_string(),
    }
}

/// A number with at most six digits.
fn short(x: f64) -> String {
    if x.fract() == 0.0 && x.abs() < 1e9 {
        return number_label(x, 0);
    }
    match x.abs() {
        size if (1e-4..1e6).contains(&size) => {
            let decimals = (5 - size.log_10().floor() as i32).max(0) as usize;
            let text = format!("{x:.decimals$}");
            text.trim_end_matches('0').trim_end_matches('.').into()
        }
        _ => format!("{x:.4e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let known = [
            (3.0, "3"),
            (0.25, "0.25"),
            (1.0 / 3.0, "0.333333"),
            (12345.678912, "12345.7"),
            (2.5e-7, "2.5000e-7"),
            (200_000.0, "200,000"),
        ];
        for (x, text) in known {
            assert_eq!(short(x), text);
        }
        assert_eq!(value(Some(&Value::Null)), "none");
        assert_eq!(value(Some(&Value::Bool(true))), "true");
    }
}
