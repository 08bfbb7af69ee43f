//! The last resort: value iteration from zero. It proves a lower bound at any time, and an upper one
//! as soon as no equation lacks more than half of what its step costs.

use super::{First, REDUCE_ARCS, Solver};
use crate::numeric::gauge;
use crate::plan::solve::bounds;
use crate::plan::solve::model::Choice;
use crate::plan::solve::sense::Sense;

/// Arcs that are looked at, over all sweeps, before what is proven has to do.
const WORK: f64 = 2e10;
/// Sweeps between two looks at what can be proven.
const LOOK: usize = 64;
/// What equations may lack, relative to the precision: scaling proves twice that, on each side.
const ENOUGH: f64 = 0.1;
/// By how much lower bounds are scaled, so that roundings do not count.
const ROUNDINGS: f64 = 1e-10;

impl Solver<'_> {
    /// Bounds for a block by value iteration from zero, from the ways out inwards.
    pub(super) fn by_sweeps(&mut self, start: usize, end: usize) {
        let near = self.nearest_exit(start, end);
        let arcs = self.arcs(start, end);
        // what is smaller is left to arithmetic with more digits
        if arcs <= REDUCE_ARCS && self.begin != First::Sweeps {
            return self.nothing(start, &near.policy);
        }
        let most = (WORK / arcs.max(1) as f64) as usize;
        let enough = ENOUGH * self.precision;
        self.values.x[start..end].fill(0.0);
        for sweep in 1..=most.max(1) {
            let lacks = near.order.iter().map(|&k| self.back_up(start + k as usize)).fold(0.0, f64::max);
            if sweep % LOOK == 0 {
                gauge::lacks(lacks, enough);
            }
            // what is not a number is not small either
            if lacks <= enough || lacks.is_nan() {
                break;
            }
        }
        let proper = self.sense == Sense::Greatest || self.leaves_as_chosen(start, end);
        if proper && self.scaled(start, end, 1.0) {
            return;
        }
        self.values.wide = true;
        if proper && self.scaled(start, end, 1.0 / self.precision) {
            return;
        }
        for s in start..end {
            self.values.lower[s] = (1.0 - ROUNDINGS) * self.values.x[s];
            self.values.upper[s] = f64::INFINITY;
        }
        if !bounds::lower_hold(self.proof(), &self.values, start..end) {
            self.nothing(start, &near.policy);
        }
    }

    /// Bounds that always hold.
    fn nothing(&mut self, start: usize, policy: &[Choice]) {
        self.values.wide = true;
        for (s, &choice) in (start..).zip(policy) {
            self.values.lower[s] = 0.0;
            self.values.upper[s] = f64::INFINITY;
            self.values.policy[s] = choice as u32;
        }
    }

    /// Whether the block's policy as it stands leaves it from everywhere.
    pub(super) fn leaves_as_chosen(&self, start: usize, end: usize) -> bool {
        let policy: Vec<usize> = self.values.policy[start..end].iter().map(|&c| c as usize).collect();
        self.leaves(start, &policy)
    }

    /// S (c + Pv - v) of a choice, by the values at hand.
    pub(super) fn slack(&self, s: usize, choice: Choice) -> f64 {
        let (own, x) = (self.values.x[s], &self.values.x);
        let fall: f64 = self.model.arcs(choice).iter().map(|&(j, w)| w * (own - x[j as usize])).sum();
        self.model.charge(choice) - fall
    }

    /// One node takes its best choice and the value that belongs to it: what that gained, relative
    /// to the cost of a step.
    fn back_up(&mut self, s: usize) -> f64 {
        let (sigma, own) = (self.sense.sigma(), self.values.x[s]);
        let (mut best, mut to) = (f64::INFINITY, self.values.policy[s] as usize);
        for choice in self.model.choices(s) {
            let gain = sigma * self.slack(s, choice) / self.model.leaving[choice];
            if gain < best {
                (best, to) = (gain, choice);
            }
        }
        self.values.policy[s] = to as u32;
        // from zero values only rise
        self.values.x[s] = own.max(own + sigma * best);
        match self.model.charge(to) {
            charge if charge > 0.0 => best.abs() * self.model.leaving[to] / charge,
            _ => best.abs() / self.values.x[s].max(f64::MIN_POSITIVE),
        }
    }
}
