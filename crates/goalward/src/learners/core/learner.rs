//! What a user of a learner holds.

use super::algorithm::{Algorithm, Brief, Call, Seen, Snapshot, Transition};
use super::certificate::Certificate;
use super::clock::{Clock, Reason};
use super::guard::Player;
use super::misuse;
use super::obeyed::Obeyed;
use super::report::{PlanReport, Probe};
use super::stand_in::{Since, StandIn};
use super::surprises::Surprises;
use super::watch::{OnMisfit, Vigilance, Watch};
use crate::confidence::{Claim, Misfit};
use crate::plan::Halt;
use crate::problem::{Action, Problem, State};
use crate::{Error, Result};
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;

/// The parameter in force that names the learner which has taken over.
pub(super) const FALLBACK: &str = "fallback";

/// What an observation led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Observed {
    /// Nothing but an update.
    Updated,
    /// A planning call; [`Probe::plan`] has its details.
    Planned,
    /// An update, and a planning call that was cut off by the [`Halt`] which the learner heeds. It
    /// is owed, and [`Learner::catch_up`] or the next observation makes it.
    Owed,
}

/// A learner: it acts, and learns from what happens. It never sees a truth.
///
/// ```
/// use goalward::{LevisPlusPlusLr, Problem, Transition};
/// // two candidate models of one action: it reaches the goal, state 1, with probability 0.9 or 0.2
/// let fast = vec![vec![vec![(1, 0.9), (0, 0.1)]], vec![]];
/// let slow = vec![vec![vec![(1, 0.2), (0, 0.8)]], vec![]];
/// let models = [("fast", fast), ("slow", slow)];
/// let problem = Problem::from_models(&models, &[vec![1.0], vec![]], 0, 1)?;
/// let mut learner = LevisPlusPlusLr::builder().b(5.0).delta(0.05).build(problem)?;
/// let action = learner.act(0)?;
/// learner.observe(&Transition { state: 0, action, cost: 1.0, next: 1 })?;
/// learner.end_episode();
/// println!("V = {:?}, theta = {:?}", learner.value(0)?, learner.theta());
/// # Ok::<(), goalward::Error>(())
/// ```
pub struct Learner {
    pub(super) id: String,
    pub(super) problem: Arc<Problem>,
    pub(super) in_force: Map<String, Value>,
    /// What is claimed of it from the beginning: a bound that doubles must not change the claim.
    pub(super) claim: Option<Claim>,
    pub(super) halt: Halt,
    /// The algorithm's clock, which stops when another learner takes over.
    pub(super) own: Clock,
    /// The clock of all that happened.
    pub(super) total: Clock,
    pub(super) surprises: Surprises,
    pub(super) obeyed: Obeyed,
    /// Kept by those that claim optimism.
    pub(super) certificate: Option<Certificate>,
    /// Why a plan is due that was not made yet, or was cut off.
    pub(super) owed: Option<Reason>,
    pub(super) algorithm: Box<dyn Algorithm>,
    /// Whether the models explain the data, for an algorithm that relies on them.
    pub(super) watch: Option<Watch>,
    pub(super) on_misfit: OnMisfit,
    /// The learner that takes over if they do not.
    pub(super) stand_in: StandIn<Learner>,
    /// The state of that learner before it took over.
    pub(super) rested: Option<Snapshot>,
}

impl Learner {
    /// One whose entry says whether it claims that no plan's values exceed V*.
    pub(in crate::learners) fn new(
        id: &str,
        brief: &Brief,
        algorithm: Box<dyn Algorithm>,
        optimistic: bool,
    ) -> Self {
        let learner = Learner::around(id, brief.problem, brief.settings.in_force(), algorithm);
        let certifies = optimistic && learner.claim.is_some();
        Learner { certificate: certifies.then(Certificate::default), ..learner }
    }

    /// A learner around an algorithm that the caller has made, without parameters; `id` is what
    /// results call it. [`register`](crate::learners::register) is for algorithms that are built by
    /// an id, with settings.
    pub fn of(id: &str, problem: &Arc<Problem>, algorithm: Box<dyn Algorithm>) -> Result<Self> {
        problem.require_goal_in_reach()?;
        Ok(Learner::around(id, problem, Map::new(), algorithm))
    }

