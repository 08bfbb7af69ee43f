//! Bounds in 30-digit arithmetic, for every objective.

use crate::numeric::linear::double::Double;
use crate::plan::solve::bounds::{Proof, by_all, by_policy, nothing};
use crate::plan::solve::evaluated::Evaluated;
use crate::plan::solve::model::{Choice, Model};
use crate::plan::solve::policy::{improved, nearest_goal};
use crate::plan::solve::sense::Sense;
use crate::plan::solve::sweeps::below_by_sweeps;
use crate::plan::solve::values::{Fine, Values, tails};

/// Policy iteration from a policy, or from one that goes to the goal by the cheapest arcs; then
/// both bounds, with roundings counted `care` times. No value exceeds `most`.
pub(in crate::plan::solve) fn refine(
    model: &Model,
    sense: Sense,
    from: &[u32],
    most: f64,
    care: f64,
) -> Fine {
    let given: Vec<Choice> = from.iter().map(|&choice| choice as Choice).collect();
    let proper = model.is_proper(&given);
    let mut run = Evaluated::new(model, if proper { given } else { nearest_goal(model) });
    if proper && (run.accuracy.is_nan() || run.accuracy > 1e-6) {
        let other = Evaluated::new(model, nearest_goal(model));
        if run.accuracy.is_nan() || other.accuracy < run.accuracy {
            run = other;
        }
    }
    let run = improved(model, sense, run);
    let proof = Proof { model, sense, care };
    let (own, other) = (by_policy(proof, &run), by_all(proof, &run));
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
