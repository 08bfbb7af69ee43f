//! A session: the learner, its progress, and what each request does to it.
//!
//! A request is done completely or changes nothing. The actions since the last observation are
//! remembered: a client that did not get an answer may ask again, also after a checkpoint, and no
//! draw of the learner is lost.

use super::answers::{Answer, put_estimate, unsigned};
use super::fault::{Code, Fault, shown};
use super::places::{self, StateNames};
use super::request::{self, Op, Request};
use crate::commands::fits;
use crate::commands::learner::{LearnerArgs, same};
use crate::exit;
use crate::lock::Lock;
use crate::progress::Busy;
use goalward::Transition;
use goalward::episode::{Agent, RunSpec};
use goalward::learners::{self, Observed, Snapshot};
use goalward::problem::{Action, Instance, Need, Problem, State};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The most time between two saves while steps come in.
const AT_LEAST: Duration = Duration::from_secs(10);

/// The state of a session beside that of its learner.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Remembered {
    /// How often the client has ended an episode.
    episodes: u64,
    /// The actions since the last observation.
    asked: BTreeMap<State, Action>,
}

impl Remembered {
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

pub(super) struct Session {
    pub(super) agent: Agent,
    kept: Remembered,
    /// The file that it is saved to, and every how many steps.
    pub(super) file: Option<(Lock, u64)>,
    saved: Instant,
    /// Whether the last attempt to save by itself failed: that is noted once.
    failing: bool,
    names: StateNames,
}

impl Session {
    pub(super) fn new(agent: Agent, kept: Remembered, file: Option<(Lock, u64)>) -> Session {
        let (saved, names) = (Instant::now(), StateNames::default());
        Session { agent, kept, file, saved, failing: false, names }
    }

    pub(super) fn steps(&self) -> u64 {
        self.agent.learner.clock().t
    }

    pub(super) fn episodes(&self) -> u64 {
        self.kept.episodes
    }

    /// Answers a line, into `out`; whether the session goes on.
    pub(super) fn answer(
        &mut self,
        line: Result<&[u8], Fault>,
        number: u64,
        out: &mut Vec<u8>,
    ) -> ControlFlow<()> {
        let (id, request) = match line {
            Ok(line) => request::read(line),
            Err(fault) => (None, Err(fault)),
        };
        match request.and_then(|(op, request)| self.done(op, &request, id, out)) {
            Ok(then) => then,
            Err(fault) => {
                Answer::new(out, id).put("error", fault.line(number)).end();
                ControlFlow::Continue(())
            }
        }
    }

