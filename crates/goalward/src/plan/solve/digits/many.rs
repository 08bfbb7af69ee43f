//! Bounds with as many digits as it takes: where a way of T steps leaves 30-digit arithmetic
//! nothing (from T of about 1e16 to 1e28 on, as the model is).
//!
//! A certificate is a vector whose slack has the right sign in every state, and a slack is as large
//! as a step's cost where the values are T times that: they must be known to more than log10 T
//! digits. Elimination solves a policy's equations with small relative errors, whatever T is, for
//! right-hand sides that are not negative; with 512 binary digits ([`Long`]) that is enough up to T
//! of 1e130. Values are then written as sums of lists of f64, whose slacks are computed exactly.

use crate::numeric::linear::dense::Dense;
use crate::numeric::linear::expansion::{Expansion, Round};
use crate::numeric::linear::long::Long;
use crate::plan::solve::bounds::{Margin, Turn, Verdict, by_rounds};
use crate::plan::solve::model::{Choice, Model};
use crate::plan::solve::policy::{Evaluation, improved, nearest_goal};
use crate::plan::solve::sense::Sense;
use crate::plan::solve::values::{Fine, Values};

/// Nodes at most: elimination is dense.
pub(in crate::plan::solve) const NODES: usize = 200;
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

/// A policy with its equations, eliminated: leaving(i) x(i) = b(i) + sum of w(i,j) x(j).
struct Policy<'a> {
    model: &'a Model,
    choices: Vec<Choice>,
    dense: Dense<Long>,
}

impl Policy<'_> {
    /// None if the policy does not reach the goal from everywhere.
    fn new(model: &Model, choices: Vec<Choice>) -> Option<Policy<'_>> {
        let n = model.nodes;
        if !model.is_proper(&choices) {
            return None;
        }
        let mut out = vec![Long::default(); n];
        for (s, &choice) in choices.iter().enumerate() {
            for &(_, w) in model.arcs(choice).iter().filter(|e| e.0 as usize == n) {
                out[s] = out[s].plus(Long::new(w));
            }
        }
        let mut dense = Dense::default();
        let all: Vec<u32> = (0..n as u32).collect();
        let inside =
            |k: u32| model.arcs(choices[k as usize]).iter().copied().filter(move |e| (e.0 as usize) < n);
        dense.factor(n, &all, out, inside).ok()?;
        Some(Policy { model, choices, dense })
    }

    /// The solution for right-hand sides that are not negative.
    fn solve(&self, b: &[f64]) -> Lists {
        let n = b.len();
        let x = self.dense.solve(b.iter().map(|&b| Long::new(b)).collect());
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

    /// Right-hand sides whose solution is a small part of the values, but positive wherever they
    /// are.
    fn floor(&self, x: &Lists) -> Vec<f64> {
        let steps = self.solve(&vec![1.0; self.model.nodes]);
        let total = |lists: &Lists, s: usize| lists.iter().map(|list| list[s]).sum::<f64>();
        let inside = (0..self.model.nodes).filter(|&s| total(x, s) > 0.0);
        let floor = inside.map(|s| total(x, s) / total(&steps, s)).fold(f64::INFINITY, f64::min) * MARGIN;
        (0..self.model.nodes).map(|s| if total(x, s) > 0.0 { floor } else { 0.0 }).collect()
    }
}

/// A policy and its values, to the last digit of its charges.
struct Evaluated<'a> {
    policy: Policy<'a>,
    x: Lists,
}

