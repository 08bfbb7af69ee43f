//! Where a session begins: at its first step, or where its checkpoint stands.

use super::session::{Remembered, Saving, Session};
use super::{Asked, DEFAULT_EPISODES};
use crate::commands::fits;
use crate::commands::learn::{Saved, differs, same_settings};
use crate::exit::{self, Usage};
use crate::outputs::{Files, only_over};
use crate::progress::Busy;
use goalward::episode::{Agent, RunSpec};
use goalward::learners;
use goalward::problem::{Instance, Need};
use std::path::Path;

const FLAG: &str = "--checkpoint";

/// Takes the file for this process. What is there must be a checkpoint.
pub(super) fn lock(path: &Path, files: &mut Files) -> anyhow::Result<Saved> {
    let saved = Saved::over(path, FLAG, files)?;
    only_over("checkpoint", FLAG, path, |first| first.starts_with("{\"version\":"))?;
    Ok(saved)
}

/// The session, and whether it was taken up.
pub(super) fn session(
    asked: Asked,
    instance: &Instance,
    file: Option<Saved>,
    busy: &Busy,
    every: u64,
    quiet: bool,
) -> anyhow::Result<(Session, bool)> {
    let there = |file: &&Saved| file.path.metadata().is_ok_and(|data| data.len() > 0);
    let found = file.as_ref().filter(there).map(|file| file.path.clone());
    let saving = file.map(|file| Saving { file, every });
    let Some(path) = found else {
        let agent = built(asked, instance, busy, quiet)?;
        return Ok((Session::new(agent, Remembered::default(), saving, quiet), false));
    };
    busy.say(format!("taking up {}", path.display()));
    let agent = Agent::read(&path, instance)?;
    agree(&asked, agent.spec())?;
    let refused = |reason: String| {
        let source = Box::new(goalward::Error::Checkpoint { reason });
        goalward::Error::InFile { path: path.clone(), source }
    };
    let kept = Remembered::of(&agent).map_err(refused)?;
    Ok((Session::new(agent, kept, saving, quiet), true))
}

/// A learner that has seen nothing.
fn built(asked: Asked, instance: &Instance, busy: &Busy, quiet: bool) -> anyhow::Result<Agent> {
    let Asked { learner, settings, seed, episodes, vigilance, .. } = asked;
    let entry = match &learner {
        Some(id) => learners::entry(id)?,
        None => learners::recommended(&settings),
    };
    if learner.is_none() && !quiet {
        busy.aside(|| exit::note(format!("no --learner was given: {} is recommended here", entry.id)));
    }
    let need = Need::runs(instance, entry.bytes(&instance.problem), 1);
    let asks = settings.iter().any(|(_, value)| value == "oracle") || entry.wants(learners::Need::Policy);
    // the truth is planned on for those who ask for it
    fits(&if asks { need } else { Need { solving: 0, solution: 0, ..need } }, busy, quiet)?;
    let (seed, episodes) = (seed.unwrap_or(0), episodes.unwrap_or(DEFAULT_EPISODES));
    let (learner, vigilance) = (entry.id.into(), vigilance.given());
    let spec = RunSpec { learner, settings, seed, episodes, max_steps: None, vigilance };
    Ok(Agent::new(instance, spec)?)
}

/// What was typed must be what the checkpoint has.
fn agree(asked: &Asked, spec: &RunSpec) -> Result<(), Usage> {
    let hint = "leave it out: all but the problem is taken from the checkpoint; or name another checkpoint";
    let check = |flag: &str, given: Option<String>, saved: String| match given.filter(|given| *given != saved)
    {
        Some(given) => Err(differs(&format!("{flag} {given}"), &format!("{flag} {saved}")).hint(hint)),
        None => Ok(()),
    };
    check("--learner", asked.learner.clone(), spec.learner.clone())?;
    check("--seed", asked.seed.map(|n| n.to_string()), spec.seed.to_string())?;
    check("--episodes", asked.episodes.map(|n| n.to_string()), spec.episodes.to_string())?;
    asked.vigilance.agree(&spec.vigilance, |given, saved| differs(given, saved).hint(hint))?;
    let parameters = learners::entry(&spec.learner).map_or(&[][..], |learner| learner.parameters);
    same_settings("--set", &asked.settings, &spec.settings, parameters).map_err(|usage| usage.hint(hint))
}
