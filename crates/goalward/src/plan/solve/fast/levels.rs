//! Large blocks that mix slowly: policy iteration with evaluations on several levels.
//!
//! The first values matter. A policy that takes the nearest way out may wait for ever where the
//! wind turns it back, and every policy that looks better than such values may do the same. So the
//! first policies are mixtures: each node takes the choices that are nearly as good as its best one,
//! at first by the rough values of [`nearest`](super::nearest). Whatever is greedy for the values of
//! a policy is at least as good, and so is all that follows. Mixtures also flow smoothly, where
//! policies would drive what they do not know yet against each other, and smooth flows are what few
//! levels can follow. Once values are near the optimum each node takes its best choice alone.

use super::nearest::Nearest;
use super::{Failed, Solver};
use crate::numeric::gauge;
use crate::numeric::linear::krylov::Solved;
use crate::numeric::linear::multilevel::News;
use crate::plan::solve::model::Choice;
use crate::plan::solve::sense::Sense;

/// Rounds of policy iteration; it needs a dozen or two.
const ROUNDS: usize = 80;
/// Cycles for one evaluation.
const CYCLES: usize = 200;
/// How accurate an evaluation is, relative to what the last sweep still gained; relative to the
/// costs of a step it is at least the second.
const ACCURACY: f64 = 1e-2;
const LEAST_ACCURACY: f64 = 1.0;
/// The accuracy of the first evaluation, relative to the costs of a step.
const FIRST_ACCURACY: f64 = 0.1;
/// Sweeps over the nodes that gained at least this part of the largest gain.
const SWEEPS: usize = 4;
const ACTIVE: f64 = 1e-3;
/// Mixtures, by the loss, in costs of a step, that makes a choice rarer by e; the second one mixes
/// hardly more than ties, where the first cannot be evaluated. Their accuracy is a part of that
/// loss, and they end when a sweep gains less than so many times as much.
const SOFT: [f64; 2] = [0.3, 0.01];
const SOFT_ACCURACY: f64 = 0.3;
const SOFT_ENDS: f64 = 4.0;
/// Choices that are rarer are left out.
const RAREST: f64 = 0.01;
/// An improvement counts if it exceeds this part of the value.
const NOISE: f64 = 1e-12;
/// What a sweep must gain at most before its values are any use, relative to the costs of a step.
const USEFUL: f64 = 1e-2;

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default)]
struct Swept {
    /// The largest gain, relative to the costs of a step.
    gap: f64,
    /// How often a node took another choice.
    changed: usize,
}

impl Swept {
    fn with(self, gap: f64, changed: bool) -> Swept {
        Swept { gap: self.gap.max(gap), changed: self.changed + usize::from(changed) }
    }
}

/// A block with its policy.
struct Levels {
    start: usize,
    policy: Vec<Choice>,
    /// What a step counts as where it costs nothing.
    unit: f64,
    /// Values in the order of the block, as linear solves want them.
    y: Vec<f64>,
}

impl Levels {
    fn new(solver: &Solver, start: usize, policy: Vec<Choice>) -> Levels {
        let charges: f64 = policy.iter().map(|&choice| solver.model.charge(choice)).sum();
        let unit = (charges / policy.len() as f64).max(f64::MIN_POSITIVE);
        Levels { start, y: vec![0.0; policy.len()], policy, unit }
    }
}

