//! The exact way: the least cost to the last digit.
//!
//! **What it does.** V* is the least expected cost to the goal over the *proper* policies, those
//! that reach it with probability one (the paper's definition; with zero costs a policy that loops
//! for free forever would be cheaper, and does not count). Graph search finds the states that have
//! none and collapses the components in which one can move for free. Policy iteration finds an
//! optimal policy. Two vectors that satisfy U >= c + PU under the policy and L <= c + PL for every
//! pair, checked with all roundings, prove the bounds.
//!
//! Up to expected times of about 1e12 what comes out is within a few units in the last place,
//! whatever was asked. Where arithmetic does not reach the precision, the bounds are the best that
//! could be certified (the upper one may be infinite), and still hold. Equally good actions: the
//! policy takes the lowest number.
//!
//! **Cost.** A dozen sparse eliminations: linear on lines and trees, S^1.5 on grids, S^3/3 each at
//! worst; Gauss-Seidel sweeps where that is too much.
//!
//! **Reference.** Section 3 of the paper for V*, B* and T*; Bertsekas and Tsitsiklis, An analysis
//! of stochastic shortest path problems (1991), for policy iteration; de Alfaro, Computing minimum
//! and maximum reachability times in probabilistic systems (1999), for free components.

pub(crate) mod flat;
mod optimum;

use super::bounds::below;
use super::model::{Choice, Model};
use super::policy::nearest_goal;
use super::values::tails;
use crate::numeric::linear::double::Double;
use crate::numeric::linear::system::System;
use crate::plan::answer::{Answer, Objective};
use crate::plan::graph::{Backwards, EndComponents, Partition, Region, ahead, expand, free_components};
use crate::problem::{Pair, Problem, State, Truth};
use flat::{Flat, spread};
use optimum::first_of_ties;
pub(super) use optimum::optimise;

/// The vectors that prove the bounds, with all their digits, per state.
pub(super) struct Vectors {
    lower: Vec<Double>,
    upper: Vec<Double>,
}

impl Vectors {
    /// What the bounds lack of the vectors that prove them.
    pub(super) fn tails(&self, answer: &Answer) -> (Vec<f64>, Vec<f64>) {
        (tails(&self.lower, &answer.lower), tails(&self.upper, &answer.upper))
    }
}

/// A policy of states, with bounds on its costs and its expected steps.
struct Run {
    policy: Vec<Option<Pair>>,
    proof: Vec<Double>,
    upper: Vec<f64>,
    steps: Vec<f64>,
}

/// A known model, ready for the exact way.
pub(super) struct Ready<'a> {
    problem: &'a Problem,
    truth: &'a Truth,
    region: Region,
    free: Option<EndComponents>,
    partition: Partition,
    quotient: Model,
}

impl<'a> Ready<'a> {
    pub(super) fn new(problem: &'a Problem, truth: &'a Truth) -> Ready<'a> {
        let region = Region::new(problem, &Backwards::new(problem, truth));
        let inside = (0..problem.states()).filter(|&s| region.inside[s] && s != problem.goal());
        let free = free_components(problem, truth, &region.usable);
        let partition = Partition::new(problem, inside, free.as_ref().map(|free| &free.class[..]));
        let quotient = Model::new(problem, truth, &region.usable, &partition);
        Ready { problem, truth, region, free, partition, quotient }
    }

    /// Whether the equations of a policy are eliminated in some milliseconds.
    pub(super) fn is_cheap(&self) -> bool {
        System::is_cheap(self.quotient.rows(&nearest_goal(&self.quotient)))
    }

    /// The least costs, to a relative precision if arithmetic reaches it, with Q and steps; and the
    /// vectors that prove them.
    pub(super) fn prove(&self, precision: f64) -> (Answer, Vectors) {
        let Ready { problem, truth, region, free, partition, quotient } = self;
        let (problem, truth) = (*problem, *truth);
        let inside = (0..problem.states()).filter(|&s| region.inside[s] && s != problem.goal());
        let optimum = optimise(quotient);
        let lower_proof = spread(partition, &below(quotient, &optimum));
        let lower: Vec<f64> = lower_proof.iter().map(|&l| Double::floor(l)).collect();

        let flat = Flat::new(problem, truth, region, inside);
        let inner = free.as_ref().map(|free| &free.inner[..]);
        let run = |policy: &[Choice]| {
            let policy = expand(problem, truth, inner, partition, |node| quotient.pair[policy[node]]);
            let (proof, steps) = flat.run(&policy);
            let upper = proof.iter().map(|&u| Double::ceil(u)).collect();
            Run { policy, proof, upper, steps }
        };
        let mut best = run(&first_of_ties(quotient, &optimum).unwrap_or_else(|| optimum.policy.clone()));
        if !within(&lower, &best.upper, precision) {
            // breaking the ties cost too much
            best = run(&optimum.policy);
        }
        let Run { policy, proof: upper_proof, upper, steps } = best;

        let value = |&k: &u32| optimum.x.get(k as usize).copied().unwrap_or_default();
        let x: Vec<Double> = partition.node_of.iter().map(value).collect();
        let between = |s: State| x[s].nearest().max(lower[s]).min(upper[s]);
        let v: Vec<f64> = (0..problem.states()).map(between).collect();
        let max_inside = |values: &[f64]| {
            (0..values.len()).filter(|&s| region.inside[s]).map(|s| values[s]).fold(0.0, f64::max)
        };
        let ahead = ahead(problem, truth);
        let action = |(s, p): (State, Option<Pair>)| p.map_or(0, |p| p - problem.pairs_of(s).start);
        let answer = Answer {
            objective: Objective::Min,
            start: problem.start(),
            q: flat.q(problem, &x, &v),
            b_star: max_inside(&v),
            t_star: max_inside(&steps),
            lost: (0..problem.states()).filter(|&s| !region.inside[s]).collect(),
            lost_ahead: (0..problem.states()).filter(|&s| ahead[s] && !region.inside[s]).collect(),
            policy: policy.into_iter().enumerate().map(action).collect(),
            reach_probability: f64::NAN,
            tails: None,
            lower,
            upper,
            v,
            steps,
        };
        (answer, Vectors { lower: lower_proof, upper: upper_proof })
    }
}

fn within(lower: &[f64], upper: &[f64], precision: f64) -> bool {
    let close = |(l, u): (&f64, &f64)| l == u || u - l <= precision * u.max(1e-300);
    lower.iter().zip(upper).all(close)
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
