//! What learners with a value-targeted regression share: acting, memory, undoing a plan that is cut
//! off, and probes.

use super::optimist::{Optimist, Standing};
use crate::Result;
use crate::confidence::{Claim, Ellipse, RadiusRule, RegressionSet};
use crate::learners::core::same_shape;
use crate::learners::{Algorithm, Call, Clock, Probe, Reason, Seen, Snapshot, Transition};
use crate::numeric::stored::{Flaw, Within};
use crate::plan::Cut;
use crate::problem::{Action, Pair, Problem, State};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// How a learner regresses the values of its last plan, and which ellipsoids it plans over.
pub(super) trait Regression: RadiusRule + Send + Sync {
    /// Its regressions: all that changes with the data.
    type Data: Clone + Serialize + DeserializeOwned + Send + Sync;

    /// The regressions without data.
    fn begin(&self) -> Self::Data;

    /// What is regressed in the place of V_j(s).
    fn target(&self, v: f64) -> f64;

    /// Adds the t-th step; `u` is the target in every state.
    fn learn(&self, data: &mut Self::Data, problem: &Problem, step: (Pair, State), u: &[f64], t: u64);

    /// Whether a determinant has doubled since the last plan.
    fn doubled(&self, data: &Self::Data) -> bool;

    /// Freezes the regressions and plans. Returns the ellipsoids of this plan.
    fn plan(&self, data: &mut Self::Data, optimist: &mut Optimist, call: &Call) -> Result<Vec<Ellipse>, Cut>;

    /// The ellipsoids after t steps.
    fn sets(&self, data: &Self::Data, t: u64) -> Vec<Ellipse>;

    fn estimate(&self, data: &Self::Data) -> Vec<f64>;

    /// Shows the weights of the last step, after t steps, and what else there is.
    fn show(&self, _data: &Self::Data, _sink: &mut dyn Probe, _t: u64) {}

    /// What is added to every cost, in the user's units.
    fn raised(&self) -> f64 {
        0.0
    }
}

pub(super) struct ValueTargeted<R: Regression> {
    pub(super) rule: R,
    pub(super) optimist: Optimist,
    pub(super) data: R::Data,
    /// The target of the regression in every state.
    u: Vec<f64>,
    /// The ellipsoids of the last plan.
    sets: Vec<Ellipse>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Regressed<D> {
    standing: Standing,
    data: D,
    sets: Vec<Ellipse>,
}

impl<R: Regression> ValueTargeted<R> {
    pub(super) fn new(rule: R, optimist: Optimist) -> Self {
        let data = rule.begin();
        let mut learner = ValueTargeted { rule, optimist, data, u: Vec::new(), sets: Vec::new() };
        learner.settle(Vec::new());
        learner
    }

    pub(super) fn learn(&mut self, pair: Pair, next: State, t: u64) {
        self.rule.learn(&mut self.data, &self.optimist.problem, (pair, next), &self.u, t);
    }

    /// A plan was made over these sets: its values are the regression's targets from now on.
    pub(super) fn settle(&mut self, sets: Vec<Ellipse>) {
        self.sets = sets;
        self.u.clear();
        self.u.extend(self.optimist.standing.v.iter().map(|v| self.rule.target(*v)));
    }

    /// Shows all but the estimate.
    pub(super) fn show(&self, sink: &mut dyn Probe, t: u64) {
        self.optimist.probe(sink);
        self.rule.show(&self.data, sink, t);
        if !sink.wants_sets() {
            return;
        }
        let (rule, problem, constraints) = (&self.rule, &*self.optimist.problem, &self.optimist.constraints);
        let set = |ellipse| RegressionSet { ellipse, rule, problem, constraints };
        for (i, now) in self.rule.sets(&self.data, t).into_iter().enumerate() {
            sink.set(&set(now));
            if let Some(planned) = self.sets.get(i) {
                sink.planned_set(&set(planned.clone()));
            }
        }
    }

    fn check(&self, stored: &Regressed<R::Data>, now: &Clock) -> Result<(), Flaw> {
        self.optimist.check(&stored.standing).within("standing")?;
        let fresh = self.rule.begin();
        same_shape(&stored.data, &fresh).within("data")?;
        let sets = if now.j == 0 { Vec::new() } else { self.rule.sets(&fresh, 1) };
        same_shape(&stored.sets, &sets).within("sets")
    }
}

impl<R: Regression> Algorithm for ValueTargeted<R> {
    fn act(&mut self, s: State) -> Action {
        self.optimist.act(s)
    }

    fn observe(&mut self, step: &Transition, pair: Pair, now: &Clock) -> Seen {
        self.learn(pair, step.next, now.t);
        Seen::Counted
    }

    fn due(&mut self, now: &Clock) -> Option<Reason> {
        Optimist::due(self.rule.doubled(&self.data), now)
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let before = call.keep(|| self.data.clone());
        match self.rule.plan(&mut self.data, &mut self.optimist, call) {
            Ok(sets) => self.settle(sets),
            Err(cut) => {
                before.into_iter().for_each(|before| self.data = before);
                return Err(cut);
            }
        }
        Ok(())
    }

    fn value(&self, s: State) -> Option<f64> {
        Some(self.optimist.value(s))
    }

    fn q(&self, p: Pair) -> Option<f64> {
        Some(self.optimist.q(p))
    }

    fn raised(&self, _: &Clock) -> f64 {
        self.rule.raised()
    }

    fn probe(&self, sink: &mut dyn Probe, now: &Clock) {
        if sink.wants_estimate() {
            sink.estimate(&self.rule.estimate(&self.data));
        }
        self.show(sink, now.t);
    }

    fn violations(&self) -> u64 {
        self.optimist.violations()
    }

    fn claim(&self) -> Option<Claim> {
        Some(self.rule.claim(&self.optimist.problem))
    }

    fn snapshot(&self) -> Snapshot {
        let (standing, data) = (self.optimist.standing.clone(), self.data.clone());
        Snapshot::of(&Regressed { standing, data, sets: self.sets.clone() })
    }

    fn restore(&mut self, state: &Snapshot, now: &Clock) -> Result<()> {
        let stored = state.to::<Regressed<R::Data>>()?;
        self.check(&stored, now).within("learner.algorithm")?;
        (self.optimist.standing, self.data) = (stored.standing, stored.data);
        self.settle(stored.sets);
        Ok(())
    }
}
