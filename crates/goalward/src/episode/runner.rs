//! The loop itself.

use super::{Arena, Episode, Flow, Observer, Plan, Step, Stop};
use crate::confidence::{Claim, Facts, Guarantee};
use crate::learners::{self, Learner, Observed, OnMisfit, Transition, Vigilance};
use crate::numeric::Stream;
use crate::parameters::Settings;
use crate::plan::Halt;
use crate::problem::{State, Truth};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSpec {
    /// The learner's id.
    pub learner: String,
    /// Its settings, as given.
    pub settings: Settings,
    /// The seed of the world's luck and of the learner's own stream.
    pub seed: u64,
    /// The number of episodes K.
    pub episodes: u64,
    /// The cap on steps; a run that meets it is truncated.
    pub max_steps: Option<u64>,
    /// How the learner watches whether its models explain the data, and what it does if not.
    #[serde(default)]
    pub vigilance: Vigilance,
}

impl RunSpec {
    /// A learner with its default settings, seed 0, no cap.
    pub fn new(learner: &str, episodes: u64) -> Self {
        RunSpec {
            learner: learner.into(),
            settings: Settings::new(),
            seed: 0,
            episodes,
            max_steps: None,
            vigilance: Vigilance::default(),
        }
    }

    /// With settings.
    pub fn settings(self, settings: Settings) -> Self {
        RunSpec { settings, ..self }
    }

    /// With a seed.
    pub fn seed(self, seed: u64) -> Self {
        RunSpec { seed, ..self }
    }

    /// With a cap on steps.
    pub fn max_steps(self, max_steps: u64) -> Self {
        RunSpec { max_steps: Some(max_steps), ..self }
    }

    /// With what to do if the data reject every mixture of the models at a level.
    pub fn on_misfit(self, on_misfit: OnMisfit, level: f64) -> Self {
        RunSpec { vigilance: Vigilance { level, on_misfit }, ..self }
    }
}

/// How a call of [`Runner::run`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All episodes are done.
    Finished,
    /// The cap on steps was met in the middle of an episode.
    Truncated,
    /// The data rejected every mixture of the models, and the run was to stop then.
    Misfit,
    /// An observer asked to pause, or a planning call was cut off; another call goes on.
    Paused,
}

/// Where a run stands, between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Progress {
    /// Finished episodes.
    pub episodes: u64,
    /// Steps over the whole run.
    pub steps: u64,
    /// The state of the episode under way.
    pub state: State,
    /// Its steps so far.
    pub episode_steps: u64,
    /// Its cost so far.
    pub episode_cost: f64,
    /// The cost of the whole run so far.
    pub total_cost: f64,
    /// The sum of Q*(s,a) - V*(s) so far.
    pub gap_regret: f64,
    /// Whether the cap on steps ended the run.
    pub truncated: bool,
}

impl Progress {
    /// What was paid beyond the optimum: the cost so far, less V*(start) for each finished episode,
    /// less V*(start) - V*(state) for the one under way. That is what the best policy would have
    /// paid on average to come as near to the goal, so that the regret has the mean of the gap
    /// regret wherever the run stops. Between episodes the state is the start, and the term 0.
    pub fn regret(&self, arena: &Arena) -> f64 {
        let (whole, ahead) = (arena.optimal_cost(), arena.exact().v[self.state]);
        self.total_cost - self.episodes as f64 * whole - (whole - ahead)
    }
}

/// A run under way: the arena, the learner, and where they stand.
pub struct Runner<'a> {
    arena: &'a Arena,
    truth: &'a Truth,
    pub(super) spec: RunSpec,
    pub(super) learner: Learner,
    pub(super) progress: Progress,
    pub(super) luck: Stream,
    built_for: u64,
    /// Whether the learner was built from the very problem of the arena: what the arena knows is
    /// then about its models.
    own: bool,
    /// The parameters in force before the first step.
    opening: Map<String, Value>,
}

