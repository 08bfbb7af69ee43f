//! Sortable tables for the template, and the parameters in force.

use crate::figure::number_label;
use crate::group::distinct;
use crate::results::{Cell, Results, Run, RunRow};
use crate::stats::Mean;
use crate::study::{Length, WorldPoint};
use crate::table::{Table, fixed};
use goalward::numeric::Portable;
use goalward::parameters::Settings;
use serde_json::{Value, json};

/// A cell: its text, and the number that it is sorted by.
type SortableCell = (String, Option<f64>);

/// A table for the template; a heading says whether its column is numeric.
fn sortable(title: &str, headings: &[(&str, bool)], rows: Vec<Vec<SortableCell>>) -> Value {
    json!({ "title": title, "headings": headings, "rows": rows })
}

/// A table of texts: numeric columns are sorted by the number that a text begins with.
pub(super) fn of(table: &Table) -> Value {
    let headings = table.headings().iter().enumerate();
    let headings: Vec<(&str, bool)> = headings.map(|(c, text)| (text.as_str(), table.numeric(c))).collect();
    let cell = |(text, (_, numeric)): (&String, &(&str, bool))| {
        (text.clone(), numeric.then(|| leading(text)).flatten())
    };
    let row = |row: &Vec<String>| row.iter().zip(&headings).map(cell).collect();
    sortable(table.title(), &headings, table.rows().iter().map(row).collect())
}

/// The number that a text begins with: `1,234 ± 5`, `−3 [−4, −2]`, `≥ 3`, `12 %`.
fn leading(text: &str) -> Option<f64> {
    let plain = text.trim_start_matches(['≥', '≤', '>', '<', '~', ' ']).replace('−', "-");
    let digits = |c: char| c.is_ascii_digit() || ".,-+eE".contains(c);
    let number: String = plain.chars().take_while(|c| digits(*c)).filter(|c| *c != ',').collect();
    number.parse().ok()
}

pub(super) fn cells(results: &Results) -> Value {
    let headings = [
        ("world", false),
        ("learner", false),
        ("runs", true),
        ("gap regret", true),
        ("regret", true),
        ("episodes", true),
        ("steps", true),
        ("planning calls", true),
        ("µs a step", true),
        ("saved state, kB", true),
        ("guarantee holds", false),
    ];
    let rows = results.cells.iter().map(|cell| cell_row(results, cell)).collect();
    sortable("Every learner in every world", &headings, rows)
}

fn cell_row(results: &Results, cell: &Cell) -> Vec<SortableCell> {
    let study = &results.study;
    let shown =
        |x: Option<f64>, text: Option<String>| (text.unwrap_or("-".into()), x.filter(|x| x.is_finite()));
    let with_interval = |number: fn(&Run) -> f64| {
        let mean: Option<Mean> = cell.mean(number);
        shown(mean.map(|m| m.mean), mean.map(|m| m.to_string()))
    };
    let plain = |number: fn(&Run) -> f64, decimals: usize| {
        let mean = cell.mean(number).map(|m| m.mean);
        shown(mean, mean.map(|x| number_label(x, decimals)))
    };
    let steps: u64 = cell.runs.iter().map(|run| run.row.steps).sum();
    let seconds: f64 = cell.runs.iter().map(|run| run.seconds).sum();
    let pace = (steps > 0).then(|| 1e6 * seconds / steps as f64);
    vec![
        (study.worlds[cell.world].label.clone(), None),
        (study.learners[cell.learner].contender.label.clone(), None),
        runs(results, cell),
        with_interval(|run| run.row.gap_regret),
        with_interval(|run| run.row.regret),
        plain(|run| run.row.episodes as f64, 0),
        plain(|run| run.row.steps as f64, 0),
        plain(|run| run.row.planner_calls as f64, 0),
        shown(pace, pace.map(|x| fixed(x, if x < 10.0 { 2 } else { 0 }))),
        plain(|run| run.row.state_bytes as f64 / 1000.0, 1),
        (guarantee(cell), None),
    ]
}

