//! A session: the learner, where it stands, and what each request does to it.
//!
//! Every request either does all that it says or changes nothing. What was asked since the last
//! observation is remembered, and asked again it is answered alike: so a client that did not get an
//! answer may ask once more, before and after a checkpoint, and no draw of the learner's is lost.

use super::answers::{self, Act, EndEpisode, Estimate, Number, Observe, Placed, SavedNow, Value, Wrong};
use super::fault::{Code, Fault, shown};
use super::lines::{LONGEST, Line};
use super::places::{self, Places};
use super::request::{self, Op, Request};
use crate::commands::learn::Saved as File;
use crate::exit;
use goalward::Transition;
use goalward::episode::Agent;
use goalward::learners::{Observed, Snapshot};
use goalward::problem::{Action, Problem, State};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// While steps come in, the session is saved at least so often.
const AT_LEAST: Duration = Duration::from_secs(10);

/// What is saved beside the learner.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Remembered {
    /// How often the client has ended an episode.
    episodes: u64,
    /// What it was told to do since the last observation.
    asked: BTreeMap<State, Action>,
}

impl Remembered {
    /// What a checkpoint holds; an error if that cannot be.
    pub(super) fn of(agent: &Agent) -> Result<Remembered, String> {
        let Some(kept) = &agent.kept else { return Ok(Remembered::default()) };
        let kept: Remembered = kept.to().map_err(|error| error.to_string())?;
        let problem = agent.learner.problem();
        let fits = |(s, a): (&State, &Action)| {
            *s < problem.states() && *s != problem.goal() && *a < problem.actions(*s)
        };
        match kept.asked.iter().all(fits) {
            true => Ok(kept),
            false => Err("it remembers an action that the problem does not have".into()),
        }
    }
}

/// When the session is saved, and where.
pub(super) struct Saving {
    pub(super) file: File,
    pub(super) every: u64,
}

/// What comes after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    GoOn,
    Quit,
}

pub(super) struct Session {
    pub(super) agent: Agent,
    kept: Remembered,
    saving: Option<Saving>,
    saved: Instant,
    /// Whether the last attempt to save by itself failed: that is said once.
    failing: bool,
    places: Places,
    quiet: bool,
}

impl Session {
    pub(super) fn new(agent: Agent, kept: Remembered, saving: Option<Saving>, quiet: bool) -> Session {
        let (saved, places) = (Instant::now(), Places::default());
        Session { agent, kept, saving, saved, failing: false, places, quiet }
    }

    pub(super) fn steps(&self) -> u64 {
        self.agent.learner.clock().t
    }

    pub(super) fn episodes(&self) -> u64 {
        self.kept.episodes
    }

    /// The file that it is saved to.
    pub(super) fn file(&self) -> Option<&Path> {
        self.saving.as_ref().map(|saving| saving.file.path.as_path())
    }

    /// Answers a line, into `out`.
    pub(super) fn answer(&mut self, line: Line, number: u64, out: &mut Vec<u8>) -> Then {
        let (id, request) = match line {
            Line::Whole(line) => request::read(line),
            Line::TooLong => {
                let message = format!("the line is longer than {LONGEST} bytes");
                (None, Err(Fault::new(Code::TooLong, message)))
            }
        };
        match request.and_then(|request| self.done(&request, id, out)) {
            Ok(then) => then,
            Err(fault) => {
                answers::put(out, id, &Wrong { error: Placed { fault: &fault, line: number } });
                Then::GoOn
            }
        }
    }

    /// Does what is asked, and answers; a fault if it cannot be done, and then nothing has changed.
    fn done(&mut self, request: &Request, id: Option<&RawValue>, out: &mut Vec<u8>) -> Result<Then, Fault> {
        let problem = self.agent.learner.problem().clone();
        match request.op {
            Op::Act => {
                let state = self.places.state(&problem, "state", request.state())?;
                let action = self.act(&problem, state)?;
                answers::put(out, id, &Act { action, name: problem.action_name(state, action) });
            }
            Op::Observe => answers::put(out, id, &self.observe(&problem, request)?),
            Op::EndEpisode => answers::put(out, id, &self.end_episode()?),
            Op::Estimate => {
                self.catch_up()?;
                answers::put(out, id, &Estimate::of(&self.agent, self.kept.episodes));
            }
            Op::Value => {
                let state = self.places.state(&problem, "state", request.state())?;
                answers::put(out, id, &self.value(&problem, state)?);
            }
            Op::Save => {
                if self.saving.is_none() {
                    let fault = Fault::new(Code::NoCheckpoint, "this session has no file to save to");
                    return Err(fault.hint("start goalward serve with --checkpoint FILE"));
                }
                answers::put(out, id, &self.save_and_say()?);
            }
            Op::Quit => {
                answers::put(out, id, &self.save_and_say()?);
                return Ok(Then::Quit);
            }
        }
        Ok(Then::GoOn)
    }

