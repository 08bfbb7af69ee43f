//! A block with all its choices: the one copy of the arcs on which policies are found and
//! evaluated, in the order of sweeps, every weight divided by what leaves its node. Long blocks run
//! on all cores, in parts that depend on the number of nodes alone.

mod sweep;

use super::model::{Choice, Model};
use super::nearest::Nearest;
use super::values::Sense;
use crate::numeric::Grouped;
use std::ops::Range;
pub(super) use sweep::{Pass, Progress};

/// A choice is better if it gains this part of the value more.
const NOISE: f64 = 1e-14;
/// A step counts as at least this part of what is paid and brought from outside at most.
const FINEST: f64 = 1e-14;
/// Where a step costs nothing, an equation lacks this multiple of the relative change of its value.
const FREE: f64 = 50.0;

/// The equations of all choices, v(i) = b + sum of w v(j); what leaves the block is in b.
#[derive(Default)]
struct ChoiceRows {
    choices: Vec<u32>,
    arcs: Vec<u32>,
    next: Vec<u32>,
    weight: Vec<f64>,
    b: Vec<f64>,
    /// Per choice: the weight that leaves the block.
    out: Vec<f64>,
    /// What a step costs; 0 where nothing.
    cost: Vec<f64>,
}

impl ChoiceRows {
    fn choices(&self, i: usize) -> Range<usize> {
        self.choices[i] as usize..self.choices[i + 1] as usize
    }

    fn arcs(&self, choice: usize) -> impl Iterator<Item = (u32, f64)> {
        let arcs = self.arcs[choice] as usize..self.arcs[choice + 1] as usize;
        self.next[arcs.clone()].iter().copied().zip(self.weight[arcs].iter().copied())
    }

    /// What a choice changes in a value that is `own`, given those of other nodes.
    #[inline(always)]
    fn gain(&self, choice: usize, own: f64, value: impl Fn(u32) -> f64) -> f64 {
        let rise: f64 = self.arcs(choice).map(|(j, w)| w * (value(j) - own)).sum();
        self.b[choice] - self.out[choice] * own + rise
    }

