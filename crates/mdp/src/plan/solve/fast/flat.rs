//! Value iteration on a block, on a copy of it that lies as it is swept: nodes from the ways out
//! inwards, every weight divided by what leaves its node.

use crate::numeric::Portable;
use std::ops::Range;

/// So many sweeps at most, as long as they promise to end by then.
const SWEEPS: usize = 200;
/// Sweeps between two looks at how fast it gets on.
const LOOK: usize = 20;
/// The first so many look at all choices, then one in so many.
const FIRST_SWEEPS: usize = 4;
const BETWEEN: usize = 5;
/// Sweeps from one extrapolation to the next.
const APART: usize = 2;
/// Changes are the same if the square of the cosine between them exceeds this.
const SAME: f64 = 0.999;
/// A factor above this is not extrapolated.
const STEADY: f64 = 0.995;

/// How value iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swept {
    /// Nothing moves by more than was asked for.
    Settled,
    /// It would take too long.
    Slow,
}

/// Where a copy comes from: choices by their numbers, nodes by theirs.
pub(super) trait Source {
    fn choices(&self, node: usize) -> Range<usize>;
    /// The arcs of a choice to other nodes.
    fn arcs(&self, choice: usize) -> impl Iterator<Item = (u32, f64)>;
    /// What a choice pays and brings from outside.
    fn inflow(&self, choice: usize) -> f64;
    /// The weight that leaves its node.
    fn leaving(&self, choice: usize) -> f64;
    /// What it pays.
    fn charge(&self, choice: usize) -> f64;
}

/// A block: v(i) = min over its choices of b + sum of w v(j).
pub(super) struct Flat {
    /// Where the choices of each node begin; one more at the end. The same for arcs.
    choices: Vec<u32>,
    arcs: Vec<u32>,
    /// The places of the next nodes, and the weights.
    next: Vec<u32>,
    weight: Vec<f64>,
    b: Vec<f64>,
    /// What a step costs, in these units; 0 where nothing.
    cost: Vec<f64>,
    /// The number of each choice in the block.
    name: Vec<u32>,
    sigma: f64,
    /// The choice that each node took last, and its value.
    taken: Vec<u32>,
    x: Vec<f64>,
}

impl Flat {
    /// Nodes in some order, with a policy and values, per node.
    pub(super) fn new(source: &impl Source, sigma: f64, order: &[u32], policy: &[u32], x: &[f64]) -> Flat {
        let mut place = vec![0u32; policy.len()];
        order.iter().enumerate().for_each(|(at, &s)| place[s as usize] = at as u32);
        let all = || order.iter().flat_map(|&s| source.choices(s as usize));
        let (count, arcs) = (all().count(), all().map(|choice| source.arcs(choice).count()).sum());
        let mut flat = Flat {
            choices: Vec::with_capacity(order.len() + 1),
            arcs: Vec::with_capacity(count + 1),
            next: Vec::with_capacity(arcs),
            weight: Vec::with_capacity(arcs),
            b: Vec::with_capacity(count),
            cost: Vec::with_capacity(count),
            name: Vec::with_capacity(count),
            sigma,
            taken: Vec::with_capacity(order.len()),
            x: order.iter().map(|&s| x[s as usize]).collect(),
        };
        flat.choices.push(0);
        flat.arcs.push(0);
        for &s in order {
            for choice in source.choices(s as usize) {
                if choice as u32 == policy[s as usize] {
                    flat.taken.push(flat.name.len() as u32);
                }
                let leaving = source.leaving(choice);
                flat.name.push(choice as u32);
                flat.b.push(source.inflow(choice) / leaving);
                flat.cost.push(source.charge(choice) / leaving);
                for (j, w) in source.arcs(choice) {
                    flat.next.push(place[j as usize]);
                    flat.weight.push(w / leaving);
                }
                flat.arcs.push(flat.next.len() as u32);
            }
            flat.choices.push(flat.name.len() as u32);
        }
        flat
    }

