//! A large block with all its choices, on a copy that lies as it is swept: nodes from the ways out
//! inwards, every equation divided by what a step costs. Sweeps and mixtures run on all cores, in
//! parts that depend on the number of nodes alone.

use super::Solver;
use crate::numeric::Portable;
use crate::numeric::linear::parts;

/// Sweeps over the nodes that gained at least this part of the largest gain.
const SWEEPS: usize = 4;
const ACTIVE: f64 = 1e-3;
/// Choices of a mixture that are rarer are left out.
const RAREST: f64 = 0.01;
/// An improvement counts if it exceeds this part of the value.
const NOISE: f64 = 1e-12;

/// The equations of all choices.
struct Rows {
    /// Where the choices of each node begin; one more at the end. The same for arcs.
    choices: Vec<u32>,
    arcs: Vec<u32>,
    next: Vec<u32>,
    weight: Vec<f64>,
    /// Per choice: what it pays and brings from outside.
    b: Vec<f64>,
    /// What leaves the block, and what leaves the node.
    out: Vec<f64>,
    leaving: Vec<f64>,
}

impl Rows {
    fn choices(&self, i: usize) -> std::ops::Range<usize> {
        self.choices[i] as usize..self.choices[i + 1] as usize
    }

    fn arcs(&self, choice: usize) -> impl Iterator<Item = (u32, f64)> {
        let arcs = self.arcs[choice] as usize..self.arcs[choice + 1] as usize;
        self.next[arcs.clone()].iter().copied().zip(self.weight[arcs].iter().copied())
    }

    /// c + Pv - v, in costs of a step: `own` is v here, `value` v elsewhere.
    #[inline]
    fn slack(&self, choice: usize, own: f64, value: impl Fn(u32) -> f64) -> f64 {
        let rise: f64 = self.arcs(choice).map(|(j, w)| w * (value(j) - own)).sum();
        self.b[choice] - self.out[choice] * own + rise
    }
}

/// What a node did last.
#[derive(Clone, Copy, Debug)]
struct Last {
    /// The choice that it took.
    taken: u32,
    /// What that gained, in costs of a step.
    gap: f32,
}

/// The nodes of a sweep, and its direction.
#[derive(Clone, Copy, Debug)]
struct Pass {
    back: bool,
    /// Nodes that gained no more than this last time are left out.
    cut: f32,
}

const ALL: Pass = Pass { back: false, cut: f32::NEG_INFINITY };

pub(super) struct Block {
    rows: Rows,
    sigma: f64,
    /// The values.
    pub(super) x: Vec<f64>,
    /// Those before a sweep.
    old: Vec<f64>,
    last: Vec<Last>,
    /// The share of each choice in the mixture of its node.
    mix: Vec<f32>,
}

impl Block {
    /// The block that begins with a node, in the solver's order; `unit` is what a step counts as
    /// where it costs nothing.
    pub(super) fn new(solver: &Solver, start: usize, unit: f64, policy: &[usize]) -> Block {
        let (model, n) = (solver.model, policy.len());
        let mut rows = Rows {
            choices: vec![0],
            arcs: vec![0],
            next: Vec::with_capacity(solver.arcs(start, start + n)),
            weight: Vec::with_capacity(solver.arcs(start, start + n)),
            b: Vec::new(),
            out: Vec::new(),
            leaving: Vec::new(),
        };
        let mut last = Vec::with_capacity(n);
        for &k in &solver.order {
            for choice in model.choices(start + k as usize) {
                if choice == policy[k as usize] {
                    last.push(Last { taken: rows.b.len() as u32, gap: 0.0 });
                }
                let factor = 1.0 / solver.step_cost(choice, unit);
                let mut out = 0.0;
                for &(j, w) in model.arcs(choice) {
                    match solver.place.get((j as usize).wrapping_sub(start)) {
                        Some(&place) => {
                            rows.next.push(place);
                            rows.weight.push(factor * w);
                        }
                        None => out += factor * w,
                    }
                }
                rows.arcs.push(rows.next.len() as u32);
                rows.b.push(factor * solver.inflow(start, start + n, choice));
                rows.out.push(out);
                rows.leaving.push(factor * model.leaving[choice]);
            }
            rows.choices.push(rows.b.len() as u32);
        }
        let (mix, sigma) = (vec![0.0; rows.b.len()], solver.sense.sigma());
        Block { rows, sigma, x: vec![0.0; n], old: vec![0.0; n], last, mix }
    }

    /// The place of the choice that a node took last among its choices.
    pub(super) fn taken(&self, i: usize) -> usize {
        self.last[i].taken as usize - self.rows.choices[i] as usize
    }

    /// Value iteration in place: all nodes, then some sweeps over those that still gained much,
    /// then all once more. The largest gain of the last sweep, in costs of a step.
    pub(super) fn sweep(&mut self) -> f64 {
        let cut = ACTIVE * self.pass(ALL);
        for sweep in 0..SWEEPS {
            if self.pass(Pass { back: sweep % 2 == 0, cut: cut as f32 }) <= cut {
                break;
            }
        }
        self.pass(ALL)
    }

