//! Certificates: vectors that are proven to lie above or below V, checked in 30-digit arithmetic with every rounding
//! accounted for ([`Model::slack`]).
//!
//! With sigma = +1 for least and -1 for greatest costs, the *policy's* side is a bound that one policy proves, and the *other* side
//! one that all choices must satisfy.
//!
//! *The policy's side, least costs.* If U >= 0 and U >= c + PU under a proper policy, then U is at least what that policy costs.
//! *The other side.* If L(goal) = 0 and L <= c + PL for every pair that a proper policy may use, then for each proper policy
//! L <= c + PL <= ... <= its cost, since P^n L -> 0. Pairs that a [`Model`] leaves out never leave their node, where L is
//! constant, so L <= c + L holds for them without a check. For greatest costs, where every policy is proper, the signs change.
//!
//! Both start from the values x of a policy and add or subtract a margin that pays for the residual: the solution of
//! the same equations with the residual and the roundings, doubled, as costs. `care`, 1 or more, multiplies what is allowed for
//! roundings: whoever checks a certificate by other sums may be less sure of them.

use super::double::Double;
use super::evaluate::Evaluator;
use super::improve::Evaluated;
use super::model::Model;
use super::sense::Sense;

/// Rounds of policy iteration for the margin of the other side; one or two is what it takes.
const MARGIN_ROUNDS: usize = 30;
/// The work, in arcs, of value iteration from below, the last resort.
const SWEEP_WORK: f64 = 2e8;

/// A certified upper bound on what an evaluated policy costs, the goal's 0 at the end; infinite where there is none.
pub(super) fn above(model: &Model, run: &Evaluated, care: f64) -> Vec<Double> {
    by_policy(model, Sense::Least, run, care).unwrap_or_else(|| nothing(model, f64::INFINITY))
}

/// A certified lower bound on V*, the goal's 0 at the end.
pub(super) fn below(model: &Model, optimum: &Evaluated, care: f64) -> Vec<Double> {
    by_all(model, Sense::Least, optimum, care)
        .unwrap_or_else(|| below_by_sweeps(model).into_iter().map(Double::from).collect())
}

/// Bounds that say nothing, the goal's 0 at the end.
pub(super) fn nothing(model: &Model, bound: f64) -> Vec<Double> {
    let mut bounds = vec![bound.into(); model.nodes];
    bounds.push(Double::ZERO);
    bounds
}

/// The side that an evaluated policy proves: above its costs for least, below them for greatest costs.
pub(super) fn by_policy(model: &Model, sense: Sense, run: &Evaluated, care: f64) -> Option<Vec<Double>> {
    let (x, sigma) = (&run.x, sense.sigma());
    let need: Vec<f64> = (0..model.nodes)
        .map(|s| {
            let slack = model.slack(s, run.policy[s], x);
            2.0 * (slack.value.nearest().abs() + care * (slack.error + model.grain(s, run.policy[s], x)))
        })
        .collect();
    // the least margin first, then margins that forgive an evaluation by sweeps that stopped short
    let relative = (0..model.nodes).map(|s| need[s] / model.charge(run.policy[s])).fold(0.0, f64::max);
    let margins = [
        run.evaluator.solve(need),
        x.iter().map(|x| x.nearest() * relative).collect(),
        x.iter().map(|x| x.nearest() * 1e-9).collect(),
    ];
    margins.into_iter().find_map(|margin| {
        let mut bound: Vec<Double> = (0..model.nodes).map(|s| x[s] + (sigma * margin[s]).into()).collect();
        bound.push(Double::ZERO);
        let holds = |s: usize| {
            let slack = model.slack(s, run.policy[s], &bound);
            (sense == Sense::Greatest || bound[s].nearest() >= 0.0)
                && -sigma * slack.value.nearest() * (1.0 - f64::EPSILON) >= care * slack.error
        };
        (0..model.nodes).all(holds).then(|| not_negative(bound))
    })
}

/// The side that all choices must satisfy: below V for least, above it for greatest costs.
pub(super) fn by_all(model: &Model, sense: Sense, optimum: &Evaluated, care: f64) -> Option<Vec<Double>> {
    by_margin(model, sense, optimum, care).or_else(|| by_scaling(model, sense, &optimum.x, care))
}

/// V of the problem whose costs are changed by a little more than the roundings, found by policy iteration from
/// the optimal policy. Works without positive costs, since no policy loops for free.
fn by_margin(model: &Model, sense: Sense, optimum: &Evaluated, care: f64) -> Option<Vec<Double>> {
    let (x, sigma) = (&optimum.x, sense.sigma());
    let need = |s: usize, choice: usize| {
        let slack = model.slack(s, choice, x);
        2.0 * care * (slack.error + model.grain(s, choice, x)) - sigma * slack.value.nearest()
    };
    let mut policy = optimum.policy.clone();
    let mut own;
    let mut evaluator = &optimum.evaluator;
    for _ in 0..MARGIN_ROUNDS {
        let mut needs: Vec<f64> = (0..model.nodes).map(|s| need(s, policy[s])).collect();
        needs.iter_mut().for_each(|need| *need = need.max(0.0) * 1.5);
        let margin = evaluator.solve(needs);
        let mut bound: Vec<Double> = (0..model.nodes).map(|s| x[s] - (sigma * margin[s]).into()).collect();
        bound.push(Double::ZERO);
        let mut violated = false;
        for s in 0..model.nodes {
            let mut worst = 0.0;
            for choice in model.choices(s) {
                let slack = model.slack(s, choice, &bound);
                let (value, error) = (sigma * slack.value.nearest(), care * slack.error);
                if value * (1.0 - f64::EPSILON) >= error {
                    continue;
                }
                violated = true;
                let missing = (error - value) / model.leaving[choice];
                if missing.is_nan() {
                    return None;
                }
                if missing > worst {
                    (worst, policy[s]) = (missing, choice);
                }
            }
        }
        if !violated {
            return Some(not_negative(bound));
        }
        if !model.reaches_goal(&policy).iter().all(|&r| r) {
            return None;
        }
        own = Evaluator::new(model, &policy);
        evaluator = &own;
    }
    None
}