    /// The policy and the values as they stand.
    pub(super) fn tell(&self, order: &[u32], policy: &mut [u32], x: &mut [f64]) {
        for (i, &s) in order.iter().enumerate() {
            policy[s as usize] = self.name[self.taken[i] as usize];
            x[s as usize] = self.x[i];
        }
    }

    #[inline]
    fn value(&self, choice: usize) -> f64 {
        let arcs = self.arcs[choice] as usize..self.arcs[choice + 1] as usize;
        let arcs = self.next[arcs.clone()].iter().zip(&self.weight[arcs]);
        arcs.fold(self.b[choice], |sum, (&j, w)| sum + w * self.x[j as usize])
    }

    /// The value of a node's best choice, which it takes.
    #[inline]
    fn improve(&mut self, i: usize) -> f64 {
        let mut best = f64::INFINITY;
        for choice in self.choices[i]..self.choices[i + 1] {
            let value = self.sigma * self.value(choice as usize);
            if value < best {
                (best, self.taken[i]) = (value, choice);
            }
        }
        self.sigma * best
    }

    /// Gauss-Seidel value iteration until no equation lacks more than a share of what its step costs,
    /// which is what scaling can prove; where a step costs nothing, until no value moves by more
    /// than a fiftieth of that share of itself. Most sweeps look at the choices taken last alone.
    /// Where all values go on in the same way, by the same factor from sweep to sweep, they are taken
    /// to where that leads (Aitken).
    pub(super) fn sweep(&mut self, goal: f64) -> Swept {
        let n = self.x.len();
        let (mut before, mut settled) = (f64::INFINITY, false);
        let (mut gains, mut since) = (vec![0.0; n], 0);
        for sweep in 1..=SWEEPS {
            let all = sweep <= FIRST_SWEEPS || sweep % BETWEEN == 0 || settled;
            let (mut change, mut trend) = (0.0f64, Trend::default());
            for i in 0..n {
                let value = if all { self.improve(i) } else { self.value(self.taken[i] as usize) };
                let gain = value - self.x[i];
                self.x[i] = value;
                trend.note(gains[i], gain);
                gains[i] = gain;
                let lacks = match self.cost[self.taken[i] as usize] {
                    cost if cost > 0.0 => gain / cost,
                    _ => 50.0 * gain / value.abs().max(f64::MIN_POSITIVE),
                };
                change = change.max(lacks.abs());
            }
            settled = change <= goal;
            if settled && all {
                return Swept::Settled;
            }
            since += 1;
            if since > APART
                && let Some(ahead) = trend.ahead()
            {
                self.x.iter_mut().zip(&gains).for_each(|(x, gain)| *x = (*x + ahead * gain).max(0.0));
                since = 0;
            }
            if sweep % LOOK == 0 {
                // the first sweeps still spread values: they say nothing
                let left = (goal / change).log_e() / (change / before).log_e() * LOOK as f64;
                if sweep > LOOK && (change >= before || left > (SWEEPS - sweep) as f64) {
                    return Swept::Slow;
                }
                before = change;
            }
        }
        Swept::Slow
    }
}

/// How the changes of two sweeps go together.
#[derive(Clone, Copy, Debug, Default)]
struct Trend {
    /// The sums of their products and of their squares.
    along: f64,
    before: f64,
    now: f64,
}

impl Trend {
    #[inline]
    fn note(&mut self, before: f64, now: f64) {
        self.along += before * now;
        self.before += before * before;
        self.now += now * now;
    }

    /// How many times the last change is still to come, if all goes on in the same way.
    fn ahead(self) -> Option<f64> {
        let rate = self.along / self.before;
        let same = self.along * self.along > SAME * self.before * self.now;
        (same && (0.0..STEADY).contains(&rate)).then(|| rate / (1.0 - rate))
    }
}