impl<'a> Runner<'a> {
    /// Builds the learner and stands before the first step.
    pub fn new(arena: &'a Arena, spec: RunSpec) -> Result<Self> {
        let entry = learners::entry(&spec.learner)?;
        let told = arena.tell(&entry, &spec.settings);
        let learner = entry.build(arena.problem(), &spec.settings, spec.seed, spec.episodes, told)?;
        let learner = learners::vigilant(learner, &spec.vigilance, spec.seed, spec.episodes)?;
        Runner::with_learner(arena, spec, learner)
    }

    /// Runs a learner that the caller has built; `spec.learner` is what results call it. An error
    /// if it was built for [another problem](Learner::problem).
    pub fn with_learner(arena: &'a Arena, spec: RunSpec, learner: Learner) -> Result<Self> {
        if let Some(fault) = arena.problem().difference(learner.problem()) {
            let first = format!("problem {}", arena.problem().name());
            let second = format!("the problem that learner {} was built for", spec.learner);
            return Err(Error::Mismatch { first, second, fault });
        }
        let progress = Progress {
            episodes: 0,
            steps: 0,
            state: arena.problem().start(),
            episode_steps: 0,
            episode_cost: 0.0,
            total_cost: 0.0,
            gap_regret: 0.0,
            truncated: false,
        };
        let luck = Arena::luck(spec.seed, 1);
        let built_for = spec.episodes;
        let opening = learner.in_force().clone();
        let truth = arena.truth()?;
        let own = Arc::ptr_eq(arena.problem(), learner.problem());
        Ok(Runner { arena, truth, spec, learner, progress, luck, built_for, own, opening })
    }

    /// What is run.
    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    pub(super) fn opening(&self) -> &Map<String, Value> {
        &self.opening
    }

    pub(super) fn built_for(&self) -> u64 {
        self.built_for
    }