impl Solver<'_> {
    /// Values and a policy for a block.
    pub(super) fn by_levels(&mut self, start: usize, near: &Nearest) -> Result<(), Failed> {
        let n = near.policy.len();
        let mut levels = Levels::new(self, start, near.policy.clone());
        let mut soft = self.first_values(&mut levels, near)?;
        let goal = self.reachable(&levels);
        let (mut news, mut best) = (News::Many, f64::INFINITY);
        for round in 0..ROUNDS {
            let Swept { gap, changed } = self.sweep_levels(&mut levels);
            best = best.min(gap);
            gauge::lacks(gap, goal);
            if gap <= goal || round + 1 == ROUNDS {
                break;
            }
            if changed > n / 20 {
                news = News::Many;
            }
            let enough = (gap * ACCURACY).min(LEAST_ACCURACY).max(0.1 * goal);
            let cycles = match soft {
                Some(soft) => {
                    self.evaluate_mixture(&mut levels, soft, news, enough.max(SOFT_ACCURACY * soft))?
                }
                None => self.evaluate_levels(&mut levels, news, enough)?,
            };
            news = if cycles <= 12 { News::Few } else { News::Many };
            if soft.is_some_and(|soft| gap < SOFT_ENDS * soft) {
                (soft, news) = (None, News::Many);
            }
        }
        let Levels { policy, .. } = levels;
        policy.iter().enumerate().for_each(|(k, &choice)| self.values.policy[start + k] = choice as u32);
        if best <= USEFUL && self.leaves(start, &policy) { Ok(()) } else { Err(Failed) }
    }

    /// What f64 can reach: a gap that scaling proves, or one of roundings alone.
    fn reachable(&self, levels: &Levels) -> f64 {
        let most = self.values.x[levels.start..][..levels.y.len()].iter().copied().fold(0.0, f64::max);
        (0.05 * self.precision).max(64.0 * f64::EPSILON * most / levels.unit)
    }

    /// The values of a mixture of choices, or of one policy: the first that can be had. Says how
    /// soft that mixture is.
    fn first_values(&mut self, levels: &mut Levels, near: &Nearest) -> Result<Option<f64>, Failed> {
        let softs: &[f64] = if self.sense == Sense::Least { &SOFT } else { &[] };
        for soft in softs.iter().map(|&soft| Some(soft)).chain([None]) {
            (0..near.rough.len()).for_each(|k| self.values.x[levels.start + k] = near.rough[k]);
            let found = match soft {
                Some(soft) => self.evaluate_mixture(levels, soft, News::All, FIRST_ACCURACY),
                None => self.evaluate_levels(levels, News::All, FIRST_ACCURACY),
            };
            if found.is_ok() {
                return Ok(soft);
            }
        }
        Err(Failed)
    }

    /// What a step of a choice costs; equations are divided by it.
    fn step_cost(&self, choice: Choice, unit: f64) -> f64 {
        match self.model.charge(choice) {
            charge if charge > 0.0 => charge,
            _ => unit,
        }
    }

    /// The values of the policy at hand; the cycles that it took.
    fn evaluate_levels(&mut self, levels: &mut Levels, news: News, enough: f64) -> Result<usize, Failed> {
        let (start, n) = (levels.start, levels.policy.len());
        let mut b = vec![0.0; n];
        let mut multilevel = std::mem::take(&mut self.multilevel);
        multilevel.load(n, news, |at, arcs| {
            let choice = levels.policy[self.order[at] as usize];
            let factor = 1.0 / self.step_cost(choice, levels.unit);
            b[at] = factor * self.inflow(start, start + n, choice);
            self.row_of(start, n, choice, factor, arcs)
        });
        self.multilevel = multilevel;
        self.solve_levels(levels, &b, enough)
    }

    /// A policy's equations with other costs, for a margin: x is a little more than their solution.
    pub(super) fn margin_by_levels(
        &mut self,
        start: usize,
        policy: &[Choice],
        need: &[f64],
        x: &mut [f64],
    ) -> Result<(), Failed> {
        self.leaves(start, policy).then_some(()).ok_or(Failed)?;
        let (levels, n) = (Levels::new(self, start, policy.to_vec()), policy.len());
        let most = need.iter().copied().fold(0.0, f64::max);
        let mut b = vec![0.0; n];
        let mut multilevel = std::mem::take(&mut self.multilevel);
        multilevel.load(n, News::Few, |at, arcs| {
            let k = self.order[at] as usize;
            // a rough solution is off by a share of the largest need everywhere
            b[at] = need[k] + 0.1 * most;
            self.row_of(start, n, policy[k], 1.0, arcs)
        });
        let mut y = levels.y;
        let (solved, _) = multilevel.solve(&b, &mut y, 0.05 * most, CYCLES);
        self.multilevel = multilevel;
        self.order.iter().zip(&y).for_each(|(&k, &y)| x[k as usize] = y);
        if solved == Solved::Enough { Ok(()) } else { Err(Failed) }
    }

    /// Adds the arcs of a choice to a row; what leaves the block.
    fn row_of(&self, start: usize, n: usize, choice: Choice, factor: f64, arcs: &mut Vec<(u32, f64)>) -> f64 {
        let mut out = 0.0;
        for &(j, w) in self.model.arcs(choice) {
            match (j as usize).wrapping_sub(start) {
                j if j < n => {
                    let place = self.place[j];
                    match arcs.iter_mut().find(|arc| arc.0 == place) {
                        Some(arc) => arc.1 += factor * w,
                        None => arcs.push((place, factor * w)),
                    }
                }
                _ => out += factor * w,
            }
        }
        out
    }

    /// Solves the equations loaded last from the values at hand.
    fn solve_levels(&mut self, levels: &mut Levels, b: &[f64], enough: f64) -> Result<usize, Failed> {
        let Levels { start, y, .. } = levels;
        self.order.iter().zip(&mut *y).for_each(|(&k, y)| *y = self.values.x[*start + k as usize]);
        let (solved, cycles) = self.multilevel.solve(b, y, enough, CYCLES);
        if solved == Solved::Short || !y.iter().all(|y| y.is_finite() && *y >= 0.0) {
            return Err(Failed);
        }
        self.order.iter().zip(&*y).for_each(|(&k, &y)| self.values.x[*start + k as usize] = y);
        Ok(cycles)
    }

    /// The values of a mixture of the choices that are good by the values at hand.
    fn evaluate_mixture(
        &mut self,
        levels: &mut Levels,
        soft: f64,
        news: News,
        enough: f64,
    ) -> Result<usize, Failed> {
        let (start, n) = (levels.start, levels.policy.len());
        let mut b = vec![0.0; n];
        let mut multilevel = std::mem::take(&mut self.multilevel);
        let mut shares = Vec::new();
        multilevel.load(n, news, |at, arcs| {
            let s = start + self.order[at] as usize;
            let choices = self.model.choices(s);
            shares.clear();
            shares.extend(choices.clone().map(|choice| {
                let step = self.step_cost(choice, levels.unit);
                (self.slack(s, choice) / step, step)
            }));
            let least = shares.iter().map(|share| share.0).fold(f64::INFINITY, f64::min);
            for share in &mut shares {
                let weight = (-(share.0 - least) / soft).exp();
                *share = (if weight < RAREST { 0.0 } else { weight }, share.1);
            }
            let total: f64 = shares.iter().map(|share| share.0).sum();
            let mut out = 0.0;
            for (choice, &(share, step)) in choices.zip(&shares).filter(|c| c.1.0 > 0.0) {
                let factor = share / (total * step);
                b[at] += factor * self.inflow(start, start + n, choice);
                out += self.row_of(start, n, choice, factor, arcs);
            }
            out
        });
        self.multilevel = multilevel;
        self.solve_levels(levels, &b, enough)
    }

    /// S (c + Pv - v) of a choice, by the values at hand.
    pub(super) fn slack(&self, s: usize, choice: Choice) -> f64 {
        let (own, x) = (self.values.x[s], &self.values.x);
        let fall: f64 = self.model.arcs(choice).iter().map(|&(j, w)| w * (own - x[j as usize])).sum();
        self.model.charge(choice) - fall
    }

    /// Value iteration in place: all nodes, then some sweeps over those that still gained much,
    /// then all once more. What the last sweep did, with all changes.
    fn sweep_levels(&mut self, levels: &mut Levels) -> Swept {
        let order = std::mem::take(&mut self.order);
        let mut gaps = vec![0.0f32; order.len()];
        let mut all = Swept::default();
        for &k in &order {
            let (gap, changed) = self.relax(levels, k as usize);
            gaps[k as usize] = gap as f32;
            all = all.with(gap, changed);
        }
        let cut = ACTIVE * all.gap;
        let active: Vec<u32> = order.iter().copied().filter(|&k| f64::from(gaps[k as usize]) > cut).collect();
        for sweep in 0..SWEEPS {
            let mut relax = |swept: Swept, &k: &u32| {
                let (gap, changed) = self.relax(levels, k as usize);
                swept.with(gap, changed)
            };
            let begin = Swept { gap: 0.0, changed: all.changed };
            all = match sweep % 2 {
                0 => active.iter().rev().fold(begin, &mut relax),
                _ => active.iter().fold(begin, &mut relax),
            };
            if all.gap <= cut {
                break;
            }
        }
        all.gap = 0.0;
        for &k in &order {
            let (gap, changed) = self.relax(levels, k as usize);
            all = all.with(gap, changed);
        }
        self.order = order;
        all
    }

    /// One node takes its best choice and the value that belongs to it: what that gained, relative
    /// to the cost of a step, and whether the choice is another one.
    #[inline]
    fn relax(&mut self, levels: &mut Levels, k: usize) -> (f64, bool) {
        let (s, sigma) = (levels.start + k, self.sense.sigma());
        let before = levels.policy[k];
        let (mut best, mut to, mut own) = (f64::INFINITY, before, f64::INFINITY);
        for choice in self.model.choices(s) {
            let gain = sigma * self.slack(s, choice) / self.model.leaving[choice];
            if gain < best {
                (best, to) = (gain, choice);
            }
            if choice == before {
                own = gain;
            }
        }
        let x = &mut self.values.x[s];
        let changed = to != before && best < own - NOISE * x.abs();
        if changed {
            levels.policy[k] = to;
        }
        *x = (*x + sigma * best).max(0.0);
        (best.abs() * self.model.leaving[to] / self.step_cost(to, levels.unit), changed)
    }
}
