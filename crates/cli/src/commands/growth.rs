//! `goalward growth`

use super::{ended, wrote};
use crate::counts::whole;
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::names::LearnerName;
use crate::output;
use crate::progress::Jobs;
use crate::seeds::SeedRange;
use goalward_lab::{Family, GrowthOptions, growth};
use std::path::PathBuf;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward growth
    goalward growth --families tuned --dim 2 --episodes 1000,10000,100000
    goalward growth --families horizon --lengths 4,40,400 --learners lr,levis,random --json";

/// Measure how regret grows with the number of episodes K and with the horizon T*
///
/// Three families of worlds. tuned: hard-instance with the gap of the lower bound, which shrinks
/// like 1/sqrt(K); regret must grow like sqrt(K) there, for everybody, and learning shows as a
/// small share of what a random policy pays. fixed: one gap for all K; who learns has an exponent
/// near 0, who does not has 1. horizon: corridor, where T* grows and B* stays; the theory of
/// LEVIS++ allows logarithms of T* only.
///
/// An exponent is the slope of log mean gap regret; its 95 % interval comes from drawing the seeds
/// anew (BCa bootstrap), and the standard error of the straight line stands beside it. There is a
/// figure for each family.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The families
    #[arg(long, value_name = "F,...", value_delimiter = ',', default_values = ["tuned", "fixed", "horizon"])]
    families: Vec<FamilyName>,
    /// The learners, with settings after an @; B is the true one unless set
    #[arg(
        long,
        value_name = "A,B,...",
        value_delimiter = ',',
        default_values_t = GrowthOptions::default().learners
    )]
    #[arg(value_parser = LearnerName, hide_possible_values = true)]
    learners: Vec<String>,
    /// The dimension d of all worlds
    #[arg(long, value_name = "D", default_value_t = GrowthOptions::default().dim)]
    #[arg(value_parser = whole::<usize>(..))]
    dim: usize,
    /// B* of all worlds
    #[arg(long, value_name = "X", default_value_t = GrowthOptions::default().b_star)]
    #[arg(allow_negative_numbers = true)]
    b_star: f64,
    /// The factor on the gap of tuned: the larger, the more there is to learn from
    #[arg(long, value_name = "X", default_value_t = GrowthOptions::default().gap_factor)]
    #[arg(allow_negative_numbers = true)]
    gap_factor: f64,
    /// The numbers of episodes K of tuned and fixed
    #[arg(
        long,
        value_name = "K,...",
        value_delimiter = ',',
        default_values_t = GrowthOptions::default().episodes
    )]
    #[arg(value_parser = whole::<u64>(..))]
    episodes: Vec<u64>,
    /// The lengths of horizon: T* = B* length
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        default_values_t = GrowthOptions::default().lengths
    )]
    #[arg(value_parser = whole::<u64>(..))]
    lengths: Vec<u64>,
    /// The number of episodes of horizon
    #[arg(long, value_name = "K", default_value_t = GrowthOptions::default().horizon_episodes)]
    #[arg(value_parser = whole::<u64>(1..))]
    horizon_episodes: u64,
    /// How many seeds, or which: A..B, B left out
    #[arg(long, value_name = "N|A..B", default_value_t = SeedRange(GrowthOptions::default().seeds))]
    seeds: SeedRange,
    /// The directory for figures and numbers
    #[arg(long, value_name = "DIR", default_value_os_t = GrowthOptions::default().out)]
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

#[derive(Clone, Copy, clap::ValueEnum)]
enum FamilyName {
    Tuned,
    Fixed,
    Horizon,
}

impl From<FamilyName> for Family {
    fn from(name: FamilyName) -> Family {
        match name {
            FamilyName::Tuned => Family::Tuned,
            FamilyName::Fixed => Family::Fixed,
            FamilyName::Horizon => Family::Horizon,
        }
    }
}

pub(crate) fn run(args: Args, quiet: bool) -> anyhow::Result<Outcome> {
    let options = GrowthOptions {
        out: args.out,
        force: args.force,
        families: args.families.into_iter().map(Family::from).collect(),
        learners: args.learners,
        dim: args.dim,
        b_star: args.b_star,
        gap_factor: args.gap_factor,
        episodes: args.episodes,
        lengths: args.lengths,
        horizon_episodes: args.horizon_episodes,
        seeds: args.seeds.0,
    };
    let jobs = Jobs::new(quiet, Interrupt::listen(quiet)?);
    let result = growth(&options, &jobs)?;
    match (args.json, args.markdown) {
        (true, _) => output::json(&result)?,
        (_, true) => output::text(&result.markdown())?,
        _ => {
            let words: Vec<String> = result.words.iter().map(|words| output::item(words, 100)).collect();
            output::text(&format!("{}{}\n", result.table(), words.join("\n")))?;
        }
    }
    if !quiet {
        wrote(&result.files);
    }
    Ok(ended(result.interrupted))
}
