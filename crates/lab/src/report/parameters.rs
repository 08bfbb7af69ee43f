//! The parameters in force, learner by learner.

use crate::figure::number_label;
use crate::group::distinct;
use crate::results::{Cell, Results};
use goalward::numeric::Portable;
use goalward::parameters::Settings;
use serde_json::{Value, json};

/// All learners with their settings and the parameters in force, in order.
pub(super) fn of(results: &Results) -> Vec<Value> {
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
pub(super) fn short(x: f64) -> String {
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