    fn around(
        id: &str,
        problem: &Arc<Problem>,
        in_force: Map<String, Value>,
        algorithm: Box<dyn Algorithm>,
    ) -> Self {
        Learner {
            id: id.into(),
            problem: problem.clone(),
            in_force,
            claim: algorithm.claim(),
            halt: Halt::never(),
            own: Clock::default(),
            total: Clock::default(),
            surprises: Surprises::default(),
            obeyed: Obeyed::default(),
            certificate: None,
            owed: algorithm.plans_first().then_some(Reason::Start),
            algorithm,
            watch: None,
            on_misfit: OnMisfit::Warn,
            stand_in: StandIn::none(),
            rested: None,
        }
    }

    /// The same, and watches whether the models explain the data.
    pub(in crate::learners) fn watched(mut self, alpha: f64) -> Self {
        self.watch = Watch::new(&self.problem, self.algorithm.likelihood(), alpha);
        self
    }

    pub(in crate::learners) fn is_watched(&self) -> bool {
        self.watch.is_some()
    }

    /// The same, before its first step, at another level, with what to do if the models are wrong
    /// and which learner takes over then, if any.
    pub(in crate::learners) fn vigilant(mut self, vigilance: &Vigilance, then: Option<Learner>) -> Self {
        self.watch = self.watch.map(|watch| watch.at_level(vigilance.level));
        self.on_misfit = vigilance.on_misfit;
        self.stand_in = then.map_or(StandIn::none(), StandIn::new);
        self
    }

    /// The same without looking whether the models explain the data: for measuring what that costs.
    #[doc(hidden)]
    pub fn unwatched(mut self) -> Self {
        self.watch = None;
        self
    }

    /// The id that results call it by.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The problem that it was built for.
    pub fn problem(&self) -> &Arc<Problem> {
        &self.problem
    }

    /// What has happened so far, in counts.
    pub fn clock(&self) -> &Clock {
        &self.total
    }

    /// The action to take in a state. [`Error::Misuse`](crate::Error::Misuse), and nothing changed,
    /// if there is none to take: at the goal, in a state that does not exist, and after every
    /// mixture was rejected if the learner was [told to stop](OnMisfit::Stop) then. A plan that is
    /// owed is made first.
    pub fn act(&mut self, s: State) -> Result<Action> {
        let t = self.total.t + 1;
        let choices = misuse::choices(&self.problem, s, t)?;
        if let Some(step) = self.stopped() {
            let fault = format!(
                "the data reject every mixture of the models since step {step}, and the learner was \
                 told to stop then"
            );
            return Err(Error::Misuse { t, fault });
        }
        let action = self.decide(s);
        if action >= choices {
            // an algorithm of a user's own may be wrong
            let name = self.problem.state_name(s);
            let fault = format!("the learner chose action {action} in state {name}, which has {choices}");
            return Err(Error::Misuse { t, fault });
        }
        self.obeyed.decide((!self.owes()).then_some((s, action)));
        Ok(action)
    }

    pub(in crate::learners) fn decide(&mut self, s: State) -> Action {
        self.catch_up();
        match self.stand_in.active_mut() {
            Some(learner) => learner.algorithm.act(s),
            None => self.algorithm.act(s),
        }
    }

