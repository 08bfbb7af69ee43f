//! Where a session begins: at its first step, or where its checkpoint ends.

use super::session::{Remembered, Session};
use crate::commands::fits;
use crate::commands::learner::{LearnerArgs, same};
use crate::exit;
use crate::lock::Lock;
use crate::progress::Busy;
use goalward::episode::{Agent, RunSpec};
use goalward::learners;
use goalward::problem::{Instance, Need};

/// The session, and whether it was taken up.
pub(super) fn session(
    typed: &LearnerArgs,
    asked: RunSpec,
    instance: &Instance,
    file: Option<(Lock, u64)>,
    busy: &Busy,
) -> anyhow::Result<(Session, bool)> {
    let path = file.as_ref().map(|(lock, _)| lock.path.clone());
    let Some(path) = path.filter(|path| path.metadata().is_ok_and(|data| data.len() > 0)) else {
        let agent = new(typed, asked, instance, busy)?;
        return Ok((Session::new(agent, Remembered::default(), file), false));
    };
    busy.say(format!("taking up {}", path.display()));
    let agent = Agent::read(&path, instance)?;
    let saved = agent.spec();
    let hint = "leave it out: all but the problem is taken from the checkpoint; or name another checkpoint";
    typed
        .agree(&asked, saved)
        .and_then(|()| same("--episodes", typed.episodes, saved.episodes))
        .map_err(|usage| usage.hint(hint))?;
    let refused = |reason: String| {
        let source = Box::new(goalward::Error::Checkpoint { reason });
        goalward::Error::InFile { path: path.clone(), source }
    };
    let kept = Remembered::of(&agent).map_err(refused)?;
    Ok((Session::new(agent, kept, file), true))
}

fn new(typed: &LearnerArgs, asked: RunSpec, instance: &Instance, busy: &Busy) -> anyhow::Result<Agent> {
    let entry = learners::entry(&asked.learner)?;
    if typed.learner.is_none() {
        busy.aside(|| exit::note(format!("no --learner was given: {} is recommended here", entry.id)));
    }
    let need = Need::runs(instance, entry.bytes(&instance.problem), 1);
    let oracle = asked.settings.iter().any(|(_, value)| value == "oracle");
    // the truth is planned on for learners that need it
    let solves = oracle || entry.wants(learners::Need::Policy);
    fits(&if solves { need } else { Need { solving: 0, solution: 0, ..need } }, busy)?;
    Ok(Agent::new(instance, asked)?)
}
