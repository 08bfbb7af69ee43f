//! Value iteration on a whole model: where there is no better start, and no better proof.

use super::model::{Choice, Model};
use super::number::UNDERFLOW;
use crate::numeric::linear::system::System;

/// The work, in arcs, of value iteration from below, the last resort.
const SWEEP_WORK: f64 = 2e8;
/// Sweeps of value iteration down from a policy's values.
const SWEEPS: usize = 100;

/// Value iteration from 0, every step rounded down: below V* after any number of sweeps.
pub(super) fn below_by_sweeps(model: &Model) -> Vec<f64> {
    let arcs: usize =
        (0..model.nodes).flat_map(|s| model.choices(s)).map(|choice| model.arcs(choice).len() + 1).sum();
    let mut v = vec![0.0; model.nodes + 1];
    for _ in 0..(SWEEP_WORK / arcs.max(1) as f64) as usize {
        let mut change = 0.0f64;
        for s in 0..model.nodes {
            let mut least = f64::INFINITY;
            for choice in model.choices(s) {
                let arcs = model.arcs(choice);
                let inflow: f64 = arcs.iter().map(|&(next, w)| w * v[next as usize]).sum();
                // k + 4 roundings, each relative, of numbers that are not negative; `leaving` and S
                // c are rounded too, and underflow is not relative
                let down = 1.0 - (arcs.len() + 8) as f64 * f64::EPSILON;
                let tiny = UNDERFLOW * (arcs.len() + 1) as f64;
                least = least.min((model.charge(choice) + inflow - tiny) / model.leaving[choice] * down);
            }
            if least > v[s] {
                change = change.max(1.0 - v[s] / least);
                v[s] = least;
            }
        }
        if change < 1e-14 {
            break;
        }
    }
    v
}

/// The choices that are best under V.
pub(super) fn greedy(model: &Model, v: &[f64]) -> Vec<Choice> {
    let value = |choice: Choice| {
        let inflow: f64 = model.arcs(choice).iter().map(|&(next, w)| w * v[next as usize]).sum();
        (model.charge(choice) + inflow) / model.leaving[choice]
    };
    let best = |s: usize| model.choices(s).min_by(|&a, &b| value(a).total_cmp(&value(b)));
    (0..model.nodes).map(|s| best(s).expect("a node has a way out")).collect()
}

/// The greedy policy after some Gauss-Seidel value iteration down from a proper policy's values, if
/// it is proper.
pub(super) fn swept(model: &Model, policy: Vec<Choice>) -> Vec<Choice> {
    let charges = (0..model.nodes).map(|s| model.charge(policy[s])).collect();
    let mut v = System::new(model.rows(&policy)).solve(charges);
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
    if model.is_proper(&greedy) { greedy } else { policy }
}
