//! A first policy for a block, and rough values: Dijkstra's algorithm from the ways out inwards,
//! and value iteration.

use super::Solver;
use crate::plan::solve::model::Choice;
use crate::plan::solve::sense::Sense;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Sweeps of value iteration where the first policy cannot be evaluated.
const SWEEPS: usize = 1000;
/// They end when no value moves by more than this part of itself.
const SETTLED: f64 = 1e-9;

/// A policy that leaves the block from everywhere.
pub(super) struct Nearest {
    /// Per node of the block.
    pub(super) policy: Vec<Choice>,
    /// What it would cost if each node stayed put until the arc that it waits for is taken.
    pub(super) rough: Vec<f64>,
    /// The nodes in ascending order of that: values spread inwards in one sweep.
    pub(super) order: Vec<u32>,
}

impl Nearest {
    /// A way for a node, if it is the cheapest so far.
    fn offer(&mut self, heap: &mut BinaryHeap<Reverse<(u64, u32)>>, s: usize, choice: Choice, price: f64) {
        let price = price.min(f64::MAX);
        if price < self.rough[s] {
            (self.rough[s], self.policy[s]) = (price, choice);
            // non-negative f64 are ordered as their bits are
            heap.push(Reverse((price.to_bits(), s as u32)));
        }
    }
}

impl Solver<'_> {
    /// Dijkstra's algorithm backwards from the ways out. An arc of weight w costs charge/w. Every
    /// choice may lead to a node that was settled before, so that the policy leaves from
    /// everywhere.
    pub(super) fn nearest_exit(&self, start: usize, end: usize) -> Nearest {
        let (model, n) = (self.model, end - start);
        let all = || (start..end).flat_map(|s| model.choices(s).map(move |choice| (s - start, choice)));
        let local = |next: u32| Some((next as usize).wrapping_sub(start)).filter(|&j| j < n);
        let mut first = vec![0usize; n + 2];
        for (_, choice) in all() {
            model.arcs(choice).iter().filter_map(|e| local(e.0)).for_each(|j| first[j + 2] += 1);
        }
        (2..n + 2).for_each(|j| first[j] += first[j - 1]);
        // per arc within the block, ordered by its end: where it begins, its choice, and its
        // weight, roughly
        let mut into = vec![(0u32, 0u32, 0f32); first[n + 1]];
        let mut near = Nearest {
            policy: vec![usize::MAX; n],
            rough: vec![f64::INFINITY; n],
            order: Vec::with_capacity(n),
        };
        let mut settled = vec![false; n];
        let mut heap = BinaryHeap::new();
        for (s, choice) in all() {
            for &(next, w) in model.arcs(choice) {
                match local(next) {
                    Some(j) => {
                        into[first[j + 1]] = (s as u32, choice as u32, (w as f32).max(f32::MIN_POSITIVE));
                        first[j + 1] += 1;
                    }
                    None => near.offer(
                        &mut heap,
                        s,
                        choice,
                        model.charge(choice) / w + self.values.x[next as usize],
                    ),
                }
            }
        }
        while let Some(Reverse((_, j))) = heap.pop() {
            let node = j as usize;
            if std::mem::replace(&mut settled[node], true) {
                continue;
            }
            near.order.push(j);
            for &(s, choice, w) in &into[first[node]..first[node + 1]] {
                if !settled[s as usize] {
                    let price = model.charge(choice as Choice) / f64::from(w) + near.rough[node];
                    near.offer(&mut heap, s as usize, choice as Choice, price);
                }
            }
        }
        near
    }

    /// Gauss-Seidel value iteration from the rough values: the greedy policy, if it leaves, and its
    /// values.
    pub(super) fn swept(&self, start: usize, end: usize, near: Nearest) -> (Vec<Choice>, Vec<f64>) {
        let (model, sigma) = (self.model, self.sense.sigma());
        let Nearest { policy: first, rough: mut x, order } = near;
        let mut policy = first.clone();
        for _ in 0..SWEEPS {
            let mut change = 0.0f64;
            for &k in &order {
                let k = k as usize;
                let (own, mut best) = (x[k], f64::INFINITY);
                for choice in model.choices(start + k) {
                    let mut fall = 0.0;
                    for &(next, w) in model.arcs(choice) {
                        let next = next as usize;
                        let inside = (start..end).contains(&next);
                        fall += w * (own - if inside { x[next - start] } else { self.values.x[next] });
                    }
                    let gain = sigma * (model.charge(choice) - fall) / model.leaving[choice];
                    if gain < best {
                        (best, policy[k]) = (gain, choice);
                    }
                }
                x[k] = (own + sigma * best).max(0.0);
                change = change.max(best.abs() / x[k].max(f64::MIN_POSITIVE));
            }
            if change.is_nan() || change <= SETTLED {
                break;
            }
        }
        if self.sense == Sense::Greatest || self.leaves(start, &policy) { (policy, x) } else { (first, x) }
    }
}
