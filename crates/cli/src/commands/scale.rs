//! `goalward scale`

use super::{ended, wrote};
use crate::counts::whole;
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::names::{LearnerName, WorldName};
use crate::output;
use crate::progress::Jobs;
use crate::seeds::SeedRange;
use goalward_lab::{ScaleOptions, scale};
use std::path::PathBuf;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward scale
    goalward scale --worlds windy-grid@n=3 --learners levis++ --least 1e-4 --per-decade 8
    goalward scale --worlds problem.json --delta 0.01 --seeds 0..1000 --json";

/// Find the smallest factor on a printed radius that still keeps the true model in the set
///
/// The printed radii are too large to learn with, and `radius=scaled:X` multiplies them by X,
/// without a guarantee. This tells which X would have kept theta*, the true mixture, on a world
/// that you can simulate: it tries factors from --most down to --least, each with runs of its own
/// because the radius steers the run, and reports the smallest one that is kept as all larger ones
/// are. Kept means: theta* was outside the ellipsoid after some step in so few runs that the
/// one-sided 95 % upper limit (Clopper and Pearson) on their share is at most delta.
///
/// What held on these runs is no guarantee. The likelihood set of `lr` and `levis++lr` has one and
/// is narrower.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The worlds: an id or a problem file, with parameters after an @
    #[arg(
        long,
        value_name = "A,B,...",
        value_delimiter = ',',
        default_values_t = ScaleOptions::default().worlds
    )]
    #[arg(value_parser = WorldName, hide_possible_values = true)]
    worlds: Vec<String>,
    /// The learners whose radius is scaled, with settings after an @; B is the true one unless set
    #[arg(
        long,
        value_name = "A,B,...",
        value_delimiter = ',',
        default_values_t = ScaleOptions::default().learners
    )]
    #[arg(value_parser = LearnerName, hide_possible_values = true)]
    learners: Vec<String>,
    /// The largest factor
    #[arg(long, value_name = "X", default_value_t = ScaleOptions::default().most)]
    #[arg(allow_negative_numbers = true)]
    most: f64,
    /// The smallest factor
    #[arg(long, value_name = "X", default_value_t = ScaleOptions::default().least)]
    #[arg(allow_negative_numbers = true)]
    least: f64,
    /// How many factors to each power of ten
    #[arg(long, value_name = "N", default_value_t = ScaleOptions::default().per_decade)]
    #[arg(value_parser = whole::<u32>(..))]
    per_decade: u32,
    /// The failure probability of the sets, and the share of runs that may lose theta*
    #[arg(long, value_name = "P", default_value_t = ScaleOptions::default().delta)]
    #[arg(allow_negative_numbers = true)]
    delta: f64,
    /// How many seeds, or which: A..B, B left out; delta = 0.01 takes at least 300 of them
    #[arg(long, value_name = "N|A..B", default_value_t = SeedRange(ScaleOptions::default().seeds))]
    seeds: SeedRange,
    /// The steps of every run
    #[arg(long, value_name = "T", default_value_t = ScaleOptions::default().steps)]
    #[arg(value_parser = whole::<u64>(1..))]
    steps: u64,
    /// The directory for the numbers
    #[arg(long, value_name = "DIR", default_value_os_t = ScaleOptions::default().out)]
    out: PathBuf,
    /// Overwrite results of another question in that directory
    #[arg(long)]
    force: bool,
    /// Print the result as one JSON value
    #[arg(long)]
    json: bool,
    /// Print the result as Markdown in named parts, for documents
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

pub(crate) fn run(args: Args, quiet: bool) -> anyhow::Result<Outcome> {
    let options = ScaleOptions {
        out: args.out,
        force: args.force,
        worlds: args.worlds,
        learners: args.learners,
        most: args.most,
        least: args.least,
        per_decade: args.per_decade,
        delta: args.delta,
        seeds: args.seeds.0,
        steps: args.steps,
    };
    let jobs = Jobs::new(quiet, Interrupt::listen(quiet)?);
    let result = scale(&options, &jobs)?;
    match (args.json, args.markdown) {
        (true, _) => output::json(&result)?,
        (_, true) => output::text(&result.markdown())?,
        _ => output::text(&result.table())?,
    }
    if !quiet {
        wrote(&result.files);
    }
    Ok(ended(result.interrupted))
}
