//! A study from its question to its report, for `study run` and the short commands.

use crate::commands::{ended, open, wrote};
use crate::exit::{Outcome, note};
use crate::output::{self, Printed};
use crate::outputs::folder;
use crate::progress::{Busy, Jobs};
use goalward::files::json;
use goalward_lab::engine::{self, Ran, RunOptions};
use goalward_lab::grid::{Grid, Shard};
use goalward_lab::store::{StudyFolder, link_newest};
use goalward_lab::study::{StudyFile, default_folder};
use goalward_lab::{Presented, answer, present};
use std::path::PathBuf;

/// Where the results of a study go, and what is printed of them.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Kept {
    /// The folder for records, figures and report [default: out/NAME; for demo, reproduce and compare
    /// a folder in it for each question, and out/NAME/newest leads to the last one]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Remove results of another question, study or version from that folder
    #[arg(long)]
    pub(super) force: bool,
    #[command(flatten)]
    pub(super) printed: Printed,
}

/// The name of a world that came through a pipe, beside the results.
pub(crate) const COPY: &str = "world.json";

/// Runs a study and shows its results. `piped` is the only world as a problem file, if it came
/// through a pipe.
pub(crate) fn go(
    file: &StudyFile,
    kept: &Kept,
    piped: Option<String>,
    options: &RunOptions,
) -> anyhow::Result<Outcome> {
    if let Some(out) = &kept.out {
        folder("--out", out)?;
    }
    let busy = Busy::new(format!("opening the worlds of {}", file.study.name));
    let mut grid = Grid::open_with(file, &|place| match &piped {
        Some(text) => json::parse(text),
        None => open(&place.world, &place.params, &busy),
    })?;
    drop(busy);
    let dir = match &kept.out {
        Some(out) => out.clone(),
        None => default_folder(&file.study.name, false).join(grid.question()),
    };
    if piped.is_some() {
        let copy = std::path::absolute(dir.join(COPY))?;
        grid.study.worlds[0].place.world = copy.to_string_lossy().into_owned();
    }
    let results = StudyFolder::claim(&dir, &grid, options.shard, kept.force)?;
    if let Some(text) = &piped {
        results.write(COPY, text.as_bytes())?;
    }
    let linked = kept.out.is_none() && link_newest(&dir);
    let ran = engine::run(&grid, &results, options, &Jobs::new())?;
    say(&ran, &grid, options.shard);
    if options.shard != Shard::WHOLE {
        return Ok(ended(ran.interrupted));
    }
    // with labels and figures as the file has them now
    let presented = match ran.interrupted {
        true => answer(&results, Some(&grid.study))?,
        false => present(&results, Some(&grid.study))?,
    };
    show(&presented, kept.printed)?;
    if ran.interrupted {
        note(format!("goalward study report {} draws what is there", dir.display()));
    }
    if linked {
        note(format!("{} leads to {}", dir.with_file_name("newest").display(), dir.display()));
    }
    Ok(match (ran.interrupted, ran.failed > 0 || !presented.findings.sound) {
        (true, _) => Outcome::Interrupted,
        (_, true) => Outcome::No,
        _ => Outcome::Done,
    })
}

pub(super) fn show(presented: &Presented, printed: Printed) -> anyhow::Result<()> {
    let Presented { results, findings, files } = presented;
    match (printed.json.json, printed.markdown) {
        (true, _) => output::json(&findings.json(results))?,
        (_, true) => output::text(&findings.markdown())?,
        _ => output::text(&folded(&findings.text()))?,
    }
    if !files.is_empty() {
        wrote(files);
    }
    Ok(())
}

/// Sentences broken at 100 columns; tables as they are.
fn folded(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("* ") {
        Some(sentence) => output::wrapped("* ", sentence, 2, 100) + "\n",
        None => format!("{line}\n"),
    };
    text.trim_end().lines().map(line).collect()
}

fn say(ran: &Ran, grid: &Grid, shard: Shard) {
    let asked = (0..grid.jobs.len()).filter(|n| shard.has(*n)).count();
    if ran.before > 0 {
        note(format!("{} of {asked} runs were there already", ran.before));
    }
    if ran.failed > 0 {
        note(format!("{} of {asked} runs failed: the report says why; --retry tries them again", ran.failed));
    }
    if ran.interrupted {
        let done = ran.before + ran.finished;
        note(format!("interrupted with {done} of {asked} runs done; the same command goes on from here"));
    }
}
