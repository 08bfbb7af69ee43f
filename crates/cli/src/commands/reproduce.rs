//! `goalward reproduce`

use crate::exit::{Outcome, note};
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Jobs;
use crate::seeds::Seeds;
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
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    out: PathBuf,
    /// The number of episodes of every run [default: the paper's]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    episodes: Option<u64>,
    /// The seeds, such as 0..20 (20 is left out) or 0..4,7
    #[arg(long, value_name = "SEEDS")]
    seeds: Option<Seeds>,
    /// The dimensions of the instance, such as 2,3
    #[arg(long, value_name = "D,...", value_delimiter = ',')]
    dims: Option<Vec<usize>>,
    /// Print the result as one JSON value
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args, quiet: bool) -> anyhow::Result<Outcome> {
    let mut options = ReproduceOptions { out: args.out.clone(), ..Default::default() };
    if let Some(episodes) = args.episodes {
        options.episodes = episodes;
    }
    if let Some(seeds) = args.seeds {
        options.seeds = seeds.0;
    }
    if let Some(dims) = args.dims {
        options.dims = dims;
    }
    let interrupt = Interrupt::listen(quiet)?;
    let jobs = Jobs::new(quiet, interrupt.clone());
    let reproduction = reproduce(&options, &jobs)?;
    if args.json {
        output::json(&reproduction)?;
    } else {
        let words = reproduction.words().join("\n");
        output::text(&format!("{}\n{words}\n", reproduction.table().trim_end()))?;
    }
    if !quiet {
        note(format!("figures and numbers are in {}", args.out.display()));
    }
    Ok(if interrupt.pressed() { Outcome::Interrupted } else { Outcome::Done })
}
