//! The finite-horizon reduction (Cohen, Efroni, Mansour, Rosenberg 2021; Chen, Jain, Luo 2022,
//! Algorithm 1): time is cut into intervals of H steps.
//!
//! An interval that reaches the goal ends there, and with it the episode. One that does not pays a
//! terminal cost in the learner's reckoning, and the next begins where it stopped. Steps that would
//! pad an interval at the goal are not made: they cost nothing and teach nothing.

use crate::confidence::{Assumption, Claim};
use crate::learners::core::Table;
use crate::learners::counted::{self, Data, Support, Theorem};
use crate::learners::shared::{INTERVAL, T_STAR};
use crate::learners::{Algorithm, Brief, Call, Clock, Probe, Reason, Seen, Snapshot, Transition};
use crate::numeric::Portable;
use crate::numeric::stored::{Flaw, Within, ensure};
use crate::parameters::{Bound, Key};
use crate::plan::{Backup, Cut, Layers};
use crate::problem::{Action, Pair, Problem, State};
use crate::{Result, memory};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A learner of a finite horizon: how it learns from a step, and its backup of one layer.
pub(in crate::learners) trait FiniteHorizon: Send + Sync {
    /// What it keeps of the data.
    type Data: Data;

    fn horizon(&self) -> &Horizon;

    /// What is carried behind the last step.
    fn terminal(&self) -> Vec<f64> {
        self.horizon().terminal_values()
    }

    /// Fills in Q_h per pair, and what is carried of step h.
    fn back(&mut self, data: &Self::Data, next: &[f64], q: &mut [f64], now: &mut [f64]);

    /// Learns from a step; whether that is reason to plan anew before the interval ends. `carried` is
    /// that of the layer behind it, V_{h+1} first, which stays as it is while the interval lasts.
    fn learn(&mut self, data: &mut Self::Data, step: &Transition, pair: Pair, carried: &[f64]) -> bool;

    /// An interval begins. Whether to plan anew.
    fn begin(&self, _data: &mut Self::Data) -> bool {
        true
    }

    /// The number of the interval under way, from 1: of one that begins, or that is restored.
    fn enter(&mut self, _interval: u64) {}

    /// What is proved of it; assumptions on B and T* are added.
    fn theorem(&self) -> Theorem;

    /// What the proof assumes besides.
    fn assumes(&self) -> Vec<Assumption> {
        Vec::new()
    }

    /// Q as users are shown it, where that is not what actions are compared by.
    fn shown(&self, q: f64) -> f64 {
        q
    }

    /// Computes what all layers of a plan have in common.
    fn prepare(&mut self, _data: &Self::Data) {}

    fn probe(&self, _data: &Self::Data, _sink: &mut dyn Probe) {}
}

struct Planning<'a, A: FiniteHorizon>(&'a mut A, &'a A::Data);

impl<A: FiniteHorizon> Backup for Planning<'_, A> {
    fn terminal(&self) -> Vec<f64> {
        self.0.terminal()
    }

    fn back(&mut self, next: &[f64], q: &mut [f64], now: &mut [f64]) {
        self.0.back(self.1, next, q, now);
    }
}

/// What the reduction is made with.
#[derive(Clone, Debug)]
pub(in crate::learners) struct Horizon {
    pub(in crate::learners) problem: Arc<Problem>,
    /// Costs per pair, in units of the largest.
    pub(in crate::learners) costs: Vec<f64>,
    pub(in crate::learners) steps: u64,
    /// B, in units of the largest cost.
    pub(in crate::learners) b: f64,
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
        let problem = brief.problem.clone();
        let costs = problem.costs().iter().map(|c| c / unit).collect();
        Ok(Horizon { problem, costs, steps: h, b, t_star, terminal: end, printed })
    }

    /// V behind the last step.
    pub(in crate::learners) fn terminal_values(&self) -> Vec<f64> {
        let mut v = vec![self.terminal; self.problem.states()];
        v[self.problem.goal()] = 0.0;
        v
    }

    /// The states in which there is something to choose.
    pub(in crate::learners) fn off_goal(&self) -> impl Iterator<Item = State> + use<> {
        let goal = self.problem.goal();
        (0..self.problem.states()).filter(move |&s| s != goal)
    }
}

