//! `goalward study run`

use super::go::{Kept, Out, go};
use super::named;
use crate::exit::{Outcome, Usage};
use crate::outputs::is_stdin;
use crate::seeds::Seeds;
use goalward::output::same_file;
use goalward_lab::engine::RunOptions;
use goalward_lab::grid::Shard;
use std::path::Path;
use std::time::Duration;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward study run demo
    goalward study run mine.toml --quick
    sed s/n=4/n=6/ mine.toml | goalward study run - --out six
    goalward study run mine.toml --seeds 50                # more seeds: only the new ones are run
    goalward study run mine.toml --shard $SLURM_ARRAY_TASK_ID/20 --out part$SLURM_ARRAY_TASK_ID";

/// Run a study, or go on with one
///
/// Runs every job that is not finished yet, and writes figures, summary.md and report.html. Ctrl-C
/// stops; the same command goes on.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunStudyArgs {
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
    #[arg(long, value_name = "SEEDS")]
    seeds: Option<Seeds>,
    /// Run one part of the jobs, for one of several machines; `goalward study merge` joins the parts
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    shard: Shard,
    /// Save a run that is under way every so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    save_every: f64,
    /// Try jobs again that failed
    #[arg(long)]
    retry: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.001..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds from 0.001 on".into()),
    }
}

pub(super) fn run(args: RunStudyArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let mut file = named::read(&args.study, args.quick)?;
    if let Some(Seeds(seeds)) = args.seeds {
        file.study.seeds = seeds;
    }
    let out = args.kept.out.clone().unwrap_or_else(|| named::default_folder(&file.study.name, args.quick));
    let options = RunOptions {
        shard: args.shard,
        save_every: Duration::from_secs_f64(args.save_every),
        retry: args.retry,
    };
    let copy = out.join("study.toml");
    if !is_stdin(&args.study) && same_file(Path::new(&args.study), &copy) {
        let reason = format!("{}: this is the study that is read: it would be overwritten", copy.display());
        return Err(Usage::new(reason).hint("--out names another folder").into());
    }
    go(&file, (&Out::Folder(out), &args.kept), None, &options, quiet)
}
