//! The first policy of a block, rough values, and the order of its nodes: from the ways out inwards.

use super::model::{Choice, Model};
use crate::numeric::Grouped;
use std::ops::Range;

/// The arcs of larger blocks are not kept.
const SMALL: usize = 1 << 12;

/// A policy that leaves the block: every choice may lead to an earlier node, or out.
#[derive(Default)]
pub(super) struct Nearest {
    pub(super) policy: Vec<Choice>,
    /// What it would cost if each node stayed put until a node comes that is before it.
    pub(super) rough: Vec<f64>,
    /// The nodes from the ways out inwards: values spread in one sweep.
    pub(super) order: Vec<u32>,
    settled: Vec<bool>,
    into: Grouped<u32>,
}

impl Nearest {
    pub(super) fn find(&mut self, model: &Model, nodes: Range<usize>, values: &[f64]) {
        let (start, n) = (nodes.start, nodes.len());
        let local = |next: u32| Some((next as usize).wrapping_sub(start)).filter(|&j| j < n);
        let arcs = |s: usize| model.choices(s).flat_map(|c| model.arcs(c));
        self.into.sort(n, || {
            let all = nodes.clone().flat_map(|s| arcs(s).map(move |arc| (arc.0, (s - start) as u32)));
            all.filter_map(|(next, s)| local(next).map(|j| (j, s)))
        });
        let Nearest { policy, rough, order, settled, into } = self;
        settled.clear();
        settled.extend(nodes.clone().map(|s| arcs(s).any(|arc| local(arc.0).is_none())));
        order.clear();
        order.extend((0..n as u32).filter(|&k| settled[k as usize]));
        let mut at = 0;
        while at < order.len() {
            for &s in into.of(order[at] as usize) {
                if !std::mem::replace(&mut settled[s as usize], true) {
                    order.push(s);
                }
            }
            at += 1;
        }
        settled.fill(false);
        policy.clear();
        policy.resize(n, usize::MAX);
        rough.clear();
        rough.resize(n, 0.0);
        for k in order.iter().map(|&k| k as usize) {
            let mut best = f64::INFINITY;
            for choice in model.choices(start + k) {
                let (mut flow, mut weight) = (model.charge(choice), 0.0);
                for &(next, w) in model.arcs(choice) {
                    let value = match local(next) {
                        Some(j) if settled[j] => rough[j],
                        Some(_) => continue,
                        None => values[next as usize],
                    };
                    (flow, weight) = (flow + w * value, weight + w);
                }
                if weight > 0.0 && (flow / weight < best || policy[k] == usize::MAX) {
                    (best, policy[k]) = (flow / weight, choice);
                }
            }
            (settled[k], rough[k]) = (true, best.min(f64::MAX));
        }
        if n > SMALL {
            *into = Grouped::default();
        }
    }
}
