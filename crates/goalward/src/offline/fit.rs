//! The fit: which mixtures explain a log.

use super::log::Row;
use super::range::{self, Range};
use crate::confidence::{Alarm, LikelihoodKeeper, Misfit, SharpSet, hidden_coordinates};
use crate::estimate::{Likelihood, Seen};
use crate::numeric::support::{ConvexSet, SupportMin, Warm};
use crate::plan::{self, Options};
use crate::problem::seen::require_clear;
use crate::problem::{Action, Problem, State, Truth};
use crate::{Error, Result};
use serde::Serialize;
use std::sync::Arc;

/// Distinct impossible steps that are remembered; all are counted.
const REMEMBERED: usize = 64;
/// Up to this number of states of a walk the set itself is asked, a tenth of a millisecond for each
/// question; beyond, the ellipsoid around it.
const FEW: usize = 2_000;

/// Takes transitions in, in the order of time.
///
/// **Time**: O(nnz of the row + d^2) a row, and a fit each time that the data have grown by a
/// quarter. **Memory**: 28 bytes for each distinct transition seen, however many rows there are.
#[derive(Debug)]
pub struct Fitter {
    problem: Arc<Problem>,
    keeper: LikelihoodKeeper,
    alarm: Alarm,
    rows: u64,
    impossible_rows: u64,
    impossible: Vec<Impossible>,
}

/// A step that no mixture allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Impossible {
    /// Where it was.
    pub state: State,
    /// What was done.
    pub action: Action,
    /// Where it led.
    pub next: State,
    /// How often.
    pub times: u64,
    /// The line of the log at which it first stood.
    pub line: Option<usize>,
    /// All of it in words, with names.
    pub text: String,
}

/// What is known of one weight.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Weight {
    /// The model's name; its number if it has none.
    pub model: String,
    /// The weight of greatest likelihood.
    pub weight: f64,
    /// What it is at least, with probability 1 - delta for all weights and times at once; none if
    /// nothing bounds it.
    pub low: Option<f64>,
    /// What it is at most.
    pub high: Option<f64>,
    /// Whether transitions cannot tell it, however many there are.
    pub hidden: bool,
}

/// What a log says.
pub struct Fit {
    /// The rows of the log.
    pub rows: u64,
    /// The different transitions among them.
    pub distinct: usize,
    /// The failure probability.
    pub delta: f64,
    /// The weights. Their ends are none if [`contradiction`](Fit::contradiction).
    pub weights: Vec<Weight>,
    /// Whether the data contradict every mixture at the level delta: the set is empty.
    pub contradiction: bool,
    /// Whether any mixture explains the data, at the level delta.
    pub misfit: Misfit,
    /// How many rows no mixture allows. They are left out of the weights.
    pub impossible_rows: u64,
    /// The first few different ones.
    pub impossible: Vec<Impossible>,
    problem: Arc<Problem>,
    theta: Vec<f64>,
    /// A point that makes every possible step possible.
    inside: Vec<f64>,
    outer: Option<ConvexSet>,
    sharp: Option<SharpSet>,
}

impl Fitter {
    /// No data; a failure probability of delta.
    pub fn new(problem: &Arc<Problem>, delta: f64) -> Result<Fitter> {
        if !(delta > 0.0 && delta < 1.0) {
            let fault = format!("{delta} is not between 0 and 1");
            return Err(Error::Field { field: "delta".into(), fault });
        }
        require_clear(problem)?;
        Ok(Fitter {
            problem: problem.clone(),
            keeper: LikelihoodKeeper::new(problem, delta),
            alarm: Alarm::new(problem, delta),
            rows: 0,
            impossible_rows: 0,
            impossible: Vec::new(),
        })
    }

    /// A transition by its numbers, checked.
    pub fn step(&mut self, state: State, action: Action, next: State) -> Result<()> {
        let problem = &self.problem;
        let states = problem.states();
        let (field, fault) = if state >= states {
            ("state", format!("there is no state {state}; states are 0 to {}", states - 1))
        } else if state == problem.goal() {
            ("state", format!("a step from the goal {}: an episode ends there", problem.state_name(state)))
        } else if action >= problem.actions(state) {
            let name = problem.state_name(state);
            ("action", format!("state {name} has {} actions, there is no {action}", problem.actions(state)))
        } else if next >= states {
            ("next", format!("there is no state {next}; states are 0 to {}", states - 1))
        } else {
            self.take(Row { line: None, state, action, next });
            return Ok(());
        };
        Err(Error::Field { field: format!("{field}[{}]", self.rows), fault })
    }

    /// A row of a log.
    pub fn observe(&mut self, row: &Row) -> Result<()> {
        match row.line {
            Some(_) => {
                self.take(*row);
                Ok(())
            }
            None => self.step(row.state, row.action, row.next),
        }
    }

