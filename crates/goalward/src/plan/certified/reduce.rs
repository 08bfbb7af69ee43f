//! Elimination of nodes within one strongly connected block.
//!
//! A node with a single choice has x = (b + sum of w x')/leaving, whatever the policy: it is put into the rows of all
//! choices that lead to it, once. What is left are the nodes with a decision, over rows that skip the others. A policy's
//! equations are the same thing with one choice per node. As everywhere in planning, a diagonal is the *sum* of the
//! weights that leave (Grassmann, Taksar and Heyman): for b >= 0 nothing is ever subtracted.

use super::super::dense::Dense;
use super::super::model::Model;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes with a single choice are put into other rows up to this many new entries; beyond, they stay.
const PRICE: usize = 64;
/// Once the rest is this small and mostly filled in, it is eliminated as a dense matrix.
const DENSE_NODES: usize = 1500;

/// How the elimination of a policy's nodes ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Elimination {
    /// The equations can be solved.
    Done,
    /// From some nodes the policy cannot leave.
    Improper,
    /// It would take too long.
    TooMuch,
}

/// One eliminated node.
struct Step {
    node: u32,
    choice: u32,
    leaving: f64,
    from_end: usize,
    to_end: usize,
}

/// Choices over local nodes, some of which have been eliminated.
#[derive(Default)]
pub(super) struct Reduction {
    nodes: usize,
    /// Per node, its first choice; one more at the end.
    pub(super) first: Vec<u32>,
    /// Per choice, its node.
    home: Vec<u32>,
    /// Per choice, the weights to other live nodes of the block.
    pub(super) rows: Vec<Vec<(u32, f64)>>,
    /// Per choice, the weight that leaves the block.
    pub(super) out: Vec<f64>,
    /// Per node, the choices that lead to it.
    into: Vec<Vec<u32>>,
    steps: Vec<Step>,
    from: Vec<(u32, f64)>,
    to: Vec<(u32, f64)>,
    /// The nodes that are left.
    pub(super) rest: Vec<u32>,
    live: Vec<bool>,
    /// Per node, its place in the row at hand plus one.
    place: Vec<u32>,
    queue: Queue,
    dense: Dense,
}

/// Nodes by price: cheap ones in buckets, the others in a heap. Prices may be out of date.
#[derive(Default)]
struct Queue {
    buckets: Vec<Vec<u32>>,
    lowest: usize,
    heap: BinaryHeap<Reverse<(usize, u32)>>,
}

impl Queue {
    fn clear(&mut self) {
        self.buckets.resize_with(PRICE, Vec::new);
        self.buckets.iter_mut().for_each(Vec::clear);
        self.heap.clear();
        self.lowest = PRICE;
    }

    fn push(&mut self, price: usize, node: u32) {
        match self.buckets.get_mut(price) {
            Some(bucket) => {
                bucket.push(node);
                self.lowest = self.lowest.min(price);
            }
            None => self.heap.push(Reverse((price, node))),
        }
    }

    fn pop(&mut self) -> Option<(usize, u32)> {
        while self.lowest < PRICE {
            if let Some(node) = self.buckets[self.lowest].pop() {
                return Some((self.lowest, node));
            }
            self.lowest += 1;
        }
        self.heap.pop().map(|Reverse(entry)| entry)
    }
}

impl Reduction {
    fn reset(&mut self, nodes: usize, choices: usize) {
        self.nodes = nodes;
        let grow = |lists: &mut Vec<Vec<(u32, f64)>>, n: usize| {
            lists.iter_mut().take(n).for_each(Vec::clear);
            lists.resize_with(n.max(lists.len()), Vec::new);
        };
        grow(&mut self.rows, choices);
        self.into.iter_mut().take(nodes).for_each(Vec::clear);
        self.into.resize_with(nodes.max(self.into.len()), Vec::new);
        self.out.clear();
        self.out.resize(choices, 0.0);
        self.first.clear();
        self.home.clear();
        self.steps.clear();
        self.from.clear();
        self.to.clear();
        self.rest.clear();
        self.place.clear();
        self.place.resize(nodes, 0);
        self.live.clear();
        self.live.resize(nodes, true);
    }

