//! `goalward coverage`

use super::show;
use crate::counts::whole;
use crate::exit::{Outcome, note};
use crate::interrupt::Interrupt;
use crate::names::{LearnerName, WorldName};
use crate::progress::Jobs;
use crate::seeds::SeedRange;
use goalward_lab::{CoverageOptions, coverage};
use std::path::PathBuf;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward coverage
    goalward coverage --worlds windy-grid@n=3 --learners lr,levis --deltas 0.1 --seeds 0..1000
    goalward coverage --worlds problem.json --learners lr --steps 500 --json";

/// Count how often the true model ever leaves a learner's confidence set, and how wide the set is
///
/// A confidence set at level delta should hold theta*, the true mixture, at all times at once with
/// probability at least 1 - delta. This runs each learner many times, asks after every step whether
/// theta* is still inside, and gives the number of runs that lost it with an exact upper limit
/// (Clopper and Pearson, one-sided, 95 %). All of B never loses anything, so the width of the set
/// is given beside it, as a share of B's: 1 means that nothing was learnt.
///
/// The likelihood set is checked itself, f(theta*) <= r, after every step; and the ellipsoid around
/// it, which is planned over, at the planning times. The ellipsoids of LEVIS and LEVIS++ are
/// checked after every step.
///
/// Exit code 1 says that a set with a guarantee lost theta* significantly more often than it
/// promises, or that a plan was made over a set without theta* while the confidence set had it: the
/// set planned over must contain the other, so that a single run is enough to show an error of
/// goalward.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The worlds: an id or a problem file, with parameters after an @
    #[arg(
        long,
        value_name = "A,B,...",
        value_delimiter = ',',
        default_values_t = CoverageOptions::default().worlds
    )]
    #[arg(value_parser = WorldName, hide_possible_values = true)]
    worlds: Vec<String>,
    /// The learners whose sets are watched, with settings after an @; B and t_star are the true
    /// ones unless set
    #[arg(
        long,
        value_name = "A,B,...",
        value_delimiter = ',',
        default_values_t = CoverageOptions::default().learners
    )]
    #[arg(value_parser = LearnerName, hide_possible_values = true)]
    learners: Vec<String>,
    /// The failure probabilities of the sets
    #[arg(
        long,
        value_name = "P,...",
        value_delimiter = ',',
        default_values_t = CoverageOptions::default().deltas
    )]
    #[arg(allow_negative_numbers = true)]
    deltas: Vec<f64>,
    /// How many seeds, or which: A..B, B left out; an upper limit of 1 % takes 300 of them
    #[arg(long, value_name = "N|A..B", default_value_t = SeedRange(CoverageOptions::default().seeds))]
    seeds: SeedRange,
    /// The steps of every run
    #[arg(long, value_name = "T", default_value_t = CoverageOptions::default().steps)]
    #[arg(value_parser = whole::<u64>(1..))]
    steps: u64,
    /// The directory for the numbers
    #[arg(long, value_name = "DIR", default_value_os_t = CoverageOptions::default().out)]
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
    let options = CoverageOptions {
        out: args.out,
        force: args.force,
        worlds: args.worlds,
        learners: args.learners,
        deltas: args.deltas,
        seeds: args.seeds.0,
        steps: args.steps,
    };
    let jobs = Jobs::new(quiet, Interrupt::listen(quiet)?);
    let result = coverage(&options, &jobs)?;
    if args.markdown {
        super::quote(&result.markdown(), &result.files, quiet)?;
    } else {
        show(&result, args.json, quiet, || result.table(), &result.words, &result.files)?;
    }
    if result.interrupted {
        return Ok(Outcome::Interrupted);
    }
    if !result.sound && !quiet {
        match result.rows.iter().any(|row| row.missed_at_plan > 0) {
            true => note(
                "a plan was made over a set without theta* though the confidence set had it: an \
                 error of goalward",
            ),
            false => note("a set with a guarantee lost theta* more often than it promises"),
        }
    }
    Ok(if result.sound { Outcome::Done } else { Outcome::No })
}
