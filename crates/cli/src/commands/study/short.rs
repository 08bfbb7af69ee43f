//! Short commands for studies that come with goalward.

use super::go::{Going, Out, Shown, go};
use super::named;
use crate::counts::whole;
use crate::exit::Outcome;
use crate::seeds::Seeds;
use goalward_lab::engine::RunOptions;
use std::path::PathBuf;

/// What a short command takes.
#[derive(clap::Args)]
pub(crate) struct Short {
    /// The folder for records, figures and report [default: one for each question, below out/NAME;
    /// out/NAME/newest leads to the last one]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Remove results of another question from that folder
    #[arg(long)]
    force: bool,
    /// Another number of episodes for every run
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1..))]
    episodes: Option<u64>,
    /// Other seeds: how many, or which
    #[arg(long, value_name = "SEEDS")]
    seeds: Option<Seeds>,
    /// Print the result as one JSON value
    #[arg(long)]
    json: bool,
    /// Print the result as Markdown in named parts, for documents
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
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
    let out = Out::of(args.out, name);
    let shown = Shown::of(args.json, args.markdown);
    let options = RunOptions::default();
    go(&file, &Going { out: &out, piped: None, force: args.force, options, shown, quiet })
}
