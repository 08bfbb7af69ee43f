//! The finite-horizon reduction (Cohen, Efroni, Mansour, Rosenberg 2021; Chen, Jain, Luo 2022,
//! Algorithm 1): time is cut into intervals of H steps.
//!
//! An interval that reaches the goal ends there, and with it the episode. One that does not pays a
//! terminal cost in the learner's reckoning, and the next begins where it stopped. Steps that would
//! pad an interval at the goal are not made: they cost nothing and teach nothing.

use crate::confidence::{Assumption, Claim};
use crate::learners::core::{Standing, Table};
use crate::learners::counted::{self, Theorem};
use crate::learners::shared::{INTERVAL, T_STAR};
use crate::learners::{Algorithm, Brief, Call, Clock, Probe, Reason, Seen, Snapshot, Transition};
use crate::memory;
use crate::numeric::Portable;
use crate::numeric::stored::{Flaw, Within, at_most, ensure};
use crate::parameters::{Bound, Key};
use crate::plan::{Backup, Cut, Layers};
use crate::problem::{Action, Pair, Problem, State};
use crate::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A learner of a finite horizon: how it learns from a step, and its backup of one layer.
pub(in crate::learners) trait FiniteHorizon: Backup + Send + Sync {
    /// Its state.
    type Memory: Serialize + DeserializeOwned;

    /// Learns from a step. `carried` is that of the layer behind it, V_{h+1} first, which stays as
    /// it is while the interval lasts.
    fn learn(&mut self, step: &Transition, pair: Pair, carried: &[f64]) -> Seen;

    /// An interval ended, so that the one with this number begins, from 1. Whether to plan anew.
    fn begin(&mut self, interval: u64) -> bool;

    /// Whether the last visit of a pair is reason to plan anew, before the interval ends.
    fn plans_at(&self, _pair: Pair) -> bool {
        false
    }

    /// What is proved of it; assumptions on B and T* are added.
    fn theorem(&self) -> Theorem;

    /// What the proof assumes besides.
    fn assumes(&self) -> Vec<Assumption> {
        Vec::new()
    }

    /// Q as users are told, where that is not what actions are compared by.
    fn shown(&self, q: f64) -> f64 {
        q
    }

    /// A plan is about to be made: what all its layers have in common can be computed here.
    fn prepare(&mut self) {}

    /// Its state.
    fn stored(&self) -> Self::Memory;

    /// Puts a state back, if it can be one.
    fn restore(&mut self, memory: Self::Memory, problem: &Problem, now: &Clock) -> Result<(), Flaw>;

    /// Whether it learns from steps that no model allows.
    fn takes_any_step(&self) -> bool {
        false
    }

    /// Shows its own quantities.
    fn probe(&self, _sink: &mut dyn Probe) {}
}

/// What the reduction is made with.
#[derive(Clone, Copy, Debug)]
pub(in crate::learners) struct Horizon {
    /// H.
    pub(in crate::learners) steps: u64,
    /// B, in units of the largest cost.
    pub(in crate::learners) b: f64,
    /// T*.
    pub(in crate::learners) t_star: f64,
    /// What an interval pays that ends off the goal, in units of the largest cost.
    pub(in crate::learners) terminal: f64,
    /// Whether H is at least what the paper takes, and the terminal cost is the paper's.
    pub(in crate::learners) printed: bool,
}

/// Longer horizons are refused: their layers could not be computed.
const LONGEST: f64 = 1e9;

impl Horizon {
    /// H = ceil(factor T* ln(factor K)) and a terminal cost of `times` B, unless the user says
    /// otherwise.
    pub(in crate::learners) fn read(
        brief: &Brief,
        (b, t_star_key): (&Key<Bound>, &Key<Bound>),
        (steps, factor): (&Key<u64>, f64),
        (terminal, times): (&Key<f64>, f64),
    ) -> Result<Horizon> {
        let unit = brief.problem.largest_cost();
        let (b, t_star) = (counted::b(brief, b)?, counted::t_star(brief, t_star_key)?);
        let computed = (factor * t_star * (factor * brief.episodes.max(1) as f64).log_e()).ceil();
        let given = brief.settings.given(steps)?;
        if given.is_none() && computed > LONGEST {
            let k = brief.episodes;
            let reason = format!(
                "with {k} episodes an interval would have {computed:e} steps, and at most \
                                  {LONGEST:e} can be computed with; give {} yourself",
                steps.name()
            );
            return Err(brief.settings.refuse(t_star_key, reason));
        }
        let h = brief.settings.get_or(steps, || computed as u64)?;
        let end = brief.settings.get_or(terminal, || times * b * unit)?;
        let end = brief.settings.within(terminal, end, 0.0, 1e15 * unit)? / unit;
        let printed = h as f64 >= computed && (end / (times * b) - 1.0).abs() <= 1e-12;
        Ok(Horizon { steps: h, b, t_star, terminal: end, printed })
    }

    /// V behind the last step.
    pub(in crate::learners) fn terminal(&self, problem: &Problem) -> Vec<f64> {
        let mut v = vec![self.terminal; problem.states()];
        v[problem.goal()] = 0.0;
        v
    }
}

/// A learner of a finite horizon that acts on the reduction.
pub(in crate::learners) struct Reduced<A> {
    table: Table,
    horizon: Horizon,
    place: Place,
    layers: Option<Layers>,
    learner: A,
}

/// Where the run stands.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    /// Steps made in this interval.
    made: u64,
    /// Its number, from 1.
    interval: u64,
    /// Whether a plan is due.
    due: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory<M> {
    standing: Standing,
    place: Place,
    layers: Option<Layers>,
    learner: M,
}

