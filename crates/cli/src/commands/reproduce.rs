//! `goalward reproduce`

use super::{ended, wrote};
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Jobs;
use crate::seeds::SeedRange;
use goalward_lab::{ReproduceOptions, reproduce};
use std::path::PathBuf;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward reproduce
    goalward reproduce --dims 2,3 --episodes 2000 --seeds 0..4 --out quick
    goalward reproduce --json > reproduction.json";

/// Reproduce the paper's figure: regret of LEVIS++ and its rivals on the hard instance
///
/// Runs every learner on every dimension and seed, draws the figure, writes the numbers beside it, and says in words
/// what was found. The radius with the paper's printed constants and the scaled one, which has no guarantee, are kept
/// apart everywhere.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory for figures and numbers
    #[arg(long, value_name = "DIR", default_value_os_t = ReproduceOptions::default().out)]
    out: PathBuf,
    /// The number of episodes of every run
    #[arg(long, value_name = "K", default_value_t = ReproduceOptions::default().episodes)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    episodes: u64,
    /// The seeds: A..B, B left out
    #[arg(long, value_name = "A..B", default_value_t = SeedRange(ReproduceOptions::default().seeds))]
    seeds: SeedRange,
    /// The dimensions of the instance
    #[arg(long, value_name = "D,...", value_delimiter = ',', default_values_t = ReproduceOptions::default().dims)]
    dims: Vec<usize>,
    /// Print the result as one JSON value
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args, quiet: bool) -> anyhow::Result<Outcome> {
    let options =
        ReproduceOptions { out: args.out, episodes: args.episodes, seeds: args.seeds.0, dims: args.dims };
    let jobs = Jobs::new(quiet, Interrupt::listen(quiet)?);
    let reproduction = reproduce(&options, &jobs)?;
    if args.json {
        output::json(&reproduction)?;
    } else {
        let words = reproduction.words().join("\n");
        output::text(&format!("{}\n\n{words}\n", reproduction.table().trim_end()))?;
    }
    if !quiet {
        wrote(&reproduction.files);
    }
    Ok(ended(reproduction.interrupted.is_some()))
}