    /// One sweep; its largest gain.
    fn pass(&mut self, pass: Pass) -> f64 {
        let Block { rows, sigma, x, old, last, .. } = self;
        parts::each(old, |begin, old| old.copy_from_slice(&x[begin..][..old.len()]));
        let parts = parts::both(x, last, |begin, x, last| {
            let (n, mut gap) = (x.len(), 0.0f64);
            let mut relax = |i: usize| {
                if last[i].gap > pass.cut {
                    relax(rows, *sigma, begin, i, x, old, &mut last[i]);
                    gap = gap.max(f64::from(last[i].gap));
                }
            };
            match pass.back {
                true => (0..n).rev().for_each(&mut relax),
                false => (0..n).for_each(&mut relax),
            }
            gap
        });
        parts.into_iter().fold(0.0, f64::max)
    }

    /// Mixes the choices of nodes by the values at hand: what makes a choice rarer by e is to lose
    /// so much more, in costs of a step. Without that each node takes its best choice alone. A
    /// mixture that is there already is kept if it loses no more than `lazy`. Says how many are new.
    pub(super) fn mix(&mut self, soft: Option<f64>, lazy: f64) -> usize {
        let Block { rows, sigma, x, last, mix, .. } = self;
        let (rows, x, last, sigma) = (&*rows, &*x, &*last, *sigma);
        let ranges = parts::ranges(x.len());
        let mixes = parts::split(mix, ranges.iter().map(|range| rows.choices[range.end] as usize));
        let new = parts::map(ranges.into_iter().zip(mixes).collect(), |(range, mix)| {
            let from = rows.choices[range.start] as usize;
            let mut losses = Vec::new();
            let mut mix_node = |i: usize| {
                let choices = rows.choices(i);
                let mix = &mut mix[choices.start - from..choices.end - from];
                let Some(soft) = soft else {
                    mix.fill(0.0);
                    mix[last[i].taken as usize - choices.start] = 1.0;
                    return 1;
                };
                losses.clear();
                losses.extend(choices.map(|c| sigma * rows.slack(c, x[i], |j| x[j as usize])));
                usize::from(blend(mix, &mut losses, soft, lazy))
            };
            range.map(&mut mix_node).sum::<usize>()
        });
        new.into_iter().sum()
    }

    /// The arcs of a node by its mixture; what leaves the block.
    pub(super) fn row(&self, i: usize, arcs: &mut Vec<(u32, f64)>) -> f64 {
        let mut out = 0.0;
        for (choice, share) in self.shares(i) {
            out += share * self.rows.out[choice];
            for (j, w) in self.rows.arcs(choice) {
                match arcs.iter_mut().find(|arc| arc.0 == j) {
                    Some(arc) => arc.1 += share * w,
                    None => arcs.push((j, share * w)),
                }
            }
        }
        out
    }

    /// The right-hand sides that belong to the mixtures.
    pub(super) fn right(&self) -> Vec<f64> {
        let mut b = vec![0.0; self.x.len()];
        parts::each(&mut b, |begin, b| {
            for (i, b) in (begin..).zip(b) {
                *b = self.shares(i).map(|(choice, share)| share * self.rows.b[choice]).sum();
            }
        });
        b
    }

    /// The choices of a node that it takes at times, and how often.
    fn shares(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let choices = self.rows.choices(i);
        let total: f64 = self.mix[choices.clone()].iter().map(|&share| f64::from(share)).sum();
        let shares = choices.map(move |choice| (choice, f64::from(self.mix[choice]) / total));
        shares.filter(|share| share.1 > 0.0)
    }
}

/// A node takes its best choice and the value that belongs to it.
#[inline]
fn relax(rows: &Rows, sigma: f64, begin: usize, i: usize, x: &mut [f64], old: &[f64], last: &mut Last) {
    let own = x[i];
    let value = |j: u32| *x.get((j as usize).wrapping_sub(begin)).unwrap_or(&old[j as usize]);
    let before = last.taken as usize;
    let (mut best, mut to, mut kept) = (f64::INFINITY, before, f64::INFINITY);
    for choice in rows.choices(begin + i) {
        let gain = sigma * rows.slack(choice, own, value) / rows.leaving[choice];
        if gain < best {
            (best, to) = (gain, choice);
        }
        if choice == before {
            kept = gain;
        }
    }
    if best < kept - NOISE * own.abs() {
        last.taken = to as u32;
    }
    last.gap = (best.abs() * rows.leaving[to]) as f32;
    x[i] = (own + sigma * best).max(0.0);
}

