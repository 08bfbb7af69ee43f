//! `goalward survey`

use super::show;
use crate::counts::whole;
use crate::exit::Outcome;
use crate::interrupt::Interrupt;
use crate::names::{LearnerName, WorldName};
use crate::progress::Jobs;
use crate::seeds::SeedRange;
use goalward_lab::{SurveyOptions, survey};
use std::path::PathBuf;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward survey
    goalward survey --worlds windy-grid@n=3,corridor --episodes 1000 --seeds 0..10
    goalward survey --everyone --worlds psrl-gridworld --episodes 500 --seeds 0..5
    goalward survey --learners lr,levis,levis@radius=determinant --against lr --json";

/// Run every learner on several worlds and measure all of them against one
///
/// All learners meet the same luck, so differences are taken seed by seed: their 95 % interval (BCa
/// bootstrap) tells whether one pays more than another. Gap regret is compared, which has the mean
/// of the regret and far less noise. A learner that does not learn may never come to the end:
/// --max-steps ends its run, which counts with the steps that it made (≥).
///
/// Exit code 1 says that the learner of --against pays significantly more than one with a guarantee
/// on some world.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The worlds: an id or a problem file, with parameters after an @ [default:
    /// hard-instance, corridor, windy-grid, random-mixture, ladder]
    #[arg(
        long,
        value_name = "A,B,...",
        value_delimiter = ',',
        default_values_t = SurveyOptions::default().worlds
    )]
    #[arg(hide_default_value = true)]
    #[arg(value_parser = WorldName, hide_possible_values = true)]
    worlds: Vec<String>,
    /// The learners, with settings after an @; B and t_star are the true ones unless set
    #[arg(
        long,
        value_name = "A,B,...",
        value_delimiter = ',',
        default_values_t = SurveyOptions::default().learners
    )]
    #[arg(value_parser = LearnerName, hide_possible_values = true)]
    learners: Vec<String>,
    /// Take every learner of every family that does not know the truth; many never learn in so short a
    /// time, and --max-steps ends their runs
    #[arg(long, conflicts_with = "learners")]
    everyone: bool,
    /// The learner that all others are measured against, as it stands in --learners
    #[arg(long, value_name = "A", default_value_t = SurveyOptions::default().against)]
    against: String,
    /// Learners that are shown and not judged: no regret theorem is claimed of lr
    #[arg(
        long,
        value_name = "A,B,...",
        value_delimiter = ',',
        default_values_t = SurveyOptions::default().beside
    )]
    beside: Vec<String>,
    /// The number of episodes of every run
    #[arg(long, value_name = "K", default_value_t = SurveyOptions::default().episodes)]
    #[arg(value_parser = whole::<u64>(1..))]
    episodes: u64,
    /// How many seeds, or which: A..B, B left out
    #[arg(long, value_name = "N|A..B", default_value_t = SeedRange(SurveyOptions::default().seeds))]
    seeds: SeedRange,
    /// End every run after so many steps
    #[arg(long, value_name = "N", default_value_t = SurveyOptions::default().max_steps)]
    #[arg(value_parser = whole::<u64>(1..))]
    max_steps: u64,
    /// The directory for the numbers
    #[arg(long, value_name = "DIR", default_value_os_t = SurveyOptions::default().out)]
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
    let options = SurveyOptions {
        out: args.out,
        force: args.force,
        worlds: args.worlds,
        learners: if args.everyone { SurveyOptions::everyone() } else { args.learners },
        against: args.against,
        beside: args.beside,
        episodes: args.episodes,
        seeds: args.seeds.0,
        max_steps: args.max_steps,
    };
    let jobs = Jobs::new(quiet, Interrupt::listen(quiet)?);
    let result = survey(&options, &jobs)?;
    if args.markdown {
        super::quote(&result.markdown(), &result.files, quiet)?;
    } else {
        show(&result, args.json, quiet, || result.table(), &result.words, &result.files)?;
    }
    Ok(match (result.interrupted, result.nowhere_worse) {
        (true, _) => Outcome::Interrupted,
        (false, true) => Outcome::Done,
        (false, false) => Outcome::No,
    })
}
