//! Large blocks that mix slowly: policy iteration with evaluations on several levels.
//!
//! The first values matter. A policy that takes the nearest way out may wait for ever where the
//! wind turns it back, and every policy that looks better than such values may do the same. So the
//! first policies are mixtures: each node takes the choices that are nearly as good as its best one,
//! at first by the rough values of [`nearest`](super::nearest). Whatever is greedy for the values of
//! a policy is at least as good, and so is all that follows. Mixtures also flow smoothly, where
//! policies would drive what they do not know yet against each other, and smooth flows are what few
//! levels can follow. The nearer values are to the optimum, the less a choice may lose to be mixed
//! in. A mixture stays as it is while it loses next to nothing: where many choices are equally good
//! there is nothing to decide, and a chain that changes little is solved soon.

use super::block::Block;
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
/// How accurate an evaluation is, relative to what the last sweep still gained; in costs of a step
/// it is at least the second.
const ACCURACY: f64 = 0.03;
const LEAST_ACCURACY: f64 = 10.0;
/// The accuracy of the first evaluation, in costs of a step.
const FIRST_ACCURACY: f64 = 1.0;
/// The first mixtures, by the loss, in costs of a step, that makes a choice rarer by e; the second
/// one mixes hardly more than ties, where the first cannot be evaluated. Later that loss is the
/// accuracy of the evaluation.
const SOFT: [f64; 2] = [0.3, 0.01];
/// A mixture is kept if it loses no more than this part of that loss.
const LAZY: f64 = 0.3;
/// More than this part of the nodes with new mixtures make another chain.
const MANY: f64 = 0.05;
/// What a sweep must gain at most before its values are any use, in costs of a step.
const USEFUL: f64 = 1e-2;

impl Solver<'_> {
    /// Values and a policy for a block.
    pub(super) fn by_levels(&mut self, start: usize, near: &Nearest) -> Result<(), Failed> {
        let n = near.policy.len();
        let unit = self.mean_charge(&near.policy);
        let mut block = Block::new(self, start, unit, &near.policy);
        let mut soft = self.first_values(&mut block, near)?;
        let goal = self.reachable(&block, unit);
        let (mut news, mut best) = (News::Many, f64::INFINITY);
        for round in 0..ROUNDS {
            let gap = block.sweep();
            best = best.min(gap);
            gauge::lacks(gap, goal);
            if gap <= goal || round + 1 == ROUNDS {
                break;
            }
            let enough = (gap * ACCURACY).min(LEAST_ACCURACY).max(0.1 * goal);
            soft = soft.map(|soft| soft.min(enough));
            let new = block.mix(soft, LAZY * soft.unwrap_or(0.0));
            if new as f64 > MANY * n as f64 {
                news = News::Many;
            }
            let cycles = self.evaluate_mixtures(&mut block, news, enough)?;
            news = if cycles <= 12 { News::Few } else { News::Many };
        }
        let mut policy = near.policy.clone();
        for (at, &k) in self.order.iter().enumerate() {
            let s = start + k as usize;
            policy[k as usize] = self.model.choices(s).start + block.taken(at);
            self.values.policy[s] = policy[k as usize] as u32;
            self.values.x[s] = block.x[at];
        }
        if best <= USEFUL && self.leaves(start, &policy) { Ok(()) } else { Err(Failed) }
    }

    /// What a step of a policy costs on average: it counts as that where it costs nothing.
    fn mean_charge(&self, policy: &[Choice]) -> f64 {
        let charges: f64 = policy.iter().map(|&choice| self.model.charge(choice)).sum();
        (charges / policy.len() as f64).max(f64::MIN_POSITIVE)
    }

    /// What f64 can reach: a gap that scaling proves, or one of roundings alone.
    fn reachable(&self, block: &Block, unit: f64) -> f64 {
        let most = block.x.iter().copied().fold(0.0, f64::max);
        (0.05 * self.precision).max(64.0 * f64::EPSILON * most / unit)
    }

    /// The values of a mixture of choices, or of one policy: the first that can be had. Says how
    /// soft that mixture is.
    fn first_values(&mut self, block: &mut Block, near: &Nearest) -> Result<Option<f64>, Failed> {
        let softs: &[f64] = if self.sense == Sense::Least { &SOFT } else { &[] };
        for soft in softs.iter().map(|&soft| Some(soft)).chain([None]) {
            self.order.iter().zip(&mut block.x).for_each(|(&k, x)| *x = near.rough[k as usize]);
            block.mix(soft, 0.0);
            if self.evaluate_mixtures(block, News::All, FIRST_ACCURACY).is_ok() {
                return Ok(soft);
            }
        }
        Err(Failed)
    }

    /// What a step of a choice costs; equations are divided by it.
    pub(super) fn step_cost(&self, choice: Choice, unit: f64) -> f64 {
        match self.model.charge(choice) {
            charge if charge > 0.0 => charge,
            _ => unit,
        }
    }

    /// The values of the mixtures at hand; the cycles that it took.
    fn evaluate_mixtures(&mut self, block: &mut Block, news: News, enough: f64) -> Result<usize, Failed> {
        let (n, b) = (block.x.len(), block.right());
        self.multilevel.load(n, news, |at, arcs| block.row(at, arcs));
        let (solved, cycles) = self.multilevel.solve(&b, &mut block.x, enough, CYCLES);
        let usable = solved == Solved::Enough && block.x.iter().all(|x| x.is_finite() && *x >= 0.0);
        usable.then_some(cycles).ok_or(Failed)
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
        let n = policy.len();
        let most = need.iter().copied().fold(0.0, f64::max);
        // a rough solution is off by a share of the largest need everywhere
        let b: Vec<f64> = self.order.iter().map(|&k| need[k as usize] + 0.1 * most).collect();
        let mut multilevel = std::mem::take(&mut self.multilevel);
        multilevel.load(n, News::Few, |at, arcs| self.row_of(start, policy, at, arcs));
        let mut y = vec![0.0; n];
        let (solved, _) = multilevel.solve(&b, &mut y, 0.05 * most, CYCLES);
        self.multilevel = multilevel;
        self.order.iter().zip(&y).for_each(|(&k, &y)| x[k as usize] = y);
        if solved == Solved::Enough { Ok(()) } else { Err(Failed) }
    }

    /// The arcs of a node in the order of the block by a policy; what leaves the block.
    fn row_of(&self, start: usize, policy: &[Choice], at: usize, arcs: &mut Vec<(u32, f64)>) -> f64 {
        let mut out = 0.0;
        for &(j, w) in self.model.arcs(policy[self.order[at] as usize]) {
            match self.place.get((j as usize).wrapping_sub(start)) {
                Some(&place) => arcs.push((place, w)),
                None => out += w,
            }
        }
        out
    }
}