impl<A: FiniteHorizon> Reduced<A> {
    pub(in crate::learners) fn new(brief: &Brief, horizon: Horizon, learner: A) -> Result<Self> {
        let problem = brief.problem;
        let layer = 8 * (problem.pairs() + learner.terminal().len()) as u64;
        let all = layer.saturating_mul(horizon.steps);
        memory::require("the layers of this learner", all).map_err(|error| {
            match brief.settings.given(&INTERVAL) {
                Ok(Some(_)) => brief.settings.refuse(&INTERVAL, error.to_string()),
                _ => brief.settings.refuse(&T_STAR, error.to_string()),
            }
        })?;
        Ok(Reduced {
            table: Table::new(brief, 0.0),
            horizon,
            place: Place { made: 0, interval: 1, due: false },
            layers: None,
            learner,
        })
    }

    /// Steps that are left of the interval, the next one counted.
    fn left(&self) -> u64 {
        self.horizon.steps - self.place.made
    }

    fn next_interval(&mut self) {
        self.place = Place { made: 0, interval: self.place.interval + 1, ..self.place };
        self.place.due |= self.learner.begin(self.place.interval);
    }
}

impl<A: FiniteHorizon> Algorithm for Reduced<A> {
    fn act(&mut self, s: State) -> Action {
        match &self.layers {
            None => self.table.act(s),
            Some(layers) => self.table.act_on(layers.q(self.left()), s),
        }
    }

    fn takes_any_step(&self) -> bool {
        self.learner.takes_any_step()
    }

    fn observe(&mut self, step: &Transition, pair: Pair, _: &Clock) -> Seen {
        let seen = match &self.layers {
            Some(layers) => self.learner.learn(step, pair, layers.carried(self.left() - 1)),
            None => self.learner.learn(step, pair, &self.learner.terminal()),
        };
        self.place.due |= self.learner.plans_at(pair);
        self.place.made += 1;
        if step.next == self.table.problem.goal() || self.place.made == self.horizon.steps {
            self.next_interval();
        }
        seen
    }

    fn due(&mut self, _: &Clock) -> Option<Reason> {
        self.place.due.then_some(if self.place.made == 0 { Reason::Interval } else { Reason::Visits })
    }

    fn plans_first(&self) -> bool {
        true
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let (pairs, h) = (self.table.problem.pairs(), self.horizon.steps);
        self.learner.prepare();
        let layers = Layers::induce(&mut self.learner, pairs, h, call.halt)?;
        let first = &layers.carried(h)[..self.table.problem.states()];
        self.table.standing.v.copy_from_slice(first);
        for (shown, &q) in self.table.standing.q.iter_mut().zip(layers.q(h)) {
            *shown = self.learner.shown(q);
        }
        self.table.report(call, layers.kept() as u64);
        self.layers = Some(layers);
        self.place.due = false;
        Ok(())
    }

    /// An episode that was given up ends its interval.
    fn end_episode(&mut self) {
        if self.place.made > 0 {
            self.next_interval();
        }
    }

    fn value(&self, s: State) -> Option<f64> {
        Some(self.table.value(s))
    }

    fn q(&self, p: Pair) -> Option<f64> {
        Some(self.table.q(p))
    }

    fn probe(&self, sink: &mut dyn Probe, _: &Clock) {
        self.table.probe(sink);
        self.learner.probe(sink);
    }

    fn claim(&self) -> Option<Claim> {
        let unit = self.table.unit;
        let b = Assumption::BoundsValues { b: self.horizon.b * unit, rho: 0.0 };
        let steps = Assumption::BoundsSteps { t_star: self.horizon.t_star };
        let words = "interval and terminal are the paper's, or interval is larger";
        let mut all = vec![b, steps, Assumption::settled(words, self.horizon.printed)];
        all.extend(self.learner.assumes());
        Some(self.learner.theorem().claim(all))
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::of(&Memory {
            standing: self.table.standing.clone(),
            place: self.place,
            layers: self.layers.clone(),
            learner: self.learner.stored(),
        })
    }

    fn restore(&mut self, state: &Snapshot, now: &Clock) -> Result<()> {
        let Memory { standing, place, layers, learner } = state.to::<Memory<A::Memory>>()?;
        let judged = || -> Result<(), Flaw> {
            self.table.check(&standing, now).within("standing")?;
            place.check(&self.horizon, now).within("place")?;
            ensure(layers.is_some() == (now.j > 0), "layers", || "there are some after a plan".into())?;
            let (pairs, carried) = (self.table.problem.pairs(), self.learner.terminal().len());
            let kept = layers.as_ref();
            kept.map_or(Ok(()), |l| l.check(pairs, carried, self.horizon.steps)).within("layers")
        };
        judged().within("learner.algorithm").map_err(Error::from)?;
        let problem = self.table.problem.clone();
        self.learner.restore(learner, &problem, now).within("learner").within("learner.algorithm")?;
        (self.table.standing, self.place, self.layers) = (standing, place, layers);
        Ok(())
    }
}

impl Place {
    fn check(&self, horizon: &Horizon, now: &Clock) -> Result<(), Flaw> {
        at_most("made", self.made, horizon.steps - 1, "what an interval has")?;
        at_most("made", self.made, now.t, "the steps observed")?;
        ensure(self.interval >= 1, "interval", || "they are numbered from 1".into())?;
        // an episode may be given up after a step, too
        at_most("interval", self.interval, 2 * now.t + 1, "what so many steps can begin")
    }
}
