//! Policy iteration on a [`Model`], evaluated to about 30 digits.
//!
//! A first proper policy comes from Dijkstra's algorithm, a few sweeps of value iteration improve it cheaply, policy
//! iteration finishes. Since a free end component is one node ([`Partition`](super::graph::Partition)), a policy that is
//! not proper costs infinitely much somewhere, and policy iteration started from a proper policy stays among them; it
//! is checked all the same, since arithmetic is finite.

use super::certify;
use super::double::Double;
use super::evaluate::Evaluator;
use super::model::{Choice, Model};
use super::sense::Sense;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Policy iteration stops after so many improvements (it needs a dozen); the certificate does not depend on it.
const IMPROVEMENTS: usize = 300;
/// Sweeps of value iteration before the first improvement.
const SWEEPS: usize = 100;
/// An improvement counts if it exceeds this part of the value: above the noise of a 30-digit evaluation over long
/// times, far below all that a certificate in f64 can show.
const NOISE: f64 = 1e-22;

/// A proper policy and its values.
pub(super) struct Evaluated {
    /// The choice of each node.
    pub(super) policy: Vec<Choice>,
    pub(super) evaluator: Evaluator,
    /// Its values, the goal's 0 at the end.
    pub(super) x: Vec<Double>,
    /// The relative size of the last correction: the order of the error of `x`.
    pub(super) accuracy: f64,
}

impl Evaluated {
    /// Solves in f64, then refines: the residual in 30 digits, its correction in f64.
    pub(super) fn new(model: &Model, policy: Vec<Choice>) -> Evaluated {
        let evaluator = Evaluator::new(model, &policy);
        let mut x = vec![Double::ZERO; model.nodes + 1];
        let (mut accuracy, mut rounds) = (f64::INFINITY, 0);
        loop {
            let residual = (0..model.nodes).map(|s| model.slack(s, policy[s], &x).value.nearest());
            let correction = evaluator.solve(residual.collect());
            let relative = |(d, x): (&f64, &Double)| match x.nearest() {
                0.0 if *d == 0.0 => 0.0,
                x => (d / x).abs(),
            };
            let size = correction.iter().zip(&x).map(relative).fold(0.0, f64::max);
            // the first correction is the f64 solution itself, infinite relative to x = 0
            if rounds > 1 && (size.is_nan() || size > 0.5 * accuracy) {
                break;
            }
            x.iter_mut().zip(&correction).for_each(|(x, &d)| *x = *x + d.into());
            (accuracy, rounds) = (size, rounds + 1);
            if accuracy < 1e-29 || rounds == 12 {
                break;
            }
        }
        Evaluated { policy, evaluator, x, accuracy }
    }
}

/// An optimal policy up to the accuracy of its evaluation.
pub(super) fn optimise(model: &Model) -> Evaluated {
    let mut current = Evaluated::new(model, swept(model, nearest_goal(model)));
    if current.accuracy.is_nan() || current.accuracy > 1e-6 {
        // so bad a policy that f64 cannot hold its values (a drift away from the goal, say): start from below instead
        let policy = greedy(model, &certify::below_by_sweeps(model));
        if model.reaches_goal(&policy).iter().all(|&r| r) {
            let other = Evaluated::new(model, policy);
            if other.accuracy < current.accuracy || current.accuracy.is_nan() {
                current = other;
            }
        }
    }
    improved(model, Sense::Least, current)
}

/// Policy iteration from a policy that is proper, as long as it gains and stays among such policies.
pub(super) fn improved(model: &Model, sense: Sense, mut current: Evaluated) -> Evaluated {
    for _ in 0..IMPROVEMENTS {
        let noise = NOISE.max(100.0 * current.accuracy);
        let mut policy = current.policy.clone();
        for s in 0..model.nodes {
            let mut best = -noise * current.x[s].nearest();
            for choice in model.choices(s) {
                let slack = model.slack(s, choice, &current.x).value.nearest();
                let gain = sense.sigma() * slack / model.leaving[choice];
                if gain < best {
                    (best, policy[s]) = (gain, choice);
                }
            }
        }
        if policy == current.policy || !model.reaches_goal(&policy).iter().all(|&r| r) {
            break;
        }
        current = Evaluated::new(model, policy);
    }
    current
}