    fn take(&mut self, row: Row) {
        self.rows += 1;
        let pair = self.problem.pair(row.state, row.action);
        match self.keeper.observe(pair, row.next) {
            Seen::Counted => self.alarm.follow(self.keeper.likelihood(), self.rows),
            Seen::Impossible => {
                self.alarm.impossible(self.rows);
                self.note(row);
            }
        }
    }

    fn note(&mut self, row: Row) {
        let Row { line, state, action, next } = row;
        self.impossible_rows += 1;
        let same = |v: &&mut Impossible| (v.state, v.action, v.next) == (state, action, next);
        if let Some(known) = self.impossible.iter_mut().find(same) {
            known.times += 1;
        } else if self.impossible.len() < REMEMBERED {
            let problem = &self.problem;
            let text = format!(
                "no model allows the step from state {} by action {} to state {}",
                problem.state_name(state),
                problem.action_name(state, action),
                problem.state_name(next)
            );
            self.impossible.push(Impossible { state, action, next, times: 1, line, text });
        }
    }

    /// What all rows say.
    pub fn finish(mut self) -> Fit {
        let known = self.keeper.update();
        let region = self.keeper.region(&known);
        let outer = known.set.ok();
        let sharp = region.zip(outer.clone()).map(|(region, within)| SharpSet::new(region, within));
        let likelihood = self.keeper.likelihood();
        if likelihood.total() > 0 {
            self.alarm.look(likelihood, self.rows);
        }
        let mut fit = Fit {
            rows: self.rows,
            distinct: likelihood.seen_counts().iter().filter(|n| **n > 0).count(),
            delta: self.keeper.set().delta(),
            weights: Vec::new(),
            contradiction: outer.is_none(),
            misfit: self.alarm.report(likelihood),
            impossible_rows: self.impossible_rows,
            impossible: self.impossible,
            problem: self.problem.clone(),
            theta: likelihood.maximum().theta,
            inside: known.maximum.theta,
            outer,
            sharp,
        };
        let intervals = self.keeper.set().intervals(likelihood).filter(|_| !fit.contradiction);
        fit.weights = fit.weights(likelihood, intervals);
        fit
    }
}

impl Fit {
    /// The estimate with its intervals. The ellipsoid's hold for every weight. Where kernels see
    /// all of a weight, the set's own are narrower.
    fn weights(&mut self, likelihood: &Likelihood, intervals: Option<Vec<(f64, f64)>>) -> Vec<Weight> {
        let hidden = hidden_coordinates(likelihood);
        let problem = self.problem.clone();
        let mut intervals = intervals.map(|all| problem.clip(&all));
        if let (Some(all), Some(sharp)) = (&mut intervals, &mut self.sharp) {
            for (i, (low, high)) in all.iter_mut().enumerate().filter(|(i, _)| !hidden.contains(i)) {
                let mut side = |sign: f64| {
                    let mut c = vec![0.0; problem.dim()];
                    c[i] = sign;
                    sharp.min(&c, &mut Warm::default()).bound
                };
                let (least, most) = (side(1.0), -side(-1.0));
                // of one point, rounding may have the ends the wrong way round
                let (from, to) = (low.max(least), high.min(most));
                (*low, *high) = (from.min(to), from.max(to));
            }
            *all = problem.clip(all);
        }
        let end = |x: f64| Some(x).filter(|x| x.is_finite());
        let weight = |i: usize| {
            let ends = intervals.as_ref().map(|all| all[i]);
            Weight {
                model: problem.model_name(i).into_owned(),
                weight: self.theta[i],
                low: ends.and_then(|(low, _)| end(low)),
                high: ends.and_then(|(_, high)| end(high)),
                hidden: hidden.contains(&i),
            }
        };
        (0..problem.dim()).map(weight).collect()
    }

    /// The weights of greatest likelihood.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The best policy of the fitted mixture; none if the goal cannot be reached surely with it
    /// from the start.
    pub fn policy(&self) -> Option<Vec<Action>> {
        let truth =
            [&self.theta, &self.inside].into_iter().find_map(|t| Truth::new(&self.problem, t).ok())?;
        let best = plan::solve(&self.problem, &truth, &Options::default()).ok()?;
        (!best.is_lost(self.problem.start())).then_some(best.policy)
    }

    /// What a policy may cost from the start, an action for each state. An error names a state that
    /// it meets and has no action for.
    ///
    /// Every pair may have weights of its own, each within the set. So what the policy truly costs
    /// lies in the range with probability 1 - delta, for all policies at once.
    pub fn range(&mut self, policy: &[Action]) -> Result<Range> {
        let walk = range::Walk::new(&self.problem, policy)?;
        let set: Option<&mut dyn SupportMin> = match (&mut self.sharp, &mut self.outer) {
            (Some(sharp), _) if walk.len() <= FEW => Some(sharp),
            (_, Some(outer)) => Some(outer),
            _ => None,
        };
        Ok(walk.range(set, &self.theta, &self.inside))
    }
}