/// Mixes choices by what each loses, which is overwritten, unless their mixture loses little.
/// Whether it did.
fn blend(mix: &mut [f32], losses: &mut [f64], soft: f64, lazy: f64) -> bool {
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    losses.iter_mut().for_each(|loss| *loss -= least);
    let total: f64 = mix.iter().map(|&share| f64::from(share)).sum();
    let lost: f64 = mix.iter().zip(&*losses).map(|(&share, loss)| f64::from(share) * loss).sum();
    if total > 0.0 && lost <= lazy * total {
        return false;
    }
    for (share, loss) in mix.iter_mut().zip(losses) {
        let weight = (-*loss / soft).exp_e();
        *share = if weight < RAREST { 0.0 } else { weight as f32 };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Stream;
    use crate::plan::Objective;
    use crate::plan::solve::model::Model;
    use crate::plan::solve::sense::Sense;
    use crate::plan::solve::setup::Setup;
    use crate::plan::solve::tests::against_the_wind;

    /// S (c + Pv - v) of all choices of a node, as defined, with values by node; every step costs 1.
    fn slacks(model: &Model, s: usize, v: &[f64]) -> Vec<f64> {
        let fall = |&(j, w): &(u32, f64)| w * (v[s] - v[j as usize]);
        let slack = |c: usize| model.charge(c) - model.arcs(c).iter().map(fall).sum::<f64>();
        model.choices(s).map(|c| slack(c) / model.charge(c)).collect()
    }

    /// Calls `f` with a block in the wind, its values at random, and these by node.
    fn with_block(f: impl Fn(&Solver, &mut Block, &[f64])) {
        let (problem, truth) = against_the_wind(6);
        let setup = Setup::new(&problem, &truth, Objective::Min);
        let mut solver = Solver::new(&setup.model, Sense::Least, 1e-6);
        let n = setup.model.nodes;
        let near = solver.nearest_exit(0, n);
        solver.arrange(0, &near.order);
        let mut block = Block::new(&solver, 0, 1.0, &near.policy);
        let mut stream = Stream::new(3, &[]);
        let mut v = vec![0.0; n + 1];
        for (&k, x) in near.order.iter().zip(&mut block.x) {
            *x = 10.0 * stream.uniform();
            v[k as usize] = *x;
        }
        f(&solver, &mut block, &v);
    }

    /// A mixture's equation is the sum of those of its choices, each times its share.
    #[test]
    fn mixtures_are_by_what_choices_lose() {
        with_block(|solver, block, v| {
            assert_eq!(block.mix(Some(0.7), 0.0), block.x.len());
            let b = block.right();
            for (at, &k) in solver.order.iter().enumerate() {
                let slacks = slacks(solver.model, k as usize, v);
                let least = slacks.iter().copied().fold(f64::INFINITY, f64::min);
                let weights: Vec<f64> = slacks.iter().map(|slack| ((least - slack) / 0.7).exp_e()).collect();
                let kept = || weights.iter().zip(&slacks).filter(|share| *share.0 >= RAREST);
                let total: f64 = kept().map(|share| share.0).sum();
                let direct = kept().map(|(weight, slack)| weight * slack).sum::<f64>() / total;
                let mut arcs = Vec::new();
                let out = block.row(at, &mut arcs);
                let own = block.x[at];
                let fall: f64 = arcs.iter().map(|&(j, w)| w * (own - block.x[j as usize])).sum();
                let found = b[at] - out * own - fall;
                assert!((found - direct).abs() < 1e-5 * (1.0 + direct.abs()), "{found} {direct}");
            }
        });
    }

    /// What loses little stays, what loses much does not.
    #[test]
    fn mixtures_that_lose_little_are_kept() {
        with_block(|_, block, _| {
            let n = block.x.len();
            assert_eq!(block.mix(Some(0.7), 0.0), n);
            let before = block.mix.clone();
            assert_eq!(block.mix(Some(0.001), 1e9), 0);
            assert_eq!(block.mix, before);
            let new = block.mix(Some(0.001), 0.2);
            assert!(0 < new && new < n, "{new} of {n}");
            assert_eq!(block.mix(Some(0.001), 0.2), 0);
            assert_eq!(block.mix(None, 1e9), n);
            (0..n).for_each(|i| assert_eq!(block.shares(i).collect::<Vec<_>>().len(), 1));
        });
    }

    /// A sweep is value iteration in place; its gap is what the last equation lacked.
    #[test]
    fn a_pass_is_value_iteration() {
        with_block(|solver, block, v| {
            let (model, mut v) = (solver.model, v.to_vec());
            let found = block.pass(ALL);
            let mut gap = 0.0f64;
            for &k in &solver.order {
                let s = k as usize;
                let gains = slacks(model, s, &v);
                let gains = model.choices(s).zip(gains).map(|(c, slack)| (slack, model.leaving[c]));
                let best = gains.min_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1))).unwrap();
                v[s] = (v[s] + best.0 / best.1).max(0.0);
                gap = gap.max(best.0.abs());
            }
            assert!((found - gap).abs() < 1e-5 * gap, "{found} {gap}");
            for (&k, x) in solver.order.iter().zip(&block.x) {
                assert!((x - v[k as usize]).abs() < 1e-12 * (1.0 + x.abs()));
            }
        });
    }
}
