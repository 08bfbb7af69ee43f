//! `goalward export`

use super::{World, problem_file, put};
use crate::exit::Outcome;
use crate::progress::Busy;
use std::path::PathBuf;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward export hard-instance --param dim=2 -o problem.json
    goalward export model.drn.gz --goal done --cost time -o problem.json
    goalward export frozen-lake.json --restart -o again.json
    goalward export hard-instance@dim=3 | python3 -m json.tool | less
    goalward export hard-instance -o mine.json && goalward learn mine.json --set B=3";

/// Write a world as a problem file (JSON)
///
/// The file holds costs, features, names and the true theta, and can be given to every command in
/// place of a world's id. Numbers are written so that reading them back gives the same bits.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    world: World,
    /// Write to this file; - is standard output [default: -]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: ExportArgs) -> anyhow::Result<Outcome> {
    let (world, params) = args.world.named()?;
    let output = problem_file(args.output.as_deref(), [&world])?;
    let busy = Busy::new(format!("opening {world}"));
    let instance = super::open(&world, &params, &busy)?;
    put(&instance, &output, busy)?;
    Ok(Outcome::Done)
}
