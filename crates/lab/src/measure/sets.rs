//! Confidence sets: whether theta* ever leaves them, and how wide they are.

use super::{Measure, RunRows};
use crate::results::RunRow;
use crate::sets::{Extent, Which, each_set};
use goalward::confidence::{Memo, Size, interval, theta_norm};
use goalward::episode::{Arena, Plan, Runner, Step};
use goalward::learners::Learner;
use goalward::numeric::support::{ConvexSet, Ellipsoid};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The most directions in which widths are taken; on larger problems a sample of the pairs.
const DIRECTIONS: usize = 4096;

/// The directions in which widths are taken, with the widths of B.
pub(crate) struct Yardstick {
    directions: Vec<(Vec<f64>, f64)>,
}

impl Yardstick {
    /// phi_V* of every pair off the goal, or of every n-th, in whose direction B has a width.
    pub(crate) fn new(arena: &Arena) -> Yardstick {
        let problem = arena.problem();
        let polytope = problem.constraints();
        let d = problem.dim();
        let mut identity = vec![0.0; d * d];
        (0..d).for_each(|i| identity[i * d + i] = 1.0);
        // far larger than B in all directions that transitions depend on
        let radius = theta_norm(problem).map_or(1e4, |norm| f64::max(1e4, 4.0 * norm));
        let all = Ellipsoid { center: polytope.interior(), shape: &identity, radius };
        let Ok(mut all) = ConvexSet::new(polytope, all) else { return Yardstick { directions: Vec::new() } };
        let goal = problem.pairs_of(problem.goal());
        let stride = problem.pairs().div_ceil(DIRECTIONS).max(1);
        let pairs = (0..problem.pairs()).step_by(stride).filter(|p| !goal.contains(p));
        let directions = pairs.filter_map(|p| {
            let mut c = vec![0.0; d];
            problem.phi_v(p, &arena.exact().v, &mut c);
            let (low, high) = interval(&mut all, &c);
            (high - low > 1e-9).then_some((c, high - low))
        });
        Yardstick { directions: directions.collect() }
    }

    /// The widths of the intersection of a learner's sets in every direction, as shares of B's; `None`
    /// for a learner without sets.
    pub(super) fn shares(&self, learner: &Learner) -> Option<Vec<f64>> {
        let directions = self.directions.iter().map(|(direction, _)| direction);
        let Extent { ends, sets, .. } = Extent::of(learner, Which::Now, directions);
        let share = |((low, high), (_, whole)): (&(f64, f64), &(Vec<f64>, f64))| {
            ((high - low).max(0.0) / whole).min(1.0)
        };
        (sets > 0).then(|| ends.iter().zip(&self.directions).map(share).collect())
    }
}

pub(super) fn mean(shares: &[f64]) -> Option<f64> {
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

/// Tests after every step and at every plan whether each set contains theta*.
pub(super) struct Sets {
    /// `None` where the truth is no mixture, which no set can contain.
    theta: Option<Vec<f64>>,
    yardstick: Arc<Yardstick>,
    memos: Vec<Memo>,
    state: Losses,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Losses {
    /// Which of the sets have ever lost theta*.
    outside: Vec<bool>,
    lost: Option<u64>,
    lost_at_plan: Option<u64>,
    missed: Option<u64>,
}

impl Sets {
    pub(super) fn new(arena: &Arena, runner: &Runner, yardstick: Arc<Yardstick>) -> Sets {
        let theta = arena.instance().truth().ok().and_then(|truth| truth.theta());
        let mut sets = 0;
        if theta.is_some() {
            each_set(runner.learner(), Which::Now, |_| sets += 1);
        }
        Sets {
            theta: theta.map(<[f64]>::to_vec),
            yardstick,
            memos: vec![Memo::default(); sets],
            state: Losses { outside: vec![false; sets], ..Losses::default() },
        }
    }
}

impl Measure for Sets {
    fn wants_steps(&self) -> bool {
        true
    }

    fn step(&mut self, step: &Step) {
        let Some(theta) = &self.theta else { return };
        let mut all = self.memos.iter_mut().zip(&mut self.state.outside);
        let lost = &mut self.state.lost;
        each_set(step.learner, Which::Now, |set| {
            let Some((memo, outside)) = all.next() else { return };
            if !*outside && !set.still_contains(theta, memo) {
                *outside = true;
                *lost = lost.or(Some(step.t));
            }
        });
    }

    fn plan(&mut self, plan: &Plan, _: u64, _: &mut RunRows) {
        let Some(theta) = &self.theta else { return };
        let Losses { outside, lost_at_plan, missed, .. } = &mut self.state;
        let mut outside = outside.iter();
        each_set(plan.learner, Which::Planned, |set| {
            let outside = outside.next().copied().unwrap_or(false);
            if !set.contains(theta) {
                *lost_at_plan = lost_at_plan.or(Some(plan.t));
                if !outside {
                    *missed = missed.or(Some(plan.t));
                }
            }
        });
    }

    fn finish(&mut self, runner: &Runner, row: &mut RunRow, _: &mut RunRows) {
        if self.memos.is_empty() {
            return; // no sets, or a truth that none can contain
        }
        (row.lost, row.lost_at_plan, row.missed) =
            (self.state.lost, self.state.lost_at_plan, self.state.missed);
        let mut empty = false;
        each_set(runner.learner(), Which::Now, |set| {
            match set.size() {
                Size::Nats(nats) => row.nats = Some(nats).filter(|x| x.is_finite()),
                Size::Radius(radius) => row.beta = Some(radius).filter(|x| x.is_finite()),
            }
            empty |= set.support().is_none();
        });
        row.empty = Some(empty);
        if !empty {
            row.width = self.yardstick.shares(runner.learner()).and_then(|shares| mean(&shares));
        }
    }

    fn save(&self) -> Value {
        let memos: Vec<[u64; 2]> = self.memos.iter().map(Memo::to_bits).collect();
        serde_json::to_value((&self.state, memos)).unwrap_or_default()
    }

    fn restore(&mut self, saved: &Value) -> Option<()> {
        let (state, memos): (Losses, Vec<[u64; 2]>) = Deserialize::deserialize(saved).ok()?;
        let same = state.outside.len() == self.memos.len() && memos.len() == self.memos.len();
        self.memos = same.then(|| memos.into_iter().map(Memo::from_bits).collect())?;
        self.state = state;
        Some(())
    }
}
