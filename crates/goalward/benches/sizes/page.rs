//! docs/tables/sizes.md: the tables between its marks are written from the records. Rows without a
//! record stay as they are: what was measured elsewhere is not lost.

use crate::case::{Case, Kind, PARTS};
use goalward::numeric::Portable;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::Path;

const PAGE: &str = "docs/tables/sizes.md";

/// Writes the tables into the page, where it has marks for them.
pub(crate) fn write(root: &Path, folder: &Path, cases: &[Case]) -> Result<(), String> {
    let path = root.join(PAGE);
    let mut text = std::fs::read_to_string(&path).map_err(|error| format!("{PAGE}: {error}"))?;
    for kind in Kind::ALL {
        text = between(&text, kind.name(), |old| table(kind, folder, cases, old))?;
    }
    text = between(&text, "growth", |old| growth(folder, cases, old))?;
    std::fs::write(&path, text).map_err(|error| format!("{PAGE}: {error}"))
}

/// The text with something else between `<!-- sizes: NAME -->` and `<!-- end -->`.
fn between(text: &str, name: &str, new: impl Fn(&str) -> String) -> Result<String, String> {
    let mark = format!("<!-- sizes: {name} -->\n");
    let missing = || format!("{PAGE} has no mark {mark:?} with an end");
    let (before, rest) = text.split_once(&mark).ok_or_else(missing)?;
    let (old, after) = rest.split_once("<!-- end -->").ok_or_else(missing)?;
    Ok(format!("{before}{mark}{}<!-- end -->{after}", new(old)))
}

/// A number of a part of a record.
fn number(record: &Map<String, Value>, part: &str, key: &str) -> Option<f64> {
    record.get(part)?.get(key)?.as_f64()
}

fn seconds(x: f64) -> String {
    match x {
        x if x < 1e-3 => format!("{:.0} µs", 1e6 * x),
        x if x < 1.0 => format!("{:.*} ms", if x < 1e-2 { 1 } else { 0 }, 1e3 * x),
        x => format!("{:.*} s", if x < 10.0 { 1 } else { 0 }, x),
    }
}

fn bytes(x: f64) -> String {
    match x {
        x if x < 1e8 => format!("{:.*} MB", if x < 1e7 { 1 } else { 0 }, 1e-6 * x),
        x => format!("{:.*} GB", if x < 1e10 { 2 } else { 1 }, 1e-9 * x),
    }
}

fn count(pairs: usize) -> String {
    format!("{:e}", pairs as f64)
}

/// The row of a table that begins with some cells.
fn kept(old: &str, first: &[String]) -> Option<String> {
    let begin = format!("| {} |", first.join(" | "));
    old.lines().find(|line| line.starts_with(&begin)).map(String::from)
}

fn table(kind: Kind, folder: &Path, cases: &[Case], old: &str) -> String {
    let mut text = String::from(
        "| pairs | d | features | build | build peak | solve | solve peak | plan | longest plan | \
         plan peak | step | relaxed |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut ordered: Vec<&Case> = cases.iter().filter(|case| case.kind == kind).collect();
    ordered.sort_by_key(|case| (case.dim, case.pairs));
    for case in ordered {
        let old = kept(old, &[count(case.pairs), case.dim.to_string()]);
        let line = match (case.record(folder), old) {
            (None, Some(old)) => old,
            (record, _) => format!("| {} |", row(case, record.unwrap_or_default()).join(" | ")),
        };
        let _ = writeln!(text, "{line}");
    }
    text
}

fn row(case: &Case, record: Map<String, Value>) -> Vec<String> {
    let mut row = vec![count(case.pairs), case.dim.to_string(), bytes(case.features())];
    if !record.contains_key(PARTS[0]) {
        let free = record.get("free").and_then(Value::as_f64);
        row.push(match (free, record.contains_key("failed")) {
            (Some(free), _) => format!("does not fit: needs {}, {} free", bytes(case.needs()), bytes(free)),
            (None, true) => "failed".into(),
            (None, false) if !record.is_empty() => "given up".into(),
            (None, false) => "not measured yet".into(),
        });
        row.extend((0..8).map(|_| String::new()));
        return row;
    }
    // a part that did not come: the first was given up, those after it were not begun
    let missing = PARTS.iter().find(|part| !record.contains_key(**part));
    let why = match (record.get("given up after").and_then(Value::as_f64), record.get("failed")) {
        (Some(limit), _) => format!("given up after {}", seconds(limit)),
        (None, Some(_)) => "failed".into(),
        (None, None) => "–".into(),
    };
    let show = |part: &str, key: &str, form: fn(f64) -> String| match number(&record, part, key) {
        Some(x) => form(x),
        None if key == "seconds" && missing == Some(&part) => why.clone(),
        None => "–".into(),
    };
    for (part, keys) in
        [("build", &["seconds"][..]), ("solve", &["seconds"]), ("plan", &["seconds", "longest"])]
    {
        keys.iter().for_each(|key| row.push(show(part, key, seconds)));
        row.push(show(part, "peak", bytes));
    }
    row.push(show("plan", "step", seconds));
    let relaxed = record.get("plan").and_then(|plan| plan.get("relaxed")).and_then(Value::as_bool);
    row.push(relaxed.map_or("–", |relaxed| if relaxed { "yes" } else { "no" }).into());
    row
}

/// The exponents with which times and peaks grow with the pairs, beyond 1e4 of them; where records
/// are missing, as they were.
fn growth(folder: &Path, cases: &[Case], old: &str) -> String {
    let mut text =
        String::from("| models | d | build | solve | plan | step | peak |\n|---|---|---|---|---|---|---|\n");
    for kind in Kind::ALL {
        for dim in crate::DIMS {
            let own =
                || cases.iter().filter(|case| case.kind == kind && case.dim == dim && case.pairs >= 10_000);
            let all = own().all(|case| case.record(folder).is_some());
            if let Some(line) = kept(old, &[kind.name().into(), dim.to_string()]).filter(|_| !all) {
                let _ = writeln!(text, "{line}");
                continue;
            }
            let of = |part: &str, key: &str| {
                let points: Vec<(f64, f64)> = own()
                    .filter_map(|case| {
                        let y = number(&case.record(folder)?, part, key)?;
                        Some(((case.pairs as f64).log_e(), y.log_e()))
                    })
                    .collect();
                slope(&points).map_or("–".into(), |slope| format!("{slope:.2}"))
            };
            let cells = [
                kind.name().into(),
                dim.to_string(),
                of("build", "seconds"),
                of("solve", "seconds"),
                of("plan", "seconds"),
                of("plan", "step"),
                of("plan", "peak"),
            ];
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
    }
    text
}

/// The slope of the line through points, by least squares.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let over: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    (points.len() > 1).then(|| over / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>())
}
