//! `goalward compare`

use super::{World, ended, wrote};
use crate::exit::{Outcome, Usage};
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::Jobs;
use crate::seeds::Seeds;
use goalward::registry::Settings;
use goalward_lab::{Comparison, Contender, compare};
use std::path::PathBuf;

const EXAMPLES: &str = "\
EXAMPLES:
    goalward compare hard-instance --learners levis++,levis,random --set B=3 --seeds 0..20 --episodes 1000
    goalward compare hard-instance --learners levis++,levis++@radius=scaled:0.003 --set B=oracle --seeds 0..10
    goalward compare windy-grid --learners levis++lr,lr,levis --set B=oracle --against levis++lr
    goalward compare problem.json --learners random,optimal --seeds 0..4,7 --episodes 100 --json
    goalward compare CliffWalking.json --learners lr,random --seeds 0..10 --episodes 50";

/// Run several learners on the same luck and compare their regret
///
/// Every learner meets the same seeds, and with a seed the same luck. A contender is a learner's id, with settings of
/// its own after an @: levis++@radius=scaled:0.003. Prints a table, and writes a figure and the numbers (CSV).
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    world: World,
    /// The contenders, separated by commas: a learner's id, or ID@KEY=VALUE
    #[arg(long, value_name = "A,B,...", required = true, value_delimiter = ',')]
    learners: Vec<String>,
    /// The seeds, such as 0..20 (20 is left out) or 0..4,7
    #[arg(long, value_name = "SEEDS", default_value = "0..20")]
    seeds: Seeds,
    /// The number of episodes of every run
    #[arg(long, value_name = "K", default_value_t = 1000)]
    episodes: u64,
    /// Set a parameter of every contender that has it; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// End every run as truncated after so many steps
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Give paired differences to this contender, as it stands in --learners, with their intervals
    #[arg(long, value_name = "A")]
    against: Option<String>,
    /// The directory for the figure and the numbers
    #[arg(long, value_name = "DIR", default_value = "out/compare")]
    out: PathBuf,
    /// Overwrite results of another question in that directory
    #[arg(long)]
    force: bool,
    /// Print the result as one JSON value
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: Args, quiet: bool) -> anyhow::Result<Outcome> {
    let contenders = contenders(&args.learners, &Settings::parse(&args.settings)?)?;
    if let Some(unknown) = args.against.iter().find(|a| contenders.iter().all(|c| c.label != **a)) {
        let hint = format!("give one of {}", args.learners.join(", "));
        return Err(Usage::new(format!("--against {unknown}: no such contender")).hint(hint).into());
    }
    let learners: Vec<&str> = contenders.iter().map(|c| c.learner.as_str()).collect();
    let jobs = contenders.len() * args.seeds.0.len();
    let arena = super::arena(&args.world.world, &args.world.params()?, &learners, jobs, quiet)?;
    // a directory that must not be written should be known before the work, not after it
    let length = (args.episodes, args.max_steps);
    let against = args.against.as_deref();
    let folder =
        Comparison::folder(&args.out, &arena, &contenders, &args.seeds.0, length, against, args.force)?;
    let jobs = Jobs::new(quiet, Interrupt::listen(quiet)?);
    let mut comparison = compare(&arena, &contenders, &args.seeds.0, args.episodes, args.max_steps, &jobs)?;
    if let Some(reference) = &args.against {
        comparison = comparison.against(reference)?;
    }
    let files = comparison.write(&folder)?;
    match args.json {
        true => output::json(&comparison)?,
        false => output::text(&format!("{}\n", comparison.table().trim_end()))?,
    }
    if !quiet {
        wrote(&files);
    }
    Ok(ended(comparison.interrupted.is_some()))
}

/// Reads the contenders and gives each the common settings that its learner has, but for those it sets itself.
fn contenders(texts: &[String], common: &Settings) -> anyhow::Result<Vec<Contender>> {
    let mut contenders = Contender::parse_all(texts)?;
    for (key, value) in common.iter() {
        let mut taken = false;
        for contender in &mut contenders {
            taken |= contender.fill(key, value)?;
        }
        if !taken {
            let reason = format!("--set {key}={value}: no contender has a parameter {key:?}");
            return Err(Usage::new(reason).hint("goalward list learners describes every parameter").into());
        }
    }
    Ok(contenders)
}
