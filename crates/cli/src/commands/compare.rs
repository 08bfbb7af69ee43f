//! `goalward compare`

use super::World;
use super::study::{COPY, Kept, go};
use crate::counts::{Seeds, whole};
use crate::exit::{Outcome, Usage};
use crate::names::{Suggest, learners as ids};
use crate::progress::Busy;
use goalward::files::{self, json};
use goalward::{Settings, did_you_mean_first, learners, worlds};
use goalward_lab::engine::RunOptions;
use goalward_lab::study::{Length, Study, StudyFile, parse_seeds};
use goalward_lab::{Contender, Place};

const EXAMPLES: &str = "\
EXAMPLES:
    goalward compare hard-instance --learners levis++,levis,random --set B=3 --seeds 20 --episodes 1e3
    goalward compare hard-instance --learners levis++,levis++@radius=scaled:0.003 --set B=oracle --seeds 0..10
    goalward compare windy-grid@n=3 --learners levis++lr,lr,levis --set B=oracle --against levis++lr
    goalward compare problem.json --learners random,optimal --seeds 0..4,7 --episodes 100 --json
    goalward compare CliffWalking.json --learners lr,random --seeds 0..10 --episodes 50";

/// Run several learners on the same luck and compare their regret
///
/// Every learner meets the same seeds, and with a seed the same luck. A contender is a learner's
/// id, with settings of its own after an @: levis++@radius=scaled:0.003. Prints a table, and writes
/// figures, a report, the records, and the study file that says what was run.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    world: World,
    /// The contenders, separated by commas: a learner's id, or ID@KEY=VALUE
    #[arg(long, value_name = "A,B,...", required = true, value_delimiter = ',')]
    #[arg(value_parser = Suggest(ids), hide_possible_values = true)]
    learners: Vec<String>,
    /// How many seeds, or which: 20 means 0..20, which is 0 to 19; 0..4,7 is 0, 1, 2, 3 and 7
    #[arg(long, value_name = "SEEDS", default_value = "0..20", value_parser = parse_seeds)]
    seeds: Seeds,
    /// The number of episodes of every run
    #[arg(long, value_name = "K", default_value_t = 1000, value_parser = whole::<u64>(1..))]
    episodes: u64,
    /// Set a parameter of every contender that has it, unless that contender sets it behind an @;
    /// may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// End every run as truncated after N steps
    #[arg(long, value_name = "N", value_parser = whole::<u64>(..))]
    max_steps: Option<u64>,
    /// Show the paired differences from this contender (as typed in --learners), with intervals
    #[arg(long, value_name = "A")]
    against: Option<String>,
    #[command(flatten)]
    kept: Kept,
}

pub(crate) fn run(args: CompareArgs) -> anyhow::Result<Outcome> {
    let contenders = contenders_of(&args.learners, &Settings::parse(&args.settings)?)?;
    if let Some(unknown) = args.against.iter().find(|a| contenders.iter().all(|c| c.label != **a)) {
        let meant = did_you_mean_first(unknown, contenders.iter().map(|c| c.label.as_str()));
        let hint = format!("{meant}give one of {}", args.learners.join(", "));
        return Err(Usage::new(format!("--against {unknown}: no such contender")).hint(hint).into());
    }
    let (world, params) = args.world.named()?;
    let (place, piped) = reopened(&world, &params)?;
    let length = Length { episodes: args.episodes, max_steps: args.max_steps, by_steps: false };
    let study = Study::comparison(place, length, contenders, args.seeds, args.against)?;
    go(&StudyFile::without_file(study), &args.kept, piped, &RunOptions::default())
}

/// A world that a study can open again; one from a pipe with its problem file, to be kept.
fn reopened(world: &str, params: &Settings) -> anyhow::Result<(Place, Option<String>)> {
    let label = super::spelled(world, params);
    let path = match worlds::locate(world)? {
        worlds::Place::Built(_) => {
            return Ok((Place { label, world: world.into(), params: params.clone() }, None));
        }
        worlds::Place::File(path) => path,
    };
    if files::kind(path).is_ok_and(|kind| kind == files::Kind::File) {
        let world = std::fs::canonicalize(path)?.to_string_lossy().into_owned();
        return Ok((Place { label, world, params: params.clone() }, None));
    }
    let busy = Busy::new(format!("opening {world}"));
    let instance = super::open(world, params, &busy)?;
    let place = Place { label, world: COPY.into(), params: Settings::new() };
    Ok((place, Some(json::to_json(&instance))))
}

/// The contenders, each with the common settings that its learner has and that it does not set.
fn contenders_of(texts: &[String], common: &Settings) -> anyhow::Result<Vec<Contender>> {
    let mut contenders = Contender::parse_all(texts)?;
    for (key, value) in common.iter() {
        let mut taken = false;
        for contender in &mut contenders {
            taken |= contender.fill(key, value)?;
        }
        if !taken {
            let reason = format!("--set {key}={value}: no contender has a parameter {key:?}");
            let known = contenders.iter().filter_map(|c| learners::entry(&c.learner).ok());
            let meant = did_you_mean_first(key, known.flat_map(|l| l.parameters).map(|p| p.name));
            let hint = format!("{meant}goalward list learners ID describes every parameter");
            return Err(Usage::new(reason).hint(hint).into());
        }
    }
    Ok(contenders)
}