impl<'a> Evaluation<'a> for Evaluated<'a> {
    const ROUNDS: usize = 99;

    fn of(model: &'a Model, choices: Vec<Choice>) -> Option<Evaluated<'a>> {
        let policy = Policy::new(model, choices)?;
        let charges: Vec<f64> = policy.choices.iter().map(|&choice| model.charge(choice)).collect();
        let x = finite(policy.solve(&charges))?;
        Some(Evaluated { policy, x })
    }

    fn policy(&self) -> &[Choice] {
        &self.policy.choices
    }

    fn better(&self, model: &Model, sense: Sense, node: usize) -> Option<Choice> {
        let (mut best, mut better) = (0.0, None);
        for choice in model.choices(node).filter(|&choice| choice != self.policy.choices[node]) {
            let (value, size) = slack(model, node, choice, charge(model, choice), &self.x);
            let gain = sense.sigma() * value / model.leaving[choice];
            if sense.sigma() * value < -NOISE * size && gain < best {
                (best, better) = (gain, Some(choice));
            }
        }
        better
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

/// Both bounds from a policy, or from one that goes to the goal by the cheapest arcs; no value
/// exceeds `most`. `None` where there are too many nodes, or a value is beyond f64.
pub(in crate::plan::solve) fn long(model: &Model, sense: Sense, from: &[u32], most: f64) -> Option<Fine> {
    let nodes = model.nodes;
    if nodes == 0 || nodes > NODES {
        return None;
    }
    let given: Vec<Choice> = from.iter().map(|&choice| choice as Choice).collect();
    let first = Evaluated::of(model, given).or_else(|| Evaluated::of(model, nearest_goal(model)))?;
    let best = improved(model, sense, first);
    let Evaluated { policy, x } = &best;
    let floor = policy.floor(x);
    // the charges are rounded to f64, and the rows divided by their sums to 30 digits
    let rounding =
        |s: usize, choice: Choice| floor[s] + MARGIN.max(f64::EPSILON) * 4.0 * model.charge(choice);
    let need: Vec<f64> = (0..nodes).map(|s| rounding(s, policy.choices[s])).collect();
    let own = moved(x, finite(policy.solve(&need))?, sense.sigma());
    let other = by_rounds(&mut OfAll { optimum: &best, own: None, sense, rounding }, policy.choices.clone())?;
    let (lower, upper) = if sense == Sense::Least { (other, own) } else { (own, other) };
    let (lower, below) = bounds(&lower, Round::Down, f64::INFINITY);
    let (upper, above) = bounds(&upper, Round::Up, most);
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

/// Values and `sigma` times a margin.
fn moved(x: &Lists, margin: Lists, sigma: f64) -> Lists {
    let signed = |list: Vec<f64>| list.into_iter().map(|m| sigma * m).collect();
    x.iter().cloned().chain(margin.into_iter().map(signed)).collect()
}

/// The margin of the side that all choices must satisfy.
struct OfAll<'a, R> {
    optimum: &'a Evaluated<'a>,
    /// A policy that is not optimal.
    own: Option<Policy<'a>>,
    sense: Sense,
    /// What is allowed for roundings, by node and choice.
    rounding: R,
}

impl<R: Fn(usize, Choice) -> f64> OfAll<'_, R> {
    fn lacks(&self, s: usize, choice: Choice, lists: &Lists) -> f64 {
        let model = self.optimum.policy.model;
        (self.rounding)(s, choice)
            - self.sense.sigma() * slack(model, s, choice, charge(model, choice), lists).0
    }
}

impl<R: Fn(usize, Choice) -> f64> Margin for OfAll<'_, R> {
    type Bound = Lists;

    fn bound(&mut self, policy: &[Choice], turn: Turn) -> Option<Lists> {
        let Evaluated { policy: optimum, x } = self.optimum;
        if turn == Turn::New {
            self.own = Some(Policy::new(optimum.model, policy.to_vec())?);
        }
        let need = |s: usize| 3.0 * self.lacks(s, policy[s], x).max(0.0);
        let need: Vec<f64> = (0..policy.len()).map(need).collect();
        let margin = finite(self.own.as_ref().unwrap_or(optimum).solve(&need))?;
        Some(moved(x, margin, -self.sense.sigma()))
    }

    fn verdict(&self, bound: &Lists, policy: &mut [Choice]) -> Verdict {
        let model = self.optimum.policy.model;
        let mut verdict = Verdict::Holds;
        for s in 0..model.nodes {
            let mut most = 0.0;
            for choice in model.choices(s) {
                // half of what was allowed for roundings is more than they are
                let missing = self.lacks(s, choice, bound) - 0.5 * (self.rounding)(s, choice);
                if missing > 0.0 || missing.is_nan() {
                    verdict = Verdict::Violated;
                }
                if missing / model.leaving[choice] > most {
                    (most, policy[s]) = (missing / model.leaving[choice], choice);
                }
            }
        }
        verdict
    }
}

/// Bounds in f64 and what they lack of the lists that prove them. Lower bounds are not negative;
/// none exceeds `most`.
fn bounds(lists: &Lists, round: Round, most: f64) -> (Vec<f64>, Lists) {
    let n = lists[0].len();
    let (mut bound, mut tails): (Vec<f64>, Lists) = (vec![0.0; n], Vec::new());
    for s in 0..n {
        let mut sum = Expansion::default();
        lists.iter().for_each(|list| sum.add(list[s]));
        bound[s] = sum.rounded(round);
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