    /// Does what is asked, and answers; a fault if it cannot be done, and then nothing has changed.
    fn done(
        &mut self,
        op: Op,
        request: &Request,
        id: Option<&RawValue>,
        out: &mut Vec<u8>,
    ) -> Result<ControlFlow<()>, Fault> {
        let answer = Answer::new(out, id);
        match op {
            Op::Act => self.act(request, answer)?,
            Op::Observe => self.observe(request, answer)?,
            Op::EndEpisode => {
                self.catch_up()?;
                self.agent.learner.end_episode();
                self.kept.asked.clear();
                self.kept.episodes += 1;
                answer.put("ok", true).put("episodes", self.kept.episodes).end();
            }
            Op::Estimate => {
                self.catch_up()?;
                put_estimate(answer, &self.agent, self.kept.episodes);
            }
            Op::Value => self.value(request, answer)?,
            Op::Save if self.file.is_none() => {
                let fault = Fault::new(Code::NoCheckpoint, "this session has no file to save to");
                return Err(fault.hint("start goalward serve with --checkpoint FILE"));
            }
            Op::Save | Op::Quit => {
                let unsaved = |error| Fault::of(Code::Output, &error).hint("make room, and save again");
                self.save().map_err(unsaved)?;
                let answer = answer.put("ok", true).put("saved", self.file.is_some());
                answer.put("steps", self.steps()).put("episodes", self.episodes()).end();
            }
        }
        Ok(if op == Op::Quit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn act(&mut self, request: &Request, answer: Answer) -> Result<(), Fault> {
        let problem = self.agent.learner.problem().clone();
        let state = self.names.state(&problem, "state", request.need("state"))?;
        let action = match self.kept.asked.get(&state) {
            Some(action) => *action,
            None => self.choose(&problem, state)?,
        };
        answer.put("action", action).put("name", problem.action_name(state, action)).end();
        Ok(())
    }

    fn choose(&mut self, problem: &Problem, state: State) -> Result<Action, Fault> {
        if state == problem.goal() {
            let name = problem.state_name(state);
            let message = format!("there is no action to take at the goal, state {}", shown(&name));
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

    fn observe(&mut self, request: &Request, answer: Answer) -> Result<(), Fault> {
        let problem = self.agent.learner.problem().clone();
        let state = self.names.state(&problem, "state", request.need("state"))?;
        let next = self.names.state(&problem, "next", request.need("next"))?;
        if state == problem.goal() {
            return Err(over(Fault::new(Code::Misuse, "there is no step from the goal")));
        }
        let action = places::action(&problem, state, request.need("action"))?;
        let known = problem.cost(problem.pair(state, action));
        let cost = request.get("cost").map_or(Ok(known), places::cost)?;
        self.catch_up()?;
        let before = self.agent.learner.clock().impossible;
        let trusted = self.agent.learner.rejected().is_none();
        let observed = self
            .agent
            .learner
            .observe(&Transition { state, action, cost, next })
            // all else has been checked
            .map_err(|error| {
                let hint = "leave cost out, or give what the problem says that the action costs";
                Fault::of(Code::Cost, &error).field("cost").hint(hint)
            })?;
        self.kept.asked.clear();
        let clock = *self.agent.learner.clock();
        let due = self.file.as_ref().is_some_and(|(_, every)| clock.t.is_multiple_of(*every));
        let now_rejected = trusted && self.agent.learner.rejected().is_some();
        let misfit = if now_rejected { self.agent.learner.misfit() } else { None };
        if let Some(misfit) = &misfit {
            exit::note(format!("no mixture of the models explains the data: {}", misfit.text));
        }
        let late = self.file.is_some() && self.saved.elapsed() >= AT_LEAST;
        let unsaved = if due || late { self.save_aside() } else { None };
        let answer = answer.put("ok", true).put("planned", observed == Observed::Planned);
        answer
            .put("steps", clock.t)
            .put_some("impossible", (clock.impossible > before).then_some(true))
            .put_some("misfit", misfit)
            // the plan was cut off, and will be made before the next answer that depends on it
            .put_some("owed", (observed == Observed::Owed).then_some(true))
            .put_some("unsaved", unsaved)
            .end();
        Ok(())
    }

    fn value(&mut self, request: &Request, answer: Answer) -> Result<(), Fault> {
        let problem = self.agent.learner.problem().clone();
        let state = self.names.state(&problem, "state", request.need("state"))?;
        self.catch_up()?;
        let learner = &self.agent.learner;
        let misuse = |error: goalward::Error| Fault::of(Code::Misuse, &error).field("state");
        let actions = 0..problem.actions(state);
        let value = learner.value(state).map_err(misuse)?;
        let q = actions.clone().map(|a| Ok(learner.q(state, a)?.map(unsigned)));
        answer
            .put("value", value.map(unsigned))
            .put("q", q.collect::<Result<Vec<_>, _>>().map_err(misuse)?)
            .put("names", actions.map(|a| problem.action_name(state, a)).collect::<Vec<_>>())
            .end();
        Ok(())
    }

    /// Makes the plan that is owed, before any answer that depends on it.
    fn catch_up(&mut self) -> Result<(), Fault> {
        let learner = &mut self.agent.learner;
        if !learner.owes() || learner.catch_up() != Observed::Owed {
            return Ok(());
        }
        let message = "the session was told to stop, and a plan was cut off: there is no answer";
        let hint = "ask again when the session is taken up from its checkpoint";
        Err(Fault::new(Code::Stopping, message).hint(hint))
    }

    pub(super) fn save(&mut self) -> goalward::Result<()> {
        let Some((lock, _)) = &self.file else { return Ok(()) };
        self.agent.kept = Some(Snapshot::of(&self.kept));
        self.agent.write(&lock.path)?;
        (self.saved, self.failing) = (Instant::now(), false);
        Ok(())
    }

    /// Saves of its own accord: an error is noted, and no reason to stop.
    fn save_aside(&mut self) -> Option<String> {
        let error = self.save().err()?;
        // not again at once
        self.saved = Instant::now();
        if !self.failing {
            exit::note(format!("the session could not be saved: {error}"));
        }
        self.failing = true;
        Some(error.to_string())
    }
}

/// A session at its first step, or where its checkpoint ends; whether it was taken up.
pub(super) fn open(
    typed: &LearnerArgs,
    asked: RunSpec,
    instance: &Instance,
    file: Option<(Lock, u64)>,
    busy: &Busy,
) -> anyhow::Result<(Session, bool)> {
    let path = file.as_ref().map(|(lock, _)| lock.path.clone());
    let Some(path) = path.filter(|path| path.metadata().is_ok_and(|data| data.len() > 0)) else {
        let agent = begun(typed, asked, instance, busy)?;
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

fn begun(typed: &LearnerArgs, asked: RunSpec, instance: &Instance, busy: &Busy) -> anyhow::Result<Agent> {
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

/// A fault of a client that goes on from the goal.
fn over(fault: Fault) -> Fault {
    fault.field("state").hint("the episode is over: say end_episode, and go on from the start")
}
