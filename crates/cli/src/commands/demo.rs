//! `goalward demo`

use super::study::{Short, short};
use crate::exit::Outcome;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward demo
    goalward demo --seeds 5 --episodes 60 --out quick";

/// Show in seconds what a confidence set is worth
///
/// Five learners on a small windy grid: LEVIS++ and LEVIS with their printed constants, LEVIS++ with
/// a radius that was scaled down, and the likelihood set, with LEVIS++ and alone. Short for
/// `goalward study run demo`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    short: Short,
}

pub(crate) fn run(args: DemoArgs, quiet: bool) -> anyhow::Result<Outcome> {
    short("demo", args.short, quiet)
}
