//! Bounds with as many digits as it takes: where a way of T steps leaves 30-digit arithmetic nothing (from T of about 1e16 to
//! 1e28 on, as the model is).
//!
//! A certificate is a vector whose slack has the right sign in every state, and a slack is as large as a step's cost where the
//! values are T times that: they must be known to more than log10 T digits. Elimination solves a policy's equations with small
//! relative errors, whatever T is, for right-hand sides that are not negative; with 512 binary digits ([`Long`]) that is enough up to
//! T of 1e130. Values are then written as sums of lists of f64, whose slacks are computed exactly.

use super::super::improve::nearest_goal;
use super::super::model::{Choice, Model};
use super::refine::Fine;
use super::{Sense, Values};
use crate::numeric::expansion::Expansion;
use crate::numeric::long::Long;

/// Nodes at most: elimination is dense.
pub(super) const NODES: usize = 200;
/// Rounds of policy iteration, and of the margin on the side of all choices.
const ROUNDS: usize = 100;
const MARGIN_ROUNDS: usize = 30;
/// The part of the values that the margins may take, and what an improvement must exceed.
const MARGIN: f64 = 1e-16;
const NOISE: f64 = 1e-15;

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

/// A policy's equations, eliminated: leaving(i) x(i) = b(i) + sum of w(i,j) x(j).
struct Policy<'a> {
    model: &'a Model,
    choices: Vec<Choice>,
    /// Row by row; what is left of the diagonal are weights, what is right of it factors.
    matrix: Vec<Long>,
    leaving: Vec<Long>,
}

impl Policy<'_> {
    /// Elimination from the last node to the first; none if the policy does not reach the goal from everywhere.
    fn new(model: &Model, choices: Vec<Choice>) -> Option<Policy<'_>> {
        let n = model.nodes;
        if !model.reaches_goal(&choices).iter().all(|&reaches| reaches) {
            return None;
        }
        let (mut matrix, mut out) = (vec![Long::default(); n * n], vec![Long::default(); n]);
        for (s, &choice) in choices.iter().enumerate() {
            for &(next, w) in model.arcs(choice) {
                let entry = if next as usize == n { &mut out[s] } else { &mut matrix[s * n + next as usize] };
                *entry = entry.plus(Long::new(w));
            }
        }
        let mut leaving = vec![Long::default(); n];
        for k in (0..n).rev() {
            let (above, from_k) = matrix.split_at_mut(k * n);
            let pivot = &from_k[..k];
            leaving[k] = pivot.iter().fold(out[k], |sum, &w| sum.plus(w));
            if leaving[k].is_zero() {
                return None;
            }
            for i in 0..k {
                let row = &mut above[i * n..i * n + k + 1];
                if row[k].is_zero() {
                    continue;
                }
                let factor = row[k].over(leaving[k]);
                row[k] = factor;
                for (j, &w) in pivot.iter().enumerate().filter(|&(j, w)| j != i && !w.is_zero()) {
                    row[j] = row[j].plus(factor.times(w));
                }
                out[i] = out[i].plus(factor.times(out[k]));
            }
        }
        Some(Policy { model, choices, matrix, leaving })
    }

    /// The solution for right-hand sides that are not negative.
    fn solve(&self, b: &[f64]) -> Lists {
        let n = b.len();
        let mut x: Vec<Long> = b.iter().map(|&b| Long::new(b)).collect();
        for k in (0..n).rev() {
            for i in 0..k {
                let factor = self.matrix[i * n + k];
                if !factor.is_zero() {
                    x[i] = x[i].plus(factor.times(x[k]));
                }
            }
        }
        for k in 0..n {
            let row = self.matrix[k * n..k * n + k].iter().zip(&x).filter(|(w, _)| !w.is_zero());
            x[k] = row.fold(x[k], |sum, (&w, &x)| sum.plus(w.times(x))).over(self.leaving[k]);
        }
        let mut lists: Lists = Vec::new();
        for (s, x) in x.into_iter().enumerate() {
            // what is too small for exact products is left out: the margins are far larger
            for (k, piece) in x.pieces().take_while(|&piece| piece == 0.0 || piece > 1e-250).enumerate() {
                if lists.len() <= k {
                    lists.push(vec![0.0; n + 1]);
                }
                lists[k][s] = piece;
            }
        }
        lists
    }

    /// The policy's values, to the last digit of its charges.
    fn values(&self) -> Option<Lists> {
        let charges: Vec<f64> = self.choices.iter().map(|&choice| self.model.charge(choice)).collect();
        finite(self.solve(&charges))
    }

    /// Right-hand sides whose solution is a small part of the values, but positive wherever they are.
    fn floor(&self, x: &Lists) -> Vec<f64> {
        let steps = self.solve(&vec![1.0; self.model.nodes]);
        let total = |lists: &Lists, s: usize| lists.iter().map(|list| list[s]).sum::<f64>();
        let inside = (0..self.model.nodes).filter(|&s| total(x, s) > 0.0);
        let floor = inside.map(|s| total(x, s) / total(&steps, s)).fold(f64::INFINITY, f64::min) * MARGIN;
        (0..self.model.nodes).map(|s| if total(x, s) > 0.0 { floor } else { 0.0 }).collect()
    }
}

/// Values that f64 can hold.
fn finite(lists: Lists) -> Option<Lists> {
    lists.iter().flatten().all(|x| x.is_finite()).then_some(lists)
}

/// S c in two parts.
fn charge(model: &Model, choice: Choice) -> (f64, f64) {
    (model.charge(choice), model.charge_tail(choice))
}

/// Both bounds from a policy, or from one that goes to the goal by the cheapest arcs; no value exceeds `most`. `None` where there
/// are too many nodes, or a value is beyond f64.
pub(super) fn long(model: &Model, sense: Sense, from: &[u32], most: f64) -> Option<Fine> {
    let nodes = model.nodes;
    if nodes == 0 || nodes > NODES {
        return None;
    }
    let given: Vec<Choice> = from.iter().map(|&choice| choice as Choice).collect();
    let (policy, x) =
        improved(model, sense, given).or_else(|| improved(model, sense, nearest_goal(model)))?;
    let floor = policy.floor(&x);
    // the charges are rounded to f64, and the rows divided by their sums to 30 digits
    let rounding =
        |s: usize, choice: Choice| floor[s] + MARGIN.max(f64::EPSILON) * 4.0 * model.charge(choice);
    let need: Vec<f64> = (0..nodes).map(|s| rounding(s, policy.choices[s])).collect();
    let own = moved(&x, finite(policy.solve(&need))?, sense.sigma());
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

/// Policy iteration: the last policy that can be evaluated, with its values.
fn improved(model: &Model, sense: Sense, mut choices: Vec<Choice>) -> Option<(Policy<'_>, Lists)> {
    let mut last = None;
    for _ in 0..ROUNDS {
        let Some(policy) = Policy::new(model, choices.clone()) else { break };
        let Some(x) = policy.values() else { break };
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
        last = Some((policy, x));
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
        let bound = moved(x, finite(worst.solve(&need))?, -sigma);
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