    /// Takes in what happened; plans when that is due.
    ///
    /// [`Error::Misuse`](crate::Error::Misuse), and nothing changed, if it cannot have happened:
    /// states or actions that do not exist, a step from the goal, a cost that is not the pair's
    /// own. The step need not be what [`Learner::act`] said, nor follow the one before.
    pub fn observe(&mut self, step: &Transition) -> Result<Observed> {
        let pair = misuse::possible_pair(&self.problem, step, self.total.t + 1)?;
        let listed = self.problem.allows(pair, step.next);
        let booked = self.player() == Some(Player::Inner);
        self.obeyed.observe(step, self.problem.goal(), booked);
        if let Some(learner) = self.stand_in.active_mut() {
            let observed = learner.observe(step);
            self.count();
            if !listed {
                self.surprises.note(&self.problem, step, self.total.t);
            }
            return observed;
        }
        if let Some(certificate) = &mut self.certificate {
            // V_0 = 0: before the first plan nothing is promised
            let promised = || self.algorithm.value(step.state).filter(|_| self.own.j > 0).unwrap_or(0.0);
            certificate.observe(step, self.problem.goal(), promised);
        }
        self.own.t += 1;
        self.own.ended += u64::from(step.next == self.problem.goal());
        let taken = listed || self.algorithm.takes_any_step();
        let seen = taken.then(|| self.algorithm.observe(step, pair, &self.own));
        if !listed || seen == Some(Seen::Impossible) {
            self.own.impossible += 1;
            self.surprises.note(&self.problem, step, self.own.t);
        }
        self.count();
        let t = self.own.t;
        if let Some(watch) = &mut self.watch {
            let seen = seen.filter(|_| listed);
            if watch.follow(self.algorithm.likelihood(), (pair, step.next), seen, t) && self.hand_over() {
                return Ok(self.catch_up());
            }
        }
        let due = self.algorithm.due(&self.own);
        Ok(self.owed.or(due).map_or(Observed::Updated, |reason| self.plan(reason)))
    }

    /// The waiting learner takes over, and the plan that was owed is owed no more.
    pub(super) fn hand_over(&mut self) -> bool {
        self.remember_rested();
        self.stand_in.set_active(true);
        let Some(learner) = self.stand_in.active() else { return false };
        let fallback = json!({ "learner": learner.id, "step": self.own.t });
        self.in_force.insert(FALLBACK.into(), fallback);
        self.owed = None;
        true
    }

    /// Keeps the state of the waiting learner before it takes over, to be able to go back.
    pub(super) fn remember_rested(&mut self) {
        if self.rested.is_none() {
            self.rested = self.stand_in.any().map(|learner| learner.snapshot());
        }
    }

    pub(super) fn count(&mut self) {
        self.total = self.stand_in.active().map_or(self.own, |learner| self.own.and(&learner.own));
    }

    /// Makes the plan that is owed, if one is: one that was cut off, or that of a learner which
    /// plans before its first step.
    pub fn catch_up(&mut self) -> Observed {
        if let Some(learner) = self.stand_in.active_mut() {
            let observed = learner.catch_up();
            self.count();
            return observed;
        }
        self.owed.map_or(Observed::Updated, |reason| self.plan(reason))
    }

    /// Whether a plan is owed.
    pub fn owes(&self) -> bool {
        self.owed.is_some() || self.stand_in.active().is_some_and(Learner::owes)
    }

    /// Cuts planning calls off from now on when asked to. What [`Learner::observe`] took in stays,
    /// the plan is owed, and a snapshot says so: once it is made, the run goes on as if nothing had
    /// happened.
    pub fn heed(&mut self, halt: &Halt) {
        self.halt = halt.clone();
        if let Some(learner) = self.stand_in.any() {
            learner.heed(halt);
        }
    }

    fn plan(&mut self, reason: Reason) -> Observed {
        let clock = self.own.planned();
        match self.algorithm.plan(&Call { reason, clock: &clock, halt: &self.halt }) {
            Ok(()) => {
                (self.own, self.total, self.owed) = (clock, clock, None);
                if let Some(certificate) = &mut self.certificate {
                    certificate.planned(|s| self.algorithm.value(s).unwrap_or(0.0));
                }
                Observed::Planned
            }
            Err(_) => {
                self.owed = Some(reason);
                Observed::Owed
            }
        }
    }

    /// The goal was reached: the next step is the first of another episode.
    pub fn end_episode(&mut self) {
        match self.stand_in.active_mut() {
            Some(learner) => learner.end_episode(),
            None => self.algorithm.end_episode(),
        }
    }

    /// The current estimate of theta, from a learner that makes one.
    pub fn theta(&self) -> Option<Vec<f64>> {
        #[derive(Default)]
        struct Estimate(Option<Vec<f64>>);
        impl Probe for Estimate {
            fn estimate(&mut self, theta_hat: &[f64]) {
                self.0 = Some(theta_hat.to_vec());
            }
        }
        let mut sink = Estimate::default();
        self.show(&mut sink);
        sink.0
    }

