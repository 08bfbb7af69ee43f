//! The tables of a study as CSV, one file each, every job in its order.

use super::mark::write_beside;
use crate::results::{EpisodeRow, IDENTITY, PlanRow, ProbeRow, Results, Run, RunRow, TableRow};
use crate::table::quoted;
use crate::{Error, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Writes runs.csv, episodes.csv, plans.csv and probes.csv into a folder; the files.
///
/// World and learner are called by their labels.
pub fn export_csv(results: &Results, dir: &Path) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(dir).map_err(Error::io(dir))?;
    Ok(vec![
        table::<RunRow>(results, dir, |run| std::slice::from_ref(&run.row))?,
        table::<EpisodeRow>(results, dir, |run| &run.episodes)?,
        table::<PlanRow>(results, dir, |run| &run.plans)?,
        table::<ProbeRow>(results, dir, |run| &run.probes)?,
    ])
}

fn table<R: TableRow>(results: &Results, dir: &Path, rows: impl Fn(&Run) -> &[R]) -> Result<PathBuf> {
    let names = IDENTITY.iter().skip(1).chain(R::COLUMNS).map(|column| column.name);
    let mut text = names.collect::<Vec<_>>().join(",") + "\n";
    for cell in &results.cells {
        let (world, learner) = (&results.study.worlds[cell.world], &results.study.learners[cell.learner]);
        for run in &cell.runs {
            let lead = format!("{},{},{}", quoted(&world.label), quoted(&learner.contender.label), run.seed);
            for row in rows(run) {
                let row = serde_json::to_value(row).unwrap_or_default();
                text.push_str(&lead);
                for column in R::COLUMNS {
                    text.push(',');
                    match row.get(column.name) {
                        Some(Value::String(cell)) => text.push_str(&quoted(cell)),
                        Some(Value::Null) | None => {}
                        Some(number) => text.push_str(&number.to_string()),
                    }
                }
                text.push('\n');
            }
        }
    }
    write_beside(dir, &format!("{}.csv", R::TABLE), text.as_bytes())
}