    /// The choices of the nodes `start..end` of a model.
    pub(super) fn load(&mut self, model: &Model, start: usize, end: usize) {
        let first = model.choices(start).start;
        self.reset(end - start, model.choices(end - 1).end - first);
        for node in start..end {
            let choices = model.choices(node);
            self.first.push((choices.start - first) as u32);
            for choice in choices {
                self.home.push((node - start) as u32);
                let (c, row) = (choice - first, &mut self.rows[choice - first]);
                for &(next, w) in model.arcs(choice) {
                    let j = (next as usize).wrapping_sub(start);
                    if j >= end - start {
                        self.out[c] += w;
                    } else if self.place[j] > 0 {
                        row[self.place[j] as usize - 1].1 += w;
                    } else {
                        row.push((j as u32, w));
                        self.place[j] = row.len() as u32;
                        self.into[j].push(c as u32);
                    }
                }
                row.iter().for_each(|e| self.place[e.0 as usize] = 0);
            }
        }
        self.first.push(self.home.len() as u32);
    }

    /// What a policy makes of the rest of another reduction: one choice per node.
    pub(super) fn load_policy(&mut self, other: &Reduction, policy: &[u32]) {
        let n = other.rest.len();
        self.reset(n, n);
        // places in the rest; `place` is all zero between uses
        let mut local = vec![0u32; other.nodes];
        other.rest.iter().enumerate().for_each(|(i, &node)| local[node as usize] = i as u32);
        for (i, &node) in other.rest.iter().enumerate() {
            let choice = policy[node as usize] as usize;
            self.first.push(i as u32);
            self.home.push(i as u32);
            self.out[i] = other.out[choice];
            self.rows[i].extend(other.rows[choice].iter().map(|&(j, w)| (local[j as usize], w)));
            other.rows[choice].iter().for_each(|e| self.into[local[e.0 as usize] as usize].push(i as u32));
        }
        self.first.push(n as u32);
    }

    /// The choices of a node.
    pub(super) fn choices(&self, node: usize) -> std::ops::Range<usize> {
        self.first[node] as usize..self.first[node + 1] as usize
    }

