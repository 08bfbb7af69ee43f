//! Two-sided bounds on the values of a block in plain f64.

use super::Proof;
use crate::plan::solve::model::Choice;
use crate::plan::solve::number::Number;
use crate::plan::solve::sense::Sense;
use crate::plan::solve::values::Values;
use std::ops::Range;

/// A side that bounds can be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan::solve) enum Side {
    /// The one that a policy proves.
    Policy,
    /// The one that all choices must satisfy.
    All,
}

impl Side {
    /// Whether its bounds are upper ones.
    pub(in crate::plan::solve) fn is_above(self, sense: Sense) -> bool {
        (self == Side::Policy) == (sense == Sense::Least)
    }
}

/// Whether bounds hold on some nodes, given that they hold on the nodes before.
pub(in crate::plan::solve) fn hold(proof: Proof, values: &Values, nodes: Range<usize>) -> bool {
    let (by_policy, by_all) = match proof.sense {
        Sense::Least => (&values.upper, &values.lower),
        Sense::Greatest => (&values.lower, &values.upper),
    };
    nodes.into_iter().all(|s| {
        values.lower[s] >= 0.0
            && values.upper[s] < f64::INFINITY
            && proof.policy_holds(s, values.policy[s] as Choice, by_policy)
            && proof.all_hold(s, by_all)
    })
}

/// Whether lower bounds hold on some nodes, given that they hold on the nodes before.
pub(in crate::plan::solve) fn lower_hold(proof: Proof, values: &Values, mut nodes: Range<usize>) -> bool {
    nodes.all(|s| {
        values.lower[s] >= 0.0
            && match proof.sense {
                Sense::Least => proof.all_hold(s, &values.lower),
                Sense::Greatest => proof.policy_holds(s, values.policy[s] as Choice, &values.lower),
            }
    })
}

/// Bounds (1 -+ epsilon) x on a block, if epsilon need not exceed half the precision; whether they
/// hold.
pub(in crate::plan::solve) fn by_scaling(
    proof: Proof,
    precision: f64,
    values: &mut Values,
    nodes: Range<usize>,
) -> bool {
    let Some(epsilon) = scale(proof, precision, values, nodes.clone()) else { return false };
    for s in nodes.clone() {
        values.lower[s] = values.x[s] * (1.0 - epsilon);
        values.upper[s] = values.x[s] * (1.0 + epsilon);
    }
    hold(proof, values, nodes)
}

/// The epsilon that a block needs.
fn scale(proof: Proof, precision: f64, values: &Values, nodes: Range<usize>) -> Option<f64> {
    let (model, sigma) = (proof.model, proof.sense.sigma());
    let mut epsilon = 0.0f64;
    for s in nodes.clone() {
        for choice in model.choices(s) {
            for &(next, _) in model.arcs(choice) {
                let e = next as usize;
                if !nodes.contains(&e) && values.x[e] > 0.0 {
                    let off = (values.x[e] - values.lower[e]).max(values.upper[e] - values.x[e]);
                    epsilon = epsilon.max(off / values.x[e] + 4.0 * f64::EPSILON);
                }
            }
            let (slack, grain) = f64::slack_and_grain(model, s, choice, &values.x);
            let mut missing = slack.error + grain - sigma * slack.value;
            if choice == values.policy[s] as Choice {
                missing = slack.error + grain + slack.value.abs();
            }
            if missing > 0.0 {
                let share = 2.0 * missing / model.charge(choice);
                // a charge of zero makes this infinite
                if share.is_nan() || share > 0.5 * precision {
                    return None;
                }
                epsilon = epsilon.max(share);
            }
        }
    }
    if epsilon.is_nan() || epsilon > 0.49 * precision { None } else { Some(epsilon) }
}

/// A margin pays for so many times what is missing.
const SPARE: f64 = 1.5;

/// What a choice lacks on a side if a margin is to be taken off x: the residual, the roundings, and
/// how far the bounds of the nodes before are from their values.
///
/// That distance is known, and paid for once: paid for with something to spare, it would grow from
/// block to block, and after a hundred blocks nothing would be proven.
pub(in crate::plan::solve) fn missing(
    proof: Proof,
    values: &Values,
    block: Range<usize>,
    node: usize,
    choice: Choice,
    side: Side,
) -> f64 {
    let (slack, grain) = f64::slack_and_grain(proof.model, node, choice, &values.x);
    let above = side.is_above(proof.sense);
    let mut width = 0.0;
    for &(next, w) in proof.model.arcs(choice) {
        let e = next as usize;
        if !block.contains(&e) {
            width += w * if above { values.upper[e] - values.x[e] } else { values.x[e] - values.lower[e] };
        }
    }
    let residual = if above { slack.value } else { -slack.value };
    // what a choice has too much is not to be counted more than once either
    residual.max(residual / SPARE) + 2.0 * (slack.error + grain) + width * (1.0 + 1e-9) / SPARE
}
