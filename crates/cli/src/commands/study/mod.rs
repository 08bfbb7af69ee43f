//! `goalward study`: questions in files.

mod go;
mod named;

pub(crate) use go::{COPY, Kept, go};

use super::wrote;
use crate::counts::{Seeds, whole};
use crate::exit::{Outcome, Usage, note};
use crate::numbers;
use crate::output::{self, Json, Printed};
use crate::outputs::{folder, is_stdin, is_stdout};
use go::show;
use goalward::output::{replace, same_file};
use goalward_lab::engine::RunOptions;
use goalward_lab::grid::Shard;
use goalward_lab::store::{StudyFolder, export_csv, load, merge, status};
use goalward_lab::study::{SHIPPED, STARTER, Study, default_folder, parse_seeds, read_shipped};
use goalward_lab::{Presented, present};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) const EXAMPLES: &str = "\
EXAMPLES:
    goalward study list                          # the studies that come with goalward
    goalward study new mine.toml                 # a commented file to begin with
    goalward study run mine.toml --quick         # tries it out
    goalward study run mine.toml                 # stop it at any time; the same command goes on
    goalward study status mine.toml
    goalward study report mine.toml              # draws again after a change of figures or labels";

const RUN: &str = "\
EXAMPLES:
    goalward study run demo
    goalward study run mine.toml --quick
    sed s/n=4/n=6/ mine.toml | goalward study run - --out six
    goalward study run mine.toml --seeds 50                # more seeds: only the new ones are run
    goalward study run mine.toml --shard $SLURM_ARRAY_TASK_ID/20 --out part$SLURM_ARRAY_TASK_ID";

#[derive(clap::Subcommand)]
pub(crate) enum StudyCommand {
    /// List the studies that come with goalward
    List {
        /// A study: prints its file
        #[arg(value_name = "NAME")]
        name: Option<String>,
        #[command(flatten)]
        printed: Json,
    },
    /// Write a commented study file to begin with
    New {
        /// The file; - is standard output [default: -]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Run a study, or go on with one
    ///
    /// Runs every job that is not finished yet, and writes figures, summary.md and report.html.
    /// Ctrl-C stops; the same command goes on.
    #[command(after_help = RUN)]
    Run(RunArgs),
    /// Tell how far a study is: finished and failed runs, the rate, and the time that is left
    Status {
        /// The folder of the results, or the study as it was given to `study run`
        #[arg(value_name = "DIR|FILE|NAME")]
        study: String,
        /// The folder of the results [default: out/NAME]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        #[command(flatten)]
        printed: Json,
    },
    /// Make figures, summary and report again from the records, without running anything
    ///
    /// Titles, labels, figures and questions are those of the file as it is now.
    Report {
        /// The study as it was given to `study run` (- with --out), or the folder of its results
        #[arg(value_name = "FILE|NAME|DIR")]
        study: String,
        /// The folder of the results [default: out/NAME]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        #[command(flatten)]
        printed: Printed,
    },
    /// Put the parts of a study together that several machines have run
    Merge {
        /// The folders of the parts
        #[arg(value_name = "DIR", required = true)]
        parts: Vec<PathBuf>,
        /// The folder of the whole study
        #[arg(long, value_name = "DIR", required = true)]
        out: PathBuf,
        #[command(flatten)]
        printed: Printed,
    },
    /// Write the records of a study as CSV
    ///
    /// Every table of the records becomes one file: runs.csv, episodes.csv, plans.csv, probes.csv.
    /// The records themselves are Parquet, which pandas, polars and DuckDB read:
    /// pandas.read_parquet("out/demo/episodes").
    Export {
        /// The study as it was given to `study run`, or the folder of its results
        #[arg(value_name = "DIR|FILE|NAME")]
        study: String,
        /// The folder for the CSV files
        #[arg(long, value_name = "DIR", required = true)]
        csv: PathBuf,
    },
}

#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// A study file, - for standard input, or the name of a study that comes with goalward
    /// (`goalward study list`)
    #[arg(value_name = "FILE|NAME")]
    study: String,
    #[command(flatten)]
    kept: Kept,
    /// Run the small version that the file describes, to try it out
    #[arg(long)]
    quick: bool,
    /// Other seeds than the file's: how many, or which
    #[arg(long, value_name = "SEEDS", value_parser = parse_seeds)]
    seeds: Option<Seeds>,
    /// Run one part of the jobs, for one of several machines; `goalward study merge` joins the
    /// parts
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    shard: Shard,
    /// The seconds between two saves of a run that is under way
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    save_every: f64,
    /// Try jobs again that failed
    #[arg(long)]
    retry: bool,
}

/// A short command for a study that comes with goalward.
#[derive(clap::Args)]
pub(crate) struct Short {
    #[command(flatten)]
    kept: Kept,
    /// Another number of episodes for every run
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1..))]
    episodes: Option<u64>,
    /// Other seeds: how many, or which
    #[arg(long, value_name = "SEEDS", value_parser = parse_seeds)]
    seeds: Option<Seeds>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.001..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds, at least 0.001".into()),
    }
}