    /// The choices of live nodes that lead to a node, with their nodes.
    pub(super) fn leading_to(&self, node: usize) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.into[node].iter().map(|&choice| (choice, self.home[choice as usize] as usize))
    }

    /// The weight that leaves a choice's node.
    pub(super) fn leaving(&self, choice: usize) -> f64 {
        self.out[choice] + self.rows[choice].iter().map(|e| e.1).sum::<f64>()
    }

    fn price(&self, node: usize) -> usize {
        self.into[node].len() * self.rows[self.first[node] as usize].len()
    }

    /// Eliminates the nodes that have one choice and cost little. `false`: something cannot leave.
    pub(super) fn eliminate_forced(&mut self) -> bool {
        let fine = self.eliminate(PRICE, f64::INFINITY);
        self.rest = (0..self.nodes as u32).filter(|&k| self.live[k as usize]).collect();
        fine.is_some()
    }

    /// Eliminates all nodes, each of which has one choice, by at most so many multiplications.
    pub(super) fn eliminate_all(&mut self, work: f64) -> Elimination {
        match self.eliminate(usize::MAX, work) {
            None => return Elimination::Improper,
            Some(false) => return Elimination::TooMuch,
            Some(true) => {}
        }
        self.rest = (0..self.nodes as u32).filter(|&k| self.live[k as usize]).collect();
        if (self.rest.len() as f64).powi(3) / 3.0 > work {
            return Elimination::TooMuch;
        }
        let mut dense = std::mem::take(&mut self.dense);
        let choice = |k: u32| self.first[k as usize] as usize;
        let out = self.rest.iter().map(|&k| self.out[choice(k)]).collect();
        let fine = dense.factor(self.nodes, &self.rest, out, |k| &self.rows[choice(k)]);
        self.dense = dense;
        if fine { Elimination::Done } else { Elimination::Improper }
    }

    /// `None`: something cannot leave. `Some(false)`: too much work.
    fn eliminate(&mut self, cap: usize, work: f64) -> Option<bool> {
        self.queue.clear();
        for k in 0..self.nodes {
            if self.choices(k).len() == 1 {
                let price = self.price(k);
                self.queue.push(price, k as u32);
            }
        }
        let (mut left, mut spent) = (self.nodes, 0.0);
        while let Some((at_price, k)) = self.queue.pop() {
            let node = k as usize;
            if !self.live[node] || self.price(node) != at_price {
                continue;
            }
            if at_price >= cap || (cap == usize::MAX && left <= DENSE_NODES && 4 * at_price > left * left) {
                break;
            }
            spent += 3.0 * at_price as f64;
            if spent > work {
                return Some(false);
            }
            self.eliminate_node(node)?;
            left -= 1;
        }
        Some(true)
    }

    fn eliminate_node(&mut self, node: usize) -> Option<()> {
        let choice = self.first[node] as usize;
        let leaving = self.leaving(choice);
        if leaving.is_nan() || leaving <= 0.0 {
            return None;
        }
        self.live[node] = false;
        let own = std::mem::take(&mut self.rows[choice]);
        let out = self.out[choice];
        for &(j, _) in &own {
            let into = &mut self.into[j as usize];
            let at = into.iter().position(|&c| c as usize == choice).expect("the two lists agree");
            into.swap_remove(at);
        }
        let into = std::mem::take(&mut self.into[node]);
        for &c in &into {
            let (row, home) = (&mut self.rows[c as usize], self.home[c as usize]);
            let at = row.iter().position(|e| e.0 as usize == node).expect("the two lists agree");
            let factor = row.swap_remove(at).1 / leaving;
            self.out[c as usize] += factor * out;
            self.from.push((c, factor));
            if let [(j, w)] = own[..] {
                // by far the most common case
                if j != home {
                    match row.iter_mut().find(|e| e.0 == j) {
                        Some(entry) => entry.1 += factor * w,
                        None => {
                            row.push((j, factor * w));
                            self.into[j as usize].push(c);
                        }
                    }
                }
                continue;
            }
            row.iter().enumerate().for_each(|(i, e)| self.place[e.0 as usize] = i as u32 + 1);
            for &(j, w) in own.iter().filter(|e| e.0 != home) {
                match self.place[j as usize] {
                    0 => {
                        row.push((j, factor * w));
                        self.into[j as usize].push(c);
                    }
                    at => row[at as usize - 1].1 += factor * w,
                }
            }
            row.iter().for_each(|e| self.place[e.0 as usize] = 0);
        }
        for j in own.iter().map(|e| e.0).chain(into.iter().map(|&c| self.home[c as usize])) {
            if self.choices(j as usize).len() == 1 {
                let price = self.price(j as usize);
                self.queue.push(price, j);
            }
        }
        self.to.extend_from_slice(&own);
        let (from_end, to_end) = (self.from.len(), self.to.len());
        self.steps.push(Step { node: node as u32, choice: choice as u32, leaving, from_end, to_end });
        // the lists keep their memory for the next block
        let mut own = own;
        own.clear();
        self.rows[choice] = own;
        let mut into = into;
        into.clear();
        self.into[node] = into;
        Some(())
    }

    /// Right-hand sides, one per choice, as the elimination changes them.
    pub(super) fn forward(&self, b: &mut [f64]) {
        let mut at = 0;
        for step in &self.steps {
            let own = b[step.choice as usize];
            if own != 0.0 {
                self.from[at..step.from_end].iter().for_each(|&(c, f)| b[c as usize] += f * own);
            }
            at = step.from_end;
        }
    }

    /// The eliminated nodes' values from those of the rest.
    pub(super) fn backward(&self, b: &[f64], x: &mut [f64]) {
        let mut end = self.to.len();
        for (i, step) in self.steps.iter().enumerate().rev() {
            let start = if i == 0 { 0 } else { self.steps[i - 1].to_end };
            let inflow: f64 = self.to[start..end].iter().map(|&(j, w)| w * x[j as usize]).sum();
            x[step.node as usize] = (b[step.choice as usize] + inflow) / step.leaving;
            end = start;
        }
    }

    /// The solution of a policy's equations; `b` is spent. Only after [`Self::eliminate_all`].
    pub(super) fn solve(&self, b: &mut [f64], x: &mut [f64]) {
        self.forward(b);
        let y = self.dense.solve(&self.rest, b);
        self.rest.iter().zip(&y).for_each(|(&k, &y)| x[k as usize] = y);
        self.backward(b, x);
    }
}