    /// Where it runs.
    pub fn arena(&self) -> &'a Arena {
        self.arena
    }

    /// Where the run stands.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The learner.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// The learner, for an external loop.
    pub fn into_learner(self) -> Learner {
        self.learner
    }

    /// What is proved of the learner, with every condition that the truth can decide; none if
    /// nothing is.
    ///
    /// A step that no model allows shows that the truth is no mixture of them.
    pub fn guarantee(&self) -> Option<Guarantee> {
        self.checked(self.learner.claim()?, self.learner.clock().impossible > 0)
    }

    /// What the regret over finished episodes is at most ([`Learner::regret_certified`]); none
    /// where the truth shows that the guarantee does not hold.
    pub fn regret_certified(&self) -> Option<f64> {
        let certified = self.learner.regret_certified()?;
        self.guarantee().is_some_and(|guarantee| guarantee.certifies()).then_some(certified)
    }

    /// The same as of before the first step.
    pub(super) fn promise(&self) -> Option<Guarantee> {
        self.checked(self.learner.promise()?, false)
    }

    fn checked(&self, claim: Claim, impossible: bool) -> Option<Guarantee> {
        let mut facts = match self.own {
            true => self.arena.facts().unwrap_or_default(),
            false => Facts::default(),
        };
        if impossible {
            (facts.mixture, facts.support) = (Some(false), Some(false));
        }
        Some(claim.check(&facts))
    }

    /// Cuts planning calls off from now on when asked to: the run then pauses after the step that
    /// called for the plan, and the next call, of this runner or of one that goes on from a
    /// checkpoint, begins with it.
    pub fn heed(&mut self, halt: &Halt) {
        self.learner.heed(halt);
    }

    /// Runs until all episodes are done, the cap is met, the learner stops because its models are
    /// wrong, an observer asks to pause, or a planning call is cut off.
    pub fn run(&mut self, observers: &mut [&mut dyn Observer]) -> Result<Ending> {
        self.progress.truncated = false; // the cap may have been raised since
        if self.catch_up(observers)?.is_break() && self.progress.episodes < self.spec.episodes {
            return Ok(Ending::Paused);
        }
        while self.progress.episodes < self.spec.episodes {
            if self.progress.state == self.arena.problem().goal() {
                // only a start that is the goal: episodes without a step
                if self.end_episode(observers).is_break() {
                    return Ok(Ending::Paused);
                }
                continue;
            }
            if self.learner.stopped().is_some() {
                return Ok(Ending::Misfit);
            }
            if self.spec.max_steps.is_some_and(|cap| self.progress.steps >= cap) {
                self.progress.truncated = true;
                return Ok(Ending::Truncated);
            }
            if self.step(observers)?.is_break() && self.progress.episodes < self.spec.episodes {
                return Ok(Ending::Paused);
            }
        }
        Ok(Ending::Finished)
    }

    fn step(&mut self, observers: &mut [&mut dyn Observer]) -> Result<Flow> {
        let problem = self.arena.problem();
        let exact = self.arena.exact();
        let state = self.progress.state;
        let action = self.learner.act(state)?;
        let pair = problem.pair(state, action);
        let next = self.truth.sample(problem, pair, self.luck.uniform());
        let cost = problem.cost(pair);
        let observed = self.learner.observe(&Transition { state, action, cost, next })?;

        let gap = (exact.q[pair] - exact.v[state]).max(0.0);
        let now = &mut self.progress;
        now.steps += 1;
        now.episode_steps += 1;
        now.episode_cost += cost;
        now.total_cost += cost;
        now.gap_regret += gap;
        now.state = next;

        let (t, episode, learner) = (now.steps, now.episodes + 1, &self.learner);
        let step = Step { t, episode, state, action, cost, next, gap, learner };
        let flow = tell(observers, |o| o.step(&step));
        Ok(either(flow, self.after(observed, observers)))
    }

    /// Makes the plan that was cut off, if one is owed.
    fn catch_up(&mut self, observers: &mut [&mut dyn Observer]) -> Result<Flow> {
        let observed = self.learner.catch_up();
        match observed {
            Observed::Updated => Ok(Flow::Continue(())),
            _ => Ok(self.after(observed, observers)),
        }
    }

    /// What comes after a step, by what the learner made of it: the plan, and the end of the
    /// episode. Both wait for a plan that is owed.
    fn after(&mut self, observed: Observed, observers: &mut [&mut dyn Observer]) -> Flow {
        let mut flow = Flow::Continue(());
        match observed {
            Observed::Owed => return Flow::Break(Stop),
            Observed::Planned => {
                let plan = Plan { t: self.progress.steps, learner: &self.learner };
                flow = tell(observers, |o| o.plan(&plan));
            }
            Observed::Updated => {}
        }
        if self.progress.state == self.arena.problem().goal() {
            flow = either(flow, self.end_episode(observers));
        }
        flow
    }

    fn end_episode(&mut self, observers: &mut [&mut dyn Observer]) -> Flow {
        self.learner.end_episode();
        let now = &mut self.progress;
        now.episodes += 1;
        let ended = Episode {
            episode: now.episodes,
            cost: now.episode_cost,
            steps: now.episode_steps,
            regret: now.total_cost - now.episodes as f64 * self.arena.optimal_cost(),
            gap_regret: now.gap_regret,
        };
        now.episode_steps = 0;
        now.episode_cost = 0.0;
        now.state = self.arena.problem().start();
        self.luck = Arena::luck(self.spec.seed, now.episodes + 1);
        tell(observers, |o| o.episode(&ended))
    }
}

/// Every observer is told everything, also after another one has asked for a pause.
fn tell(observers: &mut [&mut dyn Observer], mut event: impl FnMut(&mut dyn Observer) -> Flow) -> Flow {
    let mut flow = Flow::Continue(());
    for observer in observers {
        flow = either(flow, event(*observer));
    }
    flow
}

fn either(a: Flow, b: Flow) -> Flow {
    if a.is_break() { a } else { b }
}