/// The number of runs, of the planned ones, and of those that the cap ended.
fn runs(results: &Results, cell: &Cell) -> SortableCell {
    let done = cell.runs.len();
    let mut text =
        if done == cell.planned { done.to_string() } else { format!("{done} of {}", cell.planned) };
    match cell.truncated(&results.study) {
        0 => {}
        cut if cut == done => text.push_str(", cut off"),
        cut => text.push_str(&format!(", {cut} cut off")),
    }
    (text, Some(done as f64))
}

/// The guarantees of the runs, without repetitions.
fn guarantee(cell: &Cell) -> String {
    let guarantees = cell.runs.iter().map(|run| run.row.guarantee.as_deref().unwrap_or("nothing proved"));
    let mut guarantees: Vec<&str> = guarantees.collect();
    guarantees.dedup();
    guarantees.join(", ")
}

/// The worlds with their parameters and characteristic numbers.
pub(super) fn worlds(results: &Results) -> Value {
    let words = ["world", "problem", "parameters", "episodes K", "cap on steps"];
    let numbers = ["d", "states", "pairs", "V*(start)", "B*", "T*", "least cost"];
    let headings = [words.map(|text| (text, false)).as_slice(), &numbers.map(|text| (text, true))].concat();
    let rows = results.study.worlds.iter().enumerate().map(|(w, world)| {
        let run = results.cells.iter().filter(|cell| cell.world == w).find_map(|cell| cell.runs.first());
        world_row(world, run.map(|run| &run.row))
    });
    sortable("Worlds", &headings, rows.collect())
}

fn world_row(world: &WorldPoint, known: Option<&RunRow>) -> Vec<SortableCell> {
    let Length { episodes, max_steps, by_steps } = world.length;
    let words = |text: &str| (text.to_string(), None);
    let count = |n: u64| (number_label(n as f64, 0), Some(n as f64));
    let whole = |x: fn(&RunRow) -> u64| known.map_or(words("-"), |row| count(x(row)));
    let real = |x: fn(&RunRow) -> f64| {
        known.map(x).map_or(words("-"), |x| (short(x), Some(x).filter(|x| x.is_finite())))
    };
    vec![
        words(&world.label),
        words(&world.place.world),
        (settings(&world.place.params), None),
        if by_steps { words("by steps") } else { count(episodes) },
        max_steps.map_or(words("none"), count),
        whole(|row| row.dim),
        whole(|row| row.states),
        whole(|row| row.pairs),
        real(|row| row.optimal_cost),
        real(|row| row.b_star),
        real(|row| row.t_star),
        real(|row| row.c_min),
    ]
}

/// All learners with their settings and the parameters in force, in order.
pub(super) fn setups(results: &Results) -> Vec<Value> {
    (0..results.study.learners.len()).map(|learner| setup(results, learner)).collect()
}

/// `rows`: a name with one value, or with one for each of `worlds` where they differ. `mixed`:
/// whether runs of one world differed.
fn setup(results: &Results, learner: usize) -> Value {
    let cells = (0..results.study.worlds.len()).map(|w| results.cell(w, learner));
    let cells: Vec<&Cell> = cells.filter(|cell| !cell.runs.is_empty()).collect();
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
    let worlds = cells.iter().filter(|_| differ).map(|cell| &results.study.worlds[cell.world].label);
    let contender = &results.study.learners[learner].contender;
    json!({
        "label": contender.label,
        "learner": contender.learner,
        "settings": settings(&contender.settings),
        "worlds": worlds.collect::<Vec<_>>(),
        "mixed": cells.iter().any(|cell| cell.runs.iter().any(|r| r.parameters != cell.runs[0].parameters)),
        "rows": rows,
    })
}

/// `B = 3, radius = printed`, or `defaults`.
pub(super) fn settings(settings: &Settings) -> String {
    let all: Vec<String> = settings.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    if all.is_empty() { "defaults".into() } else { all.join(", ") }
}

/// A parameter's value in plain text.
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
    fn the_number_that_a_text_begins_with() {
        let known = [
            ("1,234 ± 5", Some(1234.0)),
            ("−3 [−4, −2]", Some(-3.0)),
            ("≥ 3.5", Some(3.5)),
            ("12 %", Some(12.0)),
            ("1e-3", Some(1e-3)),
            ("-", None),
            ("yes", None),
            ("", None),
        ];
        for (text, number) in known {
            assert_eq!(leading(text), number, "{text}");
        }
    }

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
