//! What every learner came to in every world, as one table.

use super::tables::{CellText, Heading, Sortable};
use crate::results::{Cell, Results, Run};
use crate::stats::Mean;
use crate::table::fixed;

/// The mean of a number over the runs of a cell.
pub(super) fn mean(cell: &Cell, number: impl Fn(&Run) -> f64) -> Option<Mean> {
    Mean::of(&cell.runs.iter().map(number).collect::<Vec<_>>())
}

/// The table of all worlds and learners.
pub(super) fn table(results: &Results) -> Sortable {
    let heading = |(text, numeric): (&str, bool)| Heading { text: text.into(), numeric };
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
    Sortable {
        title: "Every learner in every world".into(),
        headings: headings.into_iter().map(heading).collect(),
        rows: results.cells.iter().map(|cell| row(results, cell)).collect(),
    }
}

fn row(results: &Results, cell: &Cell) -> Vec<CellText> {
    let study = &results.study;
    let number = |mean: Option<Mean>| {
        CellText::number(mean.map_or("-".into(), |m| m.to_string()), mean.map(|mean| mean.mean))
    };
    let plain = |mean: Option<Mean>, decimals: usize| {
        let mean = mean.map(|mean| mean.mean);
        let text = mean.map_or("-".into(), |x| crate::figure::number_label(x, decimals));
        CellText::number(text, mean)
    };
    let steps: u64 = cell.runs.iter().map(|run| run.row.steps).sum();
    let seconds: f64 = cell.runs.iter().map(|run| run.seconds).sum();
    let pace = (steps > 0).then(|| 1e6 * seconds / steps as f64);
    vec![
        CellText::words(&study.worlds[cell.world].label),
        CellText::words(&study.learners[cell.learner].contender.label),
        runs(results, cell),
        number(mean(cell, |run| run.row.gap_regret)),
        number(mean(cell, |run| run.row.regret)),
        plain(mean(cell, |run| run.row.episodes as f64), 0),
        plain(mean(cell, |run| run.row.steps as f64), 0),
        plain(mean(cell, |run| run.row.planner_calls as f64), 0),
        CellText::number(pace.map_or("-".into(), |x| fixed(x, if x < 10.0 { 2 } else { 0 })), pace),
        plain(mean(cell, |run| run.row.state_bytes as f64 / 1000.0), 1),
        CellText::words(guarantee(cell)),
    ]
}

/// How many runs there are, of how many, and how many of them the cap ended.
fn runs(results: &Results, cell: &Cell) -> CellText {
    let there = cell.runs.len();
    let mut text = match there == cell.planned {
        true => there.to_string(),
        false => format!("{there} of {}", cell.planned),
    };
    match cell.truncated(&results.study) {
        0 => {}
        cut if cut == there => text.push_str(", cut off"),
        cut => text.push_str(&format!(", {cut} cut off")),
    }
    CellText::number(text, Some(there as f64))
}

/// What the runs say of their guarantee, each answer once.
fn guarantee(cell: &Cell) -> String {
    let mut said: Vec<&str> =
        cell.runs.iter().map(|run| run.row.guarantee.as_deref().unwrap_or("nothing proved")).collect();
    said.dedup();
    said.join(", ")
}
