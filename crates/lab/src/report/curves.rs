//! Curves for drawing: means with half the width of their intervals, at a few hundred points.

use super::embed::rounded;
use crate::results::{Cell, EpisodeRow, Results, Run, RunRow};
use crate::stats::Mean;
use goalward::numeric::Portable;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Enough points for any screen.
const POINTS: usize = 300;

/// The curves of one world.
pub(super) fn of(results: &Results, world: usize) -> Value {
    let cells: Vec<&Cell> = (0..results.study.learners.len()).map(|l| results.cell(world, l)).collect();
    let x = grid(&cells);
    let curves: Vec<Value> = cells.iter().filter_map(|cell| curve(cell, &x)).collect();
    json!({ "label": results.study.worlds[world].label, "x": x, "curves": curves })
}

/// The episodes at which the curves of a world are drawn: all recorded ones, or the last ones and a
/// selection, half of it evenly spaced and half evenly in the logarithm.
fn grid(cells: &[&Cell]) -> Vec<u64> {
    let runs = || cells.iter().flat_map(|cell| &cell.runs);
    let all: BTreeSet<u64> = runs().flat_map(|run| &run.episodes).map(|row| row.episode).collect();
    let last = all.last().copied().unwrap_or(0);
    if all.len() <= POINTS {
        return all.into_iter().collect();
    }
    let mut some: BTreeSet<u64> = cells.iter().filter_map(|cell| end(cell)).collect();
    let half = POINTS / 2;
    for i in 0..half {
        let share = i as f64 / (half - 1) as f64;
        for wanted in [1.0 + share * (last - 1) as f64, (last as f64).to_the(share)] {
            some.extend(all.range(wanted.floor() as u64..).next());
        }
    }
    some.into_iter().collect()
}

/// The last episode that a run of the cell finished.
fn end(cell: &Cell) -> Option<u64> {
    cell.runs.iter().filter_map(|run| Some(run.episodes.last()?.episode)).max()
}

/// Both curves of a cell, up to the end of its longest run. Truncated runs keep their last value until
/// then; beyond it the curve would look like learning.
fn curve(cell: &Cell, x: &[u64]) -> Option<Value> {
    let end = end(cell)?;
    let x = &x[..x.partition_point(|k| *k <= end)];
    let drawn = |rows: fn(&EpisodeRow) -> f64, last: fn(&RunRow) -> f64| {
        let means = x.iter().filter_map(|k| {
            Mean::of(&cell.runs.iter().map(|run| at(run, *k, rows, last)).collect::<Vec<_>>())
        });
        let (middle, half): (Vec<Value>, Vec<Value>) = means
            .map(|mean| (rounded(mean.mean, 6), mean.half_width().map_or(Value::Null, |h| rounded(h, 3))))
            .unzip();
        match cell.runs.len() {
            1 => json!({ "mean": middle }),
            _ => json!({ "mean": middle, "half": half }),
        }
    };
    Some(json!({
        "learner": cell.learner,
        "runs": cell.runs.len(),
        "planned": cell.planned,
        "gap_regret": drawn(|row| row.gap_regret, |row| row.gap_regret),
        "regret": drawn(|row| row.regret, |row| row.regret),
    }))
}

/// The value of a run at the end of an episode, linear between two records.
fn at(run: &Run, k: u64, value: fn(&EpisodeRow) -> f64, last: fn(&RunRow) -> f64) -> f64 {
    let next = run.episodes.partition_point(|row| row.episode < k);
    let Some(row) = run.episodes.get(next) else { return last(&run.row) };
    if row.episode == k {
        return value(row);
    }
    let before = next.checked_sub(1).map_or((0, 0.0), |i| (run.episodes[i].episode, value(&run.episodes[i])));
    let share = (k - before.0) as f64 / (row.episode - before.0) as f64;
    before.1 + share * (value(row) - before.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(values: &[(u64, f64)], end: f64) -> Run {
        let row = |&(episode, value): &(u64, f64)| EpisodeRow {
            episode,
            gap_regret: value,
            regret: -value,
            ..EpisodeRow::default()
        };
        Run {
            seed: 0,
            row: RunRow { gap_regret: end, regret: -end, ..RunRow::default() },
            episodes: values.iter().map(row).collect(),
            plans: Vec::new(),
            probes: Vec::new(),
            seconds: 0.0,
            cpu_seconds: 0.0,
            parameters: serde_json::Map::new(),
        }
    }

    fn cell(runs: Vec<Run>) -> Cell {
        Cell { planned: runs.len(), runs, ..Cell::default() }
    }

    #[test]
    fn a_truncated_run_keeps_its_last_value_until_the_others_end() {
        let cell = cell(vec![run(&[(1, 1.0), (2, 2.0)], 3.0), run(&[(1, 3.0), (4, 9.0)], 9.0)]);
        let curve = curve(&cell, &[1, 2, 4, 8]).unwrap();
        // at 2: (2 + 5) / 2; at 4: (3 + 9) / 2; at 8 no run goes on
        assert_eq!(curve["gap_regret"]["mean"], json!([2, 3.5, 6]));
        assert_eq!(curve["regret"]["mean"], json!([-2, -3.5, -6]));
        assert_eq!(curve["gap_regret"]["half"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn a_cell_without_episodes_has_no_curve() {
        assert_eq!(curve(&cell(vec![run(&[], 3.0)]), &[1]), None);
        assert_eq!(curve(&cell(Vec::new()), &[1]), None);
    }

    #[test]
    fn points_are_few_and_the_ends_are_among_them() {
        let long: Vec<(u64, f64)> = (1..=2000).map(|k| (k, k as f64)).collect();
        let cells = [cell(vec![run(&long, 0.0)]), cell(vec![run(&long[..777], 0.0)])];
        let x = grid(&cells.iter().collect::<Vec<_>>());
        assert!(x.len() > 200 && x.len() <= POINTS + 2, "{}", x.len());
        assert!([1, 2, 3, 777, 2000].iter().all(|k| x.contains(k)), "{x:?}");
        assert!(x.windows(2).all(|w| w[0] < w[1]));
    }
}
