//! Two-sided bounds on the values of a block in plain f64, with every rounding accounted for.
//!
//! With sigma = +1 for least and -1 for greatest costs, the *policy's* side is a bound that one policy proves (what it costs
//! is at least V* when V* is the least cost), and the *other* side one that all choices must satisfy. Let slack(v) =
//! S c - sum of w (v(s) - v(s')), which is S (c + Pv - v). For least costs: U is above if slack(U) <= 0 under a proper
//! policy and U >= 0; L is below if slack(L) >= 0 for all choices. For greatest costs, where every policy is proper, the
//! signs change.
//!
//! *Scaling*: (1 -+ epsilon) x. Adds epsilon times the charge to every slack, so it does where all that falls short costs
//! something; it does not grow from block to block. *Margin*: x -+ m, m the solution of the policy's equations with what is missing as costs.

use super::super::model::{Choice, Model};
use super::{Sense, Values};

/// The slack of a choice, with a bound on its rounding error and on what rounding the values themselves does to it.
struct Slack {
    value: f64,
    error: f64,
    grain: f64,
}

fn slack(model: &Model, node: usize, choice: Choice, v: &[f64]) -> Slack {
    let arcs = model.arcs(choice);
    let own = v[node];
    let charge = model.charge(choice);
    let (mut value, mut size, mut grain) = (charge, charge, 0.0);
    let mut moved = charge > 0.0;
    for &(next, w) in arcs {
        let other = v[next as usize];
        let fall = own - other;
        moved |= fall != 0.0;
        value -= w * fall;
        size += (w * fall).abs();
        grain += w * (own.abs() + other.abs());
    }
    // k + 3 roundings of 2^-53 each, relative to sums that `size` bounds; twice that covers its own roundings
    let tiny = if moved { 1e-300 * (arcs.len() + 1) as f64 } else { 0.0 };
    Slack {
        value,
        error: (arcs.len() + 4) as f64 * f64::EPSILON * size + tiny,
        grain: 2.0 * f64::EPSILON * grain,
    }
}

/// Whether the bounds in `values` hold on the nodes `start..end`, given that they hold on the nodes before.
pub(super) fn hold(model: &Model, sense: Sense, values: &Values, start: usize, end: usize) -> bool {
    let (by_policy, by_all) = match sense {
        Sense::Least => (&values.upper, &values.lower),
        Sense::Greatest => (&values.lower, &values.upper),
    };
    let sigma = sense.sigma();
    (start..end).all(|s| {
        let own = slack(model, s, values.policy[s] as Choice, by_policy);
        values.lower[s] >= 0.0
            && values.upper[s] < f64::INFINITY
            && -sigma * own.value >= own.error
            && model.choices(s).all(|choice| {
                let slack = slack(model, s, choice, by_all);
                sigma * slack.value >= slack.error
            })
    })
}

/// Bounds (1 -+ epsilon) x on a block, if epsilon need not exceed half the precision.
pub(super) fn by_scaling(
    model: &Model,
    sense: Sense,
    precision: f64,
    values: &mut Values,
    start: usize,
    end: usize,
) -> bool {
    let sigma = sense.sigma();
    let mut epsilon = 0.0f64;
    for s in start..end {
        for choice in model.choices(s) {
            for &(next, _) in model.arcs(choice) {
                let e = next as usize;
                if !(start..end).contains(&e) && values.x[e] > 0.0 {
                    let off = (values.x[e] - values.lower[e]).max(values.upper[e] - values.x[e]);
                    epsilon = epsilon.max(off / values.x[e] + 4.0 * f64::EPSILON);
                }
            }
            let slack = slack(model, s, choice, &values.x);
            let mut missing = slack.error + slack.grain - sigma * slack.value;
            if choice == values.policy[s] as Choice {
                missing = slack.error + slack.grain + slack.value.abs();
            }
            if missing > 0.0 {
                let share = 2.0 * missing / model.charge(choice);
                // a charge of zero makes this infinite
                if share.is_nan() || share > 0.5 * precision {
                    return false;
                }
                epsilon = epsilon.max(share);
            }
        }
    }
    if epsilon.is_nan() || epsilon > 0.49 * precision {
        return false;
    }
    for s in start..end {
        values.lower[s] = values.x[s] * (1.0 - epsilon);
        values.upper[s] = values.x[s] * (1.0 + epsilon);
    }
    hold(model, sense, values, start, end)
}

/// What a choice lacks on the policy's side (`own`) or the other one if a margin is to be taken off x: the residual, the
/// roundings, and how far the bounds of the nodes before are from their values.
pub(super) fn missing(
    model: &Model,
    sense: Sense,
    values: &Values,
    block: (usize, usize),
    node: usize,
    choice: Choice,
    own: bool,
) -> f64 {
    let slack = slack(model, node, choice, &values.x);
    let above = own == (sense == Sense::Least);
    let mut width = 0.0;
    for &(next, w) in model.arcs(choice) {
        let e = next as usize;
        if e < block.0 || e >= block.1 {
            width += w * if above { values.upper[e] - values.x[e] } else { values.x[e] - values.lower[e] };
        }
    }
    let residual = if above { slack.value } else { -slack.value };
    residual + 2.0 * (slack.error + slack.grain) + width * (1.0 + 1e-9)
}

/// The first choices on the other side, one per node, that the bounds do not satisfy: those that lack most. `None` if all do.
pub(super) fn violators(
    model: &Model,
    sense: Sense,
    bound: &[f64],
    start: usize,
    end: usize,
    policy: &mut [Choice],
) -> bool {
    let sigma = sense.sigma();
    let mut violated = false;
    for s in start..end {
        let mut worst = 0.0;
        for choice in model.choices(s) {
            let slack = slack(model, s, choice, bound);
            if sigma * slack.value >= slack.error {
                continue;
            }
            violated = true;
            let lacks = (slack.error - sigma * slack.value) / model.leaving[choice];
            if lacks > worst {
                (worst, policy[s - start]) = (lacks, choice);
            }
        }
    }
    violated
}
