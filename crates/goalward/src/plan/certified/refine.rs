//! Bounds in 30-digit arithmetic, for every objective: where those in f64 are too wide.

use super::super::certify::{below_by_sweeps, by_all, by_policy, nothing};
use super::super::double::Double;
use super::super::improve::{Evaluated, improved, nearest_goal};
use super::super::model::{Choice, Model};
use super::{Sense, Tails, Values};

/// Values whose bounds have more digits than f64.
pub(super) struct Fine {
    pub(super) values: Values,
    /// What the lower and the upper bounds lack of the numbers that prove them, per node.
    pub(super) tails: Tails,
}

/// Policy iteration from a policy, or from one that goes to the goal by the cheapest arcs; then both bounds, with roundings
/// counted `care` times. No value exceeds `most`.
pub(super) fn refine(model: &Model, sense: Sense, from: &[u32], most: f64, care: f64) -> Fine {
    let given: Vec<Choice> = from.iter().map(|&choice| choice as Choice).collect();
    let proper = model.reaches_goal(&given).iter().all(|&reaches| reaches);
    let mut run = Evaluated::new(model, if proper { given } else { nearest_goal(model) });
    if proper && (run.accuracy.is_nan() || run.accuracy > 1e-6) {
        let other = Evaluated::new(model, nearest_goal(model));
        if run.accuracy.is_nan() || other.accuracy < run.accuracy {
            run = other;
        }
    }
    let run = improved(model, sense, run);
    let (own, other) = (by_policy(model, sense, &run, care), by_all(model, sense, &run, care));
    let (lower, upper) = match sense {
        Sense::Least => {
            let sweeps = || below_by_sweeps(model).into_iter().map(Double::from).collect();
            (other.unwrap_or_else(sweeps), own.unwrap_or_else(|| nothing(model, f64::INFINITY)))
        }
        Sense::Greatest => {
            (own.unwrap_or_else(|| nothing(model, 0.0)), other.unwrap_or_else(|| nothing(model, most)))
        }
    };
    // the smaller of two upper bounds is one, too
    let upper: Vec<Double> =
        upper.into_iter().map(|u| if u.nearest() >= most { Double::from(most) } else { u }).collect();
    let floor: Vec<f64> = lower.iter().map(|&l| Double::floor(l)).collect();
    let ceil: Vec<f64> = upper.iter().map(|&u| Double::ceil(u)).collect();
    let x = (0..=model.nodes).map(|s| run.x[s].nearest().max(floor[s]).min(ceil[s])).collect();
    Fine {
        tails: (vec![tails(&lower, &floor)], vec![tails(&upper, &ceil)]),
        values: Values {
            x,
            lower: floor,
            upper: ceil,
            policy: run.policy.iter().map(|&choice| choice as u32).collect(),
            wide: false,
        },
    }
}

/// What bounds lack of the numbers that prove them.
fn tails(proof: &[Double], bound: &[f64]) -> Vec<f64> {
    let tail = |(x, bound): (&Double, &f64)| match bound.is_finite() {
        true => (*x - Double::from(*bound)).nearest(),
        false => 0.0,
    };
    proof.iter().zip(bound).map(tail).collect()
}
