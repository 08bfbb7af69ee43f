//! `goalward audit`: whether the theory holds on a run.

mod table;

use super::learner::learner_named;
use super::{World, spelled};
use crate::counts::{Seeds, whole};
use crate::exit::{Outcome, Usage, note};
use crate::names::{Suggest, learners as ids};
use crate::output::Json;
use crate::outputs::folder;
use crate::progress::Busy;
use crate::signals::{self, Pause};
use goalward::episode::{Arena, Audit, AuditReport, RunSpec, Runner};
use goalward::plan::Halt;
use goalward_lab::pictures;
use goalward_lab::store::write_beside;
use goalward_lab::study::parse_seeds;
use rayon::prelude::*;
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
EXAMPLES:
    goalward audit corridor --learner lr --episodes 200
    goalward audit hard-instance --learner levis++@norms=computed --set B=3 --seeds 20
    goalward audit hard-instance --learner levis++@radius=scaled:0.0001 --set B=3 --episodes 300
    goalward audit corridor --learner levis++lr --set B=oracle --json
    goalward audit corridor --learner lr --figures out/audit";

/// Show on a run whether the theory holds: every lemma with its margin, step by step
///
/// A run like that of `goalward learn`, watched by an observer that knows the truth (a problem file
/// needs its theta). For every learner with a confidence set: whether theta* is in it after each
/// step and by what margin, whether any plan's values exceed V*, and whether the regret stays below
/// the certified bound ("regret certified at most ...", which needs no truth). For lr: how far its
/// plans are from the data, against the constants of its regret theorem. For LEVIS++ and its
/// variants: every moment level with its set and its variances, the planning calls against their
/// bound, the decomposition of the regret, and when the set stops being all of B.
///
/// Each check has its number of looks, its least margin, and the step of its first failure. The
/// exit code is 1 if a check fails whose assumptions hold, and if one fails for a scaled radius. Any
/// other failure is information: a condition of the guarantee is not met. docs/theory.md explains
/// every line.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    world: World,
    /// The learner (`goalward list learners`); levis++@B=3 is short for levis++ --set B=3
    #[arg(long, value_name = "ID", value_parser = Suggest(ids), hide_possible_values = true)]
    learner: String,
    /// Set a parameter of the learner; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// The number of episodes
    #[arg(long, value_name = "K", default_value_t = 1000, value_parser = whole::<u64>(..))]
    episodes: u64,
    /// The seed of the world's luck and of the learner's own
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>(..))]
    seed: u64,
    /// Several runs: how many seeds, or which; 20 means 0..20, which is 0 to 19
    #[arg(long, value_name = "SEEDS", conflicts_with = "seed", value_parser = parse_seeds)]
    seeds: Option<Seeds>,
    /// End every run as truncated after N steps
    #[arg(long, value_name = "CAP", value_parser = whole::<u64>(..))]
    max_steps: Option<u64>,
    /// Draw figures of the first run into this folder
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    #[command(flatten)]
    printed: Json,
}

/// The JSON of `goalward audit --json`.
#[derive(Serialize)]
struct Found<'a> {
    runs: &'a [AuditReport],
    /// How many runs have a check that fails although it should hold.
    violated: usize,
    interrupted: bool,
}

pub(crate) fn run(args: AuditArgs) -> anyhow::Result<Outcome> {
    let (world, params) = args.world.named()?;
    let (id, settings) = learner_named(&args.learner, &args.settings)?;
    if let Some(path) = &args.figures {
        folder("--figures", path)?;
    }
    let base = RunSpec::new(&id, args.episodes).settings(settings).seed(args.seed);
    let spec = RunSpec { max_steps: args.max_steps, ..base };
    let seeds = args.seeds.unwrap_or_else(|| vec![args.seed]);
    let arena = super::arena(&world, &params, &id, seeds.len())?;
    // wrong settings are reported before the runs begin
    Runner::new(&arena, spec.clone())?;
    super::say_if_known(arena.problem(), &id, &spelled(&world, &params))?;
    let halt = Halt::new();
    signals::listen(&halt)?;
    let busy = Busy::new(format!("auditing {} runs of {id}", seeds.len()));
    let runs: Vec<AuditReport> = seeds
        .into_par_iter()
        .filter(|_| !halt.asked())
        .map(|seed| one(&arena, spec.clone().seed(seed), &halt))
        .collect::<anyhow::Result<_>>()?;
    drop(busy);
    let interrupted = halt.asked();
    let violated = runs.iter().filter(|run| run.violated().next().is_some()).count();
    let found = Found { runs: &runs, violated, interrupted };
    args.printed.put(&found, || table::text(&runs, &spelled(&world, &params)))?;
    if let (Some(path), Some(first)) = (&args.figures, runs.first()) {
        draw(path, first)?;
    }
    Ok(match (interrupted, violated) {
        (true, _) => Outcome::Interrupted,
        (false, 0) => Outcome::Done,
        (false, _) => Outcome::No,
    })
}

fn one(arena: &Arena, spec: RunSpec, halt: &Halt) -> anyhow::Result<AuditReport> {
    let mut runner = Runner::new(arena, spec)?;
    let mut audit = Audit::new(arena)?;
    runner.run(&mut [&mut audit, &mut Pause { every: None, halt }])?;
    Ok(audit.report(&runner))
}

fn draw(path: &Path, report: &AuditReport) -> anyhow::Result<()> {
    std::fs::create_dir_all(path)
        .map_err(|error| Usage::new(format!("--figures {}: {error}", path.display())))?;
    let mut files = Vec::new();
    for picture in pictures::audit::draw(report)? {
        for (format, bytes) in &picture.files {
            files.push(write_beside(path, &format!("{}.{}", picture.name, format.ending()), bytes)?);
        }
    }
    match files.is_empty() {
        true => note("no episode was finished: there is nothing to draw"),
        false => super::wrote(&files),
    }
    Ok(())
}