/// A learner of a finite horizon that acts on the reduction.
pub(in crate::learners) struct Reduced<A: FiniteHorizon> {
    table: Table,
    /// Whether it learns from steps that no model allows.
    takes_any_step: bool,
    learner: A,
    run: Run<A::Data>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run<D> {
    /// Steps made in this interval.
    made: u64,
    /// Its number, from 1.
    interval: u64,
    due: bool,
    layers: Option<Layers>,
    data: D,
}

impl<A: FiniteHorizon> Reduced<A> {
    pub(in crate::learners) fn new(
        brief: &Brief,
        mut learner: A,
        data: A::Data,
        support: Support,
    ) -> Result<Self> {
        let layer = 8 * (brief.problem.pairs() + learner.terminal().len()) as u64;
        let all = layer.saturating_mul(learner.horizon().steps);
        memory::require("the layers of this learner", all).map_err(|error| {
            match brief.settings.given(&INTERVAL) {
                Ok(Some(_)) => brief.settings.refuse(&INTERVAL, error.to_string()),
                _ => brief.settings.refuse(&T_STAR, error.to_string()),
            }
        })?;
        learner.enter(1);
        Ok(Reduced {
            table: Table::new(brief, 0.0),
            takes_any_step: support == Support::Unknown,
            learner,
            run: Run { made: 0, interval: 1, due: false, layers: None, data },
        })
    }

    /// Steps that are left of the interval, the next one counted.
    fn left(&self) -> u64 {
        self.learner.horizon().steps - self.run.made
    }

    fn check(&self, run: &Run<A::Data>) -> Result<(), Flaw> {
        let (problem, steps) = (&self.table.problem, self.learner.horizon().steps);
        ensure(run.made < steps, "made", || format!("{} steps in an interval of {steps}", run.made))?;
        if let Some(layers) = &run.layers {
            layers.check(problem.pairs(), self.learner.terminal().len(), steps).within("layers")?;
        }
        run.data.check(problem).within("data")
    }

    fn next_interval(&mut self) {
        (self.run.made, self.run.interval) = (0, self.run.interval + 1);
        self.learner.enter(self.run.interval);
        self.run.due |= self.learner.begin(&mut self.run.data);
    }
}

impl<A: FiniteHorizon> Algorithm for Reduced<A> {
    fn act(&mut self, s: State) -> Action {
        match &self.run.layers {
            None => self.table.act(s),
            Some(layers) => self.table.act_on(layers.q(self.left()), s),
        }
    }

    fn takes_any_step(&self) -> bool {
        self.takes_any_step
    }

    fn observe(&mut self, step: &Transition, pair: Pair, _: &Clock) -> Seen {
        let left = self.left();
        let Run { layers, data, .. } = &mut self.run;
        self.run.due |= match layers {
            Some(layers) => self.learner.learn(data, step, pair, layers.carried(left - 1)),
            None => self.learner.learn(data, step, pair, &self.learner.terminal()),
        };
        self.run.made += 1;
        if step.next == self.table.problem.goal() || left == 1 {
            self.next_interval();
        }
        Seen::Counted
    }

    fn due(&mut self, _: &Clock) -> Option<Reason> {
        self.run.due.then_some(if self.run.made == 0 { Reason::Interval } else { Reason::Visits })
    }

    fn plans_first(&self) -> bool {
        true
    }

    fn plan(&mut self, call: &Call) -> Result<(), Cut> {
        let (pairs, h) = (self.table.problem.pairs(), self.learner.horizon().steps);
        self.learner.prepare(&self.run.data);
        let layers = Layers::induce(&mut Planning(&mut self.learner, &self.run.data), pairs, h, call.halt)?;
        let first = &layers.carried(h)[..self.table.problem.states()];
        self.table.standing.v.copy_from_slice(first);
        for (shown, &q) in self.table.standing.q.iter_mut().zip(layers.q(h)) {
            *shown = self.learner.shown(q);
        }
        self.table.report(call, layers.kept() as u64);
        (self.run.layers, self.run.due) = (Some(layers), false);
        Ok(())
    }

    /// An episode that was given up ends its interval.
    fn end_episode(&mut self) {
        if self.run.made > 0 {
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
        self.learner.probe(&self.run.data, sink);
    }

    fn claim(&self) -> Option<Claim> {
        let Horizon { b, t_star, printed, .. } = *self.learner.horizon();
        let words = "interval and terminal are the paper's, or interval is larger";
        let mut all = vec![
            Assumption::BoundsValues { b: b * self.table.unit, rho: 0.0 },
            Assumption::BoundsSteps { t_star },
            Assumption::settled(words, printed),
        ];
        all.extend(self.learner.assumes());
        Some(self.learner.theorem().claim(all))
    }

    fn snapshot(&self) -> Snapshot {
        counted::stored(&self.table, &self.run)
    }

    fn restore(&mut self, state: &Snapshot, _: &Clock) -> Result<()> {
        let (standing, run) = counted::restored::<Run<A::Data>>(state, &self.table)?;
        self.check(&run).within("data").within("learner.algorithm")?;
        self.learner.enter(run.interval);
        (self.table.standing, self.run) = (standing, run);
        Ok(())
    }
}
