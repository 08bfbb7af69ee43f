//! Short commands for studies that come with goalward.

use super::go::{Kept, go};
use super::named;
use crate::counts::whole;
use crate::exit::Outcome;
use crate::seeds::Seeds;
use goalward_lab::engine::RunOptions;

/// What a short command takes.
#[derive(clap::Args)]
pub(crate) struct Short {
    #[command(flatten)]
    kept: Kept,
    /// Another number of episodes for every run
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1..))]
    episodes: Option<u64>,
    /// Other seeds: how many, or which
    #[arg(long, value_name = "SEEDS")]
    seeds: Option<Seeds>,
}

/// Runs a study that comes with goalward.
pub(crate) fn short(name: &str, args: Short, quiet: bool) -> anyhow::Result<Outcome> {
    let mut file = named::shipped(name, false)?;
    if let Some(Seeds(seeds)) = args.seeds {
        file.study.seeds = seeds;
    }
    if let Some(episodes) = args.episodes {
        file.study.worlds.iter_mut().for_each(|world| world.length.episodes = episodes);
    }
    go(&file, (&args.kept.below(name), &args.kept), None, &RunOptions::default(), quiet)
}
