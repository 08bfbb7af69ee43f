//! Bounds with as many digits as it takes: where a way of T steps leaves 30-digit arithmetic nothing (from T of about 1e28 on).
//!
//! A certificate is a vector whose slack has the right sign in every state, and a slack is as large as a step's cost where the
//! values are T times that: they must be known to more than log10 T digits. Elimination solves a policy's equations with small
//! relative errors in f64, whatever T is. So the residual, computed exactly, is solved for again and again, and what comes out is
//! added as one more list of f64: values are sums of lists, exactly.

use super::super::double::UNIT;
use super::super::evaluate::Evaluator;
use super::super::improve::nearest_goal;
use super::super::model::{Choice, Model};
use super::refine::Fine;
use super::{Sense, Values};
use crate::numeric::expansion::Expansion;

/// Lists at most: each has a dozen digits more.
const LISTS: usize = 20;
/// Rounds of policy iteration, and of the margin on the side of all choices.
const ROUNDS: usize = 100;
const MARGIN_ROUNDS: usize = 30;
/// The part of the values that the margins may take, and what an improvement must exceed.
const MARGIN: f64 = 1e-16;
const NOISE: f64 = 1e-11;

/// Values as sums of lists, the goal's 0 at the end of each.
type Lists = Vec<Vec<f64>>;

/// A slack, exactly up to its last rounding, and the sum of the sizes of its terms.
fn slack(model: &Model, node: usize, choice: Choice, charge: (f64, f64), lists: &Lists) -> (f64, f64) {
    let (mut sum, mut fall) = (Expansion::default(), Expansion::default());
    sum.add(charge.0);
    sum.add(charge.1);
    let mut size = charge.0;
    for &(next, w) in model.arcs(choice) {
        fall.clear();
        for list in lists {
            fall.add(list[node]);
            fall.add(-list[next as usize]);
        }
        size += (w * fall.value()).abs();
        fall.parts().for_each(|part| sum.add_product(-w, part));
    }
    (sum.value(), size)
}

/// A policy's equations, for any right-hand sides.
struct Policy<'a> {
    model: &'a Model,
    choices: Vec<Choice>,
    evaluator: Evaluator,
}

impl Policy<'_> {
    fn new(model: &Model, choices: Vec<Choice>) -> Option<Policy<'_>> {
        let proper = model.reaches_goal(&choices).iter().all(|&reaches| reaches);
        proper.then(|| Policy { evaluator: Evaluator::new(model, &choices), model, choices })
    }

    /// The solution for right-hand sides, with residuals that are `enough`, and those residuals.
    fn solve(
        &self,
        b: impl Fn(usize) -> (f64, f64),
        enough: impl Fn(&Lists, &[f64]) -> bool,
    ) -> Option<(Lists, Vec<f64>)> {
        let nodes = self.model.nodes;
        let (mut lists, mut before): (Lists, f64) = (Vec::new(), f64::INFINITY);
        for _ in 0..LISTS {
            let left = |s: usize| slack(self.model, s, self.choices[s], b(s), &lists).0;
            let residual: Vec<f64> = (0..nodes).map(left).collect();
            if !lists.is_empty() && enough(&lists, &residual) {
                return Some((lists, residual));
            }
            let mut correction = self.evaluator.solve(residual);
            let size = correction.iter().fold(0.0f64, |size, d| size.max(d.abs()));
            if !size.is_finite() || correction.iter().any(|d| d.is_nan()) || size > 0.5 * before {
                return None;
            }
            before = size;
            correction.push(0.0);
            lists.push(correction);
        }
        None
    }

    /// The policy's values, so well that what is left costs no more than a part of them.
    fn values(&self) -> Option<(Lists, Vec<f64>)> {
        let enough = |lists: &Lists, residual: &[f64]| {
            let margin = self.evaluator.solve(residual.iter().map(|r| r.abs()).collect());
            (0..self.model.nodes).all(|s| margin[s] <= MARGIN * lists[0][s].abs())
        };
        self.solve(|s| charge(self.model, self.choices[s]), enough)
    }

    /// The solution for right-hand sides that are not negative, up to a quarter of each.
    fn margin(&self, need: &[f64]) -> Option<Lists> {
        let enough =
            |_: &Lists, residual: &[f64]| residual.iter().zip(need).all(|(r, need)| r.abs() <= 0.25 * need);
        Some(self.solve(|s| (need[s], 0.0), enough)?.0)
    }

    /// Right-hand sides whose solution is a small part of the values, but positive wherever they are.
    fn floor(&self, x: &[f64]) -> Vec<f64> {
        let steps = self.evaluator.solve(vec![1.0; self.model.nodes]);
        let inside = (0..self.model.nodes).filter(|&s| x[s] > 0.0);
        let floor = inside.map(|s| x[s] / steps[s]).fold(f64::INFINITY, f64::min) * MARGIN;
        x[..self.model.nodes].iter().map(|&x| if x > 0.0 { floor } else { 0.0 }).collect()
    }
}

/// S c in two parts.
fn charge(model: &Model, choice: Choice) -> (f64, f64) {
    (model.charge(choice), model.charge_tail(choice))
}

