//! Taking up a saved run: the checkpoint says what is run, and what is typed beside it must agree.

use super::{Begin, LearnArgs, Saved, Task, replay};
use crate::exit::Usage;
use crate::outputs::{Files, is_stdin};
use crate::show::Show;
use goalward::episode::Checkpoint;
use goalward::learners;
use goalward::output::same_file;
use goalward::parameters::{Parameter, Settings};
use goalward::worlds::{COMMON, WORLDS};
use std::path::{Path, absolute};

pub(super) fn task(args: &LearnArgs, path: &Path) -> anyhow::Result<Task> {
    let mut files = Files::default();
    if is_stdin(path) {
        let reason = format!("--resume {}: a checkpoint is a file, never standard input", path.display());
        return Err(Usage::new(reason).hint("name a file; one that is called - is ./-").into());
    }
    if args.json {
        files.prints("--json")?;
    }
    args.world.iter().for_each(|world| files.reads_world(world));
    // locked before it is read: whoever writes it now would be overwritten
    let saved = match &args.checkpoint {
        Some(other) if !same_file(other, path) => Saved::to(other, &mut files)?,
        _ => Saved::over(path, "--resume", &mut files)?,
    };
    let mut checkpoint = Checkpoint::read(path)?;
    agree(args, &checkpoint)?;
    raise(args, &mut checkpoint)?;
    files.reads_world(&checkpoint.world);
    if let Some(mark) = &mut checkpoint.trace {
        mark.path = args.trace.clone().unwrap_or(mark.path.clone());
        files.reads("--resume", path);
        files.writes_on("--trace", &mark.path)?;
    }
    let replay = replay::judge(args.replay.as_deref(), &mut files)?;
    if args.show.is_some() {
        files.reads_world(&checkpoint.world);
        files.reads("--resume", path);
    }
    Ok(Task {
        show: Show::judge(&args.show, args.json, &mut files)?,
        world: checkpoint.world.clone(),
        params: checkpoint.params.clone(),
        trace: None, // the checkpoint's mark says where it is
        checkpoint: Some(saved),
        replay,
        begin: Begin::From(Box::new(checkpoint)),
    })
}

/// Everything but --episodes and --max-steps.
fn agree(args: &LearnArgs, checkpoint: &Checkpoint) -> Result<(), anyhow::Error> {
    let spec = &checkpoint.spec;
    if let Some(world) = args.world.as_ref().filter(|world| !same_path(world, &checkpoint.world)) {
        return Err(differs(world, &checkpoint.world).into());
    }
    if let Some(learner) = args.learner.as_ref().filter(|learner| **learner != spec.learner) {
        return Err(differs(&format!("--learner {learner}"), &format!("--learner {}", spec.learner)).into());
    }
    if let Some(seed) = args.seed.filter(|seed| *seed != spec.seed) {
        return Err(differs(&format!("--seed {seed}"), &format!("--seed {}", spec.seed)).into());
    }
    let world = WORLDS.iter().find(|world| world.id == checkpoint.world);
    let mut parameters = world.map_or(Vec::new(), |world| world.parameters.to_vec());
    parameters.extend(COMMON);
    same_settings("--param", &args.parameters.settings()?, &checkpoint.params, &parameters)?;
    let parameters = learners::entry(&spec.learner).map_or(&[][..], |learner| learner.parameters);
    same_settings("--set", &Settings::parse(&args.settings)?, &spec.settings, parameters)?;
    args.vigilance.agree(&spec.vigilance, differs)?;
    match (&args.trace, &checkpoint.trace) {
        (Some(path), None) => {
            let reason = format!("--trace {}: the checkpoint's run has no trace", path.display());
            Err(Usage::new(reason).hint("a trace must be whole: begin afresh to have one").into())
        }
        (Some(path), Some(mark)) if !path.exists() && !same_path(path, &mark.path) => {
            let (given, saved) = (path.display(), mark.path.display());
            let reason =
                format!("--trace {given}: there is no such file, and the checkpoint has --trace {saved}");
            Err(Usage::new(reason).hint("say where the run's trace is now, or leave --trace out").into())
        }
        _ => Ok(()),
    }
}

fn raise(args: &LearnArgs, checkpoint: &mut Checkpoint) -> Result<(), Usage> {
    let (spec, now) = (&mut checkpoint.spec, &checkpoint.progress);
    let lower = |flag: &str, given: u64, saved: u64, what: &str| {
        let reason = format!("{flag} {given} does not agree with the checkpoint, {what} {saved}");
        Err(Usage::new(reason).hint(format!("{flag} may be raised, not lowered")))
    };
    if let Some(given) = args.episodes {
        if given < spec.episodes {
            return lower("--episodes", given, spec.episodes, "which has --episodes");
        }
        spec.episodes = given;
    }
    if let Some(given) = args.max_steps {
        match (given.0, spec.max_steps) {
            (Some(given), Some(saved)) if given < saved => {
                return lower("--max-steps", given, saved, "which has --max-steps");
            }
            (Some(given), _) if given < now.steps => {
                return lower("--max-steps", given, now.steps, "whose steps are already");
            }
            _ => spec.max_steps = given.0,
        }
    }
    Ok(())
}

/// What was typed for a parameter must be what the run has, be it typed then or the default.
pub(in crate::commands) fn same_settings(
    flag: &str,
    given: &Settings,
    saved: &Settings,
    parameters: &[Parameter],
) -> Result<(), Usage> {
    let default = |key: &str| parameters.iter().find(|p| p.name == key).map(Parameter::default);
    for (key, value) in given.iter() {
        let had = saved.get(key).map(String::from).or_else(|| default(key));
        if !had.as_ref().is_some_and(|had| same_value(had, value)) {
            let saved = had.map_or(format!("no {flag} {key}"), |had| format!("{flag} {key}={had}"));
            return Err(differs(&format!("{flag} {key}={value}"), &saved));
        }
    }
    Ok(())
}

/// As text or as numbers: 3 is 3.0.
fn same_value(a: &str, b: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    a == b || number(a).is_some_and(|a| number(b) == Some(a))
}

fn same_path(a: impl AsRef<Path>, b: impl AsRef<Path>) -> bool {
    let (a, b) = (a.as_ref(), b.as_ref());
    a == b || absolute(a).is_ok_and(|a| absolute(b).is_ok_and(|b| a == b))
}

pub(in crate::commands) fn differs(given: &str, saved: &str) -> Usage {
    Usage::new(format!("{given} does not agree with the checkpoint, which has {saved}"))
        .hint("leave it out: with --resume everything is taken from the checkpoint")
}
