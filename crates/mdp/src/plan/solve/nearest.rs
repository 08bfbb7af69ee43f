//! The first policy of a block, rough values, and the order of its nodes: Dijkstra's algorithm from
//! the ways out inwards.

use super::model::{Choice, Model};
use crate::plan::graph::Incoming;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The arcs of larger blocks are not kept.
const SMALL: usize = 1 << 12;

/// A policy that leaves the block from everywhere: every choice may lead to a node that was settled
/// before.
#[derive(Default)]
pub(super) struct Nearest {
    /// Per node of the block.
    pub(super) policy: Vec<Choice>,
    /// What it would cost if each node stayed put until the arc that it waits for is taken: an arc
    /// of weight w costs charge/w.
    pub(super) rough: Vec<f64>,
    /// The nodes in ascending order of that: values spread inwards in one sweep.
    pub(super) order: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    settled: Vec<bool>,
    into: Incoming<(u32, u32, f32)>,
}

impl Nearest {
    /// Some nodes of a model, given the values of those before.
    pub(super) fn find(&mut self, model: &Model, nodes: Range<usize>, values: &[f64]) {
        let (start, n) = (nodes.start, nodes.len());
        let all = || nodes.clone().flat_map(|s| model.choices(s).map(move |choice| (s - start, choice)));
        let arcs =
            || all().flat_map(|(s, c)| model.arcs(c).iter().map(move |&(next, w)| (s, c, next as usize, w)));
        let local = |next: usize| Some(next.wrapping_sub(start)).filter(|&j| j < n);
        // per arc within the block: where it begins, its choice, and its weight, roughly
        let mut into = std::mem::take(&mut self.into);
        into.sort(n, || {
            arcs().filter_map(|(s, choice, next, w)| {
                local(next).map(|j| (j, (s as u32, choice as u32, (w as f32).max(f32::MIN_POSITIVE))))
            })
        });
        self.settled.clear();
        self.settled.resize(n, false);
        self.policy.clear();
        self.policy.resize(n, usize::MAX);
        self.rough.clear();
        self.rough.resize(n, f64::INFINITY);
        self.order.clear();
        arcs().filter(|arc| local(arc.2).is_none()).for_each(|(s, choice, next, w)| {
            self.offer(s, choice, model.charge(choice) / w + values[next]);
        });
        while let Some(Reverse((_, j))) = self.heap.pop() {
            let node = j as usize;
            if std::mem::replace(&mut self.settled[node], true) {
                continue;
            }
            self.order.push(j);
            for &(s, choice, w) in into.of(node) {
                if !self.settled[s as usize] {
                    let price = model.charge(choice as Choice) / f64::from(w) + self.rough[node];
                    self.offer(s as usize, choice as Choice, price);
                }
            }
        }
        if n <= SMALL {
            self.into = into;
        }
    }

    /// A way for a node, if it is the cheapest so far.
    fn offer(&mut self, s: usize, choice: Choice, price: f64) {
        let price = price.min(f64::MAX);
        if price < self.rough[s] {
            (self.rough[s], self.policy[s]) = (price, choice);
            // non-negative f64 are ordered as their bits are
            self.heap.push(Reverse((price.to_bits(), s as u32)));
        }
    }
}
