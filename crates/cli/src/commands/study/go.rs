//! A study from its question to its report: what `study run` and the short commands share.

use crate::commands::{ended, open, wrote};
use crate::exit::{Outcome, note};
use crate::interrupt::Interrupt;
use crate::output;
use crate::outputs::folder;
use crate::progress::{Busy, Jobs};
use goalward::files::json;
use goalward_lab::engine::{self, Ran, RunOptions};
use goalward_lab::grid::{Grid, Shard};
use goalward_lab::store::{StudyFolder, link_newest};
use goalward_lab::study::{StudyFile, default_folder};
use goalward_lab::{Presented, present};
use std::path::PathBuf;

/// What is printed on standard output: tables and sentences, unless one of these is asked for.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct Printed {
    /// Print the result as one JSON value
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the result as Markdown in named parts, for documents
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// What becomes of the results of a study.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Kept {
    /// The folder for records, figures and report [default: out/NAME; of a short command a folder of
    /// its question's own below that, to which out/NAME/newest leads]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Remove results of another question, study or version from that folder
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    printed: Printed,
}

impl Kept {
    /// Where the results of a short command go.
    pub(crate) fn below(&self, name: &str) -> Out {
        self.out.clone().map_or_else(|| Out::Below(default_folder(name, false)), Out::Folder)
    }
}

/// Where results go.
#[derive(Debug)]
pub(crate) enum Out {
    /// Into this folder.
    Folder(PathBuf),
    /// Into one of the question's own below this folder, so that no question is in another's way.
    Below(PathBuf),
}

/// A world that came through a pipe, kept beside the results under this name.
pub(crate) const COPY: &str = "world.json";

/// Runs a study and shows what it says. `piped` is the only world, where it came through a pipe, as a
/// problem file.
pub(crate) fn go(
    file: &StudyFile,
    (out, kept): (&Out, &Kept),
    piped: Option<String>,
    options: &RunOptions,
    quiet: bool,
) -> anyhow::Result<Outcome> {
    let (Out::Folder(dir) | Out::Below(dir)) = out;
    folder("--out", dir)?;
    let busy = Busy::new(format!("opening the worlds of {}", file.study.name), quiet);
    let mut grid = Grid::open_with(file, &|place| match &piped {
        Some(text) => json::parse(text),
        None => open(&place.world, &place.params, &busy, quiet),
    })?;
    drop(busy);
    let dir = match out {
        Out::Folder(dir) => dir.clone(),
        Out::Below(dir) => dir.join(grid.question()),
    };
    if piped.is_some() {
        let copy = std::path::absolute(dir.join(COPY))?;
        grid.study.worlds[0].place.world = copy.to_string_lossy().into_owned();
    }
    let results = StudyFolder::claim(&dir, &grid, options.shard, kept.force)?;
    if let Some(text) = &piped {
        results.write(COPY, text.as_bytes())?;
    }
    let linked = matches!(out, Out::Below(_)) && link_newest(&dir);
    let jobs = Jobs::new(quiet, Interrupt::listen(quiet)?);
    let ran = engine::run(&grid, &results, options, &jobs)?;
    if !quiet {
        say(&ran, &grid, options.shard);
    }
    if options.shard != Shard::WHOLE {
        return Ok(ended(ran.interrupted));
    }
    // the study as the file has it: labels and figures do not change a run
    let presented = present(&results, Some(&grid.study))?;
    show(&presented, kept.printed, quiet)?;
    if linked && !quiet {
        note(format!("{} leads to {}", dir.with_file_name("newest").display(), dir.display()));
    }
    Ok(match (ran.interrupted, ran.failed > 0 || !presented.findings.sound) {
        (true, _) => Outcome::Interrupted,
        (_, true) => Outcome::No,
        _ => Outcome::Done,
    })
}

/// Prints what a study says, and where the rest is.
pub(super) fn show(presented: &Presented, printed: Printed, quiet: bool) -> anyhow::Result<()> {
    let Presented { results, findings, files } = presented;
    match (printed.json, printed.markdown) {
        (true, _) => output::json(&findings.json(results))?,
        (_, true) => output::text(&findings.markdown())?,
        _ => output::text(&folded(&findings.text()))?,
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
