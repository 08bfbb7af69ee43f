//! A study from its question to its report: what `study run` and the short commands share.

use crate::commands::{ended, open, wrote};
use crate::exit::{Outcome, note};
use crate::interrupt::Interrupt;
use crate::output;
use crate::outputs::folder;
use crate::progress::{Busy, Jobs};
use goalward_lab::engine::{self, Ran, RunOptions};
use goalward_lab::grid::{Grid, Shard};
use goalward_lab::store::StudyFolder;
use goalward_lab::study::StudyFile;
use goalward_lab::{Presented, present};
use std::path::Path;

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Tables and sentences.
    Text,
    /// One JSON value.
    Json,
    /// Named parts of Markdown.
    Markdown,
}

impl Shown {
    pub(crate) fn of(json: bool, markdown: bool) -> Shown {
        match (json, markdown) {
            (true, _) => Shown::Json,
            (_, true) => Shown::Markdown,
            _ => Shown::Text,
        }
    }
}

/// How a study is run and shown.
pub(crate) struct Going<'a> {
    pub(crate) out: &'a Path,
    pub(crate) force: bool,
    pub(crate) options: RunOptions,
    pub(crate) shown: Shown,
    pub(crate) quiet: bool,
}

/// Runs a study and shows what it says.
pub(crate) fn go(file: &StudyFile, going: &Going) -> anyhow::Result<Outcome> {
    let Going { out, force, options, shown, quiet } = going;
    let out = folder("--out", out)?;
    let busy = Busy::new(format!("opening the worlds of {}", file.study.name), *quiet);
    let grid = Grid::open_with(file, &|place| open(&place.world, &place.params, &busy, *quiet))?;
    drop(busy);
    let results = StudyFolder::claim(out, &grid, options.shard, *force)?;
    let jobs = Jobs::new(*quiet, Interrupt::listen(*quiet)?);
    let ran = engine::run(&grid, &results, options, &jobs)?;
    if !quiet {
        say(&ran, &grid, options.shard);
    }
    if options.shard != Shard::WHOLE {
        return Ok(ended(ran.interrupted));
    }
    // the study as the file has it: labels and figures do not change a run
    let presented = present(&results, Some(&grid.study))?;
    show(&presented, *shown, *quiet)?;
    Ok(match (ran.interrupted, ran.failed > 0 || !presented.findings.sound) {
        (true, _) => Outcome::Interrupted,
        (_, true) => Outcome::No,
        _ => Outcome::Done,
    })
}

/// Prints what a study says, and where the rest is.
pub(super) fn show(presented: &Presented, shown: Shown, quiet: bool) -> anyhow::Result<()> {
    let Presented { results, findings, files } = presented;
    match shown {
        Shown::Json => output::json(&findings.json(results))?,
        Shown::Markdown => output::text(&findings.markdown())?,
        Shown::Text => output::text(&folded(&findings.text()))?,
    }
    if !quiet {
        wrote(files);
    }
    Ok(())
}

/// Sentences broken at 100 columns; tables as they are.
fn folded(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("* ") {
        Some(sentence) => output::item(sentence, 100) + "\n",
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
