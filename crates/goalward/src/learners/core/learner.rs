//! What a user of a learner holds.

use super::algorithm::{Algorithm, Brief, Call, Seen, Snapshot, Transition};
use super::certificate::Certificate;
use super::clock::{Clock, Reason};
use super::misuse;
use super::report::{PlanReport, Probe};
use super::surprises::Surprises;
use crate::confidence::{Claim, Facts, Holds};
use crate::numeric::stored::Within;
use crate::plan::Halt;
use crate::problem::{Action, Problem, State};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

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
    id: String,
    problem: Arc<Problem>,
    in_force: Map<String, Value>,
    /// What is claimed of it from the beginning: a bound that doubles must not change the claim.
    claim: Option<Claim>,
    halt: Halt,
    clock: Clock,
    surprises: Surprises,
    /// Kept by those that claim optimism.
    certificate: Option<Certificate>,
    /// Why a plan is due that was not made yet, or was cut off.
    owed: Option<Reason>,
    algorithm: Box<dyn Algorithm>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    clock: Clock,
    surprises: Surprises,
    /// None also in a state that was taken down before there were any: then nothing is certified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    certificate: Option<Certificate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owed: Option<Reason>,
    algorithm: Snapshot,
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
            clock: Clock::default(),
            surprises: Surprises::default(),
            certificate: None,
            owed: algorithm.plans_first().then_some(Reason::Start),
            algorithm,
        }
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
        &self.clock
    }

    /// The action to take in a state. [`Error::Misuse`](crate::Error::Misuse), and nothing changed,
    /// if there is none to take: at the goal, and in a state that does not exist. A plan that is
    /// owed is made first.
    pub fn act(&mut self, s: State) -> Result<Action> {
        let t = self.clock.t + 1;
        let choices = misuse::choices(&self.problem, s, t)?;
        self.catch_up();
        let action = self.algorithm.act(s);
        if action >= choices {
            // an algorithm of a user's own may be wrong
            let name = self.problem.state_name(s);
            let fault = format!("the learner chose action {action} in state {name}, which has {choices}");
            return Err(Error::Misuse { t, fault });
        }
        Ok(action)
    }

    /// Takes in what happened; plans when that is due.
    ///
    /// [`Error::Misuse`](crate::Error::Misuse), and nothing changed, if it cannot have happened:
    /// states or actions that do not exist, a step from the goal, a cost that is not the pair's
    /// own. The step need not be what [`Learner::act`] said, nor follow the one before.
    pub fn observe(&mut self, step: &Transition) -> Result<Observed> {
        let pair = misuse::possible_pair(&self.problem, step, self.clock.t + 1)?;
        if let Some(certificate) = &mut self.certificate {
            // V_0 = 0: before the first plan nothing is promised
            let promised = || self.algorithm.value(step.state).filter(|_| self.clock.j > 0).unwrap_or(0.0);
            certificate.observe(step, self.problem.goal(), promised);
        }
        self.clock.t += 1;
        self.clock.ended += u64::from(step.next == self.problem.goal());
        let listed = self.problem.allows(pair, step.next);
        let taken = listed || self.algorithm.takes_any_step();
        let seen = taken.then(|| self.algorithm.observe(step, pair, &self.clock));
        if !listed || seen == Some(Seen::Impossible) {
            self.clock.impossible += 1;
            self.surprises.note(&self.problem, step, self.clock.t);
        }
        let due = self.algorithm.due(&self.clock);
        Ok(self.owed.or(due).map_or(Observed::Updated, |reason| self.plan(reason)))
    }

    /// Makes the plan that is owed, if one is: one that was cut off, or that of a learner which
    /// plans before its first step.
    pub fn catch_up(&mut self) -> Observed {
        self.owed.map_or(Observed::Updated, |reason| self.plan(reason))
    }

    /// Whether a plan is owed.
    pub fn owes(&self) -> bool {
        self.owed.is_some()
    }

    /// Cuts planning calls off from now on when asked to. What [`Learner::observe`] took in stays,
    /// the plan is owed, and a snapshot says so: whoever makes it later goes on as if nothing had
    /// happened.
    pub fn heed(&mut self, halt: &Halt) {
        self.halt = halt.clone();
    }

    fn plan(&mut self, reason: Reason) -> Observed {
        let clock = self.clock.planned();
        match self.algorithm.plan(&Call { reason, clock: &clock, halt: &self.halt }) {
            Ok(()) => {
                (self.clock, self.owed) = (clock, None);
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
        self.algorithm.end_episode();
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
        self.algorithm.probe(&mut sink, &self.clock);
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
        self.algorithm.probe(&mut sink, &self.clock);
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
        self.algorithm.probe(&mut sink, &self.clock);
        sink.0
    }

    /// What the last plan says that a state costs, in the user's units; none from a learner without
    /// values.
    pub fn value(&self, s: State) -> Result<Option<f64>> {
        misuse::state(&self.problem, s, self.clock.t + 1)?;
        Ok(self.algorithm.value(s))
    }

    /// What the last plan says that an action costs in a state.
    pub fn q(&self, s: State, a: Action) -> Result<Option<f64>> {
        let pair = misuse::pair(&self.problem, s, a, self.clock.t + 1)?;
        Ok(self.algorithm.q(pair))
    }

    /// Shows all inner quantities.
    pub fn probe(&self, sink: &mut dyn Probe) {
        self.surprises.probe(sink);
        sink.counts(self.clock.j, self.algorithm.violations() + self.clock.impossible);
        self.algorithm.probe(sink, &self.clock);
    }

    /// All parameters in force, by the names of the registry, in the user's units; `radius` and,
    /// where the user asked for the truth, `oracle` among them.
    pub fn in_force(&self) -> &Map<String, Value> {
        &self.in_force
    }

    /// What is proved of it with the settings in force, and what the proof assumes, after what has
    /// happened so far.
    pub fn claim(&self) -> Option<Claim> {
        self.promise().map(|claim| self.algorithm.claim_now(claim, &self.clock))
    }

    /// What was claimed before the first step, whatever happened since.
    pub(crate) fn promise(&self) -> Option<Claim> {
        self.claim.clone()
    }

    /// What the regret over finished episodes is at most, with the probability of its
    /// [claim](Self::claim): their cost, less what the plan in force at the start of each said that
    /// it would cost. No plan's values exceed V*, so no truth is needed.
    ///
    /// None where that is not known: from a learner that does not claim optimism, where an
    /// assumption of the claim is known to fail, and where some cost off the goal is zero or costs
    /// are raised, since values may then exceed V*.
    ///
    /// ```
    /// use goalward::{Lr, Problem, Transition};
    /// let fast = vec![vec![vec![(1, 0.9), (0, 0.1)]], vec![]];
    /// let slow = vec![vec![vec![(1, 0.2), (0, 0.8)]], vec![]];
    /// let models = [("fast", fast), ("slow", slow)];
    /// let problem = Problem::from_models(&models, &[vec![1.0], vec![]], 0, 1)?;
    /// let mut learner = Lr::builder().build(problem)?;
    /// for next in [0, 0, 1] {
    ///     let action = learner.act(0)?;
    ///     learner.observe(&Transition { state: 0, action, cost: 1.0, next })?;
    /// }
    /// // three steps were paid; the first plan hoped for 1/0.9, if the fast model is right
    /// let certified = learner.regret_certified().expect("lr is optimistic");
    /// assert!((certified - (3.0 - 1.0 / 0.9)).abs() < 0.01);
    /// # Ok::<(), goalward::Error>(())
    /// ```
    pub fn regret_certified(&self) -> Option<f64> {
        let certificate = self.certificate.as_ref()?;
        let mixture = (self.clock.impossible > 0).then_some(false);
        let facts = Facts { mixture, ..Facts::default() };
        let holds = self.claim.as_ref()?.check(&facts).holds != Holds::No;
        let raised = self.problem.min_cost() == 0.0 || self.raised() > 0.0;
        (holds && !raised).then(|| certificate.regret())
    }

    /// What the last plan added to costs at most, in the user's units: its values are at most V*
    /// plus T* times that.
    pub fn raised(&self) -> f64 {
        self.algorithm.raised(&self.clock)
    }

    /// Its state.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&Memory {
            clock: self.clock,
            surprises: self.surprises.clone(),
            certificate: self.certificate,
            owed: self.owed,
            algorithm: self.algorithm.snapshot(),
        })
    }

    /// Puts a state back that a learner of the same problem and settings took down. A state that
    /// cannot be one is refused with the place of its flaw, and changes nothing.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        let Memory { clock, surprises, certificate, owed, algorithm } = snapshot.to()?;
        clock.check().within("clock").within("learner")?;
        surprises.check(&self.problem, &clock).within("surprises").within("learner")?;
        let certificate = certificate.filter(|_| self.certificate.is_some());
        let checked = certificate.as_ref().map_or(Ok(()), |kept| kept.check(&self.problem, &clock));
        checked.within("certificate").within("learner")?;
        self.algorithm.restore(&algorithm, &clock)?;
        (self.clock, self.surprises, self.owed) = (clock, surprises, owed);
        self.certificate = certificate;
        Ok(())
    }
}

impl fmt::Debug for Learner {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Learner { id, clock, in_force, .. } = self;
        let mut shown = f.debug_struct("Learner");
        shown.field("id", id).field("problem", &self.problem.name());
        shown.field("clock", clock).field("in_force", in_force).finish_non_exhaustive()
    }
}