    fn act(&mut self, problem: &Problem, state: State) -> Result<Action, Fault> {
        if let Some(action) = self.kept.asked.get(&state) {
            return Ok(*action);
        }
        if state == problem.goal() {
            let message = format!(
                "there is no action to take at the goal, state {}",
                shown(&problem.state_name(state))
            );
            return Err(over(Fault::new(Code::Misuse, message)));
        }
        if let Some(step) = self.agent.learner.stopped() {
            let message = format!(
                "the data reject every mixture of the models since step {step}, and --on-misfit is stop"
            );
            let hint = "estimate says where the models fail; observe, estimate, value, save and quit go on";
            return Err(Fault::new(Code::Misfit, message).hint(hint));
        }
        self.catch_up()?;
        let acted = self.agent.learner.act(state);
        let action = acted.map_err(|error| Fault::of(Code::Misuse, &error).field("state"))?;
        self.kept.asked.insert(state, action);
        Ok(action)
    }

    fn observe(&mut self, problem: &Problem, request: &Request) -> Result<Observe, Fault> {
        let state = self.places.state(problem, "state", request.state())?;
        let next = self.places.state(problem, "next", request.next())?;
        if state == problem.goal() {
            return Err(over(Fault::new(Code::Misuse, "there is no step from the goal")));
        }
        let action = places::action(problem, state, request.action())?;
        let known = problem.cost(problem.pair(state, action));
        let cost = request.cost().map_or(Ok(known), places::cost)?;
        self.catch_up()?;
        let before = self.agent.learner.clock().impossible;
        let trusted = self.agent.learner.rejected().is_none();
        let observed = self
            .agent
            .learner
            .observe(&Transition { state, action, cost, next })
            // all else has been looked at
            .map_err(|error| {
                let hint = "leave cost out, or give what the problem says that the action costs";
                Fault::of(Code::Cost, &error).field("cost").hint(hint)
            })?;
        self.kept.asked.clear();
        let clock = *self.agent.learner.clock();
        let due = self.saving.as_ref().is_some_and(|saving| clock.t.is_multiple_of(saving.every));
        let now_rejected = trusted && self.agent.learner.rejected().is_some();
        let misfit = if now_rejected { self.agent.learner.misfit() } else { None };
        if let Some(misfit) = misfit.as_ref().filter(|_| !self.quiet) {
            exit::note(format!("no mixture of the models explains the data: {}", misfit.text));
        }
        Ok(Observe {
            ok: true,
            misfit,
            planned: observed == Observed::Planned,
            steps: clock.t,
            impossible: clock.impossible > before,
            owed: observed == Observed::Owed,
            unsaved: if due { self.save_aside() } else { self.save_in_time() },
        })
    }

    fn end_episode(&mut self) -> Result<EndEpisode, Fault> {
        self.catch_up()?;
        self.agent.learner.end_episode();
        self.kept.asked.clear();
        self.kept.episodes += 1;
        Ok(EndEpisode { ok: true, episodes: self.kept.episodes })
    }

    fn value<'a>(&mut self, problem: &'a Arc<Problem>, state: State) -> Result<Value<'a>, Fault> {
        self.catch_up()?;
        let learner = &self.agent.learner;
        let misuse = |error: goalward::Error| Fault::of(Code::Misuse, &error).field("state");
        let actions = 0..problem.actions(state);
        let q = actions.clone().map(|a| learner.q(state, a).map(|q| q.map(Number)));
        Ok(Value {
            value: learner.value(state).map_err(misuse)?.map(Number),
            q: q.collect::<Result<_, _>>().map_err(misuse)?,
            names: actions.map(|a| problem.action_name(state, a)).collect(),
        })
    }

    /// Makes the plan that is owed, before anything depends on it: so it is made at the same moment
    /// as in a session that was never interrupted.
    fn catch_up(&mut self) -> Result<(), Fault> {
        let learner = &mut self.agent.learner;
        match learner.owes() && learner.catch_up() == Observed::Owed {
            true => Err(Fault::stopping()),
            false => Ok(()),
        }
    }

    fn save_and_say(&mut self) -> Result<SavedNow, Fault> {
        self.save().map_err(|error| Fault::of(Code::Output, &error).hint("make room, and save again"))?;
        let (steps, episodes) = (self.steps(), self.episodes());
        Ok(SavedNow { ok: true, saved: self.saving.is_some(), steps, episodes })
    }

    /// Saves the session as it stands, if it has a file.
    pub(super) fn save(&mut self) -> goalward::Result<()> {
        let Some(saving) = &self.saving else { return Ok(()) };
        self.agent.kept = Some(Snapshot::of(&self.kept));
        self.agent.write(&saving.file.path)?;
        (self.saved, self.failing) = (Instant::now(), false);
        Ok(())
    }

    /// Saves if that was not done for long.
    fn save_in_time(&mut self) -> Option<String> {
        let late = self.saving.is_some() && self.saved.elapsed() >= AT_LEAST;
        if late { self.save_aside() } else { None }
    }

    /// Saves of its own accord; what went wrong is said, and no reason to stop.
    fn save_aside(&mut self) -> Option<String> {
        let error = self.save().err()?;
        // not again at once
        self.saved = Instant::now();
        if !self.failing && !self.quiet {
            exit::note(format!("the session could not be saved: {error}"));
        }
        self.failing = true;
        Some(error.to_string())
    }
}

/// A fault of who is at the goal and goes on.
fn over(fault: Fault) -> Fault {
    fault.field("state").hint("the episode is over: say end_episode, and go on from the start")
}