    /// What an equation lacks, in costs of a step, if it changes a value by this.
    fn lacks(&self, choice: usize, gain: f64, value: f64) -> f64 {
        match self.cost[choice] {
            cost if cost > 0.0 => gain.abs() / cost,
            _ => FREE * gain.abs() / value.abs().max(f64::MIN_POSITIVE),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Last {
    taken: u32,
    gain: f32,
    lacked: f32,
}

#[derive(Default)]
pub(super) struct Block {
    rows: ChoiceRows,
    sigma: f64,
    nodes: Vec<u32>,
    /// The model's number of the first choice of each node.
    first: Vec<Choice>,
    /// What a step counts as where it costs nothing, and elsewhere at least.
    unit: f64,
    least: f64,
    pub(super) x: Vec<f64>,
    old: Vec<f64>,
    last: Vec<Last>,
    near: Nearest,
    place: Vec<u32>,
    start: usize,
    /// The choices that were handed over last; none: no policy's.
    loaded: Vec<u32>,
    /// A choice is better if it gains this part of the value more.
    pub(super) noise: f64,
}

impl Block {
    /// Some nodes of a model, given the values of those before; begins with a policy that leaves.
    pub(super) fn load(&mut self, model: &Model, sense: Sense, nodes: Range<usize>, values: &[f64]) {
        let (start, n) = (nodes.start, nodes.len());
        self.near.find(model, nodes, values);
        let Block { rows, near, place, first, last, .. } = self;
        let ChoiceRows { choices, arcs, next, weight, b, out, cost } = rows;
        place.resize(n, 0);
        near.order.iter().enumerate().for_each(|(at, &k)| place[k as usize] = at as u32);
        for list in [&mut *choices, arcs] {
            list.clear();
            list.push(0);
        }
        [&mut *weight, b, out, cost].into_iter().for_each(Vec::clear);
        next.clear();
        last.clear();
        first.clear();
        for &k in &near.order {
            first.push(model.choices(start + k as usize).start);
            for choice in model.choices(start + k as usize) {
                let factor = 1.0 / model.leaving[choice];
                let (mut inflow, mut leaves) = (model.charge(choice), 0.0);
                for &(j, w) in model.arcs(choice) {
                    match place.get((j as usize).wrapping_sub(start)) {
                        Some(&place) => {
                            next.push(place);
                            weight.push(factor * w);
                        }
                        None => (inflow, leaves) = (inflow + w * values[j as usize], leaves + w),
                    }
                }
                if choice == near.policy[k as usize] {
                    last.push(Last { taken: b.len() as u32, gain: 0.0, lacked: 0.0 });
                }
                arcs.push(next.len() as u32);
                b.push(factor * inflow);
                out.push(factor * leaves);
                cost.push(factor * model.charge(choice));
            }
            choices.push(b.len() as u32);
        }
        (self.sigma, self.start) = (sense.sigma(), start);
        self.loaded.clear();
        self.set_units();
        self.nodes.clear();
        self.nodes.extend(self.near.order.iter().map(|&k| (start + k as usize) as u32));
        self.x.resize(n, 0.0);
        self.begin();
    }

    /// What a step counts as at least: what its equation brings must not be beyond f64 in that unit.
    fn set_units(&mut self) {
        let ChoiceRows { b, cost, .. } = &self.rows;
        self.least = FINEST * b.iter().copied().fold(0.0, f64::max);
        let mean = cost.iter().sum::<f64>() / cost.len() as f64;
        self.unit = if self.least > 0.0 { mean.max(self.least) } else { 1.0 };
    }

    /// What a step of a choice counts as; equations are divided by it.
    fn step(&self, choice: usize) -> f64 {
        step(&self.rows, (self.unit, self.least), choice)
    }

    pub(super) fn guess(&mut self, guess: &[f64]) {
        self.near.rough.copy_from_slice(guess);
        self.begin();
    }

    pub(super) fn decisions(&self) -> usize {
        self.rows.choices.windows(2).filter(|ends| ends[1] - ends[0] > 1).count()
    }

    pub(super) fn arcs(&self) -> usize {
        self.rows.next.len()
    }

    pub(super) fn begin(&mut self) {
        self.noise = NOISE;
        for (at, &k) in self.near.order.iter().enumerate() {
            self.x[at] = self.near.rough[k as usize];
            let taken = self.rows.choices[at] as usize + self.near.policy[k as usize] - self.first[at];
            self.last[at].taken = taken as u32;
        }
    }

    /// Each node takes the choice that most probably leads to an earlier one, or out.
    pub(super) fn hurry(&mut self) {
        let Block { rows, last, .. } = self;
        for (i, last) in last.iter_mut().enumerate() {
            let onwards = |choice: usize| {
                let earlier = rows.arcs(choice).filter(|(j, _)| (*j as usize) < i);
                rows.out[choice] + earlier.map(|(_, w)| w).sum::<f64>()
            };
            let better = |a: usize, b: usize| if onwards(b) > onwards(a) { b } else { a };
            last.taken = rows.choices(i).reduce(better).map_or(last.taken, |choice| choice as u32);
        }
    }

    /// Notes that the choices at hand were handed over, or that none were.
    pub(super) fn handed_over(&mut self, done: bool) {
        self.loaded.clear();
        if done {
            self.loaded.extend(self.last.iter().map(|last| last.taken));
        }
    }

    pub(super) fn is_loaded(&self) -> bool {
        self.last.iter().map(|last| &last.taken).eq(&self.loaded)
    }

    pub(super) fn start(&self) -> usize {
        self.start
    }

    pub(super) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// The model's number of the choice that each node takes.
    pub(super) fn taken(&self) -> impl Iterator<Item = Choice> {
        (0..self.x.len()).map(|i| self.first[i] + (self.last[i].taken - self.rows.choices[i]) as usize)
    }

    /// Each node takes one choice, given by the model's number.
    pub(super) fn take(&mut self, policy: impl Iterator<Item = Choice>) {
        for (i, choice) in policy.enumerate() {
            self.last[i].taken = self.rows.choices[i] + (choice - self.first[i]) as u32;
        }
    }

    /// The nodes from which the policy may leave the block. All: it does so surely.
    pub(super) fn leaving(&self) -> Vec<bool> {
        let taken = |i: usize| self.last[i].taken as usize;
        let all =
            || (0..self.x.len()).flat_map(|i| self.rows.arcs(taken(i)).map(move |(j, _)| (j as usize, i)));
        let marked = (0..self.x.len()).map(|i| self.rows.out[taken(i)] > 0.0).collect();
        Grouped::new(self.x.len(), all).reaching(marked, Some)
    }

    pub(super) fn leaves(&self) -> bool {
        self.leaving().iter().all(|&leaves| leaves)
    }

    /// The equation of the choice that a node takes, in costs of a step: its arcs.
    pub(super) fn arcs_of(&self, i: usize) -> impl Iterator<Item = (u32, f64)> {
        let share = self.share(i);
        self.rows.arcs(self.last[i].taken as usize).map(move |(j, w)| (j, share * w))
    }

    /// Adds a node's arcs, in costs of a step; returns the weight that leaves the block.
    pub(super) fn row(&self, i: usize, arcs: &mut Vec<(u32, f64)>) -> f64 {
        arcs.extend(self.arcs_of(i));
        self.outside(i)
    }

    pub(super) fn right(&self) -> Vec<f64> {
        let b = |i: usize| self.share(i) * self.rows.b[self.last[i].taken as usize];
        (0..self.x.len()).map(b).collect()
    }

    pub(super) fn outside(&self, i: usize) -> f64 {
        self.share(i) * self.rows.out[self.last[i].taken as usize]
    }

    /// What the equation of the choice that a node takes is multiplied by, to be in costs of a step.
    pub(super) fn share(&self, i: usize) -> f64 {
        1.0 / self.step(self.last[i].taken as usize)
    }

    /// What f64 can reach: equations that lack no more than roundings.
    pub(super) fn roundings(&self) -> f64 {
        let most = (0..self.x.len()).map(|i| self.share(i) * self.x[i]).fold(0.0, f64::max);
        64.0 * f64::EPSILON * most
    }
}

fn step(rows: &ChoiceRows, (unit, least): (f64, f64), choice: usize) -> f64 {
    match rows.cost[choice] {
        cost if cost > 0.0 => cost.max(least),
        _ => unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Stream;
    use crate::plan::Objective;
    use crate::plan::solve::setup::Setup;
    use crate::plan::solve::tests::against_the_wind;

    /// c + Pv - v of all choices of a node, as defined, with values by node; every step costs 1.
    pub(super) fn slacks(model: &Model, s: usize, v: &[f64]) -> Vec<f64> {
        let fall = |&(j, w): &(u32, f64)| w * (v[s] - v[j as usize]);
        let slack = |c: usize| model.charge(c) - model.arcs(c).iter().map(fall).sum::<f64>();
        model.choices(s).map(|c| slack(c) / model.charge(c)).collect()
    }

    /// Calls `f` with a block in the wind, its values at random, and these by node.
    pub(super) fn with_block(f: impl Fn(&Model, &mut Block, &[f64])) {
        let (problem, truth) = against_the_wind(6);
        let setup = Setup::new(&problem, &truth, Objective::Min);
        let n = setup.model.nodes;
        let mut block = Block::default();
        block.load(&setup.model, Sense::Least, 0..n, &vec![0.0; n + 1]);
        let mut stream = Stream::new(3, &[]);
        let mut v = vec![0.0; n + 1];
        for (&s, x) in block.nodes.iter().zip(&mut block.x) {
            *x = 10.0 * stream.uniform();
            v[s as usize] = *x;
        }
        f(&setup.model, &mut block, &v);
    }

    /// The first policy leaves from everywhere; one that walks into the wall of a corner does not.
    #[test]
    fn a_policy_that_stays_is_found_out() {
        let step = |s: usize, on: usize, p: f64| (s, 1.0, vec![(on, p)]);
        let rows = [step(0, 1, 1.0), step(1, 0, 1.0), step(1, 2, 1.0)];
        let rows: Vec<_> = rows.iter().map(|(s, c, next)| (*s, *c, &next[..])).collect();
        let (problem, truth) = crate::plan::solve::tests::problem(3, &rows);
        let setup = Setup::new(&problem, &truth, Objective::Min);
        let mut block = Block::default();
        block.load(&setup.model, Sense::Least, 0..2, &[0.0; 3]);
        assert!(block.leaves());
        let first: Vec<Choice> =
            block.nodes().iter().map(|&s| setup.model.choices(s as usize).start).collect();
        block.take(first.into_iter());
        assert_eq!(block.leaving(), [false, false]);
    }
}
