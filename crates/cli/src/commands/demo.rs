//! `goalward demo`

use super::{ended, show};
use crate::counts::whole;
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::names::WorldName;
use crate::progress::Jobs;
use crate::seeds::SeedRange;
use goalward_lab::{DemoOptions, demo};
use std::path::PathBuf;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward demo
    goalward demo --world windy-grid@n=4 --episodes 300
    goalward demo --world problem.json --seeds 0..5 --out here --json";

/// Show what a confidence set is worth: five learners on a small world, in seconds
///
/// LEVIS++ and LEVIS with their printed radii, LEVIS++ with a radius scaled down (which has no
/// guarantee), LEVIS++ with the likelihood set beside its own, and the likelihood set alone. Draws
/// the figure of the README: regret.png.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The world: an id or a problem file, with parameters after an @
    #[arg(long, value_name = "WORLD", default_value_t = DemoOptions::default().world)]
    #[arg(value_parser = WorldName, hide_possible_values = true)]
    world: String,
    /// The number of episodes of every run
    #[arg(long, value_name = "K", default_value_t = DemoOptions::default().episodes)]
    #[arg(value_parser = whole::<u64>(1..))]
    episodes: u64,
    /// How many seeds, or which: A..B, B left out
    #[arg(long, value_name = "N|A..B", default_value_t = SeedRange(DemoOptions::default().seeds))]
    seeds: SeedRange,
    /// The factor on the printed radius of the contender without a guarantee
    #[arg(long, value_name = "X", default_value_t = DemoOptions::default().scale)]
    #[arg(allow_negative_numbers = true)]
    scale: f64,
    /// The directory for the figure and the numbers
    #[arg(long, value_name = "DIR", default_value_os_t = DemoOptions::default().out)]
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
    let options = DemoOptions {
        out: args.out,
        force: args.force,
        world: args.world,
        episodes: args.episodes,
        seeds: args.seeds.0,
        scale: args.scale,
    };
    let jobs = Jobs::new(quiet, Interrupt::listen(quiet)?);
    let result = demo(&options, &jobs)?;
    if args.markdown {
        super::quote(&result.markdown(), &result.files, quiet)?;
    } else {
        show(&result, args.json, quiet, || result.table(), &result.words, &result.files)?;
    }
    Ok(ended(result.interrupted()))
}