pub(crate) fn run(command: StudyCommand) -> anyhow::Result<Outcome> {
    match command {
        StudyCommand::List { name, printed } => list(name.as_deref(), printed)?,
        StudyCommand::New { file } => new(file)?,
        StudyCommand::Run(args) => return start(args),
        StudyCommand::Status { study, out, printed } => tell_status(&study, out, printed)?,
        StudyCommand::Report { study, out, printed } => {
            let look = named::look(&study)?;
            let results = StudyFolder::open(&named::folder(&study, out)?)?;
            return shown(&present(&results, look.as_ref())?, printed);
        }
        StudyCommand::Merge { parts, out, printed } => {
            parts.iter().try_for_each(|part| folder("DIR", part).map(drop))?;
            folder("--out", &out)?;
            let copied = merge(&parts, &out)?;
            note(format!("{copied} runs came from {} parts", parts.len()));
            return shown(&present(&StudyFolder::open(&out)?, None)?, printed);
        }
        StudyCommand::Export { study, csv } => {
            wrote(&export_csv(&load(&named::folder(&study, None)?)?, folder("--csv", &csv)?)?);
        }
    }
    Ok(Outcome::Done)
}

fn shown(presented: &Presented, printed: Printed) -> anyhow::Result<Outcome> {
    show(presented, printed)?;
    Ok(if presented.findings.sound { Outcome::Done } else { Outcome::No })
}

fn list(name: Option<&str>, printed: Json) -> anyhow::Result<()> {
    if let Some(name) = name {
        read_shipped(name, false)?;
        let text = SHIPPED.iter().find(|study| study.name == name).map_or("", |study| study.text);
        return Ok(output::text(text)?);
    }
    let mut rows = Vec::new();
    let mut text = String::new();
    for shipped in SHIPPED {
        let Study { title, worlds, learners, seeds, .. } = read_shipped(shipped.name, false)?.study;
        let runs = worlds.len() * learners.len() * seeds.len();
        text.push_str(&format!("{:<14}{title} ({runs} runs)\n", shipped.name));
        rows.push(json!({
            "name": shipped.name, "title": title, "runs": runs,
            "worlds": worlds.len(), "learners": learners.len(), "seeds": seeds.len(),
        }));
    }
    text.push_str("\n`goalward study run NAME` runs one, `goalward study list NAME` prints its file.\n");
    printed.put(&rows, || text)
}

fn new(file: Option<PathBuf>) -> anyhow::Result<()> {
    let Some(path) = file.filter(|path| !is_stdout(path)) else { return Ok(output::text(STARTER)?) };
    if path.symlink_metadata().is_ok() {
        let reason = format!("{}: there is such a file already", path.display());
        return Err(Usage::new(reason).hint("name another one, or remove it").into());
    }
    replace(&path, STARTER.as_bytes())?;
    wrote(std::slice::from_ref(&path));
    Ok(())
}

fn start(args: RunArgs) -> anyhow::Result<Outcome> {
    let mut file = named::read(&args.study, args.quick)?;
    if let Some(seeds) = args.seeds {
        file.study.seeds = seeds;
    }
    let out = args.kept.out.clone().unwrap_or_else(|| default_folder(&file.study.name, args.quick));
    let copy = out.join("study.toml");
    if !is_stdin(&args.study) && same_file(Path::new(&args.study), &copy) {
        let reason = format!("{}: this is the study that is read: it would be overwritten", copy.display());
        return Err(Usage::new(reason).hint("--out names another folder").into());
    }
    let save_every = Duration::from_secs_f64(args.save_every);
    let options = RunOptions { shard: args.shard, save_every, retry: args.retry };
    go(&file, &Kept { out: Some(out), ..args.kept }, None, &options)
}

pub(crate) fn short(name: &str, args: Short) -> anyhow::Result<Outcome> {
    let mut file = read_shipped(name, false)?;
    if let Some(seeds) = args.seeds {
        file.study.seeds = seeds;
    }
    if let Some(episodes) = args.episodes {
        file.study.worlds.iter_mut().for_each(|world| world.length.episodes = episodes);
    }
    go(&file, &args.kept, None, &RunOptions::default())
}

fn tell_status(study: &str, out: Option<PathBuf>, printed: Json) -> anyhow::Result<()> {
    // the results of a short command have no file
    let look = named::look(study).ok().flatten();
    let now = status(&named::folder(study, out)?, look.as_ref())?;
    let count = |n: usize| numbers::count(n as u64);
    let mut text = format!("{}: {} of {} runs finished", now.study, count(now.finished), count(now.jobs));
    if now.failed > 0 {
        text.push_str(&format!(", {} failed", count(now.failed)));
    }
    if now.under_way > 0 {
        text.push_str(&format!(", {} saved half-way", count(now.under_way)));
    }
    text.push_str(&format!("\nCPU time so far: {}\n", time(now.cpu_seconds)));
    let open = now.finished + now.failed < now.jobs;
    if let (true, Some(rate), Some(eta)) = (open, now.rate, now.eta) {
        text.push_str(&format!("{} runs an hour: {} left\n", numbers::count(rate as u64), time(eta)));
    }
    if let (true, Some(last)) = (open, now.last) {
        text.push_str(&format!("the last run was finished {} ago\n", time(last as f64)));
    }
    text.extend(now.changes.iter().map(|change| format!("warning: {change}\n")));
    printed.put(&now, || text)
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
