//! `goalward reproduce`

use super::study::{Short, short};
use crate::exit::Outcome;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward reproduce
    goalward reproduce --episodes 2000 --seeds 4 --out quick
    goalward reproduce --json > reproduction.json";

/// Reproduce the paper's figure: regret of LEVIS++ and its rivals on the hard instance
///
/// Runs every learner on every dimension and seed, draws the figure, and says in words what was
/// found. The radius with the paper's printed constants and the scaled one, which has no guarantee,
/// are kept apart everywhere. Short for `goalward study run reproduce`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReproduceArgs {
    #[command(flatten)]
    short: Short,
}

pub(crate) fn run(args: ReproduceArgs, quiet: bool) -> anyhow::Result<Outcome> {
    short("reproduce", args.short, quiet)
}
