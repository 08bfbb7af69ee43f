//! What a learner certifies: of its regret, of V*, and of who played.

use super::algorithm::{Algorithm, Seen, Snapshot, Transition};
use super::certificate::Certificate;
use super::clock::Clock;
use super::guard::{Guard, Player};
use super::learner::Learner;
use super::misuse;
use super::report::Probe;
use crate::confidence::{Claim, Facts};
use crate::plan::Halt;
use crate::problem::{Action, Pair, State};
use crate::{Error, Result};

/// A learner as the algorithm of another one.
struct Within(Learner);

impl Algorithm for Within {
    fn act(&mut self, s: State) -> Action {
        self.0.decide(s)
    }

    fn takes_any_step(&self) -> bool {
        true
    }

    fn observe(&mut self, step: &Transition, _: Pair, _: &Clock) -> Seen {
        // it can only refuse what the other one has refused before
        let _ = self.0.observe(step);
        Seen::Counted
    }

    fn end_episode(&mut self) {
        self.0.end_episode();
    }

    fn snapshot(&self) -> Snapshot {
        self.0.snapshot()
    }

    fn restore(&mut self, state: &Snapshot, _: &Clock) -> Result<()> {
        self.0.restore(state)
    }
}

impl Learner {
    /// The same with an action that is proposed: a learner that [takes
    /// proposals](crate::learners::linear_mixture::guarded) answers with it while its guard allows it,
    /// and with an action of its own otherwise; [`player`](Self::player) says which. An action that
    /// does not exist is an error, and counts for nothing.
    pub fn act_on(&mut self, s: State, proposal: Action) -> Result<Action> {
        let t = self.total.t + 1;
        misuse::pair(&self.problem, s, proposal, t)?;
        self.catch_up();
        if self.stand_in.active().is_none() && !self.algorithm.propose(proposal) {
            let fault = format!("{} takes no proposals: guarded@inner=proposals does", self.id);
            return Err(Error::Misuse { t, fault });
        }
        self.act(s)
    }

    /// Before the first step: a learner that [takes
    /// proposals](crate::learners::linear_mixture::guarded) follows another one in their place, such as
    /// one of your own ([`Learner::of`]). Its books call it by its id, and its snapshots hold the
    /// other's. To restore one, build both learners as they were, follow, and then
    /// [`restore`](Self::restore).
    ///
    /// [`Error::Misuse`] after the first step, for a learner that takes no proposals, and for an inner
    /// learner with a guard; [`Error::Mismatch`] if that was built for another problem.
    pub fn follow(&mut self, mut inner: Learner) -> Result<()> {
        if let Some(fault) = self.problem.difference(&inner.problem) {
            let [first, second] = [&*self, &inner].map(|one| format!("the problem of learner {}", one.id));
            return Err(Error::Mismatch { first, second, fault });
        }
        let fault = if inner.guard().is_some() {
            "a guard within a guard guards nothing: follow another learner".into()
        } else if self.total.t > 0 || self.player().is_some() {
            "an inner learner is given before the first action, not later".into()
        } else {
            // its plans are never cut off, like those of an inner learner that is named
            inner.heed(&Halt::never());
            let id = inner.id.clone();
            if self.algorithm.follow(&id, Box::new(Within(inner))) {
                self.in_force.insert(Guard::INNER.into(), id.into());
                return Ok(());
            }
            format!("{} follows no learner that it is given: guarded@inner=proposals does", self.id)
        };
        Err(Error::Misuse { t: self.total.t + 1, fault })
    }

    /// Who chooses the actions of the episode under way; none between episodes, and from a learner
    /// without a guard.
    pub fn player(&self) -> Option<Player> {
        self.acting().player()
    }

    /// The books of a guarded learner.
    pub fn guard(&self) -> Option<Guard> {
        #[derive(Default)]
        struct Books(Option<Guard>);
        impl Probe for Books {
            fn guard(&mut self, guard: &Guard) {
                self.0 = Some(guard.clone());
            }
            fn wants_estimate(&self) -> bool {
                false
            }
        }
        let mut sink = Books::default();
        self.show(&mut sink);
        sink.0
    }

    /// What was claimed before the first step, whatever happened since.
    pub(crate) fn promise(&self) -> Option<Claim> {
        self.claim.clone()
    }

    /// What the regret over finished episodes is at most, with the probability of its
    /// [claim](Self::claim): their cost, less the best lower bound on V* of each start so far. That is
    /// the largest value of any plan, or what cells of the confidence set say where the learner has
    /// them. No truth is needed.
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
        let mixture = (self.own.impossible > 0).then_some(false);
        let facts = Facts { mixture, ..Facts::default() };
        let holds = self.claim()?.check(&facts).certifies();
        let raised = self.problem.min_cost() == 0.0 || self.raised() > 0.0;
        // it is counted work: a bound that could be cut off would not be the same each time
        let floor = |s| self.algorithm.floor(s, &Halt::never()).ok().flatten().unwrap_or(0.0);
        (holds && !raised).then(|| certificate.certified(floor))
    }

    /// What V*(s) is at least, as long as the confidence sets hold the truth: the value of the last
    /// plan, or what cells of its set say. None from a learner that does not claim optimism.
    pub fn lower_bound(&self, s: State) -> Result<Option<f64>> {
        let value = self.value(s)?.filter(|_| self.certificate.is_some());
        let floor = self.algorithm.floor(s, &Halt::never()).ok().flatten();
        Ok(value.map(|value| floor.map_or(value, |floor| floor.max(value))))
    }

    /// What was paid over finished episodes, less what plans promised, whether or not that certifies
    /// anything.
    pub(crate) fn paid_less_promised(&self) -> Option<f64> {
        self.certificate.as_ref().map(Certificate::regret)
    }

    /// What the last plan added to costs at most, in the user's units: its values are at most V*
    /// plus T* times that.
    pub fn raised(&self) -> f64 {
        self.algorithm.raised(&self.own)
    }
}