    /// An interval for every coordinate of theta, from a learner whose confidence set gives one. An
    /// end may be infinite. What the problem's facts rule out is cut off: a weight of a mixture
    /// lies between 0 and 1.
    pub fn intervals(&self) -> Option<Vec<(f64, f64)>> {
        #[derive(Default)]
        struct Intervals(Option<Vec<(f64, f64)>>);
        impl Probe for Intervals {
            fn intervals(&mut self, theta: &[(f64, f64)]) {
                self.0 = Some(theta.to_vec());
            }
        }
        let mut sink = Intervals::default();
        self.show(&mut sink);
        sink.0.map(|theta| self.problem.clip(&theta))
    }

    /// The last planning call.
    pub fn last_plan(&self) -> Option<PlanReport> {
        #[derive(Default)]
        struct Last(Option<PlanReport>);
        impl Probe for Last {
            fn plan(&mut self, plan: &PlanReport) {
                self.0 = Some(plan.clone());
            }
            fn wants_estimate(&self) -> bool {
                false
            }
        }
        let mut sink = Last::default();
        self.show(&mut sink);
        sink.0
    }

    /// What the last plan says that a state costs, in the user's units; none from a learner without
    /// values.
    pub fn value(&self, s: State) -> Result<Option<f64>> {
        misuse::state(&self.problem, s, self.total.t + 1)?;
        Ok(self.acting().value(s))
    }

    /// What the last plan says that an action costs in a state.
    pub fn q(&self, s: State, a: Action) -> Result<Option<f64>> {
        let pair = misuse::pair(&self.problem, s, a, self.total.t + 1)?;
        Ok(self.acting().q(pair))
    }

    pub(super) fn acting(&self) -> &dyn Algorithm {
        self.stand_in.active().map_or(&*self.algorithm, |learner| &*learner.algorithm)
    }

    pub(super) fn show(&self, sink: &mut dyn Probe) {
        match self.stand_in.active() {
            Some(learner) => {
                learner.algorithm.probe(&mut Since { sink, then: self.own }, &learner.own);
            }
            None => self.algorithm.probe(sink, &self.own),
        }
    }

    /// Shows all inner quantities.
    pub fn probe(&self, sink: &mut dyn Probe) {
        self.surprises.probe(sink);
        sink.counts(self.total.j, self.algorithm.violations() + self.total.impossible);
        self.show(sink);
        if sink.wants_estimate()
            && let Some(misfit) = self.misfit()
        {
            sink.misfit(&misfit);
        }
    }

    /// Whether any mixture of the models explains the data, as of the last look; none from a
    /// learner that ignores the models.
    pub fn misfit(&self) -> Option<Misfit> {
        self.watch.as_ref().and_then(|watch| watch.report(self.algorithm.likelihood()))
    }

    /// The step at which the data rejected every mixture, if they did.
    pub fn rejected(&self) -> Option<u64> {
        self.watch.as_ref().and_then(Watch::rejected)
    }

    /// The same for a learner that was [told to stop](OnMisfit::Stop) then.
    pub fn stopped(&self) -> Option<u64> {
        self.rejected().filter(|_| self.on_misfit == OnMisfit::Stop)
    }

    /// All parameters in force, by the names of the registry, in the user's units; `radius` and,
    /// where the user asked for the truth, `oracle` among them.
    pub fn in_force(&self) -> &Map<String, Value> {
        &self.in_force
    }

    /// What is proved of it with the settings in force, and what the proof assumes, after what has
    /// happened so far.
    pub fn claim(&self) -> Option<Claim> {
        let mut claim = self.algorithm.claim_now(self.promise()?, &self.own);
        claim.assumptions.extend(self.watch.as_ref().map(Watch::assumption));
        self.obeyed.qualify(&mut claim);
        Some(claim)
    }
}

impl fmt::Debug for Learner {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Learner { id, total, in_force, .. } = self;
        let mut shown = f.debug_struct("Learner");
        shown.field("id", id).field("problem", &self.problem.name());
        shown.field("clock", total).field("in_force", in_force).finish_non_exhaustive()
    }
}