/// Both bounds from a policy, or from one that goes to the goal by the cheapest arcs; no value exceeds `most`. `None` where no
/// policy can be evaluated well enough.
pub(super) fn long(model: &Model, sense: Sense, from: &[u32], most: f64) -> Option<Fine> {
    let given = Policy::new(model, from.iter().map(|&choice| choice as Choice).collect());
    let first = |policy: Policy<'_>| policy.values().map(|values| (policy.choices, values));
    let (choices, _) =
        given.and_then(first).or_else(|| Policy::new(model, nearest_goal(model)).and_then(first))?;
    let (policy, x, residual) = improved(model, sense, choices)?;
    let nodes = model.nodes;
    let floor = policy.floor(&x[0]);
    let rounding = |s: usize, choice: Choice| floor[s] + 8.0 * UNIT * model.charge(choice);
    let need: Vec<f64> =
        (0..nodes).map(|s| 2.0 * residual[s].abs() + rounding(s, policy.choices[s])).collect();
    let own = moved(&x, policy.margin(&need)?, sense.sigma());
    let other = by_all(&policy, sense, &x, rounding)?;
    let (lower, upper) = if sense == Sense::Least { (other, own) } else { (own, other) };
    let (lower, below) = bounds(&lower, true, f64::INFINITY);
    let (upper, above) = bounds(&upper, false, most);
    let between = |s: usize| x.iter().map(|list| list[s]).sum::<f64>().max(lower[s]).min(upper[s]);
    Some(Fine {
        tails: (below, above),
        values: Values {
            x: (0..=nodes).map(between).collect(),
            lower,
            upper,
            policy: policy.choices.iter().map(|&choice| choice as u32).collect(),
            wide: false,
        },
    })
}

/// Policy iteration: the last policy with its values and what is left of its equations.
fn improved(model: &Model, sense: Sense, mut choices: Vec<Choice>) -> Option<(Policy<'_>, Lists, Vec<f64>)> {
    let mut last = None;
    for _ in 0..ROUNDS {
        let policy = match Policy::new(model, choices.clone()) {
            Some(policy) => policy,
            None => break,
        };
        let Some((x, residual)) = policy.values() else { break };
        for s in 0..model.nodes {
            let mut best = 0.0;
            for choice in model.choices(s).filter(|&choice| choice != policy.choices[s]) {
                let (value, size) = slack(model, s, choice, charge(model, choice), &x);
                let gain = sense.sigma() * value / model.leaving[choice];
                if sense.sigma() * value < -NOISE * size && gain < best {
                    (best, choices[s]) = (gain, choice);
                }
            }
        }
        let settled = choices == policy.choices;
        last = Some((policy, x, residual));
        if settled {
            break;
        }
    }
    last
}

/// Values and `sigma` times a margin.
fn moved(x: &Lists, margin: Lists, sigma: f64) -> Lists {
    let signed = |list: Vec<f64>| list.into_iter().map(|m| sigma * m).collect();
    x.iter().cloned().chain(margin.into_iter().map(signed)).collect()
}

/// The side that all choices must satisfy: policy iteration for the margin.
fn by_all(
    policy: &Policy,
    sense: Sense,
    x: &Lists,
    rounding: impl Fn(usize, Choice) -> f64,
) -> Option<Lists> {
    let (model, sigma) = (policy.model, sense.sigma());
    let lacks = |s: usize, choice: Choice, lists: &Lists| {
        rounding(s, choice) - sigma * slack(model, s, choice, charge(model, choice), lists).0
    };
    let mut own;
    let mut worst = policy;
    for _ in 0..MARGIN_ROUNDS {
        let need: Vec<f64> = (0..model.nodes).map(|s| 3.0 * lacks(s, worst.choices[s], x).max(0.0)).collect();
        let bound = moved(x, worst.margin(&need)?, -sigma);
        let mut choices = worst.choices.clone();
        let mut violated = false;
        for s in 0..model.nodes {
            let mut most = 0.0;
            for choice in model.choices(s) {
                // half of what was allowed for roundings is more than they are
                let missing = lacks(s, choice, &bound) - 0.5 * rounding(s, choice);
                violated |= missing > 0.0 || missing.is_nan();
                if missing / model.leaving[choice] > most {
                    (most, choices[s]) = (missing / model.leaving[choice], choice);
                }
            }
        }
        if !violated {
            return Some(bound);
        }
        own = Policy::new(model, choices)?;
        worst = &own;
    }
    None
}

/// Bounds in f64 and what they lack of the lists that prove them. Lower bounds are not negative; none exceeds `most`.
fn bounds(lists: &Lists, lower: bool, most: f64) -> (Vec<f64>, Lists) {
    let n = lists[0].len();
    let (mut bound, mut tails): (Vec<f64>, Lists) = (vec![0.0; n], Vec::new());
    for s in 0..n {
        let mut sum = Expansion::default();
        lists.iter().for_each(|list| sum.add(list[s]));
        bound[s] = sum.rounded(lower);
        if bound[s] <= 0.0 || bound[s] >= most {
            bound[s] = bound[s].max(0.0).min(most);
            continue;
        }
        sum.add(-bound[s]);
        for (k, part) in sum.parts().enumerate() {
            if tails.len() <= k {
                tails.push(vec![0.0; n]);
            }
            tails[k][s] = part;
        }
    }
    (bound, tails)
}