/// (1 - sigma epsilon) x: enough where every pair that falls short costs something.
fn by_scaling(model: &Model, sense: Sense, x: &[Double], care: f64) -> Option<Vec<Double>> {
    let sigma = sense.sigma();
    let mut epsilon = 0.0f64;
    for s in 0..model.nodes {
        for choice in model.choices(s) {
            let slack = model.slack(s, choice, x);
            let missing =
                2.0 * care * (slack.error + model.grain(s, choice, x)) - sigma * slack.value.nearest();
            if missing > 0.0 {
                epsilon = epsilon.max(2.0 * missing / model.charge(choice));
            }
        }
    }
    if epsilon.is_nan() || epsilon >= 0.5 {
        return None;
    }
    let bound: Vec<Double> = x.iter().map(|&x| x - x.times(sigma * epsilon)).collect();
    let holds = |s: usize| {
        model.choices(s).all(|choice| {
            let slack = model.slack(s, choice, &bound);
            sigma * slack.value.nearest() * (1.0 - f64::EPSILON) >= care * slack.error
        })
    };
    (0..model.nodes).all(holds).then(|| not_negative(bound))
}

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
                // k + 4 roundings, each relative, of numbers that are not negative; `leaving` and S c are rounded too
                let down = 1.0 - (arcs.len() + 8) as f64 * f64::EPSILON;
                least = least.min((model.charge(choice) + inflow) / model.leaving[choice] * down);
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

/// Zero is below V as well, and so is the larger of two lower bounds; upper bounds are not negative.
fn not_negative(l: Vec<Double>) -> Vec<Double> {
    l.into_iter().map(|l| if l.nearest() < 0.0 { Double::ZERO } else { l }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Backwards, Partition, Region};
    use super::super::improve::optimise;
    use super::*;
    use crate::problem::{Problem, Truth};

    /// A fair walk with a wall at 0 and, in every state, a dear way out that is never worth it: n^2 - s^2 steps.
    fn walk(n: usize) -> Model {
        let mut builder = Problem::builder("walk", n + 1, 1);
        for s in 0..n {
            let step = builder.action(s, 1.0).unwrap();
            let next = if s == 0 { vec![(1, 1.0)] } else { vec![(s - 1, 0.5), (s + 1, 0.5)] };
            next.iter().for_each(|&(next, p)| _ = builder.feature(s, step, next, &[p]).unwrap());
            let out = builder.action(s, 1e4).unwrap();
            builder.feature(s, out, n, &[1.0]).unwrap();
        }
        let problem = builder.build().unwrap();
        let truth = Truth::new(&problem, &[1.0]).unwrap();
        let region = Region::new(&problem, &Backwards::new(&problem, &truth));
        Model::new(&problem, &truth, &region.usable, &Partition::new(&problem, 0..n, None))
    }

    fn floor(bounds: Vec<Double>) -> Vec<f64> {
        bounds.into_iter().map(Double::floor).collect()
    }

    /// Each way to a lower bound on its own, from values that are as wrong as `noise`, to both sides.
    #[test]
    fn every_certificate_holds_from_values_that_are_off() {
        let n = 20;
        let model = walk(n);
        for noise in [0.0, 1e-13, 1e-9, 1e-5] {
            let mut run = optimise(&model);
            for s in 0..n {
                let sign = if s * 7 % 3 == 0 { 1.0 } else { -1.0 };
                run.x[s] = run.x[s] + run.x[s].times(sign * noise);
            }
            let bounds = [
                floor(by_margin(&model, Sense::Least, &run, 1.0).unwrap()),
                by_scaling(&model, Sense::Least, &run.x, 1.0).map_or_else(|| vec![0.0; n + 1], floor),
                below_by_sweeps(&model),
            ];
            let upper: Vec<f64> = above(&model, &run, 1.0).into_iter().map(Double::ceil).collect();
            for s in 0..n {
                let answer = (n * n - s * s) as f64;
                assert!(bounds.iter().all(|lower| lower[s] <= answer), "{s} {noise}");
                assert!(bounds[0][s] >= answer * (1.0 - 1e4 * noise - 1e-15));
                assert!(bounds[2][s] >= answer * (1.0 - 1e-11));
                assert!(answer <= upper[s] && upper[s] <= answer * (1.0 + 1e4 * noise + 1e-15));
            }
        }
    }

    #[test]
    fn scaling_is_tight_for_accurate_values() {
        let model = walk(20);
        let lower = floor(by_scaling(&model, Sense::Least, &optimise(&model).x, 1.0).unwrap());
        assert!(lower[0] <= 400.0 && lower[0] >= 400.0 * (1.0 - 1e-15));
    }

    /// Not-a-number and infinity in the values must not pass for a proof.
    #[test]
    fn broken_values_certify_nothing() {
        let model = walk(5);
        for broken in [f64::NAN, f64::INFINITY] {
            let mut run = optimise(&model);
            run.x[2] = broken.into();
            assert!(above(&model, &run, 1.0)[2].nearest().is_infinite());
            let lower = floor(below(&model, &run, 1.0));
            assert!((0..5).all(|s| lower[s] <= (25 - s * s) as f64));
        }
    }
}
