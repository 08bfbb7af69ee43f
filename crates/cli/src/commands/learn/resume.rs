//! A saved run is taken up: the checkpoint says what is run, and what is typed beside it must
//! agree.

use super::{LearnArgs, Task, checkpoint, page};
use crate::commands::learner::{differs, same_settings};
use crate::exit::Usage;
use crate::lock::Lock;
use crate::outputs::{Files, is_stdin};
use crate::show::Show;
use goalward::episode::{Checkpoint, RunSpec};
use goalward::output::same_file;
use goalward::worlds::{self, COMMON};
use std::path::{Path, absolute};

pub(super) fn task(args: &LearnArgs, asked: RunSpec, path: &Path) -> anyhow::Result<Task> {
    let mut files = Files::default();
    if is_stdin(path) {
        let reason = format!("--resume {}: a checkpoint is a file, never standard input", path.display());
        return Err(Usage::new(reason).hint("name a file; one that is called - is ./-").into());
    }
    if args.printed.json {
        files.prints("--json")?;
    }
    let (world, params) = match &args.world {
        Some(world) => args.parameters.of(world).map(|(world, params)| (Some(world), params))?,
        None => (None, args.parameters.settings()?),
    };
    world.iter().for_each(|world| files.reads_world(world));
    // locked before it is read: no other process may write it meanwhile
    let saved = match &args.checkpoint {
        Some(other) if !same_file(other, path) => checkpoint(other, &mut files)?,
        _ => {
            files.replaces("--resume", path)?;
            Lock::on("--resume", path)?
        }
    };
    let mut resumed = Checkpoint::read(path)?;
    if let Some(world) = world.filter(|world| !same_path(world, &resumed.world)) {
        return Err(differs(&world, &resumed.world).into());
    }
    args.learner.agree(&asked, &resumed.spec)?;
    let own = worlds::entry(&resumed.world).map_or(&[][..], |world| world.parameters);
    same_settings("--param", &params, &resumed.params, &[own, COMMON].concat())?;
    check_trace(args.trace.as_deref(), &resumed)?;
    raise(args, &mut resumed)?;
    files.reads_world(&resumed.world);
    files.reads("--resume", path);
    if let Some(mark) = &mut resumed.trace {
        mark.path = args.trace.clone().unwrap_or(mark.path.clone());
        files.appends("--trace", &mark.path)?;
    }
    page(args.replay.as_deref(), &mut files)?;
    let (world, params, spec) = (resumed.world.clone(), resumed.params.clone(), resumed.spec.clone());
    let show = Show::check(&args.show, args.printed.json, &mut files)?;
    // the checkpoint's mark says where the trace is
    Ok(Task { world, params, spec, resumed: Some(resumed), trace: None, saved: Some(saved), show })
}

/// A trace that is named must be that of the checkpoint, perhaps in another place.
fn check_trace(given: Option<&Path>, checkpoint: &Checkpoint) -> Result<(), Usage> {
    match (given, &checkpoint.trace) {
        (Some(path), None) => {
            let reason = format!("--trace {}: the checkpoint's run has no trace", path.display());
            Err(Usage::new(reason).hint("a trace must be whole: begin afresh to have one"))
        }
        (Some(path), Some(mark)) if !path.exists() && !same_path(path, &mark.path) => {
            let (given, saved) = (path.display(), mark.path.display());
            let reason =
                format!("--trace {given}: there is no such file, and the checkpoint has --trace {saved}");
            Err(Usage::new(reason).hint("say where the run's trace is now, or leave --trace out"))
        }
        _ => Ok(()),
    }
}

/// Takes over --episodes and --max-steps, which may be raised.
fn raise(args: &LearnArgs, checkpoint: &mut Checkpoint) -> Result<(), Usage> {
    let (spec, now) = (&mut checkpoint.spec, &checkpoint.progress);
    let lower = |flag: &str, given: u64, saved: u64, what: &str| {
        let reason = format!("{flag} {given} does not agree with the checkpoint, {what} {saved}");
        Err(Usage::new(reason).hint(format!("{flag} may be raised, not lowered")))
    };
    if let Some(given) = args.learner.episodes {
        if given < spec.episodes {
            return lower("--episodes", given, spec.episodes, "which has --episodes");
        }
        spec.episodes = given;
    }
    if let Some(given) = args.max_steps {
        match (given, spec.max_steps) {
            (Some(given), Some(saved)) if given < saved => {
                return lower("--max-steps", given, saved, "which has --max-steps");
            }
            (Some(given), _) if given < now.steps => {
                return lower("--max-steps", given, now.steps, "whose steps are already");
            }
            _ => spec.max_steps = given,
        }
    }
    Ok(())
}

fn same_path(a: impl AsRef<Path>, b: impl AsRef<Path>) -> bool {
    let (a, b) = (a.as_ref(), b.as_ref());
    a == b || absolute(a).is_ok_and(|a| absolute(b).is_ok_and(|b| a == b))
}