/// The optimal policy with ties broken by the lowest action: in each node the first choice within 1e-12 of the best,
/// relative to the value. `None` if that is the policy itself.
///
/// Nodes from which that would not reach the goal keep their own choice. The outcome is proper: those nodes, following
/// the proper policy, reach either the goal or a node from which the first choices reach the goal without coming back.
pub(super) fn first_of_ties(model: &Model, optimum: &Evaluated) -> Option<Vec<Choice>> {
    let first = |s: usize| {
        let tied = |&choice: &Choice| {
            let excess = model.slack(s, choice, &optimum.x).value.nearest() / model.total[choice];
            excess <= 1e-12 * optimum.x[s].nearest()
        };
        model.choices(s).find(tied).unwrap_or(optimum.policy[s])
    };
    let mut policy: Vec<Choice> = (0..model.nodes).map(first).collect();
    for (s, reaches) in model.reaches_goal(&policy).into_iter().enumerate() {
        if !reaches {
            policy[s] = optimum.policy[s];
        }
    }
    (policy != optimum.policy).then_some(policy)
}

/// Dijkstra's algorithm backwards from the goal, where an arc costs what it takes on average if one stays put until it
/// is taken. Every choice may lead to a node that was settled before, so the policy is proper.
pub(super) fn nearest_goal(model: &Model) -> Vec<Choice> {
    let mut into: Vec<Vec<(usize, Choice, f64)>> = vec![Vec::new(); model.nodes + 1];
    for s in 0..model.nodes {
        for choice in model.choices(s) {
            for &(next, w) in model.arcs(choice) {
                into[next as usize].push((s, choice, model.charge(choice) / w));
            }
        }
    }
    let mut policy = vec![0; model.nodes];
    let mut settled = vec![false; model.nodes + 1];
    // non-negative f64 are ordered as their bits are
    let mut heap = BinaryHeap::from([Reverse((0u64, model.nodes, 0))]);
    while let Some(Reverse((bits, node, choice))) = heap.pop() {
        if std::mem::replace(&mut settled[node], true) {
            continue;
        }
        if node < model.nodes {
            policy[node] = choice;
        }
        for &(s, choice, price) in into[node].iter().filter(|arc| !settled[arc.0]) {
            heap.push(Reverse(((f64::from_bits(bits) + price).to_bits(), s, choice)));
        }
    }
    policy
}

/// The choices that are best under V.
fn greedy(model: &Model, v: &[f64]) -> Vec<Choice> {
    let value = |choice: Choice| {
        let inflow: f64 = model.arcs(choice).iter().map(|&(next, w)| w * v[next as usize]).sum();
        (model.charge(choice) + inflow) / model.leaving[choice]
    };
    let best = |s: usize| model.choices(s).min_by(|&a, &b| value(a).total_cmp(&value(b)));
    (0..model.nodes).map(|s| best(s).expect("a node has a way out")).collect()
}

/// The greedy policy after some Gauss-Seidel value iteration down from a proper policy's values, if it is proper.
fn swept(model: &Model, policy: Vec<Choice>) -> Vec<Choice> {
    let charges = (0..model.nodes).map(|s| model.charge(policy[s])).collect();
    let mut v = Evaluator::new(model, &policy).solve(charges);
    v.push(0.0);
    let mut greedy = policy.clone();
    for sweep in 0..SWEEPS {
        let mut change = 0.0f64;
        for k in 0..model.nodes {
            let s = if sweep % 2 == 0 { k } else { model.nodes - 1 - k };
            let mut best = v[s];
            for choice in model.choices(s) {
                let inflow: f64 = model.arcs(choice).iter().map(|&(next, w)| w * v[next as usize]).sum();
                let value = (model.charge(choice) + inflow) / model.leaving[choice];
                if value < best * (1.0 - 1e-9) {
                    (best, greedy[s]) = (value, choice);
                }
            }
            if best < v[s] {
                change = change.max(1.0 - best / v[s]);
                v[s] = best;
            }
        }
        if change < 1e-6 {
            break;
        }
    }
    if model.reaches_goal(&greedy).iter().all(|&r| r) { greedy } else { policy }
}
