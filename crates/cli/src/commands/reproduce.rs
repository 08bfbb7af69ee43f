//! `goalward reproduce`

use super::{ended, wrote};
use crate::counts::{self, whole};
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Jobs;
use crate::seeds::SeedRange;
use goalward_lab::{ReproduceOptions, reproduce};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward reproduce
    goalward reproduce --dims 2,3 --episodes 2000 --seeds 0..4 --out quick
    goalward reproduce --json > reproduction.json";

/// Reproduce the paper's figure: regret of LEVIS++ and its rivals on the hard instance
///
/// Runs every learner on every dimension and seed, draws the figure, writes the numbers beside it,
/// and says in words what was found. The radius with the paper's printed constants and the scaled
/// one, which has no guarantee, are kept apart everywhere.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory for figures and numbers
    #[arg(long, value_name = "DIR", default_value_os_t = ReproduceOptions::default().out)]
    out: PathBuf,
    /// Overwrite results of another question in that directory
    #[arg(long)]
    force: bool,
    /// The number of episodes of every run
    #[arg(long, value_name = "K", default_value_t = ReproduceOptions::default().episodes)]
    #[arg(value_parser = whole::<u64>(1..))]
    episodes: u64,
    /// How many seeds, or which: A..B, B left out
    #[arg(long, value_name = "N|A..B", default_value_t = SeedRange(ReproduceOptions::default().seeds))]
    seeds: SeedRange,
    /// The dimensions of the instance
    #[arg(long, value_name = "D,...", default_value_t = Dims(ReproduceOptions::default().dims))]
    dims: Dims,
    /// Print the result as one JSON value
    #[arg(long)]
    json: bool,
    /// Print the result as Markdown in named parts, for documents
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// Dimensions as they are typed: 2,3.
#[derive(Clone, Debug)]
struct Dims(Vec<usize>);

impl FromStr for Dims {
    type Err = String;

    fn from_str(text: &str) -> Result<Dims, String> {
        let mut dims = Vec::new();
        for part in text.split(',').map(str::trim) {
            let dim = counts::read(part, &..).map_err(|fault| format!("{part:?}: {fault}"))?;
            if dims.contains(&dim) {
                return Err(format!("dimension {dim} is given twice"));
            }
            dims.push(dim);
        }
        Ok(Dims(dims))
    }
}

impl fmt::Display for Dims {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let dims: Vec<String> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&dims.join(","))
    }
}

pub(crate) fn run(args: Args, quiet: bool) -> anyhow::Result<Outcome> {
    let options = ReproduceOptions {
        out: args.out,
        force: args.force,
        episodes: args.episodes,
        seeds: args.seeds.0,
        dims: args.dims.0,
    };
    let jobs = Jobs::new(quiet, Interrupt::listen(quiet)?);
    let reproduction = reproduce(&options, &jobs)?;
    if args.json {
        output::json(&reproduction)?;
    } else if args.markdown {
        output::text(&reproduction.markdown())?;
    } else {
        let words: Vec<String> = reproduction.words().iter().map(|words| output::item(words, 100)).collect();
        let words = words.join("\n");
        output::text(&format!("{}\n\n{words}\n", reproduction.table().trim_end()))?;
    }
    if !quiet {
        wrote(&reproduction.files);
    }
    Ok(ended(reproduction.interrupted.is_some()))
}
